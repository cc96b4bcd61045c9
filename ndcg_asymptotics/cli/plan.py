"""The command plan: which measure, how many documents and how many queries tell two rankers apart."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ndcg_asymptotics.cli.options import (
    Columns,
    Figures,
    GainLike,
    Level,
    Like,
    LowerIsBetter,
    Missing,
    Options,
    Power,
    Relevant,
    Runs,
    SixAnyMeasures,
    TableOutputOfMany,
    Values,
    first_curve,
    parse_number,
    parse_whole,
    second_curve,
)

_from_input = partial(typer.Option, rich_help_panel="Input")

app = typer.Typer()


class _Planned(Options):
    """What `plan` takes beside runs and measures."""

    a: Annotated[str | None, first_curve("--a", rich_help_panel="Input")] = None
    b: Annotated[str | None, second_curve("--b", rich_help_panel="Input")] = None
    n: Annotated[
        int | None,
        _from_input(
            "-n",
            "--n",
            metavar="N",
            parser=parse_number,
            help="Length of the lists of the curves.",
            show_default="1000",
        ),
    ] = None
    values: Values = None
    lower_is_better: LowerIsBetter = None
    missing: Missing = None
    columns: Columns = None
    sd: Annotated[
        float | None,
        _from_input(
            help="In place of curves or runs: the standard deviation of the difference of two systems."
        ),
    ] = None
    pilot: Annotated[
        int | None,
        _from_input(
            metavar="N",
            parser=parse_whole,
            help="Number of queries that --sd was estimated from, for intervals.",
            show_default="none: it is exact",
        ),
    ] = None
    difference: Annotated[
        float | None, _from_input(help="With --sd: the difference of means that is to be detected.")
    ] = None
    like: Like = None
    gain: GainLike = None
    relevant: Relevant = None
    queries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=parse_whole,
            help="How many queries there are.",
            show_default="those of the runs, if there are any",
        ),
    ] = None
    rate: Annotated[
        float, typer.Option(help="Probability with which a single list must show the right order.")
    ] = 0.95
    power: Power = 0.8
    level: Level = 0.95


@app.command()
def plan(
    *,
    runs: Runs,
    measure: SixAnyMeasures = None,
    given: _Planned,
    figures: Figures,
    output: TableOutputOfMany,
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
    from ndcg_asymptotics.analysis.planning.plan import plan as plan_any

    figures.require_folder()
    if given.values:
        given.values = [*given.values, *runs.files]
    found = plan_any(
        runs=runs.names if given.values else runs.every,
        qrels=runs.qrels,
        measures=measure or None,
        **given.handed,
    )
    output.show(found, "plan")
    figures.save(found)
