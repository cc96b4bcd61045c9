"""What is wrong with how a command was called, in the one line that every bad input gets."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperGroup

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import did_you_mean

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""The error that typer has for all of these; it gives only this one of them a public name."""

_KINDS = {"int": "a whole number", "float": "a number"}


class Group(TyperGroup):
    """Commands, of which an unknown one is met with the nearest that there is."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None:
            raise InputError(f"unknown command {args[0]!r}{_near(args[0], list(self.commands), ctx)}")
        return super().resolve_command(ctx, args)


def shows_help(error: Any) -> bool:
    """Whether this is no error: a group of commands that is called without one shows its help."""
    return type(error).__name__ == "NoArgsIsHelpError"


def words(error: Any) -> str:
    """What an error of usage says, in the form of all others."""
    option, param = getattr(error, "option_name", None), getattr(error, "param", None)
    if option and hasattr(error, "possibilities"):
        known = [text for p in error.ctx.command.params for text in p.opts if text.startswith("--")]
        return f"unknown option {option!r}{_near(option, known, error.ctx)}"
    if option:
        return f"{option}: {error.message.removeprefix(f'Option {option!r} ').rstrip('.')}"
    if param is None:
        said = str(error.message).rstrip(".")
        return f"{said[:1].lower()}{said[1:]}; {_see(error.ctx)}"
    # options have two names or more, the words of an argument are how the help calls it
    name = max(param.opts, key=len) if param.param_type_name == "option" else param.metavar or param.name
    if hasattr(error, "param_type"):  # it was not given at all
        help_text = (getattr(param, "help", None) or "").rstrip(".")
        lowered = re.sub(r"^[A-Z](?=[a-z ])", lambda first: first[0].lower(), help_text)
        return f"{name} is missing: {lowered}" if lowered else f"{name} is missing; {_see(error.ctx)}"
    return f"{name}: {_expected(error)}"


def _expected(error: Any) -> str:
    """What a value should have been, and what it was, as far as typer tells."""
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    kind = _KINDS.get(str(found[0]["type"]).partition("_")[0]) if found else None
    if kind:
        return f"must be {kind}, got {found[0]['input']!r}"
    return str(error.message).removeprefix("Value error, ").rstrip(".")


def _near(given: str, known: list[str], ctx: Any) -> str:
    return did_you_mean(given, known) or f"; {_see(ctx)}"


def _see(ctx: Any) -> str:
    return f"see {ctx.command_path} --help"
