"""The command line as a whole. Heavy imports are inside the commands, so that `--help` is instant.

Exit status: 0 all is well, 1 something is incomplete or disagrees, 2 bad input (one line on
stderr), 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

from ndcg_asymptotics.cli import analyse, lists, run, start, theory
from ndcg_asymptotics.cli.options import with_shared_options
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.texts import visible

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (start, run, analyse, theory, lists):
    for command in commands.app.registered_commands:
        if command.callback is not None:
            command.callback = with_shared_options(command.callback)
    app.add_typer(commands.app)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ndcg-asymptotics {version('ndcg-asymptotics')}")
        raise typer.Exit


@app.callback()
def everything(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A Monte Carlo asymptotics laboratory for NDCG and its discounts."""


def main() -> None:
    """Run the command line; every bad input ends here, in one line and exit status 2."""
    try:
        app()
    except InputError as error:
        _refuse(_as_option(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        _refuse(f"{place}{error.strerror or error}")


def _as_option(error: InputError) -> str:
    """The message; an argument at fault under the name that it has on the command line."""
    if not error.argument:
        return str(error)
    option = "--" + error.argument.replace("_", "-")
    commands = typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
    known = {text for command in commands for parameter in command.params for text in parameter.opts}
    return option + str(error).removeprefix(error.argument) if option in known else str(error)


def _refuse(message: str) -> None:
    if {"-v", "--verbose"} & set(sys.argv[1:]):
        traceback.print_exc()
    print(f"ndcg-asymptotics: {visible(' '.join(message.splitlines()))}", file=sys.stderr)
    sys.exit(2)
