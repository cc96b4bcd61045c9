"""The command line as a whole. Commands import what they need when they run, so that `--help` is instant.

Exit status: 0 success, 1 something is incomplete, damaged or disagrees, 2 bad input (one line on stderr),
70 an error of the package itself, 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ndcg_asymptotics.cli import analyse, lists, losses, plan, run, theory
from ndcg_asymptotics.cli.help import Command, prepare
from ndcg_asymptotics.cli.options import expanded
from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.core.removed import COMMANDS, removed

_WIDEST_HELP = 100  # columns: longer lines are hard to read
_INTERNAL_ERROR = (
    "ndcg-asymptotics: this is an error of ndcg-asymptotics, not of your input. "
    "Please report it with the lines above, the command and the output of ndcg-asymptotics --version."
)


class _Commands(TyperGroup):
    """The group of all commands, which reports what a user can cause as an error of typer's."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        prepare(self)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings of their groups."""
        widest = max(map(len, self.commands))
        for heading, commands in groupby(self.commands.values(), attrgetter("rich_help_panel")):
            with formatter.section(heading):
                formatter.write_dl([(f"{command.name:{widest}}", command.short_help) for command in commands])

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _interruptible():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _interruptible(), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", InputWarning)
                try:
                    return super().invoke(ctx)
                finally:
                    for warning in caught:
                        print(f"ndcg-asymptotics: warning: {warning.message}", file=sys.stderr)
        except InputError as error:
            raise typer.TyperException(_with_option_name(error, _options(self))) from error
        except OSError as error:
            place = f"{error.filename}: " if error.filename is not None else ""
            raise typer.TyperException(f"{place}{error.strerror or error}") from error
        except MemoryError as error:
            raise typer.TyperException("not enough memory") from error
        except RecursionError as error:
            raise typer.TyperException("nested too deeply") from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Report an interrupt in one line; typer ends without a word."""
    try:
        yield
    except KeyboardInterrupt:
        print("ndcg-asymptotics: interrupted", file=sys.stderr)
        raise typer.Exit(130) from None


def _print_version(enabled: bool) -> None:
    if enabled:
        from importlib.metadata import version

        print(f"ndcg-asymptotics {version('ndcg-asymptotics')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Simulate NDCG along growing ranked lists, check it against exact theory, and compare rankers.

    Examples:

        ndcg-asymptotics init study.toml
        ndcg-asymptotics run study.toml --out results/two
        ndcg-asymptotics check results/two
        ndcg-asymptotics compare a.run b.run --qrels my.qrels
        ndcg-asymptotics COMMAND --help

    Exit status 1: something is incomplete, damaged or disagrees; 70: an error of the program.
    """


@cache
def application() -> typer.Typer:
    """Return the application with all commands."""
    app = typer.Typer(
        cls=_Commands,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST_HELP},
    )
    app.callback()(_root)
    for module in (run, analyse, theory, lists, plan, losses):
        for command in module.app.registered_commands:
            command.cls, command.callback = Command, expanded(command.callback)
            command.rich_help_panel = "Real lists" if module in (lists, plan) else "Laboratory"
        if module is not losses:
            app.registered_commands += module.app.registered_commands
    app.add_typer(losses.app, name="losses", rich_help_panel="Learning to rank")
    return app


def run_app(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name, and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in ([], ["losses"]):  # a group of commands without a command shows its help
        words.append("--help")
    try:
        if removal := removed(words[0], COMMANDS):
            raise typer.TyperException(removal)
        return application()(words, prog_name="ndcg-asymptotics", standalone_mode=False) or 0
    except typer.TyperException as error:  # in one line, where typer would draw a frame
        if "-v" in words or "--verbose" in words:
            traceback.print_exc()
        # `InputError` puts any text in one line of bounded length and makes invisible characters visible
        print(f"ndcg-asymptotics: {InputError(_reason(error))}", file=sys.stderr)
        return 2
    except Exception:
        traceback.print_exc()
        print(_INTERNAL_ERROR, file=sys.stderr)
        return 70


def _reason(error: typer.TyperException) -> str:
    """Return the message of an error; for a refused value, the reason that its parser gave."""
    # typer parses values with pydantic, whose messages are about Python's types
    cause: Any = error.__cause__
    for problem in cause.errors() if hasattr(cause, "errors") else ():
        if reason := problem.get("ctx", {}).get("error"):
            error.message = reason.reason if isinstance(reason, InputError) else str(reason)
    advice = _advice(error)
    message = error.format_message()
    return message.removesuffix(".") + advice if advice else message


def _advice(error: typer.TyperException) -> str:
    """Return what to write in place of an option of other programs, and of a measure without its option."""
    context = getattr(error, "ctx", None)
    options = _options(context.command).values() if context else ()
    option = getattr(error, "option_name", "")
    # typer's error about a missing option has no message of its own
    if getattr(getattr(error, "param", None), "name", "") == "out" and not error.message:
        return "; such as --out results/NAME"
    if option in ("-k", "--cutoff", "--top") and "--measure" in options:
        return "; the cutoff is a part of the measure: --measure nDCG@10"
    if option in ("-m", "--metric", "--metrics") and "--measure" in options:
        return "; write --measure"
    if error.message.startswith("Got unexpected extra argument") and "--measure" in options:
        return "; write --measure before each measure"
    return ""


def _options(command: Any) -> dict[str, str]:
    """Return the options of a command and of the commands within it, by the names of their parameters.

    A parameter has the same option in every command, so commands may share one mapping.
    """
    options: dict[str, str] = {}
    for inner in getattr(command, "commands", {}).values():
        options |= _options(inner)
    return options | {
        parameter.name: option
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    }


def _with_option_name(error: InputError, options: Mapping[str, str]) -> str:
    """Return the message of an error; it calls an argument by the name of its option, if it has one."""
    # several values of an option are one argument: --measure, measures
    option = options.get(error.argument) or options.get(error.argument.removesuffix("s"))
    return f"{option}: {error.reason}" if option else str(error)
