"""The command line as a whole. Heavy imports are inside the commands, so that `--help` is instant.

Exit status: 0 success, 1 something is incomplete, damaged or disagrees, 2 bad input (one line on stderr),
130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ndcg_asymptotics.cli import analyse, growing, lists, losses, run, theory
from ndcg_asymptotics.cli.options import Settings, show_help_without_command
from ndcg_asymptotics.core.errors import InputError, InputWarning


class _Commands(TyperGroup):
    """The commands; what a user can cause ends in one line."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", InputWarning)
                try:
                    return super().invoke(ctx)
                finally:
                    _print_warnings(caught)
        except InputError as error:
            refuse(_as_option(error), ctx.obj)
        except OSError as error:
            place = f"{error.filename}: " if error.filename is not None else ""
            refuse(f"{place}{error.strerror or error}", ctx.obj)
        except MemoryError:
            refuse("not enough memory", ctx.obj)
        except RecursionError:
            refuse("nested too deeply", ctx.obj)
        except KeyboardInterrupt:
            print("ndcg-asymptotics: interrupted", file=sys.stderr)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (run, analyse, theory, lists, growing):
    app.add_typer(commands.app)
app.add_typer(losses.app, name="losses")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"ndcg-asymptotics {version('ndcg-asymptotics')}")
        raise typer.Exit


@app.callback()
def everything(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A Monte Carlo asymptotics laboratory for NDCG and its discounts."""
    show_help_without_command(ctx)


def run_app() -> int:
    """Run the command that `sys.argv` asks for and return its exit status."""
    settings = Settings()
    try:
        return app(prog_name="ndcg-asymptotics", obj=settings, standalone_mode=False) or 0
    except typer.TyperException as error:  # a usage error: in one line, without typer's frame
        refuse(error.format_message().replace("Value error, ", ""), settings)


def _print_warnings(caught: list[warnings.WarningMessage]) -> None:
    for warning in caught:
        print(f"ndcg-asymptotics: warning: {warning.message}", file=sys.stderr)


def _as_option(error: InputError) -> str:
    """Return the message with the argument at fault under its name on the command line."""
    message = str(error).replace("allow_custom permits it", "--allow-custom permits it")
    if error.argument == "precision":
        return "--until-mcse" + message.removeprefix(error.argument)
    if not error.argument:
        return message
    option = "--" + error.argument.replace("_", "-")
    known = {
        text for command in _flat(typer.main.get_command(app)) for p in command.params for text in p.opts
    }
    return option + message.removeprefix(error.argument) if option in known else message


def _flat(command: Any) -> Iterator[Any]:
    """Yield a command and those within it."""
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _flat(inner)


def refuse(message: str, settings: Settings) -> NoReturn:
    """Print in one line what is wrong, and exit with status 2."""
    if settings.verbose:
        traceback.print_exc()
    print(f"ndcg-asymptotics: {InputError(message)}", file=sys.stderr)
    raise SystemExit(2)
