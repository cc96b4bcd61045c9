"""The command plan: which measure, how many documents and how many queries tell two rankers apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import (
    Figures,
    Options,
    Runs,
    TableOutput,
    from_input,
    option,
)

app = typer.Typer()


class _PlanOptions(Options):
    """The options of `plan` beside runs, measures, figures and output."""

    a: str | None = from_input("Relevance curve of the first ranker.", None, "CURVE")
    b: str | None = from_input(
        "Relevance curve of the second ranker; its share of relevant items must equal that of --a.",
        None,
        "CURVE",
    )
    n: int | None = from_input("Length of the lists of the curves.", None, "N", short="-n", shown="1000")
    values: list[Path] | None = options.VALUES
    lower_is_better: list[str] | None = options.LOWER_IS_BETTER
    missing: Literal["drop", "zero", "error"] | None = options.MISSING
    columns: dict[str, str] | None = options.COLUMNS
    sd: float | None = from_input(
        "In place of curves or runs: the standard deviation of the difference of two systems."
    )
    pilot: int | None = from_input(
        "Number of queries that --sd was estimated from, for intervals.", shown="none: it is exact"
    )
    difference: float | None = from_input("With --sd: the difference of means that is to be detected.")
    like: str | None = options.LIKE
    gain: str | None = options.GAIN_LIKE
    relevant: Any = options.RELEVANT
    queries: int | None = option("How many queries there are.", shown="those of the runs, if there are any")
    rate: float = option("Probability with which a single list must show the right order.", 0.95)
    power: float = options.POWER
    level: float = options.LEVEL


@app.command()
def plan(
    *,
    runs: Runs,
    measure: list[str] | None = options.SIX_MEASURES,
    settings: _PlanOptions,
    figures: Figures,
    output: TableOutput,
) -> None:
    """Plan an experiment: which measure tells two rankers apart, and how many documents and queries it takes.

    The rankers are given by their relevance curves, by two runs of a pilot or their values of any measures,
    or by a standard deviation alone.

    Examples:

        ndcg-asymptotics plan --a "linear(0.1, 0.5)" --b "linear(0.2, 0.4)"
        ndcg-asymptotics plan a.run b.run --qrels my.qrels
        ndcg-asymptotics plan --a "roc_power(0.4)" --b "roc_power(0.6)" \\
            --relevant 1 -n 1e6
        ndcg-asymptotics plan --values new.csv old.csv
        ndcg-asymptotics plan --sd 0.2 --queries 50 --measure nDCG@10
    """
    from ndcg_asymptotics.plans.planning import plan as plan_any

    if settings.values:  # of "--values new.csv old.csv" the option takes one file, and the rest are arguments
        settings.values = [*settings.values, *(runs.runs or ())]
    outcome = plan_any(
        runs=runs.names if settings.values else runs.every,
        qrels=runs.qrels,
        measures=measure or None,
        **settings.handed,
    )
    output.show(outcome, "plan")
    figures.save(outcome)
