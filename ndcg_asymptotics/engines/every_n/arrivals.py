"""Streams: labels in order of arrival, and the ranking of the items by each scorer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import Floats, stable_order
from ndcg_asymptotics.engines.every_n.kernels import Arrivals, Grades, Ints, arrival_ranks
from ndcg_asymptotics.engines.shared.inverse import coupled_normals, depth_of_grade
from ndcg_asymptotics.populations import Gaussian
from ndcg_asymptotics.studies.design import Design


def draw_grades(design: Design, replicate: int) -> Grades:
    """Draw the grades of the items in order of arrival: the index of the gain, J for the gain 0.

    If the number of relevant items is fixed, they come first.
    """
    for model in design.population.fixed_counts.values():
        grade = np.full(design.sizes[-1], len(model.gains), np.uint8)
        grade[: model.least_n] = np.repeat(np.arange(len(model.gains)), model.counts)
        return grade
    u = design.generator(replicate, "labels").random(design.sizes[-1])
    return np.searchsorted(np.cumsum(design.population.masses), u, side="right").astype(np.uint8)


def draw_depths(design: Design, replicate: int, scorer: str, grade: Grades) -> Floats:
    """Draw each item's depth from the scorer's law given its grade and the population's coupling.

    Independent: ``t = Q_g(u)``. Gaussian copula: ``u = Phi(sqrt(rho) z + sqrt(1 - rho) e)`` with z
    common to all scorers and e the scorer's own.
    """
    individual = design.generator(replicate, "scorer", scorer)
    coupling = design.population.coupling
    if isinstance(coupling, Gaussian):
        common = design.generator(replicate, "coupling")
        depth = ndtr(coupled_normals(grade.size, coupling.rho, common, individual))
    else:
        depth = individual.random(grade.size)
    relevance = design.models[scorer]
    for g in range(len(relevance.gains) + 1):
        members = np.flatnonzero(grade == g)
        depth[members] = depth_of_grade(relevance, g, depth[members])
    return np.asarray(depth, np.float64)


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream as ranked by one scorer.

    Attributes
    ----------
    order : (N,)
        The items in rank order, each by its place in the order of arrival, 0 … N - 1.
    grade : (N,)
        The index of the gain of each item, in order of arrival.
    gains : (J + 1,)
        In decreasing order; the last is 0.
    """

    order: Ints
    grade: Grades
    gains: Floats

    @cached_property
    def arrivals(self) -> Arrivals:
        """The rank of each item when it arrives, and in the complete list."""
        position = np.empty(self.order.size, np.int32)
        position[self.order] = np.arange(self.order.size, dtype=np.int32)
        return Arrivals(position, arrival_ranks(position), self.grade, self.gains)


def arrive(key: Floats, grade: Grades, gains: Floats) -> Stream:
    """Return the stream ranked by increasing keys; equal keys keep their order of arrival."""
    return Stream(stable_order(key).astype(np.int32), grade, gains)
