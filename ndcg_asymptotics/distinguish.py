"""How surely a measure tells two scorers apart: at n, and at every n from N on.

Definition 3 of Wang et al. (2013): f_a and f_b are consistently distinguishable if, for one of the
two, P(it has the larger NDCG_n for all n >= N) >= 1 - neg(N), with neg smaller than every power of
1/N. A tie is not a larger value. A study sees n up to n_max only, so "for all n" is "for every n in
[N, n_max]" here; the every-n engine sees each of them, the other engines the grid, and then the
rate is an upper bound and says so.

The scorer that ought to win is the one with the larger exact mean at n_max. Where no exact mean is
known, the first half of the replicates elects it and the second half is counted: never the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from ndcg_asymptotics.design import UNDECIDED, Design
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.expectation import expected_ndcg

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

CONFIDENCE = 0.95
_QUANTILES = (0.5, 0.9, 0.99)
_FEW = 10  # wrong replicates below which an n says nothing about the speed of the fall
_BOOTSTRAP = 400


@dataclass(frozen=True)
class Rate:
    """A share of the replicates with its Wilson interval (95%, for this n alone)."""

    n: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Fall:
    """How the rate of a wrong order falls: ``n^-slope`` over the first and the second half of the range.

    ``interval`` is a 95% bootstrap interval (over replicates) of second - first, by which
    ``verdict`` tells *faster than a power of n* from *like a power of n* and *does not fall*.
    """

    verdict: str
    first: float | None = None
    second: float | None = None
    interval: tuple[float, float] | None = None
    range: tuple[int, int] | None = None


@dataclass(frozen=True)
class Pair:
    """What a study shows of one pair and one measure."""

    pair: tuple[str, str]
    measure: str
    right: str | None
    right_from: str
    replicates: int
    points: list[Rate]
    from_n: list[Rate]
    from_n_is_upper_bound: bool
    ties: float
    undecided: float
    last_wrong: dict[str, float]
    changes: dict[str, float | None]
    fall: Fall
    text: str


def distinguish(data: xr.Dataset, design: Design) -> list[Pair]:
    """Rates of the right order for every pair and measure of a study.

    Parameters
    ----------
    data : xarray.Dataset
        Results with ``order`` over (replicate, pair, measure, n) and, from the every-n engine,
        ``last_not_greater``, ``last_not_less`` and ``changes``.
    design : Design

    Raises
    ------
    InputError
        If the study names no pairs.
    """
    if not design.pairs or "order" not in data:
        raise InputError('this study names no pairs; add for example pairs = [["a", "b"]] to it')
    return [
        _pair(data.isel(pair=i), design, pair, measure)
        for i, pair in enumerate(design.pairs)
        for measure in design.measures
    ]


def as_dict(pairs: list[Pair]) -> dict[str, Any]:
    """The result as plain data, for JSON."""
    return {"confidence": CONFIDENCE, "pairs": [asdict(pair) for pair in pairs]}


def _pair(data: xr.Dataset, design: Design, pair: tuple[str, str], measure: Measure) -> Pair:
    cell = data.sel(measure=str(measure))
    order = cell["order"].transpose("replicate", "n").to_numpy()
    sign, source = _elect(design, pair, measure)
    if source == "replicates":
        half = len(order) // 2
        votes = np.where(order == UNDECIDED, 0, order)[:half, -1].astype(float).sum()
        sign, order, cell = int(np.sign(votes)), order[half:], cell.isel(replicate=slice(half, None))
        source = "the first half of the replicates, the second half is counted"
    right = {1: pair[0], -1: pair[1], 0: None}[sign]
    sizes = design.sizes
    correct = (order == sign) if sign else np.zeros(order.shape, dtype=bool)
    exact_last = "last_not_greater" in cell
    if not sign:
        last = np.full(len(order), sizes[-1])
    elif exact_last:
        last = cell["last_not_greater" if sign > 0 else "last_not_less"].to_numpy()
    else:
        last = np.max(np.where(correct, 0, np.asarray(sizes)), axis=1)
    fall = _fall(correct, np.asarray(sizes))
    changes = float(cell["changes"].mean()) if "changes" in cell else None
    points = [_rate(n, correct[:, i]) for i, n in enumerate(sizes)]
    from_n = [_rate(n, last < n) for n in sizes]
    ties, undecided = float(np.mean(order == 0)), float(np.mean(order == UNDECIDED))
    last_wrong = {f"{q:g}": float(np.quantile(last, q, method="higher")) for q in _QUANTILES}
    text = _words(right, source, points, from_n, not exact_last, fall, ties, len(order))
    return Pair(
        pair, str(measure), right, source, len(order), points, from_n, not exact_last,
        ties, undecided, last_wrong, {"mean": changes}, fall, text,
    )  # fmt: skip


def _elect(design: Design, pair: tuple[str, str], measure: Measure) -> tuple[int, str]:
    """The sign of E[NDCG_a] - E[NDCG_b] at n_max, and where it comes from."""
    scorers, largest = design.population.scorers, design.sizes[-1:]
    if scorers[pair[0]] == scorers[pair[1]]:
        return 0, "the two scorers are the same"
    try:
        a, b = (expected_ndcg(scorers[name], measure, largest) for name in pair)
    except InputError:
        return 0, "replicates"
    gap, error = float(a.value[0] - b.value[0]), float(a.error[0] + b.error[0])
    return (int(np.sign(gap)), "the exact means") if abs(gap) > error else (0, "replicates")


def _rate(n: int, hits: Bools) -> Rate:
    interval = stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(CONFIDENCE, method="wilson")
    return Rate(n, float(hits.mean()), float(interval.low), float(interval.high))


def _fall(correct: Bools, sizes: NDArray[np.int64]) -> Fall:
    """Compare the slope of -log P(wrong at n) in log n over the two halves of the visible range."""
    wrong = ~correct
    usable = np.flatnonzero(wrong.sum(axis=0) >= _FEW)
    if len(usable) < 4:
        return Fall("is too low to tell how fast it falls")
    # from the commonest wrong order on: what comes before is not a fall
    usable = usable[usable >= usable[np.argmax(wrong.mean(axis=0)[usable])]]
    if len(usable) < 4:
        return Fall("does not fall over the observed range", range=(int(sizes[0]), int(sizes[-1])))
    x, middle = np.log(sizes[usable].astype(float)), (len(usable) + 1) // 2

    def slopes(sample: Bools) -> tuple[float, float]:
        y = -np.log(np.maximum(sample[:, usable].mean(axis=0), 0.5 / len(sample)))
        return float(np.polyfit(x[:middle], y[:middle], 1)[0]), float(
            np.polyfit(x[middle - 1 :], y[middle - 1 :], 1)[0]
        )

    first, second = slopes(wrong)
    rng = np.random.default_rng(len(wrong))
    resampled = [slopes(wrong[rng.integers(0, len(wrong), len(wrong))]) for _ in range(_BOOTSTRAP)]
    low, high = np.quantile([b - a for a, b in resampled], [0.025, 0.975])
    overall_low = float(np.quantile([min(a, b) for a, b in resampled], 0.025))
    if (high < 0.05 and max(first, second) < 0.05) or (overall_low <= 0 and second < 0.05):
        verdict = "does not fall over the observed range"
    elif low > 0:
        verdict = "falls faster than a power of n over the observed range"
    else:
        verdict = "falls like a power of n, or cannot be told from one, over the observed range"
    return Fall(
        verdict, first, second, (float(low), float(high)), (int(sizes[usable[0]]), int(sizes[usable[-1]]))
    )


def _words(
    right: str | None,
    source: str,
    points: list[Rate],
    from_n: list[Rate],
    upper_bound: bool,
    fall: Fall,
    ties: float,
    replicates: int,
) -> str:
    if right is None:
        reason = "they have the same relevance curve" if "same" in source else "their means do not differ"
        tied = f"{ties:.1%} of all comparisons are ties"
        return f"Neither ought to win ({reason}), so no order is right; {tied}."
    end = points[-1]
    shown = f"{right} ought to win ({source}). "
    shown += f"At n = {end.n:g} it does in {end.rate:.4f} [{end.low:.4f}, {end.high:.4f}]"
    all_n = [p for p in from_n if p.rate >= 0.99]
    kind = "at every grid point, an upper bound for every n," if upper_bound else "at every n"
    if all_n:
        shown += f"; from N = {all_n[0].n:g} on it is ahead {kind} up to {end.n:g} in {all_n[0].rate:.4f}"
    else:
        half = from_n[len(from_n) // 2]
        shown += f"; from N = {half.n:g} on it is ahead {kind} up to {end.n:g} in only {half.rate:.4f}"
    speed = f"The rate of the wrong order {fall.verdict}"
    if fall.first is not None and fall.second is not None:
        speed += f" (n^{-fall.first:.2f}, then n^{-fall.second:.2f})"
    caveat = f"{replicates} replicates cannot see rates below {3 / replicates:.1g}, "
    caveat += f"nor what happens beyond n = {end.n:g}"
    return f"{shown}. {speed}; {caveat}."
