"""Populations: scorers that share their labels, and the dependence of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, cast

import numpy as np

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, blaming, require
from ndcg_asymptotics.core.files import Fields
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.populations.curve_file import Empirical
from ndcg_asymptotics.populations.families import ConstantCurve
from ndcg_asymptotics.populations.fixed_counts import FixedCounts
from ndcg_asymptotics.populations.graded import Graded
from ndcg_asymptotics.populations.judge import Judge
from ndcg_asymptotics.populations.judged_counts import JudgedCounts
from ndcg_asymptotics.populations.mixture import Mixture
from ndcg_asymptotics.populations.scorer import Curve, Model, Random, Relevance, Scorer
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.specs.spec import Spec

_LAW_TOLERANCE = 1e-12  # of label probabilities, which quadrature gives to about 1e-13
_REMEDY = "one `fit` of all their runs makes them agree: ndcg-asymptotics fit A B … --qrels QRELS"


class Coupling(Spec, family="coupling"):
    """The dependence of the scores of several scorers, given the label."""

    @classmethod
    def of(cls, given: Self | str | float) -> Self:
        """Return the coupling itself, the one of a text, or the Gaussian copula of a number.

        >>> Coupling.of(0.5) == Coupling.of("gaussian(0.5)")
        True
        """
        number = isinstance(given, int | float) and not isinstance(given, bool)
        return super().of(f"gaussian({number_text(given)})" if number else given)  # type: ignore[arg-type]


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

    If one scorer is a mixture all must be, with the same groups; each group is a population of its own. A
    ``judge`` reports a label of each item beside the true one, the same for all scorers.

    Raises
    ------
    InputError
        If the label laws of two scorers differ by more than 1e-12, or their fixed numbers of relevant items,
        or their groups; or there is a judge of labels that are graded or not i.i.d., or of coupled scorers.
    """

    scorers: Mapping[str, Scorer]
    coupling: Coupling = Independent()
    judge: Judge | None = None

    def __post_init__(self) -> None:
        require(len(self.scorers) > 0, "a population needs at least one scorer")
        informed = {k: v for k, v in self.scorers.items() if not isinstance(v, Random)}
        require(len(informed) > 0, "'random' takes the label law of the others, and there are none")
        if any(scorer.mixed for scorer in informed.values()):
            _check_groups(informed)
        else:
            _check_laws(informed)
        like = next(iter(informed.values()))
        scorers = {k: informed[k] if k in informed else _uninformative(like) for k in self.scorers}
        object.__setattr__(self, "scorers", scorers)
        if self.judge is not None:
            self._check_judge(self.judge)

    @classmethod
    def of(
        cls,
        scorers: Mapping[str, Scorer | str],
        coupling: Coupling | str | float = "independent",
        judge: Judge | Fields | None = None,
    ) -> Population:
        """Return the population of some scorers or their texts, and a judge or its table."""
        found = {name: Scorer.of(scorer) for name, scorer in scorers.items()}
        return cls(found, Coupling.of(coupling), None if judge is None else Judge.of(judge))

    def _check_judge(self, judge: Judge) -> None:
        """Refuse a judge whose labels this population has no law for."""
        with blaming("judge"):
            require(self.iid, "reports labels of i.i.d. items, here the number of relevant ones is fixed")
            require(self.gains == (1.0,), "reports binary labels, here they are graded")
            alone = isinstance(self.coupling, Independent)
            require(alone, f"needs scorers that are independent given the label, got {self.coupling}")
            if judge.favours is not None and judge.favours not in self.scorers:
                near = did_you_mean(judge.favours, self.scorers) or ","
                known = ", ".join(self.scorers)
                raise InputError(f"favours {judge.favours!r} is no scorer{near} expected one of: {known}")
            _ = self.reported

    @cached_property
    def reported(self) -> Mapping[str, Scorer]:
        """The scorers with the labels that the judge reports in place of the true ones; none without a judge.

        >>> judge = {"fpr": 0.05, "fnr": 0.2}
        >>> population = Population.of({"a": "linear(0.1, 0.7)", "random": "random"}, judge=judge)
        >>> str(population.reported["random"])
        'noisy(constant(0.4), 0.05, 0.2)'
        """
        if self.judge is None:
            return {}
        if len(self.groups) == 1:
            curves = {name: model for name, model in self.models.items() if isinstance(model, Curve)}
            return dict(self.judge.reported(curves))
        return {
            name: Mixture(tuple((weight, cast(Model, group.reported[name])) for weight, group in self.groups))
            for name in self.scorers
        }

    @cached_property
    def groups(self) -> tuple[tuple[float, Population], ...]:
        """The weight and the population of every group; this population alone unless it is a mixture."""
        first = next(iter(self.scorers.values()))
        if not first.mixed:
            return ((1.0, self),)
        groups = zip(*(scorer.groups for scorer in self.scorers.values()), strict=True)
        of_groups = [
            {name: model for name, (_, model) in zip(self.scorers, group, strict=True)} for group in groups
        ]
        return tuple(
            (weight, Population(scorers, self.coupling, self.judge))
            for weight, scorers in zip(first.weights.tolist(), of_groups, strict=True)
        )

    @cached_property
    def models(self) -> dict[str, Relevance]:
        """The relevance model of every scorer, of a population that is no mixture."""
        return {name: scorer.model for name, scorer in self.scorers.items()}

    @property
    def iid(self) -> bool:
        """Whether labels are i.i.d.; else every list of a group has the same number of relevant items."""
        return next(iter(self.scorers.values())).iid

    @cached_property
    def fixed_counts(self) -> dict[str, FixedCounts]:
        """The model of every scorer, of a population that is no mixture and whose label counts are fixed."""
        models = {name: scorer.groups[0][1] for name, scorer in self.scorers.items()}
        return {name: model for name, model in models.items() if isinstance(model, FixedCounts)}

    @property
    def judged(self) -> bool:
        """Whether labels are those that a judge reports of a fixed number of relevant items."""
        return next(iter(self.scorers.values())).judged

    @cached_property
    def judged_counts(self) -> dict[str, JudgedCounts]:
        """The model of every scorer, of a population that is no mixture and whose labels a judge reports."""
        models = {name: scorer.groups[0][1] for name, scorer in self.scorers.items()}
        return {name: model for name, model in models.items() if isinstance(model, JudgedCounts)}

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


def _check_laws(scorers: Mapping[str, Scorer], where: str = "") -> None:
    first = next(iter(scorers.values()))
    if not all(scorer.iid for scorer in scorers.values()):
        _check_counts(scorers, where)
        return
    agree = all(
        scorer.gains == first.gains and np.allclose(scorer.masses, first.masses, rtol=0, atol=_LAW_TOLERANCE)
        for scorer in scorers.values()
    )
    laws = "; ".join(f"{name}: {_law(scorer)}" for name, scorer in scorers.items())
    fitted = any(isinstance(scorer, Empirical) for scorer in scorers.values())
    share = f"prevalence={first.masses[0]:.12g} in place of a parameter of a curve sets its share"
    remedy = f" ({_REMEDY if fitted else share})" if fitted or len(first.masses) == 1 else ""
    require(agree, f"{where}the scorers of a population share their labels, these differ: {laws}{remedy}")


def _check_counts(scorers: Mapping[str, Scorer], where: str) -> None:
    counts = {
        name: dict(zip(scorer.gains, scorer.counts, strict=True)) if isinstance(scorer, FixedCounts) else None
        for name, scorer in scorers.items()
    }
    judges = {
        name: (scorer.relevant, scorer.fpr, scorer.fnr) if isinstance(scorer, JudgedCounts) else None
        for name, scorer in scorers.items()
    }
    if any(judges.values()):
        same = len(set(judges.values())) == 1
        laws = "; ".join(
            f"{name}: " + ("no judge" if found is None else "{} relevant, fpr {:g}, fnr {:g}".format(*found))
            for name, found in judges.items()
        )
        require(same, f"{where}the scorers of a population share their relevant items and judge, got {laws}")
        return
    alike = all(found == next(iter(counts.values())) for found in counts.values())

    def said(found: dict[float, int] | None) -> str:
        if found is None:
            return "not fixed"
        return ", ".join(f"{count} of gain {number_text(y)}" for y, count in found.items())

    laws = "; ".join(f"{name}: {said(found)}" for name, found in counts.items())
    require(
        alike, f"{where}the scorers of a population share their relevant items, their numbers differ: {laws}"
    )


def _check_groups(scorers: Mapping[str, Scorer]) -> None:
    first = next(name for name, scorer in scorers.items() if scorer.mixed)
    others = [name for name, scorer in scorers.items() if not scorer.mixed]
    require(not others, f"{first} is a mixture, so the others must be: {', '.join(others)}")
    weights = {name: scorer.weights for name, scorer in scorers.items()}
    same = all(
        len(found) == len(weights[first]) and np.allclose(found, weights[first], rtol=0, atol=_LAW_TOLERANCE)
        for found in weights.values()
    )
    said = "; ".join(f"{name}: {brief(found.tolist())}" for name, found in weights.items())
    require(same, f"the scorers of a population share their groups, the weights differ ({_REMEDY}): {said}")
    count = len(weights[first])
    for g in range(count):
        models = {name: scorer.groups[g][1] for name, scorer in scorers.items()}
        _check_laws(models, f"group {g + 1} of {count}: ")


def _uninformative(like: Scorer) -> Scorer:
    """Return the scorer without information that has the label law of another one, in every group."""
    if like.mixed:
        return Mixture(tuple((weight, _blank(model)) for weight, model in like.groups))
    return _blank(like.groups[0][1])


def _blank(like: Model) -> Model:
    if isinstance(like, FixedCounts | JudgedCounts):
        return like.uninformative
    curves = tuple(ConstantCurve(mass) for mass in like.masses)
    return curves[0] if isinstance(like, Curve) else Graded(tuple(zip(like.gains, curves, strict=True)))


def _law(scorer: Scorer) -> str:
    pairs = zip(scorer.gains, scorer.masses, strict=True)
    return ", ".join(f"P(Y={number_text(y)}) = {mass:.12g}" for y, mass in pairs)
