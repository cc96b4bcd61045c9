"""Commands about real ranked lists: evaluate, fit, grow, compare, sampled."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import (
    ConventionsGiven,
    Figures,
    Options,
    Output,
    Runs,
    TableOutput,
    from_input,
    option,
    parse_whole,
)
from ndcg_asymptotics.core import defaults
from ndcg_asymptotics.core.errors import refuse_others, require

_arrival = partial(option, panel="Arrival of documents")
_gate = partial(option, panel="Gate, for continuous integration")

app = typer.Typer()


def _whole_numbers(text: str) -> list[int]:
    """Return whole numbers between commas."""
    return [parse_whole(part) for part in text.split(",")]


class _Evaluated(Options):
    """What `evaluate` takes beside conventions."""

    lists: list[Path] | None = options.LISTS
    columns: dict[str, str] | None = options.COLUMNS
    feature: int | None = options.FEATURE
    query: list[Path] | None = options.QUERY
    unjudged: Literal["zero", "drop"] = options.UNJUDGED
    chance: bool = option(
        "Show the mean NDCG of a random order, and NDCG adjusted for it: 0 at random, 1 at best."
    )


@app.command()
def evaluate(
    *,
    runs: Runs,
    measure: list[str] | None = options.ANY_MEASURES,
    settings: _Evaluated,
    conventions: ConventionsGiven,
    by_query: Path | None = options.BY_QUERY,
    output: TableOutput,
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

    outcome = evaluate_any(runs.every, runs.qrels, measure or "nDCG", **settings.handed, **conventions.handed)
    if by_query is not None:
        write_csv(by_query, outcome.by_query)
    output.show(outcome.blocks(), "evaluate", data=outcome.as_dict())


class _Fitted(Options):
    """What `fit` takes."""

    lists: Path | None = options.LISTS
    columns: dict[str, str] | None = options.COLUMNS
    feature: int | None = options.FEATURE
    query: Path | None = options.QUERY
    pool: Literal["retrieved", "judged"] = options.POOL
    binary_at: float | None = options.BINARY_AT


@app.command()
def fit(
    *,
    out: Path = option("File for the curve, or folder for several curves.", ..., "CURVE.csv"),
    runs: Runs,
    settings: _Fitted,
    output: Output,
) -> None:
    """Estimate relevance curves from ranked lists.

    From two or more runs the command also writes a study with their curves.

    Example:

        ndcg-asymptotics fit a.run b.run --qrels my.qrels --out curves
    """
    from ndcg_asymptotics.lists import fit as fit_any
    from ndcg_asymptotics.lists.fitted_files import STUDY

    paths = fit_any(runs.every, runs.qrels, out=out, **settings.handed)
    for path in paths:
        print(path)
    if len(paths) > 1:
        study = out / STUDY
        print(f"{study}\n\n{study.read_text(encoding='utf-8')}")


class _Grown(Options):
    """What `grow` takes."""

    columns: dict[str, str] | None = options.COLUMNS
    pool: Literal["retrieved", "judged"] = options.POOL
    binary_at: float | None = options.BINARY_AT
    order: Literal["random", "file", "time"] = _arrival(
        "Documents arrive in random order, in the order of the judgements, or by time.", "random"
    )
    times: Path | None = _arrival("Table with the columns query, document and time, for --order time.")
    orders: int = _arrival("Number of random orders to average over.", 20)
    n: int | None = _arrival(
        "Number of documents that arrive; queries with fewer are left out.",
        None,
        "N",
        short="-n",
        shown="the number that nine of ten queries have",
    )
    seed: int = _arrival("Seed of the random orders.", 0)
    gain: str = options.GAIN
    random: bool = option("Add a run whose scores are random.")
    groups: int | None = option(
        "Compare with i.i.d. theory, with one relevance curve for all queries and with one for each of G "
        "groups of queries by their share of relevant documents.",
        None,
        "G",
    )


@app.command()
def grow(
    *,
    runs: Runs,
    measure: list[str] = options.MEASURES,
    out: Path | None = option("Write the mean at every list length and its error.", None, "FILE.csv"),
    settings: _Grown,
    figures: Figures,
    output: TableOutput,
) -> None:
    """Follow the NDCG of runs as the documents of each query arrive one by one.

    With --groups, compare it with the theory of independent and identically distributed documents.
    This may take minutes.

    Example:

        ndcg-asymptotics grow a.run b.run --qrels my.qrels \\
            --measure nDCG --groups 4 --out growing.csv --figures figures
    """
    from ndcg_asymptotics.cli.terminal import write_csv
    from ndcg_asymptotics.growth import grow as grow_any

    grown = grow_any(runs.every, runs.qrels, measure, **settings.handed)
    if out is not None:
        write_csv(out, grown.by_length)
    figures.save(grown)
    output.show(grown.blocks(), "grow", data=grown.as_dict())


class _Compared(Options):
    """What `compare` takes beside runs and conventions."""

    over: Literal["fixed", "random", "both"] | None = option(
        "With --collections: draw conclusions about these collections, about others of which they are a "
        "sample, or both.",
        shown="both",
    )
    lower_is_better: list[str] | None = options.LOWER_IS_BETTER
    judge: Path | None = option(
        "Judgements of a judge that may err, such as a language model, for the queries of --qrels and more; "
        "the answer then rests on both."
    )
    lists: list[Path] | None = options.LISTS
    feature: list[int] | None = options.FEATURE
    query: list[Path] | None = options.QUERY
    columns: dict[str, str] | None = options.COLUMNS
    unjudged: Literal["zero", "drop"] = options.UNJUDGED
    baseline: str | None = option(
        "Compare each run with this one only, by its name or file, not every pair.", None, "RUN"
    )
    power: float = options.POWER
    level: float = options.LEVEL
    correction: Literal["maxt", "holm", "bh"] = option(
        "Correct p-values for the number of tests: step-down max-T, Holm, or Benjamini and Hochberg.", "maxt"
    )
    resamples: int = option("Number of permutations of each test.", 9999)
    seed: int = option("Seed of the permutations.", 0)


@app.command()
def compare(
    *,
    runs: Runs,
    values: list[Path] | None = options.VALUES,
    collections: Path | None = from_input(
        "In place of runs: a table of collections with the columns collection, qrels, run and path. Paths "
        "are relative to the table; --run names runs.",
        None,
        "FILE.csv",
    ),
    measure: list[str] | None = options.SIX_MEASURES,
    settings: _Compared,
    conventions: ConventionsGiven,
    figures: Figures,
    fail_if_worse: bool = _gate("Exit with 1 if the first run is significantly worse than another."),
    fail_unless_noninferior: float | None = _gate(
        "Exit with 1 unless the first run is shown to be worse by less than D, or better.", None, "D"
    ),
    by_query: Path | None = options.BY_QUERY,
    report: Path | None = option("Write the comparison as one HTML page.", None, "FILE.html"),
    output: TableOutput,
) -> None:
    """Show which of two runs is better, by which measure, and how certain that is.

    Of more than two runs, every pair is compared, and the output shows the ranks that each run can have;
    with --baseline each run is compared with one.
    Runs may also be given by their values of any measures (--values).

    Examples:

        ndcg-asymptotics compare a.run b.run --qrels my.qrels
        ndcg-asymptotics compare *.run --qrels my.qrels
        ndcg-asymptotics compare *.run --qrels my.qrels --baseline bm25.run
        ndcg-asymptotics compare a.run b.run --qrels my.qrels --report ab.html
        ndcg-asymptotics compare a.run b.run --qrels human.qrels \\
            --judge machine.qrels
        ndcg-asymptotics compare --values new.csv old.csv --measure faithfulness
        ndcg-asymptotics compare --collections beir.csv --measure nDCG@10
        ndcg-asymptotics compare new.run old.run --qrels my.qrels \\
            --measure nDCG@10 --fail-unless-noninferior 0.01
        ndcg-asymptotics compare --lists Fold1/test.txt --feature 25 --feature 40

    Exit status 1: the first run does not pass the gate of --fail-if-worse or --fail-unless-noninferior.
    """
    from ndcg_asymptotics.cli.terminal import write_csv
    from ndcg_asymptotics.comparisons.comparing import compare as compare_any
    from ndcg_asymptotics.comparisons.gates import gate
    from ndcg_asymptotics.core.rows import plain

    margin = fail_unless_noninferior
    gated = fail_if_worse or margin is not None
    either = "give either --fail-if-worse or --fail-unless-noninferior"
    require(not fail_if_worse or margin is None, either)
    if collections is not None:
        excluded = {
            "RUN": runs.runs or None,
            "folder": figures.folder,
            "report": report,
            "fail_if_worse": fail_if_worse or None,
            "fail_unless_noninferior": margin,
        }
        refuse_others("a comparison of several collections", excluded, ())
    if report is not None:  # before what may take long
        from ndcg_asymptotics.reports.page import require_writable

        require_writable(report, "report")
    by_name = values is not None or collections is not None
    if gated:
        conventions.missing = conventions.missing or "error"
    outcome: Any = compare_any(
        runs.names if by_name else runs.every,
        runs.qrels,
        measure or None,
        values=None if values is None else [*values, *(runs.runs or ())],
        collections=collections,
        **settings.handed,
        **conventions.handed,
    )
    passes = gate(outcome, margin=margin) if gated else None
    if by_query is not None:
        write_csv(by_query, outcome.by_query)
    data = outcome.as_dict() | ({"gate": plain(passes)} if passes else {})
    output.show(outcome, outcome.json_kind, data)
    if report is not None:
        from ndcg_asymptotics.reports.page import report as report_comparison

        report_comparison(outcome, report)
        print(report, file=sys.stderr)
    figures.save(outcome)
    if passes:
        print(passes.line, file=sys.stdout if output.form == "table" else sys.stderr)
        raise typer.Exit(0 if passes.passed else 1)


@app.command()
def sampled(
    *,
    measure: list[str] = options.MEASURES,
    items: int = from_input("Number of items that are ranked for each user.", ...),
    runs: Runs,
    ranks: list[Path] | None = from_input(
        "In place of runs and judgements: a table with the columns user and rank, that of the user's "
        "relevant item among all items."
    ),
    columns: dict[str, str] | None = options.COLUMNS,
    negatives: list[Any] | None = option(
        "Numbers of sampled negatives, such as 100,1000.", None, "M", parser=_whole_numbers, shown="100"
    ),
    replacement: bool = option("Sample negatives with replacement."),
    level: float = option(
        "Confidence level of bounds, and the probability with which the sampled order is to be that of the "
        "full metric.",
        defaults.LEVEL,
    ),
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
    from ndcg_asymptotics import samples

    files = runs.every
    common: dict[str, Any] = {"items": items, "level": level, "columns": columns}
    if ranks is not None:
        require(not files and runs.qrels is None, "is in place of runs and judgements", "ranks")
        numbers = [m for group in negatives or [[100]] for m in group]
        outcome = samples.sampled(ranks, measure, negatives=numbers, replacement=replacement, **common)
        output.show(outcome, "sampled")
        return
    require(bool(files) and runs.qrels is not None, "sampled needs --ranks, or runs and --qrels")
    reason = "the lists hold sampled candidates, each once, which have a number of their own: leave it out"
    require(negatives is None, reason, "negatives")
    require(not replacement, reason, "replacement")
    output.show(samples.sampled_candidates(files, runs.qrels, measure, **common), "sampled candidates")
