"""Commands that follow and compare real runs: grow, compare."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ndcg_asymptotics.cli.options import (
    BinaryAt,
    By,
    Columns,
    Documents,
    Gain,
    Json,
    Measures,
    Pool,
    columns_of,
    groups_of,
)

app = typer.Typer()


class Order(StrEnum):
    """In which order documents arrive."""

    random = "random"
    file = "file"
    time = "time"


@app.command()
def grow(
    run: Annotated[list[Path], typer.Option(metavar="FILE", help="A run; may be repeated.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements.")],
    measure: Measures,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for what is found.")],
    order: Annotated[
        Order, typer.Option(help="Documents arrive at random, as in the judgements, or by time.")
    ] = Order.random,
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
    pool: Documents = Pool.retrieved,
    gain: Annotated[Gain, typer.Option(help="The gain of a label y: y, or 2^y - 1.")] = Gain.linear,
    binary_at: BinaryAt = None,
    columns: Columns = None,
    seed: Annotated[int, typer.Option(help="Seed of the random orders.")] = 0,
    as_json: Json = False,
) -> None:
    """NDCG of runs at every n while documents arrive; --by holds them against i.i.d. theory."""
    from ndcg_asymptotics.analysis.runs.iid import departures
    from ndcg_asymptotics.lists.growing import grow_files
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.results.growing import require_free, save_growth

    require_free(out)
    grown = grow_files(
        run,
        qrels,
        measure,
        order=order.value,
        times=times,
        orders=orders,
        length=length,
        by=groups_of(by),
        random=random,
        pool=pool.value,
        gain=gain.value,
        binary_at=binary_at,
        columns=columns_of(columns),
        seed=seed,
    )
    save_growth(grown, out)
    if as_json:
        show_json(grown.as_dict() | ({"iid": departures(grown).as_dict()} if grown.theory else {}))
        return
    show(grown.parts())
    if grown.theory:
        show(departures(grown).statements())


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN_A RUN_B …", help="Two runs or more.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A measure; may be repeated.", show_default="six common ones"),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Draw figures into this folder.")] = None,
    gain: Annotated[Gain, typer.Option(help="The gain of a label y: y, or 2^y - 1.")] = Gain.linear,
    power: Annotated[
        float, typer.Option(help="Target power used to compute the required number of queries.")
    ] = 0.8,
    level: Annotated[
        float, typer.Option(help="Confidence level of the intervals; tests are at 1 - level.")
    ] = 0.95,
    resamples: Annotated[int, typer.Option(help="Number of permutations.")] = 9999,
    theory: Annotated[bool, typer.Option("--theory/--no-theory", help="Look ahead to longer lists.")] = True,
    columns: Columns = None,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    as_json: Json = False,
) -> None:
    """Which of two runs is better, by which measure, and how sure; of more runs every pair."""
    from ndcg_asymptotics.analysis.runs.compare import MEASURES, compare_files
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = compare_files(
        runs,
        qrels,
        measure or MEASURES,
        gain=gain.value,
        power=power,
        level=level,
        resamples=resamples,
        theory=theory,
        columns=columns_of(columns),
        seed=seed,
    )
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.parts())
    if out is not None:
        from ndcg_asymptotics.plots import draw_comparison

        for path in draw_comparison(found, out):
            print(path, file=sys.stderr)
