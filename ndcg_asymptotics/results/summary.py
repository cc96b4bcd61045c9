"""Results in a few lines: what was asked, how much is there, and the means at the largest n.

Results of the rare engine have no NDCG; in place of means they show how many draws had which order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg_asymptotics.core.tables import Column, Line, ReportBlock, Table, fixed, general
from ndcg_asymptotics.engines.engine import UNDECIDED

if TYPE_CHECKING:
    import pandas as pd

    from ndcg_asymptotics.results.record import Results

_BAND = (0.05, 0.95)


def summary_blocks(results: Results) -> Iterator[ReportBlock]:
    """Yield the study, what is complete, and a line per scorer and measure."""
    study = results.study
    yield Line(study.title or results.name or "Results", "bold")
    state = f"{results.replicates_complete} of {results.replicates_wanted} replicates complete"
    yield Line(f"{state}, seed {study.seed}, engine {study.engine}", "" if results.complete else "bold red")
    many = f"{len(study.n)} list lengths, {study.n[0]:g} to {study.n[-1]:g}" if len(study.n) > 1 else ""
    yield Line(many or f"list length {study.n[0]:g}")
    for name, scorer in study.scorers.items():
        yield Line(f"  {name} = {scorer}")
    if study.pairs:
        yield Line("pairs: " + ", ".join(f"{a} > {b}" for a, b in study.pairs))
    versions = results.versions[-1]
    yield Line("made with " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "\n")
    if not results.replicates_complete:
        return
    rows = tuple(tuple(row.values()) for row in _rows(results, study.n[-1:]))
    title = f"At n = {study.n[-1]:g}"
    if "ndcg" in results.named:
        columns = (
            Column("scorer"), Column("measure"), Column("n", general("g")), Column("mean", fixed(5)),
            Column("MCSE", general(".1e"), 1), Column("5%", fixed(5), 2), Column("95%", fixed(5), 2),
        )  # fmt: skip
        yield Table(title, columns, rows)
    else:
        columns = (
            Column("pair"), Column("measure"), Column("n", general("g")), Column("first ahead"),
            Column("second ahead"), Column("ties"), Column("undecided"),
        )  # fmt: skip
        yield Table(f"{title}, draws whose order was", columns, rows)
        yield Line("These draws carry weights: `distinguish` gives the probabilities of wrong orders.")


def summary_frame(results: Results) -> pd.DataFrame:
    """Return a row per scorer, measure and n: mean, Monte Carlo standard error, 5% and 95% quantiles.

    Of the rare engine: a row per pair, measure and n with the number of draws of each order.
    """
    import pandas as pd

    return pd.DataFrame(_rows(results, results.study.n))


def _rows(results: Results, sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    return _means(results, sizes) if "ndcg" in results.named else _orders(results, sizes)


def _means(results: Results, sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    for name in results.study.scorers:
        for measure in map(str, results.study.measures):
            cell = results.data["ndcg"].sel(scorer=name, measure=measure, n=list(sizes))
            values = cell.transpose("replicate", "n").to_numpy()
            count = len(values)
            errors = values.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else [None] * len(sizes)
            low, high = np.quantile(values, _BAND, axis=0)
            for i, n in enumerate(sizes):
                yield {
                    "scorer": name, "measure": measure, "n": n, "mean": float(values[:, i].mean()),
                    "mcse": errors[i], "q05": float(low[i]), "q95": float(high[i]),
                }  # fmt: skip


def _orders(results: Results, sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    for pair in (f"{a} > {b}" for a, b in results.study.pairs):
        for measure in map(str, results.study.measures):
            cell = results.data["order"].sel(pair=pair, measure=measure, n=list(sizes))
            orders = cell.transpose("replicate", "n").to_numpy()
            for i, n in enumerate(sizes):
                counts = {
                    name: int(np.count_nonzero(orders[:, i] == order))
                    for name, order in (("ahead", 1), ("behind", -1), ("ties", 0), ("undecided", UNDECIDED))
                }
                yield {"pair": pair, "measure": measure, "n": n, **counts}


def summary_dict(results: Results) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    study = results.study
    shown = "means" if "ndcg" in results.named else "orders"
    return {
        "title": study.title,
        "folder": None if results.folder is None else str(results.folder),
        "replicates_wanted": results.replicates_wanted,
        "replicates_complete": results.replicates_complete,
        "complete": results.complete,
        "seed": study.seed,
        "engine": study.engine,
        "coupling": str(study.population.coupling),
        "scorers": {name: str(scorer) for name, scorer in study.scorers.items()},
        "measures": [str(measure) for measure in study.measures],
        "n": list(study.n),
        "pairs": [list(pair) for pair in study.pairs],
        "versions": results.versions,
        shown: list(_rows(results, study.n[-1:])) if results.replicates_complete else [],
    }
