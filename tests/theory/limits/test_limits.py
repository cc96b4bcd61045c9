"""Limits against the theorems' formulas, written out again with mpmath and nothing shared."""

import mpmath as mp
import pytest

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.discounts import discount
from ndcg_asymptotics.populations import Curve, Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import limiting_std, std_at
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.pseudo_expectation import pseudo_expectation

mp.mp.dps = 25


def value(curve: str, measure: str) -> float:
    found = limit(Relevance.parse(curve), Measure.parse(measure)).value
    assert found is not None
    return found


# Wang et al. (2013), section 2 of the theory page: each written from the paper's text.
LINEAR = "linear(0.1, 0.7)"  # ybar(s) = 0.1 + 0.6 s, p = 0.4


def ybar(s: mp.mpf) -> mp.mpf:
    return mp.mpf("0.1") + mp.mpf("0.6") * s


def theorem_3(b: str) -> mp.mpf:
    b = mp.mpf(b)
    return (1 - b) * mp.quad(lambda s: ybar(s) * (1 - s) ** -b, [0, 0.5, 1]) / mp.mpf("0.4") ** (1 - b)


def theorem_8(c: str) -> mp.mpf:
    c = mp.mpf(c)
    return mp.quad(ybar, [1 - c, 1]) / min(c, mp.mpf("0.4"))


def theorem_9(b: str, c: str) -> mp.mpf:
    b, c = mp.mpf(b), mp.mpf(c)
    top = (1 - b) * mp.quad(lambda s: ybar(s) * (1 - s) ** -b, [1 - c, 1 - c / 2, 1])
    return top / min(c, mp.mpf("0.4")) ** (1 - b)


@pytest.mark.parametrize(
    ("measure", "theorem", "expected"),
    [
        ("nDCG", "Theorem 1", mp.mpf(1)),
        ("nDCG(power(0.5))", "Theorem 3", theorem_3("0.5")),
        ("nDCG(zipf)", "Theorem 5", mp.mpf("0.7")),
        ("nDCG@n^0.5", "Theorem 7", mp.mpf("0.7")),
        ("nDCG@0.2n", "Theorem 8", theorem_8("0.2")),
        ("nDCG@0.7n", "Theorem 8", theorem_8("0.7")),
        ("nDCG(constant)@0.2n", "beyond the paper (as Theorem 8)", theorem_8("0.2")),
        # DCG_n / F(k(n)): the ideal list has gain 1 at every rank
        ("DCG", "beyond the paper (as Theorem 1)", mp.mpf("0.4")),
        ("DCG(power(0.5))", "beyond the paper (as Theorem 3)", theorem_3("0.5") * mp.sqrt(mp.mpf("0.4"))),
        ("nDCG(constant)@n^0.5", "Theorem 7", mp.mpf("0.7")),
        ("nDCG(power(0.5))@0.2n", "Theorem 9", theorem_9("0.5", "0.2")),
        # Jin & Geng: int m (1 - t) / int_0^p (1 - t)
        ("nDCG(linear)", "beyond the paper (classical)", mp.mpf("0.25") / mp.mpf("0.32")),
    ],
)
def test_binary_theorems(measure: str, theorem: str, expected: mp.mpf) -> None:
    found = limit(Relevance.parse(LINEAR), Measure.parse(measure))
    assert found.theorem == theorem
    assert not found.unmet
    assert found.value == pytest.approx(float(expected), rel=1e-11)


GRADED = "graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))"


def expected_gain(t: mp.mpf) -> mp.mpf:
    s = 1 - t
    return 2 * mp.mpf("0.3") * s**3 + mp.mpf("0.1") + mp.mpf("0.2") * s


R1, R2 = mp.mpf("0.075"), mp.mpf("0.275")


@pytest.mark.parametrize(
    ("measure", "theorem", "top", "ideal"),
    [
        ("nDCG", "Theorem 1", mp.mpf(1), mp.mpf(1)),
        (
            "nDCG(power(0.3))",
            "Theorem 10",
            mp.quad(lambda t: 0.7 * expected_gain(t) * t ** mp.mpf("-0.3"), [0, 0.1, 1]),
            2 * R1 ** mp.mpf("0.7") + (R2 ** mp.mpf("0.7") - R1 ** mp.mpf("0.7")),
        ),
        ("nDCG@n^0.5", "Theorem 11", expected_gain(mp.mpf(0)), mp.mpf(2)),
        ("nDCG@0.2n", "Theorem 12", mp.quad(expected_gain, [0, 0.2]), 2 * R1 + (mp.mpf("0.2") - R1)),
        (
            "nDCG(constant)@0.2n",
            "beyond the paper (as Theorem 12)",
            mp.quad(expected_gain, [0, 0.2]),
            2 * R1 + (mp.mpf("0.2") - R1),
        ),
        ("nDCG@0.05n", "Theorem 12", mp.quad(expected_gain, [0, 0.05]), mp.mpf("0.1")),
        ("nDCG@0.9n", "Theorem 12", mp.quad(expected_gain, [0, 0.9]), 2 * R1 + (R2 - R1)),
        (
            "nDCG(power(0.3))@0.2n",
            "Theorem 13",
            mp.quad(lambda t: 0.7 * expected_gain(t) * t ** mp.mpf("-0.3"), [0, 0.1, 0.2]),
            2 * R1 ** mp.mpf("0.7") + (mp.mpf("0.2") ** mp.mpf("0.7") - R1 ** mp.mpf("0.7")),
        ),
    ],
)
def test_graded_theorems(measure: str, theorem: str, top: mp.mpf, ideal: mp.mpf) -> None:
    found = limit(Relevance.parse(GRADED), Measure.parse(measure))
    assert found.theorem == theorem
    assert found.value == pytest.approx(float(top / ideal), rel=1e-9)


@pytest.mark.parametrize(
    "curve", ["binormal(0.2, 1.5)", "cusp(0.1, 0.6, 0.3)", "power(0, 0.9, 0.5)", "logistic(0.3, 8)"]
)
@pytest.mark.parametrize("b", [0.1, 0.5, 0.9])
def test_integral_with_singular_curves(curve: str, b: float) -> None:
    """The numerator of Theorem 3 for curves that are not smooth at an end, against scipy in u = t^(1-b)."""
    from scipy.integrate import quad

    model = Curve.parse(curve)
    top = quad(lambda u: float(model.value(u ** (1 / (1 - b)))), 0, 1, epsabs=0, epsrel=1e-11, limit=500)[0]
    assert value(curve, f"nDCG(power({b}))") == pytest.approx(top / model.mass ** (1 - b), rel=1e-9)


@pytest.mark.parametrize(
    "measure", ["nDCG(geometric(2))", "nDCG(power(1.5))", "nDCG@10", "nDCG(linear)@3", "nDCG(constant)@3"]
)
def test_theorem_6_has_no_limit(measure: str) -> None:
    found = limit(Relevance.parse(LINEAR), Measure.parse(measure))
    assert found.value is None
    assert found.converges is False
    assert found.theorem == "Theorem 6"
    assert "random" in found.reason


def test_a_discount_of_unknown_decay_has_no_limit() -> None:
    found = limit(Relevance.parse(LINEAR), Measure.parse('nDCG(custom("numpy:reciprocal"))'))
    assert found.value is None
    assert found.converges is None
    assert "nothing is known" in found.reason
    top = limit(Relevance.parse(LINEAR), Measure.parse('nDCG(custom("numpy:reciprocal"))@n^0.5'))
    assert [a.met for a in top.assumptions] == [True, True, None]
    assert top.theorem == "Theorem 7, if the sum of the discounts diverges"


def test_assumptions_that_are_not_met() -> None:
    found = limit(Relevance.parse("step(0.1, 0.6, 0.7)"), Measure.parse("nDCG(power(0.5))"))
    assert [str(a) for a in found.unmet] == ["ybar continuous (not met)"]


def test_the_top_limit_needs_continuity_at_the_top_only() -> None:
    """Theorems 5, 7 and 11."""
    for measure in ("nDCG(zipf)", "nDCG@n^0.5"):
        found = limit("step(0.1, 0.6, 0.7)", measure)
        assert (found.value, found.unmet) == (0.6, ())
        assert str(found.assumptions[-1]) == "ybar continuous at s = 1"


@pytest.mark.parametrize(
    "measure", ["nDCG", "nDCG(zipf)", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG@n^0.5", "nDCG(linear)"]
)
@pytest.mark.parametrize("never", ["5=constant(0)", "2=constant(0)", "0.5=constant(0)"])
def test_a_grade_that_never_occurs_changes_nothing(measure: str, never: str) -> None:
    """First, between and last."""
    grades = ["3=linear(0.1, 0.4)", "1=linear(0.3, 0.2)"]
    with_it = limit(f"graded({', '.join([*grades, never])})", measure)
    assert with_it.value == pytest.approx(limit(f"graded({', '.join(grades)})", measure).value, rel=1e-14)
    assert not with_it.unmet
    none = limit("graded(2=constant(0), 1=constant(0))", measure)
    assert (none.value, [str(a) for a in none.unmet]) == (0.0, ["P(Y > 0) > 0 (not met)"])


def test_a_cutoff_at_n_is_the_whole_list() -> None:
    """k = n: Theorems 1, 3, 5 and 10, not those of c < 1."""
    for name, theorem in (("log", "Theorem 1"), ("power(0.5)", "Theorem 3"), ("zipf", "Theorem 5")):
        whole, cut = limit(LINEAR, f"nDCG({name})"), limit(LINEAR, f"nDCG({name})@n")
        assert cut == whole
        assert cut.theorem == theorem
    assert limit(GRADED, "nDCG(power(0.3))@n").theorem == "Theorem 10"


def test_the_assumptions_of_each_theorem() -> None:
    asked = {
        "nDCG": ["P(Y > 0) > 0"],
        "nDCG(power(0.3))": ["every P(Y = y_j) > 0", "every P(Y = y_j | s) continuous"],
        "nDCG@n^0.5": ["every P(Y = y_j) > 0", "every P(Y = y_j | s) continuous at s = 1"],
        "nDCG@0.2n": ["every P(Y = y_j) > 0", "every P(Y = y_j | s) continuous"],
    }
    for measure, texts in asked.items():
        assert [str(a) for a in limit(GRADED, measure).assumptions] == texts
    modes = {"nDCG": "almost surely", "nDCG(zipf)": "in probability", "nDCG(geometric(2))": ""}
    assert {m: limit(LINEAR, m).mode for m in modes} == modes


def test_theorem_6_and_its_extension() -> None:
    """The paper: every label at every score. Here: a random label at the top."""
    beyond = "beyond the paper (as Theorem 6)"
    for curve, value, theorem in (
        (LINEAR, None, "Theorem 6"),
        ("linear(0, 0.7)", None, beyond),
        ("graded(2=linear(0, 0.3), 1=constant(0.2))", None, beyond),
        ("linear(0.1, 1)", 1.0, "beyond the paper (the top label is certain)"),
    ):
        found = limit(curve, "nDCG(geometric(2))")
        assert (found.value, found.theorem) == (value, theorem)


def test_a_binormal_scorer_is_certain_at_its_very_top() -> None:
    """m(0) = 1 for every separation > 0, however far depths of 1e-300 are from it."""
    for separation, top in ((0.1, 1.0), (2.0, 1.0), (-0.1, 0.0), (0.0, 0.2)):
        assert value(f"binormal(0.2, {separation})", "nDCG(zipf)") == pytest.approx(top, abs=1e-12)


def test_powers_near_one() -> None:
    """t^-b with b up to 0.9999, where depths of 1e-300 still count: a linear curve has a closed form."""
    for b in (0.9, 0.95, 0.99, 0.9999):
        # (1-b) int (0.7 - 0.6 t) t^-b dt = 0.7 - 0.6 (1-b)/(2-b)
        expected = (0.7 - 0.6 * (1 - b) / (2 - b)) / 0.4 ** (1 - b)
        assert value(LINEAR, f"nDCG(power({b}))") == pytest.approx(expected, rel=1e-9)


def test_pseudo_expectation_against_definition_5() -> None:
    n, p = mp.mpf(1000), mp.mpf("0.4")
    for text, formula in (
        ("log", lambda s: 1 / mp.log(1 + s)),
        ("power(0.5)", lambda s: s ** mp.mpf("-0.5")),
    ):
        top = mp.quad(lambda s, d=formula: ybar(1 - s / n) * d(s), mp.linspace(1, n, 40))
        expected = top / mp.quad(formula, mp.linspace(1, n * p, 40))
        found = pseudo_expectation(Relevance.parse(LINEAR), Measure.parse(f"nDCG({text})"), 1000)
        assert found == pytest.approx(float(expected), rel=1e-10)


def test_pseudo_expectation_tends_to_the_limit() -> None:
    assert pseudo_expectation(Relevance.parse(LINEAR), Measure.parse("nDCG"), 2) is None  # no ideal list
    curve = Relevance.parse(GRADED)
    for text in ("nDCG(power(0.5))", "nDCG(power(0.5))@0.2n", "nDCG(linear)", "nDCG@n^0.5"):
        measure = Measure.parse(text)
        found = pseudo_expectation(curve, measure, 10**18)
        assert found == pytest.approx(limit(curve, measure).value, abs=2e-8)


@pytest.mark.parametrize("b", [1.01, 1.1, 1.5, 3.0])
def test_limiting_std_by_the_zeta_function(b: float) -> None:
    """sqrt(q (1-q) zeta(2b)) / zeta(b), which no n reaches where b is near 1."""
    expected = mp.sqrt(mp.mpf("0.21") * mp.zeta(2 * mp.mpf(b))) / mp.zeta(mp.mpf(b))
    assert limiting_std("constant(0.3)", f"nDCG(power({b}))") == pytest.approx(float(expected), rel=2e-6)


def test_limiting_std_of_a_user_defined_discount() -> None:
    """2^-r by another name, and one that falls like r^-1.1: its tail is that of the zeta function."""
    own = discount(lambda r: 2.0**-r, name="halves", largest=1e3, like="geometric(2)")
    assert limiting_std("constant(0.5)", Measure(own)) == pytest.approx(12**-0.5, rel=1e-12)
    slow = discount(lambda r: 3 * r**-1.1, name="slow", largest=1e6, like="power(1.1)")
    expected = limiting_std("constant(0.3)", "nDCG(power(1.1))")
    assert limiting_std("constant(0.3)", Measure(slow)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("curve", ["constant(0.3)", "linear(0.1, 0.7)"])
@pytest.mark.parametrize(
    "measure", ["nDCG(power(1.1))", "nDCG(geometric(1.3))", "nDCG@10", "nDCG(power(2))@5"]
)
def test_std_at_a_list_length(measure: str, curve: str) -> None:
    exact, other = ndcg_std(curve, measure, [2000, 20]).value
    found = std_at(curve, Measure.parse(measure), 2000)
    assert found == pytest.approx(exact, rel=2e-3)
    assert found != pytest.approx(other, rel=2e-3)
