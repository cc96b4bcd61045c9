"""``prevalence=`` in place of every parameter of every family, and of families of somebody else.

Means are integrals of the formula, by a Gauss rule that shares no code with the package.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from cases import refused
from numpy.polynomial.legendre import leggauss

from ndcg_asymptotics.populations import Curve, Relevance, Scorer
from ndcg_asymptotics.populations.families import Polynomial
from ndcg_asymptotics.specs.ranges import within

KNOWN = {
    keyword: member
    for keyword, member in Curve.members.items()
    if issubclass(member, Curve)
    and member.__module__.startswith("ndcg_asymptotics.")
    and keyword != "noisy"  # the curve within it has a prevalence
}
PARAMETERS = {
    keyword: [part.name for part in dataclasses.fields(member) if part.type == "float"]
    for keyword, member in KNOWN.items()
}
SOLVED = [
    (keyword, name) for keyword, names in PARAMETERS.items() if "prevalence" not in names for name in names
]
LEVELS, EXPONENTS, PLACES = ("p", "bottom", "top"), ("exponent", "alpha"), ("at",)


NODES, WEIGHTS = leggauss(20)


def integral(curve: Curve) -> float:
    """The integral of the formula over [0, 1], panel by panel towards both ends and around the breaks."""
    inner = {*curve.breaks, *(0.1**k for k in range(1, 12)), *(1 - 0.1**k for k in range(1, 12))}
    panels = [np.linspace(a, b, 17) for a, b in pairwise(sorted({0.0, 1.0, *inner}))]
    starts, widths = np.concatenate([(ends[:-1], np.diff(ends)) for ends in panels], axis=1)
    t = starts[:, None] + widths[:, None] * (1 + NODES) / 2
    return float(widths @ curve.formula(t.ravel()).reshape(t.shape) @ WEIGHTS / 2)


def some(name: str, chance: random.Random) -> float:
    if name in EXPONENTS:
        return chance.choice([0.001, 0.05, 0.3, 1.0, 2.0, 17.3, 300.0])
    if name in PLACES:
        return chance.choice([0.001, 0.2, 0.5, 0.93, 0.9999])
    assert name in LEVELS, f"{name}: say here which values it may have"
    return chance.choice([0.0, 1e-5, 0.02, 0.3, 0.7, 0.999, 1.0])


def test_every_family_is_here() -> None:
    assert {keyword for keyword, _ in SOLVED} == {"constant", "linear", "power", "cusp", "step"}
    assert set(KNOWN) - {keyword for keyword, _ in SOLVED} == {
        "logistic",
        "binormal",  # the prevalence is a parameter
        "polynomial",
        "piecewise",
        "custom",  # no named numbers
    }


@pytest.mark.parametrize(("keyword", "name"), SOLVED)
def test_a_parameter_is_solved_for(keyword: str, name: str) -> None:
    """For curves of all shapes: the prevalence is that of a random member, whose parameter is forgotten."""
    chance = random.Random(f"{keyword} {name}")
    for _ in range(12):
        values = {other: some(other, chance) for other in PARAMETERS[keyword]}
        if "top" in values and values["top"] == values["bottom"]:
            continue
        wanted = integral(KNOWN[keyword](**values))
        rest = "".join(f", {other}={value!r}" for other, value in values.items() if other != name)
        found = Curve.parse(f"{keyword}(prevalence={wanted!r}{rest})")
        assert integral(found) == pytest.approx(wanted, rel=1e-10)
        assert found.mass == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("rest", "low", "high"),
    [
        ((), 0.0, 1.0),
        ((-0.4, 0.1), -0.2 + 0.1 / 3 + 0.3, 1 - 0.2 + 0.1 / 3),
        ((0.0, 0.0, -0.8), 0.6, 0.8),
        ((-1.0,), 0.5, 0.5),
        ((1.0, -1.0), 1 / 6, 1 + 1 / 6 - 1 / 4),
    ],
)
def test_the_first_coefficient_of_a_polynomial(rest: tuple[float, ...], low: float, high: float) -> None:
    """``low`` and ``high``: the mean of the other terms beside the first, less their extremes."""
    for wanted in (low, (low + high) / 2, high):
        found = Curve.parse(f"polynomial({', '.join([f'prevalence={wanted!r}', *map(repr, rest)])})")
        assert isinstance(found, Polynomial)
        assert found.coefficients[1:] == rest
        assert integral(found) == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    for wanted in (low - 0.01, high + 0.01):
        said = rf"polynomial: prevalence must be {low:.12g} to {high:.12g}\b.*, got "
        refused(said, Curve.parse, f"polynomial({', '.join([f'prevalence={wanted!r}', *map(repr, rest)])})")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Families of somebody else."""
    monkeypatch.setattr(Scorer, "members", dict(Scorer.members))

    @dataclass(frozen=True)
    class Square(Curve, keyword="square"):
        """m(t) = 0.2 + 0.6 b^2 t, of mean 0.2 + 0.3 b^2."""

        b: float

        def formula(self, t):
            return 0.2 + 0.6 * self.b**2 * t

        def average(self, a, b):
            return self.formula((a + b) / 2)

    @dataclass(frozen=True)
    class Tilted(Curve, keyword="tilted"):
        """m(t) = level + tilt (1 - t), a probability for some tilts in their interval only."""

        level: float
        tilt: float = field(metadata=within(-1, 1))

        def __post_init__(self):
            self.check_range(self.level, self.level + self.tilt)

        def formula(self, t):
            return self.level + self.tilt * (1 - t)

        def average(self, a, b):
            return self.formula((a + b) / 2)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("square(prevalence=0.4)", 0.4),
        ("square(prevalence=0.2000001)", 0.2000001),
        ("tilted(0.7, prevalence=0.8)", 0.8),
        ("tilted(0.7, prevalence=0.4)", 0.4),
        ("tilted(tilt=-0.3, prevalence=0.4)", 0.4),
    ],
)
def test_a_family_of_somebody_else(text: str, wanted: float) -> None:
    assert integral(Curve.parse(text)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("constant(prevalence=1.5)", "constant: prevalence must be 0 to 1, got 1.5"),
        (
            "linear(0.1, prevalence=0.7)",
            "linear: prevalence must be 0.05 to 0.55 where bottom = 0.1, got 0.7",
        ),
        ("power(0.1, 0.5, prevalence=0.7)", r"power: prevalence must be 0.1003\d* to 0.4996\d* where bottom"),
        (
            "power(0.3, 0.3, prevalence=0.3)",
            "exponent does not change the prevalence where bottom = 0.3, top",
        ),
        ("step(0.2, at=0.75, prevalence=0.5)", "step: prevalence must be 0.15 to 0.4 where bottom = 0.2, at"),
        ("step(0, 1, prevalence=1e-12)", "its mean is 9.999.*e-13, which is not the prevalence"),
        ("polynomial(prevalence=0.4, -3)", r"within \[0, 1\], the terms after c0 span 3"),
        ("polynomial(prevalence=0.4, prevalence=0.3)", "'prevalence' is given twice"),
        ("logistic(prevalence=1.5, slope=2)", r"logistic needs 0 < prevalence < 1, got 1.5"),
        ("piecewise(0=0.3, 1=0.1, prevalence=0.2)", "piecewise takes depth=value"),
        ("graded(prevalence=0.2)", "graded takes gain=curve"),
        ("graded(2=linear(0, prevalence=0.8), 1=constant(0.1))", "prevalence must be 0 to 0.5 where bottom"),
        ("square(prevalence=0.7)", "square: prevalence must be 0.2 to 0.5, got 0.7"),
        ("tilted(0.7, prevalence=0.9)", r"within \[0, 1\], this one spans \[0.7, 1.1\]"),
    ],
)
def test_what_no_curve_has_is_refused_in_one_line(text: str, said: str) -> None:
    refused(said, Scorer.parse, text)


def test_a_grade_is_solved_for() -> None:
    graded = Relevance.parse(
        "graded(2=power(0, prevalence=0.2, exponent=3), 1=step(0.1, 0.2, prevalence=0.15))"
    )
    assert [integral(of) for of in graded.curves] == pytest.approx([0.2, 0.15], abs=1e-12)
