"""What the explorer shows, against exact values at other list lengths, and without engines."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics import explorer
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.explorer import values
from ndcg_asymptotics.explorer.drawing import DrawnList, ranked_list
from ndcg_asymptotics.explorer.state import Shape, State, families
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.specs.sliders import offered
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg

FEW = "a=roc_power(0.4)&b=roc_power(0.6)"


@pytest.mark.slow
@pytest.mark.parametrize("query", ["", "measure=nDCG(power(0.7))", "measure=nDCG(zipf)", "measure=nDCG@10"])
def test_means_between_lengths_are_near_exact_values(query: str) -> None:
    """What is joined is within 0.01 of exact means and 10% of exact standard deviations."""
    state = State.from_query(query)
    means = values.means(state)
    others = [20, 50, 300, 10**5, 10**15]
    at, known = np.log(others), np.log(means.between)
    for i, scorer in enumerate(state.scorers):
        exact = expected_ndcg(scorer, state.measured, others)
        assert np.interp(at, known, means.mean_between[i]) == pytest.approx(exact.value, abs=0.01)
        sds = ndcg_std(scorer, state.measured, others)
        joined = np.exp(np.interp(at, known, np.log(means.sd_between[i])))
        assert joined == pytest.approx(sds.value, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 10**5])
def test_means_turn_where_the_ideal_list_is_full(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """NDCG@k peaks at k items, and turns sharply where k items are relevant."""
    state = State.from_query(f"measure=nDCG@{k}")
    means = values.means(state)
    monkeypatch.setattr(values, "_TURNS", ())
    monkeypatch.setattr(values, "_FULL", ())
    plain = values.means(state)
    others = [round(part * k) for part in (1.05, 1.25, 0.9 / 0.3, 1.01 / 0.3, 1.4 / 0.3)]
    for i, scorer in enumerate(state.scorers):
        exact = expected_ndcg(scorer, state.measured, others).value
        at = np.log(others)
        assert np.interp(at, np.log(means.between), means.mean_between[i]) == pytest.approx(exact, abs=0.01)
        # what is joined without lengths near these misses them
        joined = np.interp(at, np.log(plain.between), plain.mean_between[i])
        assert joined != pytest.approx(exact, abs=0.01)


@pytest.mark.slow
def test_wrong_orders_between_lengths_are_near_those_that_plan_gives() -> None:
    state, n = State(), 2000
    orders = values.wrong_orders(state)
    known = plan(*state.scorers, state.measured, n=n).rows[0].wrong
    joined = np.interp(np.log(n), np.log(orders.between), orders.log10_between)
    assert joined == pytest.approx(known.log10, abs=0.1 + 0.05 * abs(known.log10))


def test_wrong_orders_of_few_relevant_items() -> None:
    state = State.from_query(f"relevant=1&{FEW}&measure=nDCG(zipf)")
    # Of one item it tends to 0.4, the share of 0.4 in 0.4 + 0.6. The standard error of 20,000 lists is
    # 0.0035: 5 of them are a false alarm in 2e6 runs.
    limit = 10 ** values.wrong_orders(state).log10[-1]
    assert limit == pytest.approx(0.4, abs=5 * 0.0035)
    assert limit != pytest.approx(0.6, abs=5 * 0.0035)
    assert values.means(state).mean[0, -1] < 1e-6
    with pytest.raises(NotAvailableError, match="too few list lengths"):
        values.wrong_orders(State.from_query("relevant=100&a=roc_power(0.1)&b=roc_power(1)&n=1000"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("b=linear(0.1,0.5)", ["The two rankers have the same curve: no measure tells them apart."]),
        (
            "",
            [
                "By nDCG one list puts A first with probability 0.95 from about 1,400 items on.",
                "By nDCG@10 one list puts A first with probability 0.66, however long it is.",
            ],
        ),
        (
            "a=polynomial(0.54,-0.96,1.32)&b=constant(0.5)&measure=nDCG(power(0.8))",
            [
                "By nDCG(power(0.8)) no list is known to be long enough to put B first with "
                "probability 0.95.",
                "By nDCG one list puts B first with probability 0.95 from about 3,200 items on.",
                "By nDCG@10 one list puts A first with probability 0.57, however long it is.",
            ],
        ),
        (
            f"relevant=1&{FEW}&n=1e6",
            [
                "By nDCG it takes 316 queries with lists of 1,000,000 items to show that A is better.",
                "By nDCG@10 it takes 1,222 queries with lists of 1,000,000 items to show that A is better.",
            ],
        ),
    ],
    ids=["equal", "start", "correction", "few"],
)
def test_the_sentence_names_the_winner(query: str, said: list[str]) -> None:
    state = State.from_query(query)
    assert [*values.answer(state), *values.other_answers(state)] == said


@pytest.mark.slow
def test_numbers_have_signs_and_small_probabilities_are_not_written_out() -> None:
    lines = values.numbers(State(n=10**18, a=Shape("linear", (0.4,)), b=Shape("linear", (0.5,))))
    assert lines[2].startswith("On one list: A - B = -0.0041 ± 5.6e-11, Δ/σ = -7.29e+07, ")
    assert lines[2].endswith("P(wrong order): below 1e-300")
    rounded = State.from_query("a=linear(0,0.6)&b=constant(0.3)&n=1e18")
    assert values.numbers(rounded)[2].endswith("P(wrong order): below 1e-300")
    small = WrongOrder(-299.0, -299.1, -298.9, "large deviations")
    assert values.chance_text(small) == "7.9e-300 to 1.3e-299"


@pytest.mark.slow
def test_every_family_of_curves_and_every_discount_has_values() -> None:
    # other tests declare curves of their own in the same process
    own = [k for k, member in families(None).items() if member.__module__.startswith("ndcg_asymptotics")]
    states = [State(Shape.usual(family)) for family in own if family != "piecewise"]
    other = Shape("roc_power", (0.6,))
    few = [*((family, 1) for family in families(1)), ("roc_beta", 3)]
    states += [replace(states[0], a=Shape.usual(family), b=other, relevant=k) for family, k in few]
    assert len(states) > len(offered(Discount))
    for state, (discount, kind) in zip(states, cycle(offered(Discount).items()), strict=False):
        formula = kind(*(slider.usual for slider in kind.sliders() or ()))
        shown = replace(state, measure=f"nDCG({formula})" + ("@10" if discount == "constant" else ""))
        means = values.means(shown)
        assert np.all((means.mean_between >= 0) & (means.mean_between <= 1 + 1e-12))
        known = np.isfinite(means.sd_between)
        assert np.all(known[:, (means.between >= 10**4) & (means.between <= 10**12)])
        assert known.mean() > 0.7
        assert None not in [known.theorem for known in values.limits(shown)]


def test_the_largest_effect_size_is_marked() -> None:
    sizes = values.by_cutoff(State())
    best = values.strongest(sizes)
    assert best is not None
    assert abs(best.effect) == max(abs(size.effect) for size in sizes)
    assert (sizes[0].at, sizes[-1].at) == (1, 1000)
    exponents = values.by_exponent(State(b=Shape("linear", (0.5,))))
    assert [size.at for size in exponents] == list(values.EXPONENTS)
    assert values.strongest(exponents) is None  # the curves are equal


def test_the_sum_of_a_list_is_that_of_the_filled_bars() -> None:
    drawn = ranked_list(State(n=30, measure="nDCG(zipf)"))
    a = sum(1 / r for r, gain in enumerate(drawn.gains[0], 1) if gain)
    best = sum(1 / r for r in range(1, int(drawn.gains[0].sum()) + 1))
    assert drawn.sums[0] == pytest.approx(a)
    assert drawn.best == pytest.approx(best)
    assert drawn.sum_text(0) == f"A: DCG {a:.3g} of at most {best:.3g}, NDCG {a / best:.4f}"
    none = DrawnList(2, np.zeros((2, 2)), np.array([1.0, 0.5]), 0.0)
    assert none.sum_text(0) == "A: DCG 0 of at most 0, NDCG 0.0000"


def test_lists_change_little_where_a_curve_changes_little() -> None:
    one, two = (ranked_list(State.from_query(f"a=linear(0.1,{top})&n=200")) for top in ("0.5", "0.50001"))
    assert np.abs(one.gains - two.gains).sum() <= 2
    other = ranked_list(State.from_query("a=constant(0.3)&n=200"))
    assert np.abs(one.gains - other.gains).sum() > 20


@pytest.mark.slow
def test_engines_are_imported_where_lists_are_drawn() -> None:
    code = (
        "import sys; from ndcg_asymptotics.explorer import values\n"
        "from ndcg_asymptotics.explorer.state import State\n"
        "state = State(n=100); values.curves(state); values.means(state); values.by_exponent(state)\n"
        "print([m for m in sys.modules if m.startswith('ndcg_asymptotics.engines')\n"
        "       or m.partition('.')[0] in ('numba', 'llvmlite', 'panel', 'bokeh')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


@pytest.mark.slow
def test_without_panel_one_line_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "panel", None)
    for name in ("serving", "page", "answers", "controls"):
        monkeypatch.delitem(sys.modules, f"ndcg_asymptotics.explorer.{name}", raising=False)
        monkeypatch.delattr(explorer, name, raising=False)
    refused(r"^the explorer needs Panel, which is not installed: pip install panel$", explorer.explore)
