"""Populations: scorers that share their labels, and the dependence of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.curve_file import Empirical
from ndcg_asymptotics.populations.families import ConstantCurve
from ndcg_asymptotics.populations.fixed_counts import FixedCounts
from ndcg_asymptotics.populations.graded import Graded
from ndcg_asymptotics.populations.scorer import Curve, Random, Relevance, Scorer
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.specs.spec import Spec

_LAW_TOLERANCE = 1e-12  # of label probabilities, which quadrature gives to about 1e-13
_REMEDY = "one `fit` of all their runs makes them agree: ndcg-asymptotics fit A B … --qrels QRELS"


class Coupling(Spec, family="coupling"):
    """The dependence of the scores of several scorers, given the label."""

    @classmethod
    def of(cls, spec: Self | str | float) -> Self:
        """Return the coupling itself, the one of a text, or the Gaussian copula of a number.

        >>> Coupling.of(0.5) == Coupling.of("gaussian(0.5)")
        True
        """
        number = isinstance(spec, int | float) and not isinstance(spec, bool)
        return super().of(f"gaussian({number_text(spec)})" if number else spec)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Independent(Coupling, keyword="independent"):
    """independent: scores are independent given the label."""


@dataclass(frozen=True)
class Gaussian(Coupling, keyword="gaussian"):
    """gaussian(rho): a Gaussian copula given the label, every pair with correlation rho in [0, 1]."""

    rho: float = field(metadata=within(0, 1))


@dataclass(frozen=True)
class Population:
    """A set of named scorers on the same labels.

    >>> population = Population.of({"good": "linear(0.1, 0.7)", "random": "random"})
    >>> str(population.scorers["random"]), population.gains, population.masses
    ('constant(0.4)', (1.0,), (0.4,))
    >>> str(Population.of({"good": "relevant(2, roc_power(0.4))", "random": "random"}).scorers["random"])
    'relevant(2, roc_power(1))'

    Raises
    ------
    InputError
        If the label laws of two scorers differ by more than 1e-12, or their fixed numbers of relevant items.
    """

    scorers: Mapping[str, Scorer]
    coupling: Coupling = Independent()

    def __post_init__(self) -> None:
        proper = isinstance(self.scorers, Mapping) and all(
            isinstance(scorer, Scorer) for scorer in self.scorers.values()
        )
        require(proper, f"must be scorers by name, got {brief(self.scorers)}", "scorers")
        require(len(self.scorers) > 0, "a population needs at least one scorer")
        informed = {k: v for k, v in self.scorers.items() if not isinstance(v, Random)}
        require(len(informed) > 0, "'random' takes the label law of the others, and there are none")
        _check_laws(informed)
        like = next(iter(informed.values()))
        scorers = {k: informed[k] if k in informed else _uninformative(like) for k in self.scorers}
        object.__setattr__(self, "scorers", scorers)

    @classmethod
    def of(
        cls, scorers: Mapping[str, Scorer | str], coupling: Coupling | str | float = "independent"
    ) -> Population:
        """Return the population of some scorers or their texts."""
        return cls({name: Scorer.of(scorer) for name, scorer in scorers.items()}, Coupling.of(coupling))

    @cached_property
    def models(self) -> dict[str, Relevance]:
        """Every scorer, of a population whose labels are i.i.d."""
        return {name: scorer.model for name, scorer in self.scorers.items()}

    @property
    def iid(self) -> bool:
        """Whether labels are i.i.d.; else every list has the same number of relevant items."""
        return next(iter(self.scorers.values())).iid

    @cached_property
    def fixed_counts(self) -> dict[str, FixedCounts]:
        """Every scorer, of a population whose label counts are fixed."""
        return {name: scorer for name, scorer in self.scorers.items() if isinstance(scorer, FixedCounts)}

    @property
    def least_n(self) -> int:
        """The length of the shortest list that has all relevant items; 1 for i.i.d. labels."""
        return next(iter(self.scorers.values())).least_n

    @property
    def gains(self) -> tuple[float, ...]:
        """The positive gains y_1 > … > y_J of the labels."""
        return next(iter(self.scorers.values())).gains

    @property
    def masses(self) -> tuple[float, ...]:
        """P(Y = y_j), the same for every scorer."""
        return next(iter(self.scorers.values())).masses


def _check_laws(scorers: Mapping[str, Scorer]) -> None:
    first = next(iter(scorers.values()))
    if not all(scorer.iid for scorer in scorers.values()):
        _check_counts(scorers)
        return
    agree = all(
        scorer.gains == first.gains and np.allclose(scorer.masses, first.masses, rtol=0, atol=_LAW_TOLERANCE)
        for scorer in scorers.values()
    )
    laws = "; ".join(f"{name}: {_law(scorer)}" for name, scorer in scorers.items())
    fitted = any(isinstance(scorer, Empirical) for scorer in scorers.values())
    share = f"prevalence={first.masses[0]:.12g} in place of a parameter of a curve sets its share"
    remedy = f" ({_REMEDY if fitted else share})" if fitted or len(first.masses) == 1 else ""
    require(agree, f"the scorers of a population share their labels, these differ: {laws}{remedy}")


def _check_counts(scorers: Mapping[str, Scorer]) -> None:
    counts = {
        name: dict(zip(scorer.gains, scorer.counts, strict=True)) if isinstance(scorer, FixedCounts) else None
        for name, scorer in scorers.items()
    }
    alike = all(by_gain == next(iter(counts.values())) for by_gain in counts.values())

    def text_of(by_gain: dict[float, int] | None) -> str:
        if by_gain is None:
            return "not fixed"
        return ", ".join(f"{count} of gain {number_text(y)}" for y, count in by_gain.items())

    laws = "; ".join(f"{name}: {text_of(by_gain)}" for name, by_gain in counts.items())
    require(alike, f"the scorers of a population share their relevant items, their numbers differ: {laws}")


def _uninformative(like: Scorer) -> Scorer:
    """Return the scorer without information that has the label law of another one."""
    if isinstance(like, FixedCounts):
        return like.uninformative
    curves = tuple(ConstantCurve(mass) for mass in like.masses)
    return curves[0] if isinstance(like, Curve) else Graded(tuple(zip(like.gains, curves, strict=True)))


def _law(scorer: Scorer) -> str:
    pairs = zip(scorer.gains, scorer.masses, strict=True)
    return ", ".join(f"P(Y={number_text(y)}) = {mass:.12g}" for y, mass in pairs)
