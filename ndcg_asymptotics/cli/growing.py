"""Commands that follow and compare real runs: grow, compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ndcg_asymptotics.cli.options import (
    BinaryAt,
    By,
    Columns,
    Documents,
    Format,
    Gain,
    Json,
    Measures,
    Quiet,
    Verbose,
    columns_of,
    groups_of,
)

app = typer.Typer()


@app.command()
def grow(
    run: Annotated[list[Path], typer.Option(metavar="FILE", help="A run; may be repeated.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements.")],
    measure: Measures,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the results.")],
    order: Annotated[
        Literal["random", "file", "time"],
        typer.Option(help="Documents arrive at random, as in the judgements, or by time."),
    ] = "random",
    times: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For --order time: a table with query, document, time."),
    ] = None,
    orders: Annotated[int, typer.Option(help="Random orders to average over.")] = 20,
    length: Annotated[
        int | None,
        typer.Option(help="Documents that arrive.", show_default="what nine of ten queries have"),
    ] = None,
    by: By = None,
    random: Annotated[bool, typer.Option("--random", help="Add a run with random scores.")] = False,
    pool: Documents = "retrieved",
    gain: Gain = "linear",
    binary_at: BinaryAt = None,
    columns: Columns = None,
    seed: Annotated[int, typer.Option(help="Seed of the random orders.")] = 0,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Follow the NDCG of runs while documents arrive; --by compares it with i.i.d. theory."""
    from ndcg_asymptotics.analysis.runs.iid import departures
    from ndcg_asymptotics.lists.growing import grow_files
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.results.growing import require_free, save_growth

    require_free(out)
    grown = grow_files(
        run,
        qrels,
        measure,
        order=order,
        times=times,
        orders=orders,
        length=length,
        by=groups_of(by),
        random=random,
        pool=pool,
        gain=gain,
        binary_at=binary_at,
        columns=columns_of(columns),
        seed=seed,
    )
    save_growth(grown, out)
    apart = departures(grown) if grown.theory else None
    if form == "json":
        show_json(grown.as_dict() | ({"iid": apart.as_dict()} if apart else {}))
        return
    show(grown.blocks(), form)
    if apart:
        show(apart.statements(), form)


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN_A RUN_B …", help="Two runs or more.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A measure; may be repeated.", show_default="six common ones"),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Draw figures into this folder.")] = None,
    gain: Gain = "linear",
    power: Annotated[float, typer.Option(help="Target power, to compute the required queries.")] = 0.8,
    level: Annotated[float, typer.Option(help="Confidence level; tests are at 1 - level.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Number of permutations.")] = 9999,
    theory: Annotated[
        bool, typer.Option("--theory/--no-theory", help="Predict NDCG on longer lists.")
    ] = True,
    columns: Columns = None,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show which of two runs is better, by which measure, and how certain that is; of more, every pair."""
    from ndcg_asymptotics.analysis.runs.compare import MEASURES, compare_files
    from ndcg_asymptotics.reports.terminal import show

    found = compare_files(
        runs,
        qrels,
        measure or MEASURES,
        gain=gain,
        power=power,
        level=level,
        resamples=resamples,
        theory=theory,
        columns=columns_of(columns),
        seed=seed,
    )
    show(found, form)
    if out is not None:
        from ndcg_asymptotics.plots import draw_comparison

        for path in draw_comparison(found, out):
            print(path, file=sys.stderr)
