"""Rows of runs in larger corpora: fits, trials of the model, sizes of the corpus, and pairs of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import Column, fixed, general


@dataclass(frozen=True)
class FitRow:
    """One run: where its relevant documents are, and the exponent kappa at the top of its lists.

    Attributes
    ----------
    above_0, above_10, above_100, retrieved : float
        The shares of relevant documents with no, fewer than 10 and fewer than 100 irrelevant documents above
        them, and of those retrieved.
    kappa, kappa_low, kappa_high : float
        Of a median query, with its confidence interval.
    spread : float
        The standard deviation of log kappa over queries.
    """

    run: Annotated[str, Column("run")]
    kappa: Annotated[float, Column("kappa", fixed(2))]
    kappa_low: Annotated[float, Column("low", fixed(2))]
    kappa_high: Annotated[float, Column("high", fixed(2))]
    spread: Annotated[float, Column("spread", fixed(2))]
    above_0: Annotated[float, Column("0 above", fixed(3))]
    above_10: Annotated[float, Column("< 10 above", fixed(3))]
    above_100: Annotated[float, Column("< 100 above", fixed(3))]
    retrieved: Annotated[float, Column("retrieved", fixed(3))]


@dataclass(frozen=True)
class TrialRow:
    """One run: the metric predicted from a tenth of its irrelevant documents, and the one it has.

    Attributes
    ----------
    error : float
        The root mean square of log(predicted/actual) over the trials.
    """

    run: Annotated[str, Column("run")]
    measure: Annotated[str, Column("measure", whole=True)]
    actual: Annotated[float, Column("actual", fixed(4))]
    predicted: Annotated[float, Column("predicted from a tenth", fixed(4))]
    error: Annotated[float, Column("relative error", fixed(3))]


@dataclass(frozen=True)
class CorpusRow:
    """One run in a corpus of one size: the mean over queries, with its band.

    Attributes
    ----------
    low, high : float, or None
        None for a run whose lists are too short to test the model on.
    """

    run: str
    measure: str
    documents: int
    mean: float
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """The mean with its band."""
        band = "[no band]" if self.low is None else f"[{self.low:.3f}, {self.high:.3f}]"
        return f"{self.mean:.3f} {band}"


@dataclass(frozen=True)
class CorpusPair:
    """Two runs now and in the largest corpus.

    Attributes
    ----------
    now : float
        The difference a - b in the present corpus.
    documents : int
    difference, low, high : float
        Of the largest corpus, with its band. The band is None if that of a run is.
    ahead : float, or None
        The probability that a is ahead of b there.
    changes : tuple of int
        The sizes at which the order of the predicted means changes, by more than the error of the draws.
    """

    a: Annotated[str, Column("a")]
    b: Annotated[str, Column("b")]
    measure: str
    now: Annotated[float, Column("now", general("+.4f"))]
    documents: int
    difference: Annotated[float, Column("difference", general("+.4f"))]
    low: Annotated[float | None, Column("low", general("+.4f"))]
    high: Annotated[float | None, Column("high", general("+.4f"))]
    ahead: Annotated[float | None, Column("a ahead", fixed(2))]
    changes: Annotated[
        tuple[int, ...], Column("order changes at", lambda n: ", ".join(f"{x:.2g}" for x in n) or "never")
    ]


@dataclass(frozen=True)
class CorpusCurves:
    """Means and bands (measures, runs, F) at corpora of ``documents``; NaN where there is no band."""

    documents: tuple[int, ...]
    measures: tuple[str, ...]
    runs: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats
