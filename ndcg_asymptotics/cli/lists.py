"""Commands about real ranked lists: evaluate, fit."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ndcg_asymptotics.errors import InputError

app = typer.Typer()


class Method(StrEnum):
    """How a curve is fitted to ranked lists."""

    isotonic = "isotonic"
    spline = "spline"


class Pool(StrEnum):
    """Which documents make up the lists that runs are compared on."""

    retrieved = "retrieved"
    judged = "judged"


@app.command()
def evaluate(
    run: Annotated[Path, typer.Option(metavar="FILE", help="A TREC run.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="TREC relevance judgements.")],
    measure: Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """NDCG of a TREC run, by query and on average, with trec_eval's conventions."""
    from ndcg_asymptotics.lists import evaluate_files
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = evaluate_files(run, qrels, measure)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.parts())


@app.command()
def fit(
    out: Annotated[
        Path, typer.Option(metavar="CURVE.json", help="The curve's file, or a folder for several.")
    ],
    run: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A TREC run; repeat for runs to be compared.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(metavar="FILE", help="TREC relevance judgements.")] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead: a CSV file with columns query, score, label."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="Monotone regression or a smoothing spline.")
    ] = Method.isotonic,
    pool: Annotated[
        Pool, typer.Option(help="Documents retrieved by any of the runs, or those and all judged ones.")
    ] = Pool.retrieved,
    binary_at: Annotated[
        float | None, typer.Option(metavar="LABEL", help="Count labels from this one on as 1.")
    ] = None,
    prevalence: Annotated[
        list[float] | None,
        typer.Option(metavar="P", help="Tilt to this label law: one per gain, highest first."),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of queries for the band.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Estimate relevance curves from ranked lists, for `empirical("file")` in a study.

    Example:

        ndcg-asymptotics fit --run a.run --run b.run --qrels my.qrels --binary-at 1 --out curves
    """
    from ndcg_asymptotics.lists import fit_csv, fit_files

    options: dict[str, Any] = {
        "method": method.value,
        "binary_at": binary_at,
        "prevalence": prevalence,
        "resamples": resamples,
        "seed": seed,
    }
    if csv is not None and not run and qrels is None:
        written = fit_csv(csv, out, **options)
    elif csv is None and run and qrels is not None:
        written = fit_files(run, qrels, out, pool=pool.value, **options)
    else:
        raise InputError("fit needs either --run and --qrels, or --csv")
    for path in written:
        print(path)
