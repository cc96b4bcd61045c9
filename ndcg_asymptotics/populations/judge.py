"""Judges who report labels: their error rates, the same for all items or higher where a scorer ranks high.

Without a favourite the errors are independent of all else given the true label (`Noisy`). A judge that
favours a scorer, as a language model may favour what a language model has ranked, believes it: an item among
the top ``share`` of that scorer's ranking is called relevant with probability ``trust``, whatever it is, and
otherwise judged like all others. At depth t <= share of the favoured scorer

    P(Y' = 1 | Y = 0) = fpr + (1 - fpr) trust,    P(Y' = 0 | Y = 1) = fnr (1 - trust).

One reported label serves all scorers. The reported labels have the relevance curve `Favoured` for the
favoured scorer. For the others, independent of it given the label, the error rates are means over its depths,
so that their reported curves are again `Noisy`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.populations.reported import Favoured, Noisy
from ndcg_asymptotics.populations.scorer import Curve
from ndcg_asymptotics.specs.ranges import check_ranges, within


@dataclass(frozen=True)
class Judge:
    """A judge of binary labels, who errs at random and may favour a scorer.

    Attributes
    ----------
    fpr, fnr : float
        The probabilities that an irrelevant item is called relevant, and a relevant one irrelevant; their sum
        is below 1.
    favours : str, optional
        The scorer that the judge favours.
    share : float
        The share of all items, from the top of its ranking, that the judge favours; above 0 with ``favours``.
    trust : float
        The probability that such an item is called relevant because it is ranked there; above 0 with
        ``favours``.

    Raises
    ------
    InputError
        For rates outside their ranges, or a favourite without ``share`` and ``trust``.

    >>> judge = Judge(0.05, 0.2, favours="a", share=0.1, trust=0.5)
    >>> judge.rates, [round(rate, 6) for rate in judge.rates_at_top]
    ((0.05, 0.2), [0.525, 0.1])
    """

    fpr: float = field(metadata=within(0, 1))
    fnr: float = field(metadata=within(0, 1))
    favours: str | None = None
    share: float = field(default=0.0, metadata=within(0, 1))
    trust: float = field(default=0.0, metadata=within(0, 1))

    def __post_init__(self) -> None:
        check_ranges("judge", self)
        sums = f"fpr + fnr must be below 1, got {self.fpr:g} + {self.fnr:g}"
        require(self.fpr + self.fnr < 1, sums)
        if self.favours is None:
            require(self.share == self.trust == 0, "share and trust need a scorer that it favours")
        else:
            above = "favours needs share and trust above 0, as in share = 0.1, trust = 0.5"
            require(self.share > 0 and self.trust > 0, above)

    @classmethod
    def of(cls, given: Self | Fields | str) -> Self:
        """Return the judge itself, that of a table, or that of a text with its error rates.

        Raises
        ------
        InputError
            For a field that is unknown, missing or of another type.

        >>> Judge.of({"fpr": 0.05, "fnr": 0.2})
        Judge(fpr=0.05, fnr=0.2, favours=None, share=0.0, trust=0.0)
        >>> Judge.of("fpr=0.05, fnr=0.2") == Judge(0.05, 0.2)
        True
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            given = _rates_in(given)
        require(isinstance(given, Mapping), f"must be a table with fpr and fnr, got {brief(given)}")
        assert isinstance(given, Mapping)
        names = [one.name for one in dataclasses.fields(cls)]
        for name, value in given.items():
            near = did_you_mean(str(name), names) or ","
            require(name in names, f"unknown field {name!r}{near} expected one of: {', '.join(names)}")
            number = isinstance(value, int | float) and not isinstance(value, bool)
            proper = isinstance(value, str) if name == "favours" else number
            kind = "the name of a scorer" if name == "favours" else "a number"
            require(proper, f"{name} must be {kind}, got {brief(value)}")
        for name in ("fpr", "fnr"):
            require(name in given, f"{name} is missing")
        fields: dict[str, Any] = {name: v if name == "favours" else float(v) for name, v in given.items()}
        return cls(**fields)

    def as_dict(self) -> dict[str, Any]:
        """Return the table of this judge; what says nothing is left out."""
        rates: dict[str, Any] = {"fpr": self.fpr, "fnr": self.fnr}
        if self.favours is None:
            return rates
        return rates | {"favours": self.favours, "share": self.share, "trust": self.trust}

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.as_dict().items())

    @property
    def rates(self) -> tuple[float, float]:
        """The false positive and the false negative rate of items that are not favoured."""
        return self.fpr, self.fnr

    @property
    def rates_at_top(self) -> tuple[float, float]:
        """The same of items that the favoured scorer ranks within its top share."""
        return self.fpr + (1 - self.fpr) * self.trust, self.fnr * (1 - self.trust)

    def reported(self, curves: Mapping[str, Curve]) -> dict[str, Curve]:
        """Return the relevance curves of the reported labels, from those of the true ones by scorer.

        Scorers are independent given the label.

        Raises
        ------
        InputError
            If another scorer's reported labels do not rise with the true ones, which takes a favourite that
            ranks relevant items low.

        >>> curve = Curve.parse("linear(0.1, 0.7)")
        >>> found = Judge(0.0, 0.0, favours="a", share=0.5, trust=0.5).reported({"a": curve, "b": curve})
        >>> str(found["a"]), found["b"].value([0.0, 1.0]).round(4)
        ('favoured(noisy(linear(0.1, 0.7), 0, 0), 0.5, 0.5)', array([0.7562, 0.2688]))
        """
        if self.favours is None:
            return {name: Noisy(curve, *self.rates) for name, curve in curves.items()}
        top, mass = float(curves[self.favours].integral(0.0, self.share)), curves[self.favours].mass
        # the share of the irrelevant and of the relevant items that the judge favours
        favoured = (self.share - top) / (1 - mass) if mass < 1 else 0.0, top / mass if mass > 0 else 0.0
        both = zip(self.rates, self.rates_at_top, favoured, strict=True)
        fpr, fnr = (low + share * (high - low) for low, high, share in both)
        found: dict[str, Curve] = {
            name: Noisy(curve, fpr, fnr) for name, curve in curves.items() if name != self.favours
        }
        own = Favoured(Noisy(curves[self.favours], *self.rates), self.share, self.trust)
        return {name: found.get(name, own) for name in curves}


def _rates_in(text: str) -> Fields:
    """Return the numbers of a text such as "fpr=0.05, fnr=0.2" by name."""
    try:
        return {name.strip(): float(value) for name, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise InputError(f'must be like "fpr=0.05, fnr=0.2", got {brief(text)}') from None
