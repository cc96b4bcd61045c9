"""Options that several commands share, as annotated types, and the parsers of their values."""

from __future__ import annotations

import inspect
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from ndcg_asymptotics.cli.help import show_all
from ndcg_asymptotics.core.errors import InputError, require

if TYPE_CHECKING:
    from ndcg_asymptotics.core.tables import Form, Report, ReportBlock

# typer.Option under a heading of its own in --help: what a command reads, and how it prints
_from_input = partial(typer.Option, rich_help_panel="Input")
_to_output = partial(typer.Option, rich_help_panel="Output")


class Settings:
    """Settings of one run of the command line, which typer's context carries as its ``obj``."""

    verbose: bool = False


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


def parse_whole(text: str) -> int:
    """Return a whole number as a study file has it: 1000 or 1e3.

    Raises
    ------
    InputError
        If the text is not a whole number.
    """
    found = parse_number(text)
    # Python reads 1_000 as a number, but no other field of the package does
    number = isinstance(found, int) or (isinstance(found, float) and math.isfinite(found))
    whole = number and found == int(found) and "_" not in text
    require(whole, f"must be a whole number, such as 1000 or 1e3, got {text[:60]!r}")
    return int(found)


def parse_number(text: str) -> int | float | str:
    """Return the number that a text stands for, or the text itself, which the command then refuses."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text


def parse_numbers(text: str) -> list[float]:
    """Return the numbers of a text, which commas separate.

    Raises
    ------
    InputError
        If a part of the text is not a number.
    """
    found = [parse_number(part) for part in text.split(",")]
    numbers = [value for value in found if not isinstance(value, str)]
    require(len(numbers) == len(found), f"must be numbers, separated by commas, got {text!r}")
    return [float(value) for value in numbers]


def _gain(text: str) -> str:
    """Return the text of a gain; a name that is none is that of a file with a table."""
    from ndcg_asymptotics.measures.gains import read_gain

    return read_gain(text)


def _figure_formats(text: str) -> list[str]:
    """Return the file formats of figures that a list such as "svg,pdf" names."""
    if text == "png":  # the default, for which matplotlib need not be loaded
        return [text]
    from ndcg_asymptotics.plots.saving import FORMATS, require_savable

    formats = [name.strip().lower() for name in text.split(",") if name.strip()]
    require(len(formats) > 0, f"must be of {', '.join(FORMATS)}, got none")
    require_savable(formats)
    return formats


figure_format = partial(
    typer.Option,
    metavar="LIST",
    parser=_figure_formats,
    help="File formats of figures, of svg, png and pdf, separated by commas.",
)


first_curve = partial(typer.Option, metavar="CURVE", help="Relevance curve of the first ranker.")
second_curve = partial(
    typer.Option,
    metavar="CURVE",
    help="Relevance curve of the second ranker; its share of relevant items must equal that of --a.",
)


def _relevant(text: str) -> object:
    """Return a number of relevant items, or the table that a text such as "2=1, 1=4" stands for."""
    from ndcg_asymptotics.studies.relevant import read_relevant

    pairs = [part.partition("=") for part in text.split(",")]
    return read_relevant({k.strip(): v.strip() for k, _, v in pairs} if "=" in text else text)


def _columns(text: str) -> dict[str, str]:
    """Return the names of a table's columns by what they contain."""
    from ndcg_asymptotics.lists.reading import parse_columns

    return parse_columns(text)


class Options:
    """Base class of several options: a command that has a parameter of a derived class takes each of them.

    Their annotations and defaults stand in the class, as those of parameters do in a command. So options that
    commands share, and what is done with them, are declared once.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @property
    def handed(self) -> dict[str, Any]:
        """The values that are given, by name, as a command hands them on to the function that it calls."""
        return {name: value for name, value in vars(self).items() if value is not None and value != []}


class Output(Options):
    """What every command prints beside its results."""

    quiet: Annotated[
        bool, _to_output("-q", "--quiet", callback=_show_progress, help="Print neither progress nor advice.")
    ] = False
    verbose: Annotated[
        bool,
        _to_output(
            "-v",
            "--verbose",
            callback=_print_time_at_end,
            help="Print all notes and tables, the running time and, after an error, a traceback.",
        ),
    ] = False


class _Formats(Options):
    table_format: Annotated[
        Literal["table", "csv", "latex", "json"],
        _to_output("--format", case_sensitive=False, help="Format of the tables."),
    ] = "table"
    as_json: Annotated[bool, _to_output("--json", help="Short for --format json.")] = False


class TableOutput(Output, _Formats):
    """What a command prints whose results are tables."""

    @property
    def form(self) -> Form:
        """The format of the tables."""
        return "json" if self.as_json else self.table_format

    def show(
        self,
        found: Report | Iterable[ReportBlock],
        kind: str,
        *,
        blocks: Iterable[ReportBlock] | None = None,
        data: Mapping[str, object] | None = None,
        full: bool = False,
    ) -> None:
        """Print an outcome in the format that is asked for.

        Parameters
        ----------
        found : Report, or tables and lines
            Other formats than a table leave lines out. CSV is the DataFrame of a report, with every row.
        kind : str
            What is printed, as docs/json.md calls it.
        blocks : tables and lines, optional
            What to print instead of all blocks of ``found``.
        data : optional
            What to print as JSON instead of ``found.as_dict()``.
        full : bool
            Whether a table is printed with its details, as with --verbose; other formats have all tables.
        """
        from ndcg_asymptotics.cli.terminal import print_text, show_json
        from ndcg_asymptotics.core.tables import Report, console, in_format, print_blocks

        form = self.form
        listed = blocks if blocks is not None else found.blocks() if isinstance(found, Report) else found
        if form == "json":
            show_json(kind, data or (found.as_dict() if isinstance(found, Report) else {}))
        elif form == "csv" and isinstance(found, Report):
            print_text(found.to_dataframe().to_csv(index=False, lineterminator="\n"))
        elif form == "latex" and hasattr(found, "to_latex"):
            print_text(found.to_latex())
        elif form != "table":
            print_text(in_format(listed, form))
        else:
            print_blocks(listed, console(), verbose=self.verbose or full)


class _AllOptions(Options):
    help_all: Annotated[
        bool,
        typer.Option("--help-all", is_eager=True, callback=show_all, help="Show all options and exit."),
    ] = False


class TableOutputOfMany(TableOutput, _AllOptions):
    """What a command prints that has many options, of which --help shows the most used."""


class Figures(Options):
    """Figures of the results of a command, if a folder for them is named."""

    folder: Annotated[
        Path | None, typer.Option("--figures", metavar="FOLDER", help="Draw figures into this folder.")
    ] = None
    figure_format: Annotated[Any, figure_format("--figure-format")] = "png"

    def require_folder(self) -> None:
        """Refuse the name of a file."""
        free = self.folder is None or self.folder.is_dir() or not self.folder.exists()
        require(free, f"{self.folder} is a file, expected a folder", "folder")

    def save(self, found: Report) -> None:
        """Draw the figures, if they are asked for, and print their names."""
        if self.folder is None:
            return
        from ndcg_asymptotics.plots import draw_all

        for path in draw_all(found, self.folder, formats=self.figure_format):
            print(path, file=sys.stderr)


Results = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")]
Custom = Annotated[
    bool, typer.Option("--allow-custom", help="Run the Python functions that a study brings along.")
]
Power = Annotated[float, typer.Option(help="Target power of the paired t test.")]
Alpha = Annotated[float, typer.Option(help="Family-wise error rate: the probability of any false alarm.")]


class Runs(Options):
    """Runs and their judgements. A run is an argument or the value of an option, as one likes."""

    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN", help="Runs, in TREC format, CSV, Parquet or JSON."),
    ] = None
    run: Annotated[
        list[Path] | None,
        _from_input(
            metavar="RUN",
            help="A run, as an argument is; with --values or --collections the name of one. May be repeated.",
        ),
    ] = None
    qrels: Annotated[
        Path | None,
        _from_input(metavar="FILE", help="Relevance judgements, in TREC format, CSV, Parquet or JSON."),
    ] = None

    @property
    def files(self) -> list[Path]:
        """The files that are given as arguments.

        Raises
        ------
        InputError
            For an argument that is no file but a measure, before which its option is missing.
        """
        from ndcg_asymptotics.measures import Measure

        for path in self.runs or ():
            if not path.exists():
                try:
                    Measure.parse(str(path))
                except InputError:
                    continue
                raise InputError(f"write --measure before each measure: --measure {path}")
        return [*(self.runs or ())]

    @property
    def every(self) -> list[Path] | None:
        """All runs, in the order of the arguments and then of the options."""
        return [*self.files, *(self.run or ())] or None

    @property
    def names(self) -> list[str] | None:
        """The options as names of runs, beside --values and --collections."""
        return [str(name) for name in self.run or ()] or None


Values = Annotated[
    list[Path] | None,
    _from_input(
        metavar="FILE",
        help="In place of runs and judgements: values of any measures by query, in CSV, TSV, Parquet or "
        "JSON, as other programs write them; --run then names runs. May be repeated.",
    ),
]
CollectionsTable = Annotated[
    Path | None,
    _from_input(
        "--collections",
        metavar="FILE.csv",
        help="In place of runs: a table of collections with the columns collection, qrels, run and path. "
        "Paths are relative to the table; --run names runs.",
    ),
]
LowerIsBetter = Annotated[
    list[str] | None,
    _from_input(metavar="MEASURE", help="A measure of which lower --values are better. May be repeated."),
]
_LISTS = "In place of runs and judgements: a table with query, score and label, or SVMlight."
Lists = Annotated[Path | None, _from_input(metavar="FILE", help=_LISTS)]
SeveralLists = Annotated[
    list[Path] | None, _from_input("--lists", metavar="FILE", help=_LISTS + " May be repeated.")
]
Ranks = Annotated[
    list[Path] | None,
    _from_input(
        metavar="FILE",
        help="In place of runs and judgements: a table with the columns user and rank, that of the user's "
        "relevant item among all items. May be repeated.",
    ),
]
Items = Annotated[
    int,
    _from_input(metavar="N", parser=parse_whole, help="Number of items that are ranked for each user."),
]
Columns = Annotated[
    dict[str, str] | None,
    _from_input(
        metavar="NAME=COLUMN,…",
        parser=_columns,
        help="Columns of a table that are not called query, document, score, label.",
    ),
]
_FEATURE = "The feature of an SVMlight file that is the score."
_WEIGHTS = "Weights of the features of an SVMlight file, whose weighted sum is the score."
Feature = Annotated[int | None, _from_input(metavar="I", help=_FEATURE)]
Features = Annotated[
    list[int] | None, _from_input("--feature", metavar="I", help=_FEATURE + " May be repeated.")
]
Weights = Annotated[Path | None, _from_input(metavar="FILE", help=_WEIGHTS)]
SeveralWeights = Annotated[
    list[Path] | None, _from_input("--weights", metavar="FILE", help=_WEIGHTS + " May be repeated.")
]
_QUERY = (
    "Number of lines of each query (LightGBM's .query, XGBoost's .group), for SVMlight files without qid."
)
Query = Annotated[Path | None, _from_input(metavar="FILE", help=_QUERY)]
SeveralQueries = Annotated[
    list[Path] | None, _from_input("--query", metavar="FILE", help=_QUERY + " One for each file of --lists.")
]
_measure = partial(typer.Option, metavar="SPEC", help="A measure, such as nDCG@10. May be repeated.")
Measures = Annotated[list[str], _measure()]
_any_measure = partial(
    typer.Option,
    metavar="SPEC",
    help="A measure, such as nDCG@10 or, with ir_measures, AP or RR@10. May be repeated.",
)
AnyMeasures = Annotated[list[str] | None, _any_measure(show_default="nDCG")]
SixAnyMeasures = Annotated[list[str] | None, _any_measure(show_default="six common ones")]
Documents = Annotated[
    Literal["retrieved", "judged"],
    _from_input(help="Rank the documents retrieved by any run, or also all judged ones."),
]
BinaryAt = Annotated[
    float | None, _from_input(metavar="LABEL", help="Replace labels of at least LABEL by 1, others by 0.")
]
_gain_option = partial(
    typer.Option,
    metavar="linear|binary|exp2|TABLE|FILE",
    parser=_gain,
    help="Gain of a label y: y itself (linear), 1 if y > 0 (binary), 2^y - 1 (exp2), or that of a "
    "table: '0=0, 1=1, 2=3', also in a file.",
)
Gain = Annotated[str, _gain_option()]
GainLike = Annotated[str | None, _gain_option(show_default="linear, or that of --like")]
Missing = Annotated[
    Literal["drop", "zero", "error"] | None,
    typer.Option(
        help="Leave out queries that a run lacks, count them as 0, or refuse them.",
        show_default="drop, or error in a gate",
    ),
]
Like = Annotated[
    str | None,
    typer.Option(
        metavar="PROGRAM",
        help="Conventions of a program, which other options change: trec_eval, ir_measures, gdeval, sklearn, "
        "lightgbm, xgboost, catboost, letor, lenskit, jarvelin, beir, mteb, ranx, recbole, torchmetrics.",
        show_default="trec_eval",
    ),
]
ByQuery = Annotated[
    Path | None, typer.Option(metavar="FILE.csv", help="Write the value of every query to this file.")
]
Level = Annotated[
    float, typer.Option(help="Confidence level of the intervals; tests have the level 1 minus this.")
]
Relevant = Annotated[
    Any,
    typer.Option(
        metavar="R|TABLE",
        parser=_relevant,
        help="Number of relevant items of every list; of graded rankers that of each gain: '2=1, 1=4'. "
        "Scorers may then be ROC curves, such as roc_power(0.4).",
        show_default="i.i.d. labels",
    ),
]


class ConventionsGiven(Options):
    """How programs differ in what they call NDCG."""

    like: Like = None
    gain: GainLike = None
    ties: Annotated[
        Literal["trec", "average", "file", "worst", "quicksort"] | None,
        typer.Option(
            help="Order tied documents by decreasing name, average over all their orders, keep their order, "
            "put those of smaller gain first, or sort by numba's quicksort, as ranx does.",
            show_default="trec, or average with --lists",
        ),
    ] = None
    ideal: Annotated[
        Literal["judged", "retrieved"] | None,
        typer.Option(
            help="Form the ideal list from all judged documents, or from the retrieved ones.",
            show_default="judged",
        ),
    ] = None
    empty: Annotated[
        Literal["zero", "one", "nan", "skip"] | None,
        typer.Option(
            help="Count queries without relevant documents as 0, 1 or NaN, or skip them.", show_default="zero"
        ),
    ] = None
    missing: Missing = None


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command as typer takes it, with an option for each one of a parameter that is `Options`."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, dict[str, inspect.Parameter]] = {}
    for p in parameters:
        if isinstance(p.annotation, type) and issubclass(p.annotation, Options):
            hints = get_type_hints(p.annotation, include_extras=True)
            groups[p.name] = {
                name: p.replace(name=name, default=getattr(p.annotation, name, p.empty), annotation=hint)
                for name, hint in hints.items()
            }

    @wraps(command)
    def with_groups(**values: object) -> None:
        for p in parameters:
            if p.name in groups:
                values[p.name] = p.annotation(**{name: values.pop(name) for name in groups[p.name]})
        command(**values)

    options = [one for p in parameters for one in groups.get(p.name, {p.name: p}).values()]
    with_groups.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return with_groups
