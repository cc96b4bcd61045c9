"""The command line as a whole. Heavy imports are inside the commands, so that `--help` is instant.

Exit status: 0 all is well, 1 something is incomplete, damaged or disagrees, 2 bad input (one line on
stderr), 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer

from ndcg_asymptotics.cli import analyse, growing, lists, losses, run, theory
from ndcg_asymptotics.cli.shared import share_options
from ndcg_asymptotics.cli.usage import Group, UsageError, shows_help, words
from ndcg_asymptotics.core.errors import InputError, InputWarning


class _Commands(Group):
    """Every bad input ends here, in one line and exit status 2."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        try:
            return super().make_context(*given, **more)
        except UsageError as error:
            _refuse_usage(error)

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", InputWarning)
                warnings.showwarning = _warn
                return super().invoke(ctx)
        except InputError as error:
            refuse(_as_option(error))
        except UsageError as error:
            _refuse_usage(error)
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
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (run, analyse, theory, lists, growing):
    app.add_typer(share_options(commands.app))
app.add_typer(
    share_options(losses.app), cls=Group, name="losses", help="Surrogate losses: decided, searched, trained."
)


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


def _warn(message: Warning | str, *further: Any, **more: Any) -> None:
    print(f"ndcg-asymptotics: warning: {message}", file=sys.stderr)


def _as_option(error: InputError) -> str:
    """The message; an argument at fault under the name that it has on the command line."""
    message = str(error).replace("allow_custom permits it", "--allow-custom permits it")
    if error.argument == "precision":
        return "--until-mcse" + message.removeprefix(error.argument)
    if not error.argument:
        return message
    option = "--" + error.argument.replace("_", "-")
    known = {
        text for command in _commands(typer.main.get_command(app)) for p in command.params for text in p.opts
    }
    return option + message.removeprefix(error.argument) if option in known else message


def _commands(command: Any) -> Iterator[Any]:
    """The command, and those within it."""
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _commands(inner)


def _refuse_usage(error: Exception) -> None:
    if shows_help(error):
        raise error
    refuse(words(error))


def refuse(message: str) -> NoReturn:
    """Say on one line what is wrong, and end."""
    if {"-v", "--verbose"} & set(sys.argv[1:]):
        traceback.print_exc()
    print(f"ndcg-asymptotics: {InputError(message)}", file=sys.stderr)
    raise typer.Exit(2)
