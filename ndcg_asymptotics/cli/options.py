"""Options that several commands share, as annotated types."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer


def show_help_without_command(ctx: typer.Context) -> None:
    """Print the help of a group of commands that was called without one."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


class Settings:
    """What holds for a whole run of the command line; the context's ``obj``."""

    verbose: bool = False
    as_json: bool = False


def _show_progress(quiet: bool) -> bool:
    from ndcg_asymptotics.core.progress import set_shown

    set_shown(not quiet)
    return quiet


def _time(ctx: typer.Context, verbose: bool) -> bool:
    if verbose:
        start = time.monotonic()
        ctx.ensure_object(Settings).verbose = True
        ctx.call_on_close(lambda: print(f"{time.monotonic() - start:.1f} s", file=sys.stderr))
    return verbose


def _ask_for_json(ctx: typer.Context, as_json: bool) -> bool:
    ctx.ensure_object(Settings).as_json = as_json
    return as_json


def _choose_format(ctx: typer.Context, form: str) -> str:
    return "json" if ctx.ensure_object(Settings).as_json else form


Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", callback=_show_progress, help="Show no progress and no advice.")
]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", callback=_time, help="Say how long it took and where it failed.")
]
Format = Annotated[
    Literal["table", "csv", "markdown", "latex", "json"],
    typer.Option("--format", case_sensitive=False, callback=_choose_format, help="Format of the tables."),
]
Json = Annotated[
    bool,
    # eager: before the callback of --format, which takes account of it
    typer.Option("--json", callback=_ask_for_json, is_eager=True, help="Print JSON, as --format json does."),
]

Results = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
Custom = Annotated[
    bool, typer.Option("--allow-custom", help="Run functions that came with a study or with results.")
]
Runs = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="A run: TREC, CSV or Parquet; may be repeated.")
]
Qrels = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Relevance judgements: TREC, CSV or Parquet.")
]
Lists = Annotated[
    Path | None,
    typer.Option(
        "--lists",
        "--csv",
        metavar="FILE",
        help="Instead: CSV or Parquet with query, score, label, or SVMlight.",
    ),
]
Measures = Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=COLUMN,…", help="Names of the columns query, document, score, label in a table."
    ),
]
Feature = Annotated[
    int | None, typer.Option(metavar="I", help="The feature of an SVMlight file that is the score.")
]
Weights = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Weights of all features: their sum is the score.")
]
Documents = Annotated[
    Literal["retrieved", "judged"],
    typer.Option(help="Documents retrieved by any of the runs, or those and all judged ones."),
]
BinaryAt = Annotated[
    float | None, typer.Option(metavar="LABEL", help="Count labels of at least this value as 1, others as 0.")
]
Gain = Annotated[Literal["linear", "exp2"], typer.Option(help="The gain of a label y: y, or 2^y - 1.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
By = Annotated[
    str | None,
    typer.Option(metavar="N|query", help="Number of groups of queries by their share of relevant documents."),
]


def whole_number(text: str) -> int:
    """Return a whole number as a study file has it: 1000 or 1e3.

    Raises
    ------
    typer.BadParameter
        If it is none.
    """
    try:
        if "_" in text:  # Python reads 1_000 as a number, but no other field of the package does
            raise ValueError
        value: int | float = int(text) if text.strip().lstrip("+-").isdigit() else float(text)
        if not float(value).is_integer():
            raise ValueError
        return int(value)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"must be a whole number, such as 1000 or 1e3, got {text!r}.") from None


def number(text: str) -> int | float | str:
    """Return the number a text means, or the text; which numbers are list lengths is not decided here."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text


def columns_of(text: str | None) -> dict[str, str] | None:
    """Return the names of a table's columns by what is in them."""
    from ndcg_asymptotics.lists.reading import parse_columns

    return parse_columns(text) if text else None


def groups_of(text: str | None) -> int | str | None:
    """Return a number of groups, or the text that stands in its place."""
    return int(text) if text is not None and text.isdigit() else text


def weights_of(feature: int | None, weights: Path | None) -> dict[int, float] | None:
    """Return the weights of the features of an SVMlight file whose sum is the score."""
    from ndcg_asymptotics.lists.reading import read_weights

    if feature is not None and weights is not None:
        raise typer.BadParameter("give either --feature or --weights.")
    if feature is not None and feature < 1:
        raise typer.BadParameter(f"must be a whole number from 1 on, got {feature}", param_hint="--feature")
    return {feature: 1.0} if feature else read_weights(weights) if weights else None
