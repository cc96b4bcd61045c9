"""Options that more than one command has, and the values they take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ndcg_asymptotics.core.errors import InputError


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


Runs = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="A run: TREC, CSV or Parquet; may be repeated.")
]
Qrels = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Relevance judgements: TREC, CSV or Parquet.")
]
Lists = Annotated[
    Path | None,
    typer.Option(
        "--lists",
        "--csv",
        metavar="FILE",
        help="Instead: CSV or Parquet with query, score, label, or SVMlight.",
    ),
]
Measures = Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")]
Columns = Annotated[
    str | None,
    typer.Option(metavar="NAME=COLUMN,…", help="What query, document, score, label are called in a table."),
]
Feature = Annotated[
    int | None, typer.Option(metavar="I", help="The feature of an SVMlight file that is the score.")
]
Weights = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Weights of all features: their sum is the score.")
]
Documents = Annotated[
    Pool, typer.Option(help="Documents retrieved by any of the runs, or those and all judged ones.")
]
BinaryAt = Annotated[float | None, typer.Option(metavar="LABEL", help="Count labels from this one on as 1.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
By = Annotated[
    str | None,
    typer.Option(metavar="N|query", help="So many groups of queries by their share of relevant documents."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def columns_of(text: str | None) -> dict[str, str] | None:
    """What the columns of tables are called."""
    from ndcg_asymptotics.lists.reading import parse_columns

    return parse_columns(text) if text else None


def groups_of(text: str | None) -> int | str | None:
    """A number of groups, or what stands in its place."""
    return int(text) if text is not None and text.isdigit() else text


def weights_of(feature: int | None, weights: Path | None) -> dict[int, float] | None:
    """How the features of an SVMlight file are weighed."""
    from ndcg_asymptotics.lists.reading import read_weights

    if feature is not None and weights is not None:
        raise InputError("give either --feature or --weights")
    if feature is not None and feature < 1:
        raise InputError(f"must be a whole number from 1 on, got {feature}", "feature")
    return {feature: 1.0} if feature else read_weights(weights) if weights else None
