"""The texts of --help, made of docstrings: paragraphs without line breaks, examples, exit statuses.

typer prints them as plain text: the library for boxes and colours takes longer to load than all else.
"""

from __future__ import annotations

import inspect
from typing import Any

import typer
from typer.core import TyperCommand

_ONE = "Exit status 1: "
_EXAMPLES = ("Example:", "Examples:")
_AS_IT_IS = "\b\n"  # before a paragraph whose lines typer leaves alone


GROUPS = {
    "Laboratory": (
        "init",
        "run",
        "merge",
        "info",
        "check",
        "distinguish",
        "figures",
        "report",
        "predict",
        "explore",
        "list",
    ),
    "Real lists": ("evaluate", "compare", "plan", "sampled", "fit", "grow"),
    "Learning to rank": ("losses",),
}
"""The commands under the headings of --help, in order."""
_MOST_USED = {
    "plan": ("a", "b", "run", "qrels", "measure", "queries", "relevant", "as_json"),
    "compare": ("run", "qrels", "values", "collections", "measure", "baseline", "judge", "as_json"),
    "evaluate": ("run", "qrels", "lists", "measure", "like", "gain", "by_query", "as_json"),
    "grow": ("run", "qrels", "measure", "out", "groups", "order", "gain", "as_json"),
}
"""The options that --help shows of a command with many; --help-all shows all."""
_ALL = "ndcg_asymptotics.help_all"


class Command(TyperCommand):
    """A command that takes no option twice, and whose --help has its options under their headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse an option with a value that is given twice but kept once."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in {parameter for parameter in given if given.count(parameter) > 1}:
            several = getattr(option, "multiple", True) or getattr(option, "is_flag", False)
            if not several:
                ctx.fail(f"{option.opts[0]} is given more than once, but has one value.")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options without a heading of their own, and the others."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        shown = None if ctx.meta.get(_ALL) else _MOST_USED.get(self.name or "")
        for parameter in self.get_params(ctx):
            named = parameter.param_type_name == "argument" or parameter.name in ("help", "help_all")
            if shown and not named and parameter.name not in shown:
                continue
            own = "Arguments" if parameter.param_type_name == "argument" else "Options"
            heading = getattr(parameter, "rich_help_panel", None) or own
            if record := parameter.get_help_record(ctx):
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def show_all(ctx: typer.Context, wanted: bool) -> bool:
    """Print the help with all options, and end."""
    if wanted and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        typer.echo(ctx.get_help())
        raise typer.Exit
    return wanted


def prepare(command: Any) -> None:
    """Make the help and the epilog of a command, and of the commands within it, of their docstrings.

    In a docstring ``Examples:`` stands before indented lines, and ``Exit status 1: `` before what makes the
    command end with it.
    """
    inner = getattr(command, "commands", {})
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    said: list[str] = []
    end: list[str] = []
    one = ""
    for i, paragraph in enumerate(paragraphs):
        if paragraph.startswith(_ONE):
            one = f"1 {' '.join(paragraph.removeprefix(_ONE).split()).rstrip('.')}; "
        elif paragraph in _EXAMPLES:
            end.append(paragraph)
        elif i and paragraphs[i - 1] in _EXAMPLES:
            end.append(_AS_IT_IS + paragraph)
        else:
            indented = paragraph.startswith("    ")
            said.append(_AS_IT_IS + paragraph if indented else " ".join(paragraph.split()))
    if not inner or end:
        end.append(f"Exit status: 0 success; {one}2 bad input (one line on stderr); 130 interrupted.")
    command.help, command.short_help = "\n\n".join(said), said[0]
    command.epilog = "\n\n".join(end)
    for one_of_them in inner.values():
        prepare(one_of_them)
