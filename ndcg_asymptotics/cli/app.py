"""The command line as a whole. Heavy imports are inside the commands, so that `--help` is instant.

Exit status: 0 all is well, 1 something is incomplete, damaged or disagrees, 2 bad input (one line on
stderr), 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from ndcg_asymptotics.cli import analyse, lists, run, theory
from ndcg_asymptotics.errors import InputError


class _Commands(TyperGroup):
    """Every bad input ends here, in one line and exit status 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            refuse(_as_option(error))
        except OSError as error:
            place = f"{error.filename}: " if error.filename is not None else ""
            refuse(f"{place}{error.strerror or error}")
        except MemoryError:
            refuse("not enough memory")
        except RecursionError:
            refuse("nested too deeply")
        except KeyboardInterrupt:
            print("ndcg-asymptotics: interrupted", file=sys.stderr)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Commands,
    help="A Monte Carlo asymptotics laboratory for NDCG and its discounts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (run, analyse, theory, lists):
    app.add_typer(commands.app)


def _as_option(error: InputError) -> str:
    """The message; an argument at fault under the name that it has on the command line."""
    message = str(error).replace("allow_custom permits it", "--allow-custom permits it")
    if error.argument == "precision":
        return "--until-mcse" + message.removeprefix(error.argument)
    if not error.argument:
        return message
    option = "--" + error.argument.replace("_", "-")
    commands = typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
    known = {text for command in commands for parameter in command.params for text in parameter.opts}
    return option + message.removeprefix(error.argument) if option in known else message


def refuse(message: str) -> None:
    """Say on one line what is wrong, and end."""
    print(f"ndcg-asymptotics: {InputError(message)}", file=sys.stderr)
    raise typer.Exit(2)
