"""User-defined ROC curves: polynomials against formulas, what is refused, and studies that use them."""

from __future__ import annotations

from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.special import betainc, ndtr, ndtri

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.populations import FixedCounts, Roc, Scorer, roc_curve
from ndcg_asymptotics.theory import expected_ndcg

CURVES = {
    "roc_power(0.05)": lambda t: t**0.05,
    "roc_power(9)": lambda t: t**9,
    "roc_binormal(1)": lambda t: ndtr(1 + ndtri(t)),
}
LIKE_POWER = {"roc_power(0.05)": (0.05, 1.0), "roc_power(9)": (9.0, 1.0), "roc_binormal(1)": None}


@pytest.mark.parametrize("text", CURVES)
def test_polynomials_follow_the_function(text):
    own, known = roc_curve(CURVES[text], name="own"), Roc.parse(text)
    t = np.concatenate([np.geomspace(1e-290, 0.5, 401), np.linspace(0.5, 1.0, 51)[:-1]])
    t = t[known.cdf(t) > 1e-270]
    assert own.cdf(t) == pytest.approx(known.cdf(t), rel=2e-12)
    middle = t[t < 0.9]
    assert own.density(middle) == pytest.approx(known.density(middle), rel=1e-7)
    assert own.cdf(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]
    assert own.top == (LIKE_POWER[text] and pytest.approx(LIKE_POWER[text], rel=1e-10))


def test_means_are_exact_with_kinks_and_an_infinite_density_at_the_bottom():
    """One item has P(rank = r) = C(n-1, r-1) B(a + r - 1, b + n - r) / B(a, b) under Beta(a, b)."""
    n, a, b = 10, mpmath.mpf("0.3"), mpmath.mpf("0.4")
    chances = [mpmath.binomial(n - 1, r) * mpmath.beta(a + r, b + n - 1 - r) for r in range(n)]
    exact = sum(p / mpmath.log(r + 2, 2) for r, p in enumerate(chances)) / mpmath.beta(a, b)
    beta = FixedCounts((1,), roc_curve(lambda t: betainc(0.3, 0.4, t), name="beta"))
    assert expected_ndcg(beta, "nDCG", [n]).value[0] == pytest.approx(float(exact), abs=1e-10)
    kinked = roc_curve(lambda t: np.interp(t, [0, 0.1, 0.5, 1], [0, 0.6, 0.7, 1]), name="kinked")
    assert [round(t, 6) for t in (kinked.breaks[0], kinked.breaks[-1])] == [0.1, 0.5]
    # AUC = 0.6 * 0.1/2 + 0.65 * 0.4 + 0.85 * 0.5
    found = expected_ndcg(FixedCounts((1,), kinked), "nDCG(linear)", [10**12]).value[0]
    assert found == pytest.approx(0.715, abs=1e-9)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda t: t + 0.4 * np.sin(9 * t) * (t < 1), "must not decrease; it does near t = 0."),
        (lambda t: 0.9 * t, "must end at 1, F(1) is 0.9"),
        (lambda t: 0.1 + 0.9 * t, "must begin at 0, no slower than t^0.05: F(1e-300) is 0.1"),
        (lambda t: np.where(t > 0.3, t, t / 2), "must be continuous; it jumps at t = 0.3"),
        (lambda t: 1 - (1 - t) ** 0.3, "is too rough near t = "),  # 1 - t is rounded
        (lambda t: t + np.exp(-(((t - 0.5) / 1e-4) ** 2)) / 1e4, "t = 0.5"),
        (lambda t: t[0], "must return one finite number for each depth"),
        (lambda t: 1 / 0, "failed (ZeroDivisionError: division by zero)"),
        (3, "a user's ROC curve must be a function F(t), got 3"),
    ],
)
def test_other_functions_are_refused_in_one_line(function, said):
    with pytest.raises(InputError) as error:
        roc_curve(function, name="own")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_a_study_runs_with_permission_and_agrees(tmp_path: Path):
    (tmp_path / "mine.py").write_text("def share(t):\n    return t**0.4\n")
    file = tmp_path / "study.toml"
    file.write_text(
        'measures = ["nDCG@5"]\nn = [5, 40]\nreplicates = 200\nrelevant = 2\n'
        "[scorers]\na = 'roc_custom(\"mine:share\")'\n"
    )
    with pytest.raises(InputError, match="allow_custom=True"):
        na.studies.load(file)
    study = na.studies.load(file, allow_custom=True)
    na.run(study, tmp_path / "out", jobs=1)
    found = na.check(na.open_results(tmp_path / "out", allow_custom=True))
    assert found.agrees
    assert found.limits[0].verdict == "agrees"  # Theorem F6, with the exponent read from the function
    text = 'relevant(2, roc_custom("mine:share"))'
    assert str(Scorer.parse(text, tmp_path)) == text
    assert Scorer.parse(text, tmp_path) == study.scorers["a"]
    (tmp_path / "mine.py").write_text("def share(t):\n    return t**0.5\n")
    with pytest.raises(InputError, match="was edited"):
        na.run(na.studies.load(file, allow_custom=True), tmp_path / "out", jobs=1)


def test_predict_takes_a_curve_itself():
    own = roc_curve(lambda t: t**0.4, name="own")
    found, known = (
        na.predict(curve, "nDCG@5", [40], relevant=2).rows[0] for curve in (own, "roc_power(0.4)")
    )
    assert found.expectation == pytest.approx(known.expectation, rel=1e-12)
