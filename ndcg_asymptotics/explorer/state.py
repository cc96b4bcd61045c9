"""The state of the explorer: what is chosen, as a frozen value, as a query string and as a study.

The query string names everything by the specs of the package::

    a=power(prevalence=0.3, top=0.8, exponent=2)&b=constant(0.3)&measure=nDCG@10&n=1000
    relevant=1&a=roc_power(0.4)&b=roc_power(0.6)&measure=nDCG(zipf)&n=1000000

Both curves have the same mean, the share of relevant items. Texts that name files or modules are refused
before they are read.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import parse_qsl, quote

import numpy as np

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.populations import Curve, FixedCounts, Population, Scorer
from ndcg_asymptotics.populations.families import PiecewiseLinear
from ndcg_asymptotics.populations.roc import Roc
from ndcg_asymptotics.specs.scanner import Call, number_text, parse_text
from ndcg_asymptotics.specs.sliders import Adjustable, Slider, offered
from ndcg_asymptotics.studies.study import Study, decades

NAMES = ("A", "B")
"""The rankers."""
SMALLEST, LARGEST = 10, 10**18
"""The range of list lengths."""
MOST_RELEVANT = 100
"""The largest number of relevant items that can be chosen."""

LONGEST_QUERY = 4000  # characters
_EQUAL_SHARES = 1e-9  # largest difference of two shares that rounding explains
_SIMULATED = 10**5  # items, up to which a study of the state has list lengths
_REPLICATES = 400  # of that study
_COARSE = 20  # values of each of two parameters, among which the nearest possible ones are sought

SHARE = Slider("share of relevant items", 0.01, 0.9, 0.01, 0.3)
"""The share of relevant items."""


@dataclass(frozen=True)
class Shape:
    """A family of curves with the values of its parameters; for ``piecewise`` the points (depth, value)."""

    family: str
    values: tuple[float, ...] = ()
    points: tuple[tuple[float, float], ...] = ()

    @classmethod
    def usual(cls, family: str) -> Shape:
        """Return the member of a family with which its sliders begin."""
        return cls(family, tuple(slider.usual for slider in cls(family).sliders))

    @property
    def sliders(self) -> tuple[Slider, ...]:
        """The sliders of the family."""
        return _family(self.family).sliders() or ()

    def nearest(self, share: float) -> Shape:
        """Return the shape, or the nearest one of its family that has this mean.

        >>> Shape("linear", (0.5,)).nearest(0.05)
        Shape(family='linear', values=(0.1,), points=())
        """
        if self.possible(share):
            return self
        sliders = self.sliders
        grids = [s.grid if len(sliders) == 1 else s.grid[:: len(s.grid) // _COARSE + 1] for s in sliders]
        widths = np.array([s.stop - s.start for s in sliders])
        tried = sorted(
            itertools.product(*grids),
            key=lambda to: float(np.abs((np.array(to) - self.values) / widths).sum()),
        )
        shapes = (replace(self, values=values) for values in tried)
        return next((shape for shape in shapes if shape.possible(share)), Shape("constant"))

    def possible(self, share: float) -> bool:
        """Return whether there is a curve with this mean."""
        try:
            self.curve(share)
        except InputError:
            return False
        return True

    def text(self, share: float) -> str:
        """Return the spec of the curve; the points of a piecewise linear one are as they were given."""
        kind = _family(self.family)
        if issubclass(kind, Curve) and not issubclass(kind, PiecewiseLinear):
            return kind.text_with(share, self.values)
        points = (f"{number_text(t)}={number_text(m)}" for t, m in self.points)
        return f"{self.family}({', '.join([*map(number_text, self.values), *points])})"

    def curve(self, share: float) -> Curve | Roc:
        """Return the curve whose mean is ``share``, or the ROC curve.

        Raises
        ------
        InputError
            If it leaves [0, 1].
        """
        if issubclass(_family(self.family), Roc):
            return Roc.parse(self.text(share))
        try:
            curve = Curve.parse(self.text(share))
        except InputError as error:  # the text and the place in it say nothing new
            raise InputError(str(error).rpartition(" position 1: ")[2]) from None
        if isinstance(curve, PiecewiseLinear):
            apart = f"its points have the mean {curve.mass:.4g}, got the share {share:g}"
            require(abs(curve.mass - share) <= _EQUAL_SHARES, apart)
        return curve


def families(relevant: int | None) -> dict[str, type[Adjustable]]:
    """Return the families of curves: of relevance curves, or of ROC curves for a number of relevant items.

    >>> *families(relevant=2),
    ('roc_power', 'roc_binormal', 'roc_beta')
    """
    return offered(Curve) if relevant is None else offered(Roc)


def _family(keyword: str) -> type[Adjustable]:
    return (families(None) | families(1))[keyword]


@dataclass(frozen=True)
class State:
    """Everything that is chosen.

    Attributes
    ----------
    a, b : Shape
    measure : str
    n : int
        The list length at which discounts and cutoffs are compared.
    share : float
        P(Y = 1), of both rankers.
    relevant : int or None
        The number of relevant items of every list; None for a share of the items.

    >>> state = State.from_query("a=linear(0.1, 0.5)&b=constant(0.3)&measure=nDCG@10&n=1e6")
    >>> state.a, state.share, state.n
    (Shape(family='linear', values=(0.5,), points=()), 0.3, 1000000)
    >>> state.query
    'a=linear(prevalence%3D0.3,top%3D0.5)&b=constant(0.3)&measure=nDCG@10&n=1000000'
    """

    a: Shape = Shape("linear", (0.5,))
    b: Shape = Shape("linear", (0.4,))
    measure: str = "nDCG"
    n: int = 1000
    share: float = 0.3
    relevant: int | None = None

    def __post_init__(self) -> None:
        require(SMALLEST <= self.n <= LARGEST, f"must be 10 to 1e18, got {self.n:g}", "n")
        require(0.001 <= self.share <= 0.99, f"must be 0.001 to 0.99, got {self.share:g}", "share")
        if self.relevant is not None:
            fits = 1 <= self.relevant <= MOST_RELEVANT
            require(fits, f"must be 1 to {MOST_RELEVANT}, got {self.relevant}", "relevant")
            require(self.n >= self.relevant, f"must be at least {self.relevant}, got {self.n}", "n")

    @cached_property
    def measured(self) -> Measure:
        """The measure."""
        return Measure.parse(self.measure, allow_custom=False)

    @cached_property
    def scorers(self) -> tuple[Scorer, Scorer]:
        """The two rankers, independent given the label.

        Raises
        ------
        InputError
            Naming the ranker whose curve leaves [0, 1].
        """
        scorers: dict[str, Scorer] = {}
        for name, shape in (("a", self.a), ("b", self.b)):
            with naming("Ranker " + name.upper()):
                curve = shape.curve(self.share)
                if self.relevant is not None:
                    scorers[name] = FixedCounts((self.relevant,), curve)
                else:
                    assert isinstance(curve, Curve)
                    scorers[name] = curve
        pair = Population(scorers).scorers
        return pair["a"], pair["b"]

    @property
    def query(self) -> str:
        """The query string of the state."""
        fields = {
            "a": self.a.text(self.share),
            "b": self.b.text(self.share),
            "measure": str(self.measured),
            "n": str(self.n),
        }
        if self.relevant is not None:
            fields["relevant"] = str(self.relevant)
        return "&".join(f"{key}={quote(_tight(text), safe='(),@^')}" for key, text in fields.items())

    @classmethod
    def from_query(cls, query: str) -> State:
        """Return the state of a query string; what it leaves out is as at the start.

        Raises
        ------
        InputError
            In one line, for anything else than a state.
        """
        require(len(query) <= LONGEST_QUERY, f"the address has more than {LONGEST_QUERY} characters")
        return cls.from_fields(dict(parse_qsl(query.removeprefix("?"))))

    @classmethod
    def from_fields(cls, fields: Mapping[str, str]) -> State:
        """Return the state of the fields of a query string."""
        for key in fields:
            keys = ("a", "b", "measure", "n", "relevant")
            require(key in keys, f"the address has no field {brief(key)}{did_you_mean(key, keys)}")
        state = cls()
        relevant = _whole("relevant", fields["relevant"]) if "relevant" in fields else None
        shapes, shares = {}, []
        for name in ("a", "b"):
            if name not in fields:
                shapes[name] = getattr(state, name) if relevant is None else Shape.usual("roc_power")
                continue
            with naming(name):
                shapes[name], share = _shape(fields[name], families(relevant))
            shares += [] if share is None else [share]
        share = shares[0] if shares else state.share
        apart = max((abs(value - share) for value in shares), default=0.0)
        require(
            apart <= _EQUAL_SHARES,
            "both rankers must have the same share of relevant items, got "
            + " and ".join(number_text(x) for x in shares),
        )
        measure = fields.get("measure", state.measure)
        _check_measure(measure)
        return cls(
            **shapes,
            measure=str(Measure.parse(measure, allow_custom=False)),
            share=share,
            relevant=relevant,
            n=_whole("n", fields["n"]) if "n" in fields else state.n,
        )

    def study(self) -> Study:
        """Return the study that simulates the state, up to lists of 1e5 items."""
        largest = min(max(self.n, 100 * SMALLEST), _SIMULATED)
        shortest = max(SMALLEST, self.relevant or 0)
        return Study(
            title=f"From the explorer: {self.query}",
            scorers={"a": str(self.a.curve(self.share)), "b": str(self.b.curve(self.share))},
            measures=[self.measure],
            n=[n for n in decades(SMALLEST, largest, 3) if n >= shortest],
            replicates=_REPLICATES,
            seed=1,
            pairs=[("a", "b")],
            relevant=self.relevant,
        )

    def with_number(self, relevant: int | None) -> State:
        """Return a state of the other kind of population, or with another number of relevant items."""
        if (relevant is None) == (self.relevant is None):
            return replace(self, relevant=relevant, n=max(self.n, relevant or 0))
        family, parameter = ("linear", 0.4) if relevant is None else ("roc_power", 0.6)
        a, b = (shape.nearest(self.share) for shape in (Shape.usual(family), Shape(family, (parameter,))))
        return replace(
            self,
            relevant=relevant,
            a=a,
            b=b if b != a else Shape("constant"),
            n=max(self.n, relevant or 0),
        )


def _tight(text: str) -> str:
    return text.replace(", ", ",")


def _shape(text: str, members: Mapping[str, type[Adjustable]]) -> tuple[Shape, float | None]:
    """Return the shape that a spec describes and, of a relevance curve, its mean."""
    call: Call = parse_text(text, lambda scanner: scanner.call())
    if call.name not in members:
        raise InputError(f"the explorer has the curves {', '.join(members)}, got {brief(call.name)}")
    if issubclass(members[call.name], Roc):
        return Shape(call.name, Roc.parse(text).slider_values()), None
    curve = Curve.parse(text)
    if isinstance(curve, PiecewiseLinear):
        points = tuple(zip(curve.depths, curve.values, strict=True))
        return Shape(call.name, (), points), round(curve.mass, 12)
    return Shape(call.name, curve.slider_values()), round(curve.mass, 12)


def _check_measure(text: str) -> None:
    """Refuse a discount that the explorer does not have, before it is read."""
    inside = text.partition("(")[2].partition("(")[0].partition(")")[0].strip()
    refused = inside == "custom"
    require(not refused, "the explorer takes no discount of a module", "measure")
    measure = Measure.parse(text, allow_custom=False)
    require(measure.normalised, f"the explorer shows NDCG, got {measure}", "measure")
    for spec, family in ((measure.cutoff, Cutoff), (measure.discount, Discount)):
        keywords = ", ".join(keyword for keyword in offered(family) if keyword)
        is_offered = spec.keyword in offered(family)
        require(
            is_offered, f"the explorer has the {family.family}s {keywords}, got {spec.keyword}", "measure"
        )


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    require(math.isfinite(value), f"expected a number, got {brief(text)}", name)
    return value


def _whole(name: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20:
        return int(text)
    value = _number(name, text)
    require(value == int(value), f"must be a whole number, got {brief(text)}", name)
    return int(value)
