"""Options that several commands share, how options are declared, and the parsers of their values."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer
from typer.models import OptionInfo

from ndcg_asymptotics.core import defaults
from ndcg_asymptotics.core.errors import InputError

if TYPE_CHECKING:
    from ndcg_asymptotics.core.tables import Report, ReportBlock


def option(
    text: str,
    default: Any = None,
    metavar: str | None = None,
    *,
    name: str = "",
    short: str = "",
    shown: str | bool = True,
    panel: str | None = None,
    **settings: Any,
) -> Any:
    """Declare an option of a command, as the default of a parameter or of an attribute of `Options`.

    Its type adds what `expanded` says: how numbers are read, and that lists take several values.

    Parameters
    ----------
    text : str
        What the option does, for --help.
    default : optional
        ``...`` for an option that a command needs; flags are off.
    metavar : str, optional
        The name of the value in --help.
    name, short : str
        The name, if it is not that of the parameter, such as ``--figures``, and a short one, such as ``-n``.
    shown : str, optional
        The default as --help shows it.
    panel : str, optional
        The heading in --help.
    **settings
        Further ones of `typer.Option`.
    """
    settings |= {"help": text, "metavar": metavar, "show_default": shown, "rich_help_panel": panel}
    return typer.Option(default, *filter(None, (short, name)), **settings)


from_input = partial(option, panel="Input")
_to_output = partial(option, panel="Output")


def _show_progress(quiet: bool) -> bool:
    from ndcg_asymptotics.core.progress import set_shown

    set_shown(not quiet)
    return quiet


def parse_whole(text: str | int) -> int:
    """Return a whole number as a study file has it: 1000 or 1e3.

    Raises
    ------
    InputError
        If the text is not a whole number.
    """
    with suppress(ValueError, OverflowError):
        number = int(text) if str(text).strip("+-").isdigit() else float(text)
        if number == int(number):
            return int(number)
    raise InputError(f"must be a whole number, such as 1000 or 1e3, got {str(text)[:60]!r}")


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

    quiet: bool = _to_output("Print neither progress nor advice.", short="-q", callback=_show_progress)
    verbose: bool = _to_output("Print all notes and tables and, after an error, a traceback.", short="-v")


class TableOutput(Output):
    """What a command prints whose results are tables."""

    table_format: defaults.Format = _to_output(
        "Format of the tables.", "table", name="--format", case_sensitive=False
    )
    as_json: bool = _to_output("Short for --format json.", name="--json")

    @property
    def form(self) -> defaults.Format:
        """The format of the tables."""
        return "json" if self.as_json else self.table_format

    def show(
        self,
        outcome: Report | Iterable[ReportBlock],
        kind: str,
        data: Mapping[str, object] | None = None,
    ) -> None:
        """Print an outcome in the format that is asked for.

        Parameters
        ----------
        outcome : Report, or tables and lines
            Other formats than a table leave lines out. CSV is the DataFrame of a report, with every row.
        kind : str
            What is printed, as docs/json.md calls it.
        data : optional
            What to print as JSON instead of ``outcome.as_dict()``.
        """
        from ndcg_asymptotics.cli.terminal import print_text, show_json
        from ndcg_asymptotics.core.tables import Report, console, in_format, print_blocks

        form = self.form
        blocks = (
            (outcome.long() if self.verbose else outcome.blocks()) if isinstance(outcome, Report) else outcome
        )
        if form == "json":
            show_json(kind, data or (outcome.as_dict() if isinstance(outcome, Report) else {}))
        elif form == "csv" and isinstance(outcome, Report):
            print_text(outcome.to_dataframe().to_csv(index=False, lineterminator="\n"))
        elif form == "latex" and hasattr(outcome, "to_latex"):
            print_text(outcome.to_latex())
        elif form != "table":
            print_text(in_format(blocks, form))
        else:
            print_blocks(blocks, console(), verbose=self.verbose)


FIGURE_FORMAT = option("File format of figures.", name="--figure-format", shown="png")


class Figures(Options):
    """Figures of the results of a command, if a folder for them is named."""

    folder: Path | None = option(
        "Draw figures into this folder.", None, "FOLDER", name="--figures", file_okay=False
    )
    figure_format: list[defaults.FigureFormat] | None = FIGURE_FORMAT

    def save(self, outcome: Report) -> None:
        """Draw the figures, if they are asked for, and print their names."""
        if self.folder is None:
            return
        from ndcg_asymptotics.plots import draw_all

        for path in draw_all(outcome, self.folder, formats=self.figure_format or ("png",)):
            print(path, file=sys.stderr)


Results = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of results.")]
CUSTOM = option("Run the Python functions that a study brings along.", name="--allow-custom")
POWER = option("Target power of the paired t test.", 0.8)
LEVEL = option("Confidence level of the intervals; tests have the level 1 minus this.", defaults.LEVEL)


class Runs(Options):
    """Runs and their judgements. A run is an argument or the value of an option, as one likes."""

    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN", help="Runs, in TREC format, CSV, Parquet or JSON."),
    ] = None
    run: list[Path] | None = from_input(
        "A run, as an argument is; with --values or --collections the name of one.", None, "RUN"
    )
    qrels: Path | None = from_input("Relevance judgements, in TREC format, CSV, Parquet or JSON.")

    @property
    def every(self) -> list[Path] | None:
        """All runs, in the order of the arguments and then of the options."""
        return [*(self.runs or ()), *(self.run or ())] or None

    @property
    def names(self) -> list[str] | None:
        """The options as names of runs, beside --values and --collections."""
        return [str(name) for name in self.run or ()] or None


VALUES = from_input(
    "In place of runs and judgements: values of any measures by query, in CSV, TSV, Parquet or JSON, as "
    "other programs write them; --run then names runs."
)
LOWER_IS_BETTER = from_input("A measure of which lower --values are better.", None, "MEASURE")
LISTS = from_input("In place of runs and judgements: a table with query, score and label, or SVMlight.")
COLUMNS = from_input(
    "Columns of a table that are not called query, document, score, label.",
    None,
    "NAME=COLUMN,…",
    parser=_columns,
)
FEATURE = from_input("The feature of an SVMlight file that is the score.", None, "I")
QUERY = from_input(
    "Number of lines of each query (LightGBM's .query, XGBoost's .group), for a file of --lists without qid."
)
MEASURES = option("A measure, such as nDCG@10.", ..., "SPEC")
_any_measure = partial(option, "A measure, such as nDCG@10 or, with ir_measures, AP or RR@10.", None, "SPEC")
ANY_MEASURES = _any_measure(shown="nDCG")
SIX_MEASURES = _any_measure(shown="six common ones")
POOL = from_input("Rank the documents retrieved by any run, or also all judged ones.", "retrieved")
UNJUDGED = option("Give documents without a judgement the gain 0, or remove them from runs.", "zero")
BINARY_AT = from_input("Replace labels of at least LABEL by 1, others by 0.", None, "LABEL")
_gain_option = partial(
    option,
    "Gain of a label y: y itself (linear), 1 if y > 0 (binary), 2^y - 1 (exp2), or that of a "
    "table: '0=0, 1=1, 2=3', also in a file.",
    metavar="linear|binary|exp2|TABLE|FILE",
)
GAIN, EXP2_GAIN = _gain_option(default="linear"), _gain_option(default="exp2")
GAIN_LIKE = _gain_option(shown="linear, or that of --like")
MISSING = option(
    "Leave out queries that a run lacks, count them as 0, or refuse them.", shown="drop, or error in a gate"
)
LIKE = option(
    "Conventions of a program, which other options change: trec_eval, ir_measures, gdeval, sklearn, "
    "lightgbm, xgboost, catboost, letor, lenskit, jarvelin, beir, mteb, ranx, recbole, torchmetrics.",
    None,
    "PROGRAM",
    shown="trec_eval",
)
BY_QUERY = option("Write the value of every query to this file.", None, "FILE.csv")
RELEVANT = option(
    "Number of relevant items of every list; of graded rankers that of each gain: '2=1, 1=4'. Scorers may "
    "then be ROC curves, such as roc_power(0.4).",
    None,
    "R|TABLE",
    parser=_relevant,
    shown="i.i.d. labels",
)


class ConventionsGiven(Options):
    """How programs differ in what they call NDCG."""

    like: str | None = LIKE
    gain: str | None = GAIN_LIKE
    ties: Literal["trec", "average", "file", "worst", "quicksort"] | None = option(
        "Order tied documents by decreasing name, average over all their orders, keep their order, put those "
        "of smaller gain first, or sort by numba's quicksort, as ranx does.",
        shown="trec, or average with --lists",
    )
    ideal: Literal["judged", "retrieved"] | None = option(
        "Form the ideal list from all judged documents, or from the retrieved ones.", shown="judged"
    )
    empty: Literal["zero", "one", "nan", "skip"] | None = option(
        "Count queries without relevant documents as 0, 1 or NaN, or skip them.", shown="zero"
    )
    missing: Literal["drop", "zero", "error"] | None = MISSING


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command as typer takes it, with an option for each attribute of a parameter that is `Options`.

    A file is called FILE. Whole numbers may be written as 1e3. Flags have no opposite. An option of a list
    may be repeated.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, dict[str, inspect.Parameter]] = {}
    for p in parameters:
        if isinstance(p.annotation, type) and issubclass(p.annotation, Options):
            groups[p.name] = {
                name: _typed(p.replace(name=name, default=getattr(p.annotation, name, None), annotation=hint))
                for name, hint in get_type_hints(p.annotation, include_extras=True).items()
            }

    @wraps(command)
    def with_groups(**values: object) -> None:
        for p in parameters:
            if p.name in groups:
                values[p.name] = p.annotation(**{name: values.pop(name) for name in groups[p.name]})
        command(**values)

    options = [
        parameter for p in parameters for parameter in groups.get(p.name, {p.name: _typed(p)}).values()
    ]
    with_groups.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return with_groups


def _typed(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter whose option has what follows from its type."""
    declaration, words = copy(parameter.default), set(re.findall(r"\w+", str(parameter.annotation)))
    if isinstance(declaration, OptionInfo):
        if "list" in words:
            declaration.help = f"{declaration.help} May be repeated."
        if "Path" in words:
            declaration.metavar = declaration.metavar or "FILE"
        if "int" in words:
            declaration.metavar = declaration.metavar or "N"
            declaration.parser = declaration.parser or parse_whole
        if "bool" in words and declaration.default is None:
            declaration.default = False
        names = declaration.param_decls or ()
        if not any(name.startswith("--") for name in names):
            declaration.param_decls = (*names, f"--{parameter.name.replace('_', '-')}")
    return parameter.replace(default=declaration)
