"""Commands about real ranked lists: evaluate, fit, grow, compare, sampled."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ndcg_asymptotics.cli.options import (
    AnyMeasures,
    BinaryAt,
    ByQuery,
    CollectionsTable,
    Columns,
    ConventionsGiven,
    Documents,
    Feature,
    Features,
    Figures,
    Gain,
    Items,
    Level,
    Lists,
    LowerIsBetter,
    Measures,
    Options,
    Output,
    Power,
    Query,
    Ranks,
    Runs,
    SeveralLists,
    SeveralQueries,
    SeveralWeights,
    SixAnyMeasures,
    TableOutput,
    TableOutputOfMany,
    Values,
    Weights,
    parse_whole,
)
from ndcg_asymptotics.core.errors import require

_arrival = partial(typer.Option, rich_help_panel="Arrival of documents")
_gate = partial(typer.Option, rich_help_panel="Gate, for continuous integration")

app = typer.Typer()


def _whole_numbers(text: str) -> list[int]:
    """Return whole numbers between commas."""
    return [parse_whole(part) for part in text.split(",")]


class _Evaluated(Options):
    """What `evaluate` takes beside conventions."""

    lists: SeveralLists = None
    columns: Columns = None
    feature: Feature = None
    weights: Weights = None
    query: SeveralQueries = None
    unjudged: Annotated[
        Literal["zero", "drop", "bounds"],
        typer.Option(
            help="Give documents without a judgement the gain 0, remove them from runs, or also show the "
            "lowest and highest NDCG that they allow."
        ),
    ] = "zero"
    chance: Annotated[
        bool,
        typer.Option(
            "--chance",
            help="Show the mean NDCG of a random order, and NDCG adjusted for it: 0 at random, 1 at best.",
        ),
    ] = False


@app.command()
def evaluate(
    *,
    runs: Runs,
    measure: AnyMeasures = None,
    given: _Evaluated,
    conventions: ConventionsGiven,
    by_query: ByQuery = None,
    output: TableOutputOfMany,
) -> None:
    """Compute the NDCG of runs, by default with the conventions of trec_eval.

    Examples:

        ndcg-asymptotics evaluate a.run --qrels my.qrels --measure nDCG@10
        ndcg-asymptotics evaluate --lists lists.csv --measure nDCG --like sklearn
        ndcg-asymptotics evaluate --lists Fold1/test.txt --lists Fold2/test.txt \\
            --feature 25 --measure nDCG@10
    """
    from ndcg_asymptotics.cli.terminal import write_csv
    from ndcg_asymptotics.lists import evaluate as evaluate_any

    found = evaluate_any(runs.every, runs.qrels, measure or "nDCG", **given.handed, **conventions.handed)
    if by_query is not None:
        write_csv(by_query, found.by_query)
    output.show(found.blocks(), "evaluate", data=found.as_dict())


class _Fitted(Options):
    """What `fit` takes."""

    lists: Lists = None
    columns: Columns = None
    feature: Feature = None
    weights: Weights = None
    query: Query = None
    pool: Documents = "retrieved"
    binary_at: BinaryAt = None


@app.command()
def fit(
    *,
    out: Annotated[
        Path, typer.Option(metavar="CURVE.json", help="File for the curve, or folder for several curves.")
    ],
    runs: Runs,
    given: _Fitted,
    output: Output,
) -> None:
    """Estimate relevance curves from ranked lists.

    From two or more runs the command also writes a study with their curves.

    Example:

        ndcg-asymptotics fit a.run b.run --qrels my.qrels --out curves
    """
    from ndcg_asymptotics.lists import fit as fit_any
    from ndcg_asymptotics.lists.fitted_files import STUDY

    written = fit_any(runs.every, runs.qrels, out=out, **given.handed)
    for path in written:
        print(path)
    if len(written) > 1:
        study = out / STUDY
        print(f"{study}\n\n{study.read_text(encoding='utf-8')}")


class _Grown(Options):
    """What `grow` takes."""

    columns: Columns = None
    pool: Documents = "retrieved"
    binary_at: BinaryAt = None
    order: Annotated[
        Literal["random", "file", "time"],
        _arrival(help="Documents arrive in random order, in the order of the judgements, or by time."),
    ] = "random"
    times: Annotated[
        Path | None,
        _arrival(metavar="FILE", help="Table with the columns query, document and time, for --order time."),
    ] = None
    orders: Annotated[int, _arrival(help="Number of random orders to average over.")] = 20
    n: Annotated[
        int | None,
        _arrival(
            "-n",
            "--n",
            metavar="N",
            parser=parse_whole,
            help="Number of documents that arrive; queries with fewer are left out.",
            show_default="the number that nine of ten queries have",
        ),
    ] = None
    seed: Annotated[int, _arrival(help="Seed of the random orders.")] = 0
    gain: Gain = "linear"
    random: Annotated[bool, typer.Option("--random", help="Add a run whose scores are random.")] = False
    groups: Annotated[
        int | None,
        typer.Option(
            metavar="G",
            help="Compare with i.i.d. theory, with one relevance curve for all queries and with one for each "
            "of G groups of queries by their share of relevant documents.",
        ),
    ] = None


@app.command()
def grow(
    *,
    runs: Runs,
    measure: Measures,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Write the mean at every list length and its error."),
    ] = None,
    given: _Grown,
    figures: Figures,
    output: TableOutputOfMany,
) -> None:
    """Follow the NDCG of runs as the documents of each query arrive one by one.

    With --groups, compare it with the theory of independent and identically distributed documents.
    This may take minutes.

    Example:

        ndcg-asymptotics grow a.run b.run --qrels my.qrels \\
            --measure nDCG --groups 4 --out growing.csv --figures figures
    """
    from ndcg_asymptotics.cli.terminal import write_csv
    from ndcg_asymptotics.lists import grow as grow_any

    grown = grow_any(runs.every, runs.qrels, measure, **given.handed)
    if out is not None:
        write_csv(out, grown.by_length)
    figures.save(grown)
    output.show(grown.blocks(), "grow", data=grown.as_dict())


class _Compared(Options):
    """What `compare` takes beside runs and conventions."""

    over: Annotated[
        Literal["fixed", "random", "both"] | None,
        typer.Option(
            help="With --collections: draw conclusions about these collections, about others of which they "
            "are a sample, or both.",
            show_default="both",
        ),
    ] = None
    lower_is_better: LowerIsBetter = None
    judge: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Judgements of a judge that may err, such as a language model, for the queries of --qrels "
            "and more; the answer then rests on both.",
        ),
    ] = None
    lists: SeveralLists = None
    feature: Features = None
    weights: SeveralWeights = None
    query: SeveralQueries = None
    columns: Columns = None
    unjudged: Annotated[
        Literal["zero", "drop"],
        typer.Option(help="Give documents without a judgement the gain 0, or remove them from runs."),
    ] = "zero"
    power: Power = 0.8
    level: Level = 0.95
    correction: Annotated[
        Literal["maxt", "holm", "bh"],
        typer.Option(
            help="Correct p-values for the number of tests: step-down max-T, Holm, or Benjamini and Hochberg."
        ),
    ] = "maxt"
    alternative: Annotated[
        Literal["two-sided", "less", "greater"],
        typer.Option(
            help="The alternative to equal means, as in scipy: the mean of the first run differs from that "
            "of the second, is smaller, or is larger."
        ),
    ] = "two-sided"
    resamples: Annotated[int, typer.Option(help="Number of permutations of each test.")] = 9999
    seed: Annotated[int, typer.Option(help="Seed of the permutations.")] = 0


@app.command()
def compare(
    *,
    runs: Runs,
    values: Values = None,
    collections: CollectionsTable = None,
    measure: SixAnyMeasures = None,
    given: _Compared,
    conventions: ConventionsGiven,
    figures: Figures,
    fail_if_worse: Annotated[
        bool,
        _gate("--fail-if-worse", help="Exit with 1 if the first run is significantly worse than another."),
    ] = False,
    fail_unless_noninferior: Annotated[
        bool,
        _gate(
            "--fail-unless-noninferior",
            help="Exit with 1 unless the first run is shown to be worse by less than --margin, or better.",
        ),
    ] = False,
    margin: Annotated[
        float | None,
        _gate(metavar="D", help="The loss that --fail-unless-noninferior allows."),
    ] = None,
    by_query: ByQuery = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write the comparison as one HTML page.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show every pair of more than two runs by itself, too.")
    ] = False,
    output: TableOutputOfMany,
) -> None:
    """Show which of two runs is better, by which measure, and how certain that is.

    Of more than two runs, every pair is compared, and the output shows the ranks that each run can have.
    Runs may also be given by their values of any measures (--values).

    Exit status 1: the first run does not pass the gate of --fail-if-worse or --fail-unless-noninferior.

    Examples:

        ndcg-asymptotics compare a.run b.run --qrels my.qrels
        ndcg-asymptotics compare *.run --qrels my.qrels
        ndcg-asymptotics compare a.run b.run --qrels my.qrels --report ab.html
        ndcg-asymptotics compare a.run b.run --qrels human.qrels \\
            --judge machine.qrels
        ndcg-asymptotics compare --values new.csv old.csv --measure faithfulness
        ndcg-asymptotics compare --collections beir.csv --measure nDCG@10
        ndcg-asymptotics compare new.run old.run --qrels my.qrels \\
            --measure nDCG@10 --fail-unless-noninferior --margin 0.01
        ndcg-asymptotics compare --lists Fold1/test.txt --feature 25 --feature 40
    """
    from ndcg_asymptotics.analysis.runs.compare import compare as compare_any
    from ndcg_asymptotics.analysis.runs.gate import gate
    from ndcg_asymptotics.cli.terminal import write_csv
    from ndcg_asymptotics.core.rows import plain

    gated = fail_if_worse or fail_unless_noninferior
    require(
        not (fail_if_worse and fail_unless_noninferior),
        "give either --fail-if-worse or --fail-unless-noninferior",
    )
    require(
        (margin is not None) == fail_unless_noninferior,
        "--fail-unless-noninferior and --margin belong together: the margin is the loss that is allowed",
        "margin",
    )
    require(not gated or collections is None, "a gate is for the runs of one collection", "collections")
    require(report is None or collections is None, "there is no page of several collections", "report")
    if report is not None:  # before what may take long
        from ndcg_asymptotics.reports.page import require_writable

        require_writable(report, "report")
    figures.require_folder()
    require(
        figures.folder is None or collections is None, "there is no figure of several collections", "figures"
    )
    files = runs.files
    if collections is not None:
        require(not files, f"lists all runs, leave {', '.join(map(str, files))} out", "collections")
    by_name = values is not None or collections is not None
    if gated:
        conventions.missing = conventions.missing or "error"
    found: Any = compare_any(
        runs.names if by_name else runs.every,
        runs.qrels,
        measure or None,
        values=None if values is None else [*values, *files],
        collections=collections,
        **given.handed,
        **conventions.handed,
    )
    passes = gate(found, margin=margin) if gated else None
    if by_query is not None:
        write_csv(by_query, found.by_query)
    data = found.as_dict() | ({"gate": plain(passes)} if passes else {})
    output.show(found, found.json_kind, blocks=found.blocks(full), data=data, full=full)
    if report is not None:
        from ndcg_asymptotics.reports.page import report as report_comparison

        report_comparison(found, report)
        print(report, file=sys.stderr)
    figures.save(found)
    if passes:
        print(passes.line, file=sys.stdout if output.form == "table" else sys.stderr)
        raise typer.Exit(0 if passes.passed else 1)


@app.command()
def sampled(
    *,
    measure: Measures,
    items: Items,
    runs: Runs,
    ranks: Ranks = None,
    columns: Columns = None,
    negatives: Annotated[
        list[Any] | None,
        typer.Option(
            metavar="M",
            parser=_whole_numbers,
            help="Numbers of sampled negatives, such as 100,1000. May be repeated.",
            show_default="100",
        ),
    ] = None,
    replacement: Annotated[
        bool, typer.Option("--replacement", help="Sample negatives with replacement.")
    ] = False,
    level: Annotated[
        float,
        typer.Option(
            help="Confidence level of bounds, and the probability with which the sampled order is to be that "
            "of the full metric."
        ),
    ] = 0.95,
    output: TableOutput,
) -> None:
    """Compare an evaluation against sampled negatives with that against all items.

    Means and standard deviations are exact; nothing is sampled. Of runs, whose lists hold the relevant item
    of each user and sampled candidates, the metric of all items is bounded.

    Examples:

        ndcg-asymptotics sampled --ranks a.csv --ranks b.csv --items 10000 \\
            --measure nDCG
        ndcg-asymptotics sampled a.run --qrels my.qrels --items 10000 \\
            --measure nDCG
    """
    from ndcg_asymptotics.analysis.runs import sampled as of

    files = runs.every
    common: dict[str, Any] = {"items": items, "level": level, "columns": columns}
    if ranks is not None:
        require(not files and runs.qrels is None, "is in place of runs and judgements", "ranks")
        numbers = [m for several in negatives or [[100]] for m in several]
        found = of.sampled(ranks, measure, negatives=numbers, replacement=replacement, **common)
        output.show(found, "sampled")
        return
    require(bool(files) and runs.qrels is not None, "sampled needs --ranks, or runs and --qrels")
    own = "the lists hold sampled candidates, each once, which have a number of their own: leave it out"
    require(negatives is None, own, "negatives")
    require(not replacement, own, "replacement")
    output.show(of.sampled_candidates(files, runs.qrels, measure, **common), "sampled candidates")
