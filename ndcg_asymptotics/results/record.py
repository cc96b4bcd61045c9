"""The results of a study: its replicates as an xarray Dataset, and a summary of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Array, Bools, Integers, standard_error
from ndcg_asymptotics.core.defaults import BAND
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.rows import Column, decimals, frame_of, general, plain
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.engines.engine import VALUES
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.results.layout import Named, dataset
from ndcg_asymptotics.specs.scanner import short_text
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True)
class SimulatedMean:
    """The mean over the replicates, its Monte Carlo standard error, and 5% and 95% quantiles."""

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    n: Annotated[int, Column("n", general("g"), key=True)]
    mean: Annotated[float, Column("mean", decimals(5))]
    mcse: Annotated[float | None, Column("MCSE", general(".1e"), 1)]
    q05: Annotated[float, Column("5%", decimals(5), 2)]
    q95: Annotated[float, Column("95%", decimals(5), 2)]


@dataclass(frozen=True, eq=False, repr=False)
class Results(Report):
    """The results of a study, complete or not.

    Attributes
    ----------
    study : Study
        With its engine resolved; if from a folder, with the curves and modules kept there.
    versions : list of dict
        The versions of this package, Python, numpy, numba and scipy that made them, and the vector units.
    replicates : (R,) integers
        The indices of the replicates that are wanted.
    done : (R,) booleans
        Which of them are complete.
    folder : Path or None
        The folder they are kept in; None if they are in this process only.
    named : mapping of name to (axes, array)
        The values of the complete replicates.
    """

    json_kind: ClassVar[str] = "info"

    study: Study
    versions: list[dict[str, str]]
    replicates: Integers
    done: Bools
    folder: Path | None
    named: Named = field(repr=False)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the study, how much of it is complete, and the means at the largest n."""
        study = self.study
        yield Line(study.title or self.name or "Results", "bold")
        state = f"{self.replicates_complete} of {self.replicates_wanted} replicates complete"
        yield Line(f"{state}, seed {study.seed}, engine {study.engine}", "" if self.complete else "bold red")
        if len(study.n) > 1:
            yield Line(f"{len(study.n)} list lengths, {study.n[0]:g} to {study.n[-1]:g}")
        else:
            yield Line(f"list length {study.n[0]:g}")
        for name, scorer in study.scorers.items():
            yield Line(f"  {name} = {short_text(scorer)}")
        for measure in study.measures:
            if measure.alias:
                yield Line(f"  {measure} = {measure.text}")
        if study.pairs:
            yield Line("pairs: " + ", ".join(f"{a} > {b}" for a, b in study.pairs))
        if self.replicates_complete and "ndcg" in self.named:
            yield Line("")
            yield Table.of(f"At n = {study.n[-1]:g}", SimulatedMean, simulated_means(self, study.n[-1:]))
        elif self.replicates_complete:
            yield Line("These draws carry weights: `distinguish` gives the probabilities of wrong orders.")
        versions = self.versions[-1]  # of the latest run
        makers = "Made with " + ", ".join(f"{name} {version}" for name, version in versions.items())
        yield Line(makers, detail=True)

    def plot(self, *args: Any, **options: Any) -> Any:
        """Draw the study at one look, or one of its measures into axes, as `plots.plot` does."""
        # imported here: figures are in a room above this one, and load matplotlib
        from ndcg_asymptotics.plots.gallery import plot

        return plot(self, *args, **options)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per scorer, measure and n: mean, Monte Carlo standard error, 5% and 95% quantiles.

        The weighted draws of the rare engine have no such means. Single replicates are in
        ``data.to_dataframe()``.
        """
        return frame_of(SimulatedMean, simulated_means(self, self.study.n))

    def as_dict(self) -> dict[str, object]:
        """Return what `blocks` shows as plain data, for JSON."""
        study = self.study
        return {
            "title": study.title,
            "folder": None if self.folder is None else str(self.folder),
            "replicates_wanted": self.replicates_wanted,
            "replicates_complete": self.replicates_complete,
            "complete": self.complete,
            "seed": study.seed,
            "engine": study.engine,
            "coupling": str(study.population.coupling),
            "scorers": {name: str(scorer) for name, scorer in study.scorers.items()},
            "measures": [str(measure) for measure in study.measures],
            "n": list(study.n),
            "pairs": [list(pair) for pair in study.pairs],
            "versions": self.versions,
            "means": plain(list(simulated_means(self, study.n[-1:]))),
        }

    @property
    def name(self) -> str:
        """The name of the folder, empty for results in memory."""
        return self.folder.resolve().name if self.folder else ""

    @property
    def replicates_wanted(self) -> int:
        """The number of replicates that are wanted."""
        return len(self.replicates)

    @property
    def replicates_complete(self) -> int:
        """The number of replicates that are complete."""
        return int(self.done.sum())

    @property
    def complete(self) -> bool:
        """Whether every wanted replicate is complete."""
        return bool(self.done.all())

    @cached_property
    def data(self) -> xr.Dataset:
        """The complete replicates, in the order of their indices.

        Its variables are ``ndcg`` (replicate, scorer, measure, n), ``order`` (replicate, pair, measure, n)
        if there are pairs, and what else the engine gives. The rare engine gives ``order``, ``log_weight``
        and ``last`` instead.

        Raises
        ------
        InputError
            If no replicate is complete yet.
        """
        self._require_some()
        replicates = np.sort(self.replicates[self.done])
        data = dataset(self.study, replicates, self.named)
        data.attrs |= {"versions": json.dumps(self.versions), "complete": int(self.complete)}
        with suppress(InputError):  # a function without a name has no text
            data.attrs["study"] = json.dumps(canonical(self.study))
        return data

    def of_scorer(self, scorer: str, measure: Measure) -> dict[str, Array]:
        """Return the arrays (replicate, n) of one scorer under one measure of the study, by name."""
        return self._selected({"scorer": list(self.study.scorers).index(scorer)}, measure)

    def relative(self, scorer: str, measure: Measure) -> dict[str, Array]:
        """Return `of_scorer` with DCG_n in units of F(k(n)), as figures show it."""
        values = self.of_scorer(scorer, measure)
        if measure.normalised:
            return values
        unit = np.array([measure.unit(n) for n in self.study.n])
        return values | {name: values[name] / unit for name in VALUES if name in values}

    def of_pair(self, pair: tuple[str, str], measure: Measure) -> dict[str, Array]:
        """Return the arrays (replicate, n), or (replicate,), of a pair under one measure, by name."""
        return self._selected({"pair": self.study.pairs.index(pair)}, measure)

    def _selected(self, place: dict[str, int], measure: Measure) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that have every axis of ``place`` and one of measures, at these places."""
        self._require_some()
        place = place | {"measure": self.study.measures.index(measure)}
        return {
            name: array[tuple(place.get(axis, slice(None)) for axis in axes)]
            for name, (axes, array) in self.named.items()
            if place.keys() <= set(axes)
        }

    @cached_property
    def values(self) -> dict[str, Array]:
        """The arrays of `data` by name, without xarray.

        Raises
        ------
        InputError
            As `data`.
        """
        self._require_some()
        return {name: array for name, (_, array) in self.named.items()}

    def _require_some(self) -> None:
        prefix = f"{self.folder}: " if self.folder else ""
        require(self.replicates_complete > 0, f"{prefix}no replicate is complete yet")


def simulated_means(results: Results, sizes: tuple[int, ...]) -> Iterator[SimulatedMean]:
    """Yield the means at ``sizes``, the last list lengths of the study; none if draws carry weights."""
    if "ndcg" not in results.named:
        return
    for i, name in enumerate(results.study.scorers):
        for j, measure in enumerate(results.study.measures):
            values = results.values["ndcg"][:, i, j, -len(sizes) :]
            errors = plain(standard_error(values))
            low, high = np.quantile(values, BAND, axis=0)
            for k, n in enumerate(sizes):
                mean = float(values[:, k].mean())
                yield SimulatedMean(name, str(measure), n, mean, errors[k], float(low[k]), float(high[k]))
