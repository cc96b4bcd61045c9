"""Evaluation against m sampled negatives: what it says about systems, compared with the full metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from ndcg_asymptotics.analysis.runs.candidates import Candidates, candidates_of, hold_candidates
from ndcg_asymptotics.analysis.runs.sampled_orders import (
    SampledMoments,
    corrected_rows,
    order_at,
    order_of,
    sampled_rows,
)
from ndcg_asymptotics.analysis.runs.sampled_rows import CorrectedRow, PairRow, SampledCurves, SampledRow
from ndcg_asymptotics.analysis.runs.sampled_text import CANDIDATES, short_lists, statement
from ndcg_asymptotics.core.arrays import brief, require_fraction
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.files import paths_of
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.core.tables import (
    HIDDEN,
    Data,
    Line,
    Report,
    ReportBlock,
    Table,
)
from ndcg_asymptotics.lists.depths import RelevantDepths
from ndcg_asymptotics.lists.ranked_users import ranked_tables, relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames, named_paths, read, read_ranks, read_runs
from ndcg_asymptotics.measures import Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import (
    RankedItems,
)

_POINTS = 100  # numbers of negatives at which curves are computed
_AT_ONCE = 20  # of them in memory, for every user


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
        require(not hold_candidates(depths), CANDIDATES, "runs")
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
    remarks = short_lists(depths)
    means, sds = [], []
    with task("numbers of negatives", grid.size * len(parsed)) as bar:
        for measure in parsed:
            moments = SampledMoments(systems, measure, replacement)
            for part in np.array_split(grid, math.ceil(grid.size / _AT_ONCE)):
                moments.compute(part)
                bar.update(part.size)
            of_m = [moments.at(m) for m in grid.tolist()]
            means.append(np.array([found.mean for found in of_m]).T)
            sds.append(np.sqrt([found.variance for found in of_m]).T)
            both = combinations(range(len(systems)), 2)
            of_measure = [order_of(moments, a, b, grid, level) for a, b in both]
            pairs += of_measure
            for m in wanted:
                rows += sampled_rows(moments, m)
                if of_measure:
                    orders = [order_at(moments, pair, m) for pair in of_measure]
                    statements.append(statement(orders, str(measure), m, level))
                try:
                    corrected += corrected_rows(moments, m, gamma)
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
    wanted = 100 if negatives is None else negatives
    if ranks:
        tables = {name: read_ranks(path, columns) for name, path in named_paths(paths).items()}
        return sampled(measures=measures, ranks=tables, negatives=wanted, **options)
    assert qrels is not None
    scores, labels = read_runs(paths, columns), read(qrels, "label", columns)
    depths = relevant_depths(scores, labels, options.get("items"), gain=options.get("gain", "linear"))
    if not hold_candidates(depths):
        return sampled(scores, labels, measures, negatives=wanted, **options)
    several = "the lists hold sampled candidates, each once, which have a number of their own: leave it out"
    require(negatives is None, several, "negatives")
    require(not options.get("replacement"), several, "replacement")
    return candidates_of(depths, measures, options.get("level", 0.95), options.get("gamma", 0.1))


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
