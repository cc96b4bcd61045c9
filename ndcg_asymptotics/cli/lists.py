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


class Gain(StrEnum):
    """What a label is worth."""

    linear = "linear"
    exp2 = "exp2"


class Ties(StrEnum):
    """What becomes of documents of equal score."""

    trec = "trec"
    average = "average"


class Ideal(StrEnum):
    """Which documents the ideal list is made of."""

    judged = "judged"
    retrieved = "retrieved"


class Empty(StrEnum):
    """NDCG of a topic without relevant documents."""

    zero = "zero"
    nan = "nan"
    skip = "skip"


_Run = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="A run: TREC, CSV or Parquet; may be repeated.")
]
_Qrels = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Relevance judgements: TREC, CSV or Parquet.")
]
_Measures = Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")]
_Columns = Annotated[
    str | None,
    typer.Option(metavar="NAME=COLUMN,…", help="What query, document, score, label are called in a table."),
]


@app.command()
def evaluate(
    measure: _Measures,
    run: _Run = None,
    qrels: _Qrels = None,
    lists: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead: CSV or Parquet with query, score, label, or SVMlight."),
    ] = None,
    columns: _Columns = None,
    feature: Annotated[
        int | None, typer.Option(metavar="I", help="The feature of an SVMlight file that is the score.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Weights of all features: their sum is the score.")
    ] = None,
    gain: Annotated[Gain, typer.Option(help="The gain of a label y: y, or 2^y - 1.")] = Gain.linear,
    ties: Annotated[
        Ties | None,
        typer.Option(
            help="By decreasing document name, or averaged as in scikit-learn.",
            show_default="trec; average for --lists",
        ),
    ] = None,
    ideal: Annotated[
        Ideal, typer.Option(help="The ideal list: all judged documents, or those retrieved.")
    ] = Ideal.judged,
    empty: Annotated[Empty, typer.Option(help="Topics without relevant documents.")] = Empty.zero,
    complete: Annotated[
        bool, typer.Option("--complete", "-c", help="Judged topics that a run lacks count as 0.")
    ] = False,
    by_query: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write every topic's values there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """NDCG of runs, on average and by topic; by default with trec_eval's conventions."""
    from ndcg_asymptotics.lists import Evaluations, evaluate_files, evaluate_lists
    from ndcg_asymptotics.lists.readers.tabular import parse_columns
    from ndcg_asymptotics.reports.terminal import show, show_json, write_csv

    options: dict[str, Any] = {
        "columns": parse_columns(columns) if columns else None,
        "gain": gain.value,
        "ideal": ideal.value,
        "empty": empty.value,
        "missing": "zero" if complete else "skip",
    } | ({"ties": ties.value} if ties else {})
    if lists is not None and not run and qrels is None:
        options["weights"] = _weights(feature, weights)
        found = Evaluations((evaluate_lists(lists, measure, **options),))
    elif lists is None and run and qrels is not None:
        found = evaluate_files(run, qrels, measure, **options)
    else:
        raise InputError("evaluate needs either --run and --qrels, or --lists")
    if by_query is not None:
        write_csv(by_query, found.by_query())
    if as_json:
        show_json(found.as_dict() if len(found) > 1 else found.runs[0].as_dict())
    else:
        show(found.parts())


def _weights(feature: int | None, weights: Path | None) -> dict[int, float] | None:
    from ndcg_asymptotics.lists.readers.svmlight import read_weights

    if feature is not None and weights is not None:
        raise InputError("give either --feature or --weights")
    if feature is not None and feature < 1:
        raise InputError(f"must be a whole number from 1 on, got {feature}", "feature")
    return {feature: 1.0} if feature else read_weights(weights) if weights else None


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
    """Estimate relevance curves from ranked lists, for `empirical("file")` in a study."""
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
