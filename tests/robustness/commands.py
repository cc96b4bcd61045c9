"""The command line in this process, so that thousands of commands can be tried."""

from __future__ import annotations

import io
import signal
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from ndcg_asymptotics.cli.main import main

TRACEBACK = 99
"""The exit status of a command that raised."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether the command refused its input: one line on stderr, and nothing on stdout."""
        return self.code == 2 and self.err.count("\n") == 1 and not self.out


def command(*arguments: object) -> Ended:
    """Run a command."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            err.write(traceback.format_exc())
            code = TRACEBACK
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return Ended(code, out.getvalue(), err.getvalue())
