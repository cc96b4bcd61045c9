"""Evaluation against m sampled negatives: what it says about systems, compared with the full metric.

Means over users are treated as normal, with their exact means and standard deviations. The systems sample
their negatives independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from ndcg_asymptotics.analysis.runs.candidates import Candidates, SystemRow, candidates_of, hold_candidates
from ndcg_asymptotics.analysis.runs.paired import ROUNDING
from ndcg_asymptotics.core.arrays import Floats, Integers, brief, require_fraction
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.files import paths_of
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.core.tables import (
    HIDDEN,
    Column,
    Data,
    Line,
    Report,
    ReportBlock,
    Table,
    fixed,
    general,
)
from ndcg_asymptotics.lists.depths import RelevantDepths
from ndcg_asymptotics.lists.evaluation import run_names
from ndcg_asymptotics.lists.ranked_users import ranked_tables, relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames, read, read_ranks
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import (
    RankedItems,
    bias_variance_estimate,
    corrected_moments,
    full_ndcg,
    rank_estimate,
    sampled_ndcg,
)

_POINTS = 100  # numbers of negatives at which curves are computed
_AT_ONCE = 20  # of them in memory, for every user
_UNDECIDED = 1e-10  # expected metrics that differ by less are equal: they are exact to 1e-10
_NAMED = 3  # pairs that a sentence names
_CANDIDATES = (
    "every list is far shorter than the catalogue and has all relevant items: sampled candidates, from which "
    "no full metric is computed; `analysis.sampled_candidates` estimates it"
)


@dataclass(frozen=True)
class SampledRow(SystemRow):
    """One system: the exact mean and standard deviation of the mean over users, and the full metric."""

    negatives: Annotated[int, Column("negatives", general("d"))]
    mean: Annotated[float, Column("sampled mean", fixed(4))]
    sd: Annotated[float, Column("standard deviation", fixed(4), drop=1)]
    full: Annotated[float, Column("full", fixed(4))]


@dataclass(frozen=True)
class PairRow:
    """Two systems: where their expected order changes, and how many negatives are enough for the full order.

    Attributes
    ----------
    difference : float
        Of the full metric, a - b.
    crossings : tuple of int
        The m at which the expected order differs from that at m - 1.
    enough : int or None
        The smallest M such that for every m >= M the sampled order is the full one with the probability
        ``level``, over the sampled negatives. None if there is none up to the largest m.
    enough_for_other_users : int or None
        The same over the negatives and users drawn like the given ones.
    """

    a: str
    b: str
    measure: Annotated[str, Column("measure", whole=True)]
    difference: Annotated[float, Column("full difference", fixed(4), drop=1)]
    crossings: Annotated[
        tuple[int, ...], Column("order changes at", lambda m: ", ".join(map(str, m)) or "never")
    ]
    enough: Annotated[int | None, Column("enough from m", general(","))]
    enough_for_other_users: Annotated[int | None, Column("enough for other users from m", general(","))]

    @property
    def systems(self) -> Annotated[str, Column("systems", fold=True, before="measure")]:
        """The names of both, which take two lines where they are long."""
        return f"{self.a}, {self.b}"


@dataclass(frozen=True)
class CorrectedRow(SystemRow):
    """One system: an estimate of the full metric from sampled ranks, with its exact bias and deviation."""

    negatives: Annotated[int, Column("negatives", general("d"))]
    estimate: Annotated[str, Column("estimate", whole=True)]
    mean: Annotated[float, Column("mean", fixed(4))]
    bias: Annotated[float, Column("bias", general("+.4f"))]
    sd: Annotated[float, Column("standard deviation", fixed(4), drop=1)]


@dataclass(frozen=True)
class SampledCurves:
    """Means and standard deviations of the mean over users (measures, systems, M) at m = ``negatives``."""

    negatives: Integers
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    mean: Floats
    sd: Floats


@dataclass(frozen=True, repr=False)
class Sampled(Report):
    """Sampled metrics of some systems, compared with the full ones.

    Attributes
    ----------
    items, fewest_items, users : int
        ``items`` is the largest number where it differs between users, and ``fewest_items`` the smallest.
    replacement : bool
    level, gamma : float
    rows : tuple of SampledRow
    pairs : tuple of PairRow
    corrected : tuple of CorrectedRow
    statements : tuple of str
        What the sampled results can and cannot say, a sentence per measure and number of negatives.
    remarks : tuple of str
        Why there are no corrected estimates, where there are none.
    curves : SampledCurves
    """

    items: int
    fewest_items: int
    users: int
    replacement: bool
    level: float
    gamma: float
    rows: tuple[SampledRow, ...]
    pairs: tuple[PairRow, ...]
    corrected: tuple[CorrectedRow, ...]
    statements: Annotated[tuple[str, ...], HIDDEN]
    remarks: Annotated[tuple[str, ...], HIDDEN]
    curves: SampledCurves

    @property
    def said(self) -> Annotated[tuple[str, ...], Data("statements", before="curves")]:
        """The statements and the remarks."""
        return (*self.statements, *self.remarks)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.curves.systems

    @property
    def measures(self) -> tuple[str, ...]:
        """The texts of the measures."""
        return self.curves.measures

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the tables and the statements."""
        how = "with" if self.replacement else "without"
        different = {row.negatives for row in self.rows}
        alone = f"{different.pop()} " if len(different) == 1 else ""
        heading = {"negatives": None} if alone else {}
        items = f"{self.fewest_items} to {self.items}" if self.fewest_items < self.items else self.items
        title = f"{self.users} users, {items} items, {alone}negatives sampled {how} replacement"
        yield Table.of(title, SampledRow, self.rows, **heading)
        if self.pairs:
            title = f"Order of two systems, probability {self.level:g}"
            yield Table.of(title, PairRow, self.pairs)
        if self.corrected:
            title = f"Estimates of the full metric (bias-variance with gamma {self.gamma:g})"
            yield Table.of(title, CorrectedRow, self.corrected, **heading)
        yield from map(Line, self.said)


class SampledOptions(TypedDict, total=False):
    """The options of `sampled`, which functions of files hand on to it."""

    items: int | None
    replacement: bool
    level: float
    gamma: float
    gain: Gain


def sampled(
    runs: Mapping[str, object] | None = None,
    qrels: object = None,
    measures: Measures = "nDCG",
    *,
    ranks: Mapping[str, object] | None = None,
    items: int | None = None,
    negatives: int | Sequence[int] = 100,
    replacement: bool = False,
    level: float = 0.95,
    gamma: float = 0.1,
    gain: Gain = "linear",
) -> Sampled:
    """Compare an evaluation against sampled negatives with that against all items, exactly.

    Parameters
    ----------
    runs, qrels : as `evaluate` takes them
        The runs by the names of their systems; relevant items that are not in a run gain 0.
    measures : Measure, text, or several
    ranks : mapping of name to ranks, in place of runs
        Each a mapping of user to the rank, or ranks, of the relevant items, or a DataFrame with the columns
        user and rank, and items where N differs between users.
    items : int
        N, how many items the full metric ranks. By default as many as runs and judgements name. Corrected
        estimates are those for the median of different N; their bias and deviation are those with each N.
    negatives : int or several
        m, the number of sampled irrelevant items.
    replacement : bool
        Whether an item can be sampled twice. Then m is at most N - 1, else N less the relevant items.
    level : float
        The probability with which the sampled order is to be the full one.
    gamma : float
        The weight of the variance in the bias-variance estimate of Krichene & Rendle (2020).
    gain : {"linear", "exp2"}
        The gain of a label of the judgements: y or 2^y - 1. Ranks have no labels.

    Raises
    ------
    InputError
        For ranks outside 1 … N, too many negatives, users that not all systems have, and what `evaluate`
        refuses.

    >>> a, b = {"u": 100, "v": 100}, {"u": 1, "v": 4000}
    >>> found = sampled(ranks={"a": a, "b": b}, items=10_000, negatives=99)
    >>> [(row.system, round(row.mean, 3), round(row.full, 3)) for row in found.rows]
    [('a', 0.728, 0.15), ('b', 0.593, 0.542)]
    >>> found.pairs[0].crossings  # with fewer negatives a is ahead
    (195,)
    """
    parsed = measures_of(measures)
    depths: dict[str, RelevantDepths] = {}
    if (runs is None) == (ranks is None) or (runs is None) != (qrels is None):
        raise InputError("give either runs and qrels, or ranks")
    if ranks is not None:
        require(gain == "linear", "is for runs with judgements: ranks have no labels", "gain")
        systems = ranked_tables(ranks, items)
    else:
        assert runs is not None
        depths = relevant_depths(runs, qrels, items, gain=gain)
        require(not hold_candidates(depths), _CANDIDATES, "runs")
        systems = {name: of_run.ranked for name, of_run in depths.items()}
    require_fraction(level, "level")
    first = next(iter(systems.values()))
    most = int(first.sizes.min()) - 1 if replacement else first.most_negatives
    wanted = _negatives(negatives, most, first, replacement)
    grid = np.unique(np.concatenate((np.rint(np.geomspace(1, most, _POINTS)).astype(np.int64), wanted)))
    rows: list[SampledRow] = []
    pairs: list[PairRow] = []
    corrected: list[CorrectedRow] = []
    statements: list[str] = []
    remarks = _truncated(depths)
    means, sds = [], []
    with task("numbers of negatives", grid.size * len(parsed)) as bar:
        for measure in parsed:
            moments = _Moments(systems, measure, replacement)
            for part in np.array_split(grid, math.ceil(grid.size / _AT_ONCE)):
                moments.compute(part)
                bar.update(part.size)
            of_m = [moments.at(m) for m in grid.tolist()]
            means.append(np.array([found.mean for found in of_m]).T)
            sds.append(np.sqrt([found.variance for found in of_m]).T)
            for m in wanted:
                at = moments.at(m)
                rows += [
                    SampledRow(name, str(measure), m, float(mean), math.sqrt(variance), float(full))
                    for name, mean, variance, full in zip(
                        systems, at.mean, at.variance, moments.full.mean(axis=1), strict=True
                    )
                ]
            of_measure = [
                _compare(moments, a, b, grid, level) for a, b in combinations(range(len(systems)), 2)
            ]
            pairs += of_measure
            if of_measure:
                statements += [_statement(moments, of_measure, m, level) for m in wanted]
            for m in wanted:
                try:
                    corrected += _corrected(moments, m, gamma)
                except NotAvailableError as error:
                    remarks.append(f"{measure}, m = {m}: no estimates of the full metric: {error}.")
    return Sampled(
        first.items,
        int(first.sizes.min()),
        len(first.users),
        replacement,
        level,
        gamma,
        tuple(rows),
        tuple(pairs),
        tuple(corrected),
        tuple(statements),
        tuple(remarks),
        SampledCurves(grid, tuple(map(str, parsed)), tuple(systems), np.array(means), np.array(sds)),
    )


def sampled_files(
    runs: Sequence[Path | str] = (),
    qrels: Path | str | None = None,
    measures: Measures = "nDCG",
    *,
    ranks: Sequence[Path | str] = (),
    columns: ColumnNames | None = None,
    negatives: int | Sequence[int] | None = None,
    **options: Unpack[SampledOptions],
) -> Sampled | Candidates:
    r"""Compare sampled and full metrics of systems in files; see `sampled`.

    Runs whose lists hold sampled candidates are taken as such; see `sampled_candidates`.

    Parameters
    ----------
    runs, qrels : paths
        As `evaluate_files` takes them.
    measures : Measure, text, or several
    ranks : paths, in place of runs
        CSV or Parquet tables with the columns user and rank, a row per relevant item, and items, the number
        of items that were ranked for the user, unless ``items`` is given.
    columns : mapping, optional
        The names of the columns of tables.
    negatives : int or several, optional
        As in `sampled`, 100 by default. Candidates have their own number.
    **options
        As in `sampled`.

    Raises
    ------
    InputError
        As `sampled`, and for an invalid line, with the file and its number.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("user,rank\nu,1\nv,3\n")
    ...     sampled_files(ranks=[path], items=10, negatives=9).rows[0].mean
    0.75
    """
    paths = paths_of(ranks or runs, "ranks" if ranks else "runs")
    if bool(runs) == bool(ranks) or bool(runs) != (qrels is not None):
        raise InputError("sampled needs either --run and --qrels, or --ranks and --items")
    measures = measures_of(measures)
    names = run_names(paths)
    require(len(set(names)) == len(names), f"a file is given twice: {', '.join(map(str, paths))}")
    wanted = 100 if negatives is None else negatives
    if ranks:
        tables = {name: read_ranks(path, columns) for name, path in zip(names, paths, strict=True)}
        return sampled(measures=measures, ranks=tables, negatives=wanted, **options)
    assert qrels is not None
    scores = {name: read(path, "score", columns) for name, path in zip(names, paths, strict=True)}
    labels = read(qrels, "label", columns)
    depths = relevant_depths(scores, labels, options.get("items"), gain=options.get("gain", "linear"))
    if not hold_candidates(depths):
        return sampled(scores, labels, measures, negatives=wanted, **options)
    several = "the lists hold sampled candidates, each once, which have a number of their own: leave it out"
    require(negatives is None, several, "negatives")
    require(not options.get("replacement"), several, "replacement")
    return candidates_of(depths, measures, options.get("level", 0.95), options.get("gamma", 0.1))


def _truncated(systems: Mapping[str, RelevantDepths]) -> list[str]:
    """Return that lists are short, if all are, so that the metric of them need not be that of all items."""
    longest = max((depths.longest for depths in systems.values()), default=0)
    items = next((depths.ranked.items for depths in systems.values()), 0)
    if 2 * longest > items or not systems:
        return []
    return [
        f"Full: the lists hold at most {longest:,} of {items:,} items. A relevant item that a run did not "
        "retrieve gains nothing, so full is the metric of a ranking of all items only with a cutoff that no "
        "list is shorter than."
    ]


def _negatives(given: Any, most: int, first: RankedItems, replacement: bool) -> list[int]:
    values = list(given) if isinstance(given, list | tuple | range | np.ndarray) else [given]
    require(len(values) > 0, "must hold at least one number", "negatives")
    limit = f"{first.sizes.min()} items" + (
        "" if replacement else " less the relevant ones, without replacement"
    )
    for value in values:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        fits = whole and 1 <= value <= most
        require(fits, f"must be whole numbers from 1 to {most} ({limit}), got {brief(value)}", "negatives")
    return sorted({int(value) for value in values})


@dataclass(frozen=True)
class _AtM:
    """Means and their variances (S,), and variances over users of differences (S, S), at one m."""

    mean: Floats
    variance: Floats
    over_users: Floats


class _Moments:
    """The moments of all systems under one measure, computed once for every number of negatives."""

    def __init__(self, systems: Mapping[str, RankedItems], measure: Measure, replacement: bool) -> None:
        self.systems, self.measure, self.replacement = systems, measure, replacement
        self.full = np.array([full_ndcg(ranked, measure) for ranked in systems.values()])
        self._known: dict[int, _AtM] = {}

    def at(self, m: int) -> _AtM:
        """Return the moments at m."""
        if m not in self._known:
            self.compute(np.array([m]))
        return self._known[m]

    def compute(self, negatives: Integers) -> None:
        """Compute the moments at some m."""
        found = [
            sampled_ndcg(ranked, self.measure, negatives, replacement=self.replacement)
            for ranked in self.systems.values()
        ]
        users = self.full.shape[1]
        for k, m in enumerate(negatives.tolist()):
            values = np.array([mean[k] for mean, _ in found])
            variance = np.array([of_users[k].sum() for _, of_users in found]) / users**2
            centred = values - values.mean(axis=1, keepdims=True)
            products = centred @ centred.T / max(users - 1, 1)
            squares = np.diag(products)
            differences = np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0.0)
            self._known[m] = _AtM(values.mean(axis=1), variance, differences / users)

    def difference(self, a: int, b: int, m: int) -> float:
        """Return the difference of the expected means at m; 0 within the error."""
        mean = self.at(m).mean
        found = float(mean[a] - mean[b])
        return found if abs(found) > _UNDECIDED else 0.0

    def full_difference(self, a: int, b: int) -> float:
        found = float(self.full[a].mean() - self.full[b].mean())
        return found if abs(found) > ROUNDING else 0.0

    def probability(self, a: int, b: int, m: int, *, users: bool = False) -> float:
        """Return the probability that the sampled order of two systems is the full one."""
        at = self.at(m)
        variance = at.variance[a] + at.variance[b] + (at.over_users[a, b] if users else 0.0)
        ahead = self.difference(a, b, m) * math.copysign(1.0, self.full_difference(a, b))
        if variance <= 0:
            return float(ahead > 0)
        return NormalDist().cdf(ahead / math.sqrt(variance))


def _compare(moments: _Moments, a: int, b: int, grid: Integers, level: float) -> PairRow:
    """Return where the expected order of two systems changes, and how many negatives are enough."""
    names, points = list(moments.systems), grid.tolist()
    difference = moments.full_difference(a, b)

    def has_sign(sign: float, m: int) -> bool:
        return moments.difference(a, b, m) * sign > 0

    def certain(users: bool, m: int) -> bool:
        return bool(difference) and moments.probability(a, b, m, users=users) >= level

    crossings, before, last = [], 0.0, points[0]
    for m in points:
        sign = float(np.sign(moments.difference(a, b, m)))
        if sign and before and sign != before:
            crossings.append(first_true(partial(has_sign, sign), last, m))
        if sign:
            before, last = sign, m
    enough: list[int | None] = []
    for users in (False, True):
        bad = max((k for k, m in enumerate(points) if not certain(users, m)), default=-1)
        if bad == len(points) - 1:
            enough.append(None)
        elif bad < 0:
            enough.append(points[0])
        else:
            enough.append(first_true(partial(certain, users), points[bad], points[bad + 1]))
    return PairRow(names[a], names[b], str(moments.measure), difference, tuple(crossings), *enough)


def _statement(moments: _Moments, pairs: Sequence[PairRow], m: int, level: float) -> str:
    """Return in a sentence what a sampled result can and cannot say about the order of the systems."""
    systems = list(moments.systems)
    at = [(systems.index(pair.a), systems.index(pair.b)) for pair in pairs]
    right = [
        moments.probability(a, b, m) if p.difference else 0.0 for p, (a, b) in zip(pairs, at, strict=True)
    ]
    certain = sum(p >= level for p in right)
    parts = []
    if certain or len(pairs) > 1:
        count = f"{certain} of {len(pairs)} pairs" if len(pairs) > 1 else f"{pairs[0].a} and {pairs[0].b}"
        words = f"orders {count} as the full metric does with probability {level:g} or more"
        parts.append(f"a sampled result {words}")
    sure = [pair for pair, p in zip(pairs, right, strict=True) if p >= level]
    parts += [_relapse(pair, level) for pair in sure if pair.enough is None or pair.enough > m][:_NAMED]
    rest = [(pair, *of, p) for pair, of, p in zip(pairs, at, right, strict=True) if p < level]
    parts += [_exception(moments, pair, a, b, m, p) for pair, a, b, p in rest[:_NAMED]]
    if len(rest) > _NAMED:
        parts.append(f"{len(rest) - _NAMED} further pairs are not certain either")
    return f"{pairs[0].measure}, m = {m}: {'; '.join(parts)}."


def _relapse(pair: PairRow, level: float) -> str:
    """Return that two systems, whose sampled order is right at some m, need not be so at larger ones."""
    last = f", and is that again from m = {pair.enough:,} on" if pair.enough else ""
    return f"for {pair.a} and {pair.b} it falls below {level:g} at larger m{last}"


def _exception(moments: _Moments, pair: PairRow, a: int, b: int, m: int, right: float) -> str:
    """Return what is wrong with the sampled order of two systems."""
    full, here = pair.difference, moments.difference(a, b, m)
    ahead, behind = (pair.a, pair.b) if full > 0 else (pair.b, pair.a)
    if not full:
        return f"{pair.a} and {pair.b} are equal by the full metric"
    if here * full > 0:
        return f"{ahead} is ahead of {behind} with probability {right:.2g} only"
    reverse = "does not tell them apart" if not here else f"puts {behind} ahead on average"
    mend = f", from m = {pair.enough:,} on it is right with the probability asked for" if pair.enough else ""
    return (
        f"{ahead} is ahead of {behind}, but the sampled metric {reverse} (repeating it does not help{mend})"
    )


def _corrected(moments: _Moments, m: int, gamma: float) -> list[CorrectedRow]:
    measure, items = moments.measure, int(np.median(next(iter(moments.systems.values())).sizes))
    weighed = bias_variance_estimate(measure, items, m, gamma)
    estimates = {"rank": rank_estimate(measure, items, m), "bias-variance": weighed}
    found = []
    for (name, ranked), full in zip(moments.systems.items(), moments.full.mean(axis=1).tolist(), strict=True):
        for kind, estimate in estimates.items():
            mean, variance = corrected_moments(estimate, ranked, replacement=moments.replacement)
            average, sd = float(mean.mean()), math.sqrt(variance.sum()) / len(ranked.users)
            found.append(CorrectedRow(name, str(measure), m, kind, average, average - full, sd))
    return found
