"""Options that several commands share, as annotated types, and the parsers of their values."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

# typer.Option under a heading of its own in --help: what a command reads, and how it prints
_from_input = partial(typer.Option, rich_help_panel="Input")
_to_output = partial(typer.Option, rich_help_panel="Output")


class Settings:
    """Settings of one run of the command line, which typer's context carries as its ``obj``."""

    verbose: bool = False
    as_json: bool = False


def show_help_without_command(ctx: typer.Context) -> None:
    """Print the help of a group of commands that was called without one."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _show_progress(quiet: bool) -> bool:
    from ndcg_asymptotics.core.progress import set_shown

    set_shown(not quiet)
    return quiet


def _print_time_at_end(ctx: typer.Context, verbose: bool) -> bool:
    if verbose:
        start = time.monotonic()
        ctx.ensure_object(Settings).verbose = True
        ctx.call_on_close(lambda: print(f"{time.monotonic() - start:.1f} s", file=sys.stderr))
    return verbose


def _note_json(ctx: typer.Context, as_json: bool) -> bool:
    ctx.ensure_object(Settings).as_json = as_json
    return as_json


def _json_or(ctx: typer.Context, form: str) -> str:
    return "json" if ctx.ensure_object(Settings).as_json else form


def whole_number(text: str) -> int:
    """Return a whole number as a study file has it: 1000 or 1e3.

    Raises
    ------
    typer.BadParameter
        If the text is not a whole number.
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
    """Return the number that a text stands for, or the text itself, which the command then refuses."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text


def _groups(text: str) -> int | str:
    """Return a number of groups, or the text, such as "4x2" or "auto", that stands in its place."""
    return int(text) if text.isdigit() else text


def _gain(text: str) -> str:
    """Return the text of a gain; a name that is none is that of a file with a table."""
    from ndcg_asymptotics.core.errors import InputError
    from ndcg_asymptotics.measures.gains import read_gain

    try:
        return read_gain(text)
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("gain: ")) from None


def _figure_formats(text: str) -> list[str]:
    """Return the file formats of figures that a list such as "svg,pdf" names."""
    if text == "png":  # the default, for which matplotlib need not be loaded
        return [text]
    from ndcg_asymptotics.core.errors import InputError
    from ndcg_asymptotics.plots.style import FORMATS, require_savable

    formats = [name.strip().lower() for name in text.split(",") if name.strip()]
    if not formats:
        raise typer.BadParameter(f"must be of {', '.join(FORMATS)}, got none")
    try:
        require_savable(formats)
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("format: ")) from None
    return formats


figure_format = partial(
    typer.Option,
    metavar="LIST",
    parser=_figure_formats,
    help="File formats of figures, of svg, png and pdf, separated by commas.",
)
FigureFormat = Annotated[Any, figure_format("--figure-format")]


def _relevant(text: str) -> Any:
    """Return a number of relevant items, or the table that a text such as "1=0.7, 2=0.3" stands for."""
    from ndcg_asymptotics.core.errors import InputError
    from ndcg_asymptotics.studies.relevant import read_relevant

    try:
        pairs = [part.partition("=") for part in text.split(",")]
        return read_relevant({k.strip(): v.strip() for k, _, v in pairs} if "=" in text else text)
    except InputError as error:
        raise typer.BadParameter(str(error).removeprefix("relevant: ")) from None


def columns_of(text: str | None) -> dict[str, str] | None:
    """Return the names of a table's columns by what they contain."""
    from ndcg_asymptotics.lists.reading import parse_columns

    return parse_columns(text) if text else None


def weights_of(feature: int | None, weights: Path | None) -> dict[int, float] | None:
    """Return the weights of the features of an SVMlight file; the score is their weighted sum."""
    from ndcg_asymptotics.lists.reading import read_weights

    if feature is not None and weights is not None:
        raise typer.BadParameter("give either --feature or --weights.")
    if feature is not None and feature < 1:
        raise typer.BadParameter(f"must be a whole number from 1 on, got {feature}", param_hint="--feature")
    return {feature: 1.0} if feature else read_weights(weights) if weights else None


Quiet = Annotated[
    bool, _to_output("-q", "--quiet", callback=_show_progress, help="Print neither progress nor advice.")
]
Verbose = Annotated[
    bool,
    _to_output(
        "-v",
        "--verbose",
        callback=_print_time_at_end,
        help="Print the running time and, after an error, a traceback.",
    ),
]
Format = Annotated[
    Literal["table", "csv", "markdown", "latex", "json"],
    _to_output("--format", case_sensitive=False, callback=_json_or, help="Format of the tables."),
]
Json = Annotated[
    bool,
    _to_output(
        # eager, so that it is known when the callback of --format runs
        "--json",
        callback=_note_json,
        is_eager=True,
        help="Short for --format json.",
    ),
]

Results = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
Custom = Annotated[
    bool, typer.Option("--allow-custom", help="Run the Python functions that a study brings along.")
]
Alpha = Annotated[float, typer.Option(help="Family-wise error rate: the probability of any false alarm.")]

# Some options are required by one command and optional in another; the help is the same.
_run = _from_input(metavar="FILE", help="A run, in TREC format, CSV, Parquet or JSON. May be repeated.")
_qrels = _from_input(metavar="FILE", help="Relevance judgements, in TREC format, CSV, Parquet or JSON.")
Runs = Annotated[list[Path] | None, _run]
RequiredRuns = Annotated[list[Path], _run]
Qrels = Annotated[Path | None, _qrels]
RequiredQrels = Annotated[Path, _qrels]

_LISTS = "In place of runs and judgements: a table with query, score and label, or SVMlight."
Lists = Annotated[Path | None, _from_input(metavar="FILE", help=_LISTS)]
SeveralLists = Annotated[
    list[Path] | None, _from_input("--lists", metavar="FILE", help=_LISTS + " May be repeated.")
]
Ranks = Annotated[
    list[Path] | None,
    _from_input(
        metavar="FILE",
        help="In place of runs and judgements: a table with the columns user and rank, a row per "
        "relevant item, and perhaps items, how many were ranked for the user. May be repeated.",
    ),
]
Items = Annotated[
    Any,
    _from_input(
        metavar="N",
        parser=whole_number,
        help="Number of items of the catalogue, which the full metric ranks; required with --ranks that "
        "have no column items.",
        show_default="as many as runs and judgements name",
    ),
]
Columns = Annotated[
    str | None,
    _from_input(
        metavar="NAME=COLUMN,…", help="Columns of a table that are not called query, document, score, label."
    ),
]
Feature = Annotated[
    int | None, _from_input(metavar="I", help="The feature of an SVMlight file that is the score.")
]
Weights = Annotated[
    Path | None,
    _from_input(
        metavar="FILE", help="Weights of the features of an SVMlight file, whose weighted sum is the score."
    ),
]
_measure = partial(typer.Option, metavar="SPEC", help="A measure, such as nDCG@10. May be repeated.")
Measures = Annotated[list[str], _measure()]
SixMeasures = Annotated[list[str] | None, _measure(show_default="six common ones")]
Documents = Annotated[
    Literal["retrieved", "judged"],
    _from_input(help="Rank the documents retrieved by any run, or also all judged ones."),
]
BinaryAt = Annotated[
    float | None, _from_input(metavar="LABEL", help="Replace labels of at least LABEL by 1, others by 0.")
]
_gain_option = partial(
    typer.Option,
    metavar="linear|exp2|TABLE|FILE",
    parser=_gain,
    help="Gain of a label y: y itself (linear), 2^y - 1 (exp2), or that of a table: '0=0, 1=1, 2=3', "
    "also in a file.",
)
Gain = Annotated[Any, _gain_option()]
GainLike = Annotated[Any, _gain_option(show_default="linear, or that of --like")]
Like = Annotated[
    str | None,
    typer.Option(
        metavar="PROGRAM",
        help="Conventions of a program, which other options change: trec_eval, ir_measures, gdeval, sklearn, "
        "lightgbm, xgboost, catboost, letor, lenskit, jarvelin.",
        show_default="trec_eval",
    ),
]
Relevant = Annotated[
    Any,
    typer.Option(
        metavar="R|TABLE",
        parser=_relevant,
        help="Number of relevant items of every list, or the probability of each number: '1=0.7, 2=0.3'; "
        "'at least 1 of 1000': that of i.i.d. lists of 1000 items that are not empty. "
        "Scorers may then be ROC curves, such as roc_power(0.4).",
        show_default="i.i.d. labels",
    ),
]
By = Annotated[
    Any,
    typer.Option(
        metavar="auto|N|NxP|query",
        parser=_groups,
        help="Groups of queries: N by their fraction of relevant documents; NxP cuts each of them into P by "
        "which run wins; auto chooses both by cross-validation over queries; query makes each a group.",
    ),
]
