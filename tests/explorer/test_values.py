"""What the explorer shows, against exact values at other list lengths, and without engines."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_ndtr

from ndcg_asymptotics import explorer
from ndcg_asymptotics.analysis.planning.plan import plan
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer import against_n, values
from ndcg_asymptotics.explorer.state import Shape, State, families
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.specs.sliders import offered
from ndcg_asymptotics.theory.fluctuations import difference_std, ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg


def shown(query: str) -> tuple[State, against_n.Smooth]:
    state = State.from_query(query)
    points = [against_n.point(state, n) for n in against_n.lengths_of(state)]
    return state, against_n.Smooth.through(points, against_n.OrderLaw.of(state))


@pytest.mark.slow
@pytest.mark.parametrize("query", ["", "measure=nDCG(power(0.7))", "measure=nDCG(zipf)", "measure=nDCG@10"])
def test_curves_between_nodes_are_near_exact_values(query: str) -> None:
    """What is joined is within 0.01 of exact means and 10% of exact standard deviations."""
    state, smooth = shown(query)
    others = [20, 50, 300, 10**5, 10**15]
    for i, scorer in enumerate(state.scorers):
        means = expected_ndcg(scorer, state.measured, others)
        sds = ndcg_std(scorer, state.measured, others)
        at = np.log(others)
        assert np.interp(at, np.log(smooth.n), smooth.means[i]) == pytest.approx(means.value, abs=0.01)
        found = np.exp(np.interp(at, np.log(smooth.n), np.log(smooth.sds[i])))
        assert found == pytest.approx(sds.value, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 10**5])
def test_curves_turn_where_the_ideal_list_is_full(k: int) -> None:
    """NDCG@k peaks at k items, and turns sharply where k items are relevant."""
    state = State.from_query(f"measure=nDCG@{k}")

    points = {}  # without the order, of which nothing is asked here
    for n in against_n.lengths_of(state):
        a, b, both = against_n.moments(state, n)
        points[n] = against_n.Point(n, (a.mean, b.mean), (a.sd, b.sd), *both, None)
    law = against_n.OrderLaw.of(state)
    smooth = against_n.Smooth.through(list(points.values()), law)
    plain = against_n.Smooth.through([points[n] for n in against_n.NODES], law)
    others = [
        round(part * k) for part in (1.05, 1.25, 0.9 / state.share, 1.01 / state.share, 1.4 / state.share)
    ]
    for i, scorer in enumerate(state.scorers):
        means = expected_ndcg(scorer, state.measured, others).value
        at = np.log(others)
        assert np.interp(at, np.log(smooth.n), smooth.means[i]) == pytest.approx(means, abs=0.01)
        # what is joined without lengths near these misses them
        assert np.interp(at, np.log(plain.n), plain.means[i]) != pytest.approx(means, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a=linear(prevalence=0.3, top=0.45)"),
        ("measure=nDCG@10", "measure=nDCG@10&a=linear(0.15, 0.45)"),
        ("measure=nDCG(power(0.7))", "measure=nDCG(power(0.75))"),
        ("measure=nDCG(power(1.4))", "measure=nDCG(power(1.5))"),
        ("relevant=1&a=roc_power(0.4)&b=roc_power(0.6)", "relevant=1&a=roc_power(0.45)&b=roc_power(0.6)"),
    ],
)
def test_what_is_shown_first_is_what_is_shown_when_all_lengths_are_known(before: str, after: str) -> None:
    """Curves that are moved are within a line's width: a hundredth of the chart."""
    old, known = shown(before)
    state, whole = shown(after)
    assert against_n.similar(state, old)
    lengths = against_n.lengths_of(state, against_n.FIRST)
    assert len(lengths) < len(against_n.lengths_of(state))
    first = against_n.Smooth.through(
        [against_n.point(state, n) for n in lengths], against_n.OrderLaw.of(state), known
    )
    height = (whole.means + whole.sds).max() - (whole.means - whole.sds).min()

    def distance(one: against_n.Smooth, name: str) -> float:
        rows = [
            [
                np.interp(np.log(against_n.LENGTHS), np.log(curve.n), row)
                for row in np.atleast_2d(getattr(curve, name))
            ]
            for curve in (one, whole)
        ]
        if name == "log10_wrong":
            rows = np.clip(rows, -6, 0).tolist()  # the chart
        return float(np.abs(np.subtract(*rows)).max())

    assert distance(first, "means") < 0.01 * height
    assert distance(first, "sds") < 0.01 * height
    # without the move a few lengths are not enough
    assert distance(known, "means") > 0.01 * height
    if state.relevant is None:
        assert distance(first, "log10_wrong") < 0.05 * 6  # some come from a few hundred lists


def test_the_chart_of_long_lists_is_that_of_the_normal_law() -> None:
    state, smooth = shown("")
    a, b = state.scorers
    difference = expected_ndcg(a, "nDCG", [10**4]).value - expected_ndcg(b, "nDCG", [10**4]).value
    wrong = log_ndtr(-difference[0] / difference_std(a, b, "nDCG", [10**4]).value[0]) / np.log(10)
    found = np.interp(np.log(10**4), np.log(smooth.n), smooth.log10_wrong)
    assert found == pytest.approx(wrong, abs=0.01)
    assert smooth.log10_wrong[-1] < -1000
    assert np.all(np.diff(smooth.log10_wrong) < 0)


CERTAIN = "share=0.3&a=binormal(prevalence=0.3, separation=0.65)&b=constant(0.3)&measure=nDCG@10"


@pytest.mark.slow
def test_the_explorer_says_what_plan_says() -> None:
    """Where one curve is certain at depth 0 alone, and in short lists with few relevant items, which tie."""
    for query, n, wrong in ((CERTAIN, 20, 0.218), (SPARSE, 30, 0.752)):
        state = State.from_query(f"{query}&n={n}")
        (row,) = plan(*state.scorers, state.measured, n=n).rows
        assert 10**row.wrong.log10 == pytest.approx(wrong, rel=0.03)
        assert f"P(wrong order): {row.wrong}" in values.numbers(state)[2]
        found = values.experiment(state).rows([state.measured])
        assert [one.order.required_n for one in found] == [row.order.required_n]
        (quick,) = values.experiment(state, values.LITTLE).rows([state.measured])
        assert quick.order.required_n_low is None or quick.order.required_n_low <= row.order.required_n_high
        points = [against_n.point(state, m) for m in against_n.NODES[:3]]  # n is between them
        smooth = against_n.Smooth.through(points, against_n.OrderLaw.of(state))
        drawn = np.interp(np.log(n), np.log(smooth.n), smooth.log10_wrong)
        assert drawn == pytest.approx(row.wrong.log10, abs=0.08)
    assert values.conclusion(state, []) == ""


SPARSE = "share=0.01&a=step(0, 0.2, 0.95)&b=constant(0.01)&measure=nDCG"


def test_a_length_under_a_fixed_cutoff() -> None:
    state = State.from_query(CERTAIN)
    (found,) = [row for row in values.rows(state, values.LITTLE) if row.measure == "nDCG@10"]
    assert abs(found.order.required_n - 504) < 100  # by enumeration of labels it is 504
    said = f"nDCG@10 from n = {found.order.required_n:,}"
    assert said in values.conclusion(state, values.rows(state, values.LITTLE))


FEW = "a=roc_power(0.4)&b=roc_power(0.6)"


def test_the_order_of_few_relevant_items_is_that_of_lists_of_n_items() -> None:
    state, smooth = shown(f"relevant=1&{FEW}&measure=nDCG(zipf)")
    assert smooth.means[0][-1] < 1e-6
    assert smooth.law is None
    # of one item it tends to 0.4, the share of 0.4 in 0.4 + 0.6; five standard errors of 20,000 lists
    assert 10 ** smooth.log10_wrong[-1] == pytest.approx(0.4, abs=0.018)
    (row,) = plan(*state.scorers, "nDCG(zipf)", n=1000).rows
    assert f"P(wrong order): {row.wrong}" in values.numbers(state)[2]
    drawn = np.interp(np.log(1000), np.log(smooth.n), smooth.log10_wrong)
    assert drawn == pytest.approx(row.wrong.log10, abs=0.05)


def test_no_drawn_list_in_the_wrong_order_is_no_probability() -> None:
    """None of some hundred lists of 1000 items is wrong; the chart is then known where some are."""
    state = State.from_query(f"relevant=100&{FEW.replace('0.6', '1')}&measure=nDCG&n=1000")
    points = [against_n.point(state, n) for n in (100, 1000)]
    assert points[1].right is None
    smooth = against_n.Smooth.through(points, None)
    assert np.all(np.isfinite(smooth.log10_wrong))
    rows = [row for row in values.table(state, points, []) if row[0] == "log10 P(wrong order)"]
    assert [row[2] for row in rows] == ["100"]


@pytest.mark.slow
@pytest.mark.parametrize("discount", offered(Discount))
def test_every_family_of_curves_has_values_under_every_discount(discount: str) -> None:
    """The probabilities of the law under base^-r once added up to a little more than 1."""
    kind = offered(Discount)[discount]
    formula = kind(*(slider.usual for slider in kind.sliders() or ()))
    measure = f"nDCG({formula})" + ("@10" if discount == "constant" else "")
    # other tests declare curves of their own in the same process
    own = [k for k, member in families(None).items() if member.__module__.startswith("ndcg_asymptotics")]
    states = [State(Shape.usual(family), measure=measure, n=100) for family in own]
    other = Shape("roc_power", (0.6,))
    states += [replace(states[0], a=Shape.usual(f), b=other, relevant=k) for f in families(1) for k in (1, 3)]
    for state in states:
        points = [against_n.point(state, n) for n in (10, 100)]
        smooth = against_n.Smooth.through(points, against_n.OrderLaw.of(state))
        assert np.all(np.isfinite([*smooth.means, *smooth.sds]))
        assert np.all((smooth.means >= 0) & (smooth.means <= 1))
        assert np.all(smooth.log10_wrong <= 0)
        assert not any("nan" in line for line in values.numbers(state, values.LITTLE / 4))
        assert None not in [found.theorem for found in values.limits(state)]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("b=linear(0.1,0.5)", "The two rankers have the same curve: no measure tells them apart."),
        (
            "measure=nDCG(geometric(2))",
            "nDCG tells them apart from n = 1,382 [1,260, 1,517] on; "
            "nDCG(geometric(2)) and nDCG@10 never do.",
        ),
        (
            "relevant=1&a=roc_power(0.4)&b=roc_power(0.6)&n=1e6",
            "With lists of 1,000,000 items it takes "
            "316 queries by nDCG, 1,222 queries by nDCG@10 to tell them apart; one query never "
            "settles it: by nDCG A comes first on 60% of the lists, however long they are (Theorem F2).",
        ),
    ],
)
def test_the_verdict(query: str, said: str) -> None:
    state = State.from_query(query)
    same = state.scorers[0] == state.scorers[1]
    rows = [] if same else values.rows(state)
    assert values.conclusion(state, rows) == said


def test_a_dragged_curve_keeps_the_share() -> None:
    shape = values.dragged([(0.0, 0.9), (0.31, 0.2), (0.315, 0.7), (1.4, -0.2)], 0.3)
    assert [t for t, _ in shape.points] == [0, 0.31, 1]
    assert shape.curve(0.3).mass == pytest.approx(0.3, abs=1e-11)
    assert values.points_of(Shape("constant"), 0.2).points == tuple((t, 0.2) for t in (0, 0.25, 0.5, 0.75, 1))


@pytest.mark.slow
def test_engines_are_imported_where_lists_are_drawn() -> None:
    code = (
        "import sys; from ndcg_asymptotics.explorer import values\n"
        "from ndcg_asymptotics.explorer.state import State\n"
        "state = State(n=100); values.curves(state); values.limits(state); values.discount_sweep(state)\n"
        "print([m for m in sys.modules if m.startswith('ndcg_asymptotics.engines')\n"
        "       or m.partition('.')[0] in ('numba', 'llvmlite', 'panel', 'bokeh')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_without_panel_one_line_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "panel", None)
    for name in ("serving", "page"):
        monkeypatch.delitem(sys.modules, f"ndcg_asymptotics.explorer.{name}", raising=False)
        monkeypatch.delattr(explorer, name, raising=False)
    with pytest.raises(
        InputError, match=r"^the explorer needs Panel, which is not installed: pip install panel$"
    ):
        explorer.serve()
