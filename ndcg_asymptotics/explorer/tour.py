"""The tour: eight steps of a lecture, each a state with a question, and an answer computed from the state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ndcg_asymptotics.analysis.planning.rows import PlanRow
from ndcg_asymptotics.core.text import count_text
from ndcg_asymptotics.explorer import against_n, values
from ndcg_asymptotics.explorer.drawing import ranked_list
from ndcg_asymptotics.explorer.state import LARGEST, State


class TourStep(NamedTuple):
    """A step of the tour.

    Attributes
    ----------
    title : str
    query : str
        The state, as the address has it.
    question : str
    answer : callable
        Returns the answer about a state.
    page : str
        The page of the documentation that says more.
    """

    title: str
    query: str
    question: str
    answer: Callable[[State], str]
    page: str

    @property
    def state(self) -> State:
        """The state that is shown."""
        return State.from_query(self.query)


def _means(state: State) -> tuple[str, str]:
    a, b, _ = against_n.moments(state, state.n)
    return f"{a.mean:.3f}", f"{b.mean:.3f}"


def _wrong(state: State) -> str:
    return str(against_n.order_on_one_list(state))


def _row(state: State, *, lengths: bool = False) -> PlanRow:
    return values.experiment(state).rows([state.measured], lengths=lengths)[0]


def _sum_of_a_list(state: State) -> str:
    found = ranked_list(state, 0)
    return (
        f"The sum with the relevant items first, {found.best:.3g}. NDCG divides by it: A's filled bars add "
        f"up to {found.sums[0]:.3g}, so its NDCG is {found.ndcg[0]:.3f}, and that of B is "
        f"{found.ndcg[1]:.3f}. Another list has other values: draw some, and watch how they spread."
    )


def _everybody_gets_1(state: State) -> str:
    a, b = _means(state)
    return (
        f"To 1, as that of every ranker, but not yet: at n = {count_text(state.n)} it is {b}, and that of A "
        f"{a}. The distance from 1 falls like 1/log n."
    )


def _told_apart(state: State) -> str:
    *_, both = against_n.moments(state, state.n)
    order = _row(state, lengths=True).order
    return (
        f"Yes. At n = {count_text(state.n)} the mean difference is {both.mean / both.sd:.2g} standard "
        f"deviations, and one list shows the wrong order with probability {_wrong(state)}; from n = "
        f"{order.required_n:,} on it is at most 0.05. Standard deviations fall much faster than the "
        "difference of the means, so that the probability falls below any power of n."
    )


def _no_cutoff_settles(state: State) -> str:
    sweep = values.cutoff_sweep(state)
    best, ten = values.strongest(sweep), values.by_cutoff(state, {10})[0]
    assert best is not None
    return (
        f"No. The probability of the wrong order is {_wrong(state)} at n = {count_text(state.n)}, and "
        f"{_wrong(replace(state, n=LARGEST))} at n = 1e18: ten labels stay random however long the list is. "
        f"At n = {count_text(state.n)} the best of the cutoffs shown is k = {best.at:.0f}, which needs "
        f"{best.queries:,} queries where k = 10 needs {ten.queries:,}. A cutoff that is a share of n keeps "
        "Theorem 2: choose k = c n."
    )


def _top_alone(state: State) -> str:
    a, b = values.limits(state)
    return (
        f"To the values of the curves at the top, {a.value:.3g} and {b.value:.3g}. But at n = "
        f"{count_text(state.n)} one list shows the wrong order with probability {_wrong(state)}, and with "
        f"the log discount {_wrong(replace(state, measure='nDCG'))}: the standard deviation falls like 1/log "
        "n only. The paper leaves open whether 1/r tells rankers apart at all. It does where the tops "
        "differ, with a probability of the wrong order like exp(-n^e) and a small e."
    )


def _first_correction(state: State) -> str:
    order = _row(state, lengths=True).order
    assert order.long_run is not None
    return (
        f"{order.ahead}, whose top is lower, is ahead on {order.long_run:.0%} of the lists for ever. Both "
        f"limits are {values.limits(state)[0].value:.3g}, and the labels at the top keep their say under "
        "r^-0.8. The paper's Theorem 4, condition 2, says that such a pair is told apart: a correction."
    )


def _second_correction(state: State) -> str:
    whole = _row(replace(state, measure="nDCG"), lengths=True)
    return (
        f"No: the order is a coin toss, with probability {_wrong(state)} at n = {count_text(state.n)} "
        f"already. The whole list tells the rankers apart from n = {whole.order.required_n:,} on. The "
        "paper's remark after Theorem 9 holds only if the curves differ above the cutoff: a correction."
    )


def _few_relevant(state: State) -> str:
    a, b = _means(state)
    order = _row(state, lengths=True).order
    ten = replace(state, measure="nDCG@10")
    needed = [f"{_row(replace(ten, n=n)).queries.shown} at n = {count_text(n)}" for n in (1000, state.n)]
    return (
        f"It tends to 0 for both, at the same rate: here it is {a} and {b}. One query never settles the "
        f"order: {order.ahead} is ahead with probability {order.long_run:.2g} for ever (Theorem F2). nDCG@10 "
        f"needs more and more queries: {' and '.join(needed)}."
    )


STEPS = (
    TourStep(
        "What NDCG sees of a list",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG&n=20",
        "The strip shows 20 items as A orders them, and below as B does; the filled ones are relevant. Each "
        "rank has a discount, its bar, and the filled bars add up to DCG. Which sum is the best that "
        "these items can give?",
        _sum_of_a_list,
        "theory.md",
    ),
    TourStep(
        "Everybody gets 1 (Theorem 1)",
        "a=linear(0,0.6)&b=constant(0.3)&measure=nDCG&n=1000000000000000000",
        "B orders its lists at random: its relevance curve is level. To which limit does its NDCG tend "
        "as lists grow, and has it arrived on lists of 1e18 items?",
        _everybody_gets_1,
        "theory.md",
    ),
    TourStep(
        "And yet it tells rankers apart (Theorem 2)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG&n=1000",
        "Both limits are 1. Does one long list show the right order nonetheless?",
        _told_apart,
        "rates.md",
    ),
    TourStep(
        "Ten ranks, or more? (Theorem 6)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG@10&n=1000",
        "Everybody reports NDCG with a cutoff at 10. Are longer lists surer to show the right order? And "
        "which cutoff is the best at n = 1,000?",
        _no_cutoff_settles,
        "rates.md",
    ),
    TourStep(
        "1/r looks at the top alone (Theorem 5)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG(zipf)&n=100000",
        "Zipf's discount 1/r falls faster. To which values does NDCG tend now, and does one list show the "
        "right order sooner than with the log discount?",
        _top_alone,
        "distinguishability.md",
    ),
    TourStep(
        "First correction: Theorem 4, condition 2",
        "a=polynomial(0.54,-0.96,1.32)&b=constant(0.5)&measure=nDCG(power(0.8))&n=1000",
        "Under r^-0.8 the two limits are equal, and A is better at the top. Who is ahead on long lists?",
        _first_correction,
        "distinguishability.md",
    ),
    TourStep(
        "Second correction: the remark after Theorem 9",
        "a=piecewise(0=0.7,0.2=0.5,0.5=0.1,1=0.5)&b=piecewise(0=0.7,0.2=0.5,1=0.1)"
        "&share=0.36&measure=nDCG@0.2n&n=1000",
        "The curves agree on the top fifth and differ below. Does NDCG with the cutoff n/5 tell the "
        "rankers apart on long lists?",
        _second_correction,
        "distinguishability.md",
    ),
    TourStep(
        "Few relevant items (Theorem F2)",
        "relevant=1&a=roc_power(0.4)&b=roc_power(0.6)&measure=nDCG&n=1000000",
        "A recommender has one held-out item, however large its catalogue, so that a ranker has a ROC "
        "curve. What becomes of NDCG as the catalogue grows, and does one query ever settle the order?",
        _few_relevant,
        "few.md",
    ),
)
"""The steps, in the order of a lecture."""
