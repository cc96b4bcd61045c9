"""Commands about real ranked lists: evaluate, fit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ndcg_asymptotics.cli.options import (
    BinaryAt,
    By,
    Columns,
    Documents,
    Feature,
    Format,
    Gain,
    Json,
    Lists,
    Measures,
    Qrels,
    Quiet,
    Runs,
    Seed,
    Verbose,
    Weights,
    columns_of,
    groups_of,
    weights_of,
)
from ndcg_asymptotics.core.errors import InputError

app = typer.Typer()


@app.command()
def evaluate(
    measure: Measures,
    run: Runs = None,
    qrels: Qrels = None,
    lists: Lists = None,
    columns: Columns = None,
    feature: Feature = None,
    weights: Weights = None,
    gain: Gain = "linear",
    ties: Annotated[
        Literal["trec", "average"] | None,
        typer.Option(
            help="By decreasing document name, or averaged as in scikit-learn.",
            show_default="trec; average for --lists",
        ),
    ] = None,
    ideal: Annotated[
        Literal["judged", "retrieved"],
        typer.Option(help="The ideal list: all judged documents, or those retrieved."),
    ] = "judged",
    empty: Annotated[
        Literal["zero", "nan", "skip"], typer.Option(help="Topics without relevant documents.")
    ] = "zero",
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="Judged topics that a run lacks count as 0.")
    ] = False,
    by_query: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write every topic's values there.")
    ] = None,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compute the NDCG of runs, by default with trec_eval's conventions."""
    from ndcg_asymptotics.lists import Evaluations, evaluate_files, evaluate_lists
    from ndcg_asymptotics.reports.terminal import show, write_csv

    options: dict[str, Any] = {
        "columns": columns_of(columns),
        "gain": gain,
        "ideal": ideal,
        "empty": empty,
        "missing": "zero" if complete else "skip",
    } | ({"ties": ties} if ties else {})
    if lists is not None and not run and qrels is None:
        options["weights"] = weights_of(feature, weights)
        found = Evaluations((evaluate_lists(lists, measure, **options),))
    elif lists is None and run and qrels is not None:
        found = evaluate_files(run, qrels, measure, **options)
    else:
        raise InputError("evaluate needs either --run and --qrels, or --lists")
    if by_query is not None:
        write_csv(by_query, found.by_query())
    show(found.blocks(), form, data=found.as_dict() if len(found) > 1 else found.runs[0].as_dict())


@app.command()
def fit(
    out: Annotated[
        Path, typer.Option(metavar="CURVE.json", help="The curve's file, or a folder for several.")
    ],
    run: Runs = None,
    qrels: Qrels = None,
    lists: Lists = None,
    columns: Columns = None,
    feature: Feature = None,
    weights: Weights = None,
    method: Annotated[
        Literal["isotonic", "spline"], typer.Option(help="Monotone regression or a smoothing spline.")
    ] = "isotonic",
    pool: Documents = "retrieved",
    binary_at: BinaryAt = None,
    prevalence: Annotated[
        list[float] | None,
        typer.Option(metavar="P", help="Tilt to this label law: one per gain, highest first."),
    ] = None,
    by: By = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of queries for the band.")] = 200,
    seed: Seed = 0,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Estimate relevance curves from ranked lists, and of several runs a study with their coupling.

    Example:

        ndcg-asymptotics fit --run a.run --run b.run --qrels my.qrels --binary-at 1 --out curves
    """
    from ndcg_asymptotics.lists import fit_csv, fit_files
    from ndcg_asymptotics.lists.fitted_files import STUDY

    options: dict[str, Any] = {
        "method": method,
        "binary_at": binary_at,
        "prevalence": prevalence,
        "by": groups_of(by),
        "resamples": resamples,
        "seed": seed,
        "columns": columns_of(columns),
    }
    if lists is not None and not run and qrels is None:
        written = fit_csv(lists, out, weights=weights_of(feature, weights), **options)
    elif lists is None and run and qrels is not None:
        written = fit_files(run, qrels, out, pool=pool, **options)
    else:
        raise InputError("fit needs either --run and --qrels, or --lists")
    for path in written:
        print(path)
    if len(written) > 1:
        study = out / STUDY
        print(f"{study}\n\n{study.read_text(encoding='utf-8')}")
