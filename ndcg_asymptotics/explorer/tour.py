"""Ten states of the explorer with a short text each: a guided tour for a lecture."""

from __future__ import annotations

from typing import NamedTuple

from ndcg_asymptotics.explorer.state import State


class Stop(NamedTuple):
    """A stop of the tour.

    Attributes
    ----------
    title : str
    query : str
        The state, as the address has it.
    text : str
        What to look at.
    """

    title: str
    query: str
    text: str

    @property
    def state(self) -> State:
        """The state that is shown."""
        return State.from_query(self.query)


STOPS = (
    Stop(
        "Everybody gets 1 (Theorem 1)",
        "a=linear(0,0.6)&b=constant(0.3)&measure=nDCG&n=1000000000000000000",
        "With the log discount NDCG tends to 1 for every ranker, even for B, which orders its list at "
        "random. But it takes its time: the distance from 1 falls like 1/log n, so at n = 1e18 both are "
        "still visibly below the dotted line.",
    ),
    Stop(
        "And yet it tells rankers apart (Theorem 2)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG&n=1000",
        "Both limits are 1, and still the better ranker is ahead on every long list: the standard "
        "deviation falls much faster than the difference of the means. Look at the probability of the "
        "wrong order, which falls below any power of n. Then drag the top of B up until the curves are "
        "alike.",
    ),
    Stop(
        "1/r looks at the top alone (Theorem 5)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG(zipf)&n=100000",
        "With Zipf's discount NDCG tends to the value of the curve at the top, 0.5 and 0.4, but its "
        "standard deviation falls like 1/log n only. To be as sure as with the log discount takes lists of "
        "millions of items.",
    ),
    Stop(
        "2^-r never settles (Theorem 6)",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG(geometric(2))&n=1000",
        "The discounts have a finite sum, so a few labels at the top decide and stay random however long "
        "the list is. The band does not get narrower, and the probability of the wrong order is a "
        "horizontal line, as the two rankers score items independently given the label.",
    ),
    Stop(
        "A cutoff: ten, or more?",
        "a=linear(0.1,0.5)&b=linear(0.2,0.4)&measure=nDCG@10&n=1000",
        "nDCG@10 never settles the order either (Theorem 6 again). The chart of cutoffs shows the price: "
        "at n = 1000 the best cutoff lies in the hundreds, and needs a tenth of the queries. A cutoff that "
        "is a share of n keeps Theorem 2: choose k = c n.",
    ),
    Stop(
        "First correction: Theorem 4, condition 2",
        "a=polynomial(0.54,-0.96,1.32)&b=constant(0.5)&measure=nDCG(power(0.8))&n=1000",
        "The two limits are equal and the tops differ. The paper says that such a pair is told apart; but "
        "under r^-0.8 the labels at the top keep their say, and B, whose top is lower, is ahead on 56% of "
        "the lists for ever. Proof: docs/distinguishability.md, section 2.",
    ),
    Stop(
        "Second correction: the remark after Theorem 9",
        "a=piecewise(0=0.7,0.2=0.5,0.5=0.1,1=0.5)&b=piecewise(0=0.7,0.2=0.5,1=0.1)"
        "&share=0.36&measure=nDCG@0.2n&n=1000",
        "The curves agree on the top fifth, and a cutoff at n/5 sees nothing else: the order is a coin "
        "toss, although the curves differ. The whole list tells them apart. Distinguishability carries "
        "over to k = c n only if the curves differ above the cutoff.",
    ),
    Stop(
        "Third: does 1/r distinguish?",
        "a=linear(0.2,0.6)&b=linear(0.45,0.35)&measure=nDCG(zipf)&n=1000000",
        "The paper leaves this open. It does, if the curves differ at the top: the probability of the "
        "wrong order falls faster than any power of n, like exp(-n^e), with a small e that depends on the "
        "difference of the tops.",
    ),
    Stop(
        "Few relevant items",
        "relevant=1&a=roc_power(0.4)&b=roc_power(0.6)&measure=nDCG&n=1000000",
        "A recommender has one held-out item, however large its catalogue. NDCG then tends to 0 for both "
        "rankers, at the same rate, and one query never settles the order: A is ahead with probability 0.6 "
        "for ever (Theorem F2). With a cutoff at 10 the required queries grow like a power of n.",
    ),
    Stop(
        "A judge who errs",
        "a=linear(0.02,0.18)&b=linear(0.05,0.15)&measure=nDCG(power(0.5))&n=1000&fpr=0.05&fnr=0.2",
        "A language model calls 5% of the irrelevant items relevant, and misses 20% of the relevant ones. "
        "Its labels have a relevance curve again, flatter than the dotted one of the true labels. All values "
        "change, but not the order of the limits. The price is queries: a paired test needs 42 instead of "
        "24. Where a tenth of the items are relevant, few false alarms cost as much as many misses: move one "
        "of the two rates to 0, then the other.",
    ),
)
"""The stops, in the order of a lecture."""
