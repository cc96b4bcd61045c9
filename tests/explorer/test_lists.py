"""Lists that are drawn for the explorer: how NDCG is summed, and the histogram under the law of theory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("panel")

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.against_n import moments
from ndcg_asymptotics.explorer.drawing import LISTS, DrawnList, ranked_list
from ndcg_asymptotics.explorer.histogram import bins
from ndcg_asymptotics.explorer.list_charts import sum_text
from ndcg_asymptotics.explorer.page import Page
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.theory.fluctuations.effort import MeanAndDeviation

STATES = (
    "",
    "measure=nDCG@10&n=1000000000000000000",  # the top of a list alone is drawn
    "measure=nDCG(zipf)@0.2n&n=500",
    "n=100",
    "relevant=1&n=200",
    "relevant=3&n=50",
)


def drawn(state: State) -> Floats:
    return np.array([ranked_list(state, i).ndcg for i in range(LISTS)]).T


def beyond(values: Floats, of: MeanAndDeviation) -> bool:
    """Whether the mean of drawn lists is 5 standard errors away: a false alarm in 2e6 runs."""
    return abs(float(values.mean()) - of.mean) > 5 * of.sd / LISTS**0.5


@pytest.mark.slow
@pytest.mark.parametrize("query", STATES)
def test_lists_have_the_mean_and_standard_deviation_of_theory(query: str) -> None:
    state = State.from_query(query)
    for values, of in zip(drawn(state), moments(state, state.n)[:2], strict=True):
        assert not beyond(values, of)
        assert 0.75 < values.std() / of.sd < 1.3


def test_lists_do_not_have_the_mean_of_the_other_ranker() -> None:
    state = State()
    a, b, _ = moments(state, state.n)
    assert [beyond(values, other) for values, other in zip(drawn(state), (b, a), strict=True)] == [True, True]


def test_lists_change_little_where_a_curve_changes_little() -> None:
    one, two = (ranked_list(State.from_query(f"a=linear(0.1,{top})&n=200"), 3) for top in ("0.5", "0.50001"))
    assert np.abs(one.gains - two.gains).sum() <= 2
    other = ranked_list(State.from_query("a=linear(0.1,0.5)&n=200"), 4)
    assert np.abs(one.gains - other.gains).sum() > 20


def test_the_sum_is_that_of_the_filled_bars() -> None:
    found = ranked_list(State(n=30, measure="nDCG(zipf)"), 0)
    a = sum(1 / r for r, gain in enumerate(found.gains[0], 1) if gain)
    best = sum(1 / r for r in range(1, int(found.gains[0].sum()) + 1))
    assert found.sums[0] == pytest.approx(a)
    assert found.best == pytest.approx(best)
    assert sum_text(found, 0).endswith(f"= {a:.3g} of at most {best:.3g}, NDCG = {a / best:.4f}")
    none = DrawnList(2, np.zeros((2, 2)), np.array([1.0, 0.5]), 0.0)
    assert sum_text(none, 0) == "A: 0 of at most 0, NDCG = 0.0000"


def test_values_beyond_the_bins_are_in_the_last_ones() -> None:
    assert bins(State.from_query("relevant=3&n=50")).counts(np.array([-1.0, 0.5, 2.0])).sum() == 3


@pytest.mark.slow
def test_draw_lists_fills_the_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Page, "answer", lambda self: None)
    monkeypatch.setattr("ndcg_asymptotics.explorer.draws._PAUSES", (0.0, 0.0))
    page = Page(State(n=50))
    draws = page.answers.draws
    draws.law(page.state).attempt()()
    titles: list[str] = []

    def show(add: Callable[[], None]) -> bool:
        add()
        titles.append(draws.strip.plot.title.text.partition(",")[0])
        return len(titles) < 12

    asyncio.run(draws.draw(page.state, False, show))
    assert sum(draws.histogram.drawn[0].data["top"]) == 1
    asyncio.run(draws.draw(page.state, True, show))  # until the state changes
    assert titles == [f"List {i}" for i in (*range(1, 11), 20, 30)]
    assert sum(draws.histogram.drawn[1].data["top"]) == 30
    draws.forget()
    assert sum(draws.histogram.drawn[1].data["top"]) == 0
