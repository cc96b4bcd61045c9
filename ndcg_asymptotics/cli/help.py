"""The texts of --help, made of docstrings, and options under their headings.

typer prints them as plain text: the library for boxes and colours takes longer to load than all else.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command that takes no option twice, and whose --help has its options under their headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse an option with a value that is given twice but kept once."""
        _, _, parameters = self.make_parser(ctx).parse_args(args=list(args))
        for option in {parameter for parameter in parameters if parameters.count(parameter) > 1}:
            repeatable = getattr(option, "multiple", True) or getattr(option, "is_flag", False)
            if not repeatable:
                ctx.fail(f"{option.opts[0]} is given more than once, but has one value.")
        remaining: list[str] = super().parse_args(ctx, args)
        return remaining

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, options without a heading of their own, and the others."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            usual_heading = "Arguments" if parameter.param_type_name == "argument" else "Options"
            heading = getattr(parameter, "rich_help_panel", None) or usual_heading
            if record := parameter.get_help_record(ctx):
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def prepare(command: Any) -> None:
    """Make the help of a command, and of the commands within it, of their docstrings.

    Examples and exit statuses stand behind the options. typer leaves the lines of a paragraph alone if a
    backspace stands before them.
    """
    text = re.sub(r"\n\n(?=    )", "\n\n\b\n", inspect.cleandoc(command.help or ""))
    command.help, example, further_text = text.partition("\n\nExample")
    command.short_help = " ".join(text.partition("\n\n")[0].split())
    statuses = "Exit status 0: success; 2: bad input (one line on stderr); 130: interrupted."
    command.epilog = f"{example}{further_text}\n\n{statuses}".strip() if example else None
    for inner in getattr(command, "commands", {}).values():
        prepare(inner)
