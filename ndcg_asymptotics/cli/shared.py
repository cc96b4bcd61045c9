"""What every command takes: --format where it prints tables, --quiet, --verbose.

A command prints tables if it has an option --json; it need not know of --format.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from enum import StrEnum
from typing import Annotated, Any

import typer

from ndcg_asymptotics.core.errors import InputError


class Format(StrEnum):
    """How tables are printed."""

    table = "table"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    json = "json"


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def quiet() -> bool:
    """Whether the command that runs was asked to be."""
    return _quiet.get()


def share_options(app: typer.Typer) -> typer.Typer:
    """Give every command of a group the options that all commands share."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _with_shared_options(command.callback)
    return app


def _with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that all commands share."""
    signature = inspect.signature(command, eval_str=True)
    shows_tables = "as_json" in signature.parameters

    @functools.wraps(command)
    def run(**given: Any) -> None:
        form = given.pop("form") if shows_tables else Format.table
        if form == Format.json:
            given["as_json"] = True
        _run(lambda: command(**given), form, given.pop("quiet"), given.pop("verbose"))

    shared = [
        _option("quiet", bool, False, typer.Option("-q", "--quiet", help="No progress and no advice.")),
        _option("verbose", bool, False, typer.Option("-v", "--verbose", help="Say how long it took.")),
    ]
    if shows_tables:
        words = "How tables are printed."
        shared.insert(
            0,
            _option("form", Format, Format.table, typer.Option("--format", help=words, case_sensitive=False)),
        )
    known = [p.replace(kind=p.KEYWORD_ONLY) for p in signature.parameters.values()]
    run.__signature__ = signature.replace(parameters=[*known, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*known, *shared]}
    del run.__wrapped__  # or its signature would be looked at
    return run


def _option(name: str, kind: Any, default: Any, option: Any) -> inspect.Parameter:
    annotation = Annotated[kind, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _run(command: Callable[[], None], form: Format, quiet: bool, verbose: bool) -> None:
    from ndcg_asymptotics.core.progress import listening
    from ndcg_asymptotics.core.progress.listeners import for_stderr
    from ndcg_asymptotics.reports import terminal

    start = time.monotonic()
    printed, said = terminal.form.set("table" if form == Format.json else form.value), _quiet.set(quiet)
    try:
        with listening(None if quiet else for_stderr()):
            command()
    finally:
        terminal.form.reset(printed)
        _quiet.reset(said)
        if verbose:
            print(f"{time.monotonic() - start:.1f} s", file=sys.stderr)


def whole_number(text: str, argument: str) -> int:
    """A whole number as a study file has it: 1000 or 1e3."""
    try:
        if "_" in text:  # which Python takes for a number, but no other field of the package does
            raise ValueError
        return int(text) if text.strip().lstrip("+-").isdigit() else _whole(float(text))
    except (ValueError, OverflowError):
        raise InputError(f"must be a whole number, such as 1000 or 1e3, got {text!r}", argument) from None


def _whole(value: float) -> int:
    if not value.is_integer():
        raise ValueError
    return int(value)
