"""A comparison of runs in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ndcg_asymptotics.analysis.power import detectable_effect
from ndcg_asymptotics.analysis.replication import ASSURANCE, BOUND_LEGEND, IF_OBSERVED
from ndcg_asymptotics.analysis.runs.compared import MeasureComparison, PairComparison
from ndcg_asymptotics.analysis.runs.paired import Alternative, mostly_ties
from ndcg_asymptotics.analysis.runs.pairs import ComparedPairs, PairWords
from ndcg_asymptotics.core.text import listed

_SIDES: dict[Alternative, str] = {
    "two-sided": "",
    "less": "one-sided (first minus second below 0) ",
    "greater": "one-sided (first minus second above 0) ",
}


@dataclass(frozen=True)
class Words(PairWords[PairComparison]):
    """What a comparison says."""

    queries: int
    alternative: Alternative = "two-sided"

    @property
    def shown_by(self) -> str:
        """The number of queries."""
        return f"{self.queries:,} queries"

    def headline(self, pair: PairComparison) -> str:
        """Return which run is better, by how much, how certainly, and how many new queries would show it."""
        best = pair.clearest
        if best.difference.identical:
            by = best.measure if len(pair.by_measure) == 1 else "value by every measure"
            return f"{pair.a} and {pair.b} have the same {by} on each of the {self.queries:,} queries."
        say = self.better if best.p < self.alpha else self.undecided
        return f"{say(pair, best.answer)}. {self._new_queries_text(best)}"

    def paragraph(self, pair: PairComparison) -> str:
        """Return the answer in words."""
        best, same = pair.clearest, [j.measure for j in pair.by_measure if j.difference.identical]
        said = [self.headline(pair)]
        if len(same) == len(pair.by_measure):
            return said[0]
        if best.p < self.alpha:
            if len(pair.by_measure) > 1:
                said.append(f"{best.measure} shows the clearest difference.")
            said.append(self._others_text(pair, best))
        if same:
            said.append(f"By {listed(same)} they are equal on every query.")
        return " ".join(part for part in said if part)

    def _others_text(self, pair: PairComparison, best: MeasureComparison) -> str:
        others = [j for j in pair.by_measure if j is not best and not j.difference.identical]
        sure, ahead = [j for j in others if j.p < self.alpha], best.answer.ahead
        against = [j.measure for j in sure if j.answer.ahead != ahead]
        leaning = [j.measure for j in others if j not in sure and j.answer.better == -ahead]
        agree = len(sure) - len(against)
        if not others:
            return ""
        behind = pair.b if ahead > 0 else pair.a
        if len(others) == len(against) == 1:
            return f"By {against[0]} {behind} is significantly better: the answer depends on the measure."
        said = _confirming(agree, [judged.measure for judged in others])
        if leaning:
            said += f", and by {listed(leaning)} {behind} is better, significantly only before correction"
        if against:
            said += (
                f", and by {listed(against)} {behind} is significantly better: the answer depends on the "
                "measure"
            )
        return said + "."

    def _new_queries_text(self, judged: MeasureComparison) -> str:
        """Return how many new queries an uncorrected test needs, or what as many new ones can show."""
        d, tally = judged.difference, judged.tally
        if d.queries is None and mostly_ties(tally.differing, tally.queries):
            return (
                f"The runs differ in {tally.differing} of {tally.queries:,} queries, too few to say how many "
                "new ones a test needs."
            )
        if self.alternative != "two-sided" and d.queries_low is None:
            side = "above" if self.alternative == "greater" else "below"
            return f"The test is one-sided, and the observed difference is not {side} 0."
        power = f"a paired t test on {{}} new queries has {self.power:.0%} power"
        if judged.p >= self.alpha or d.queries is None:
            alpha = self.alpha if self.alternative == "two-sided" else 2 * self.alpha
            least = detectable_effect(tally.queries, self.power, alpha) * d.sd
            return (
                "The observed difference may be chance and gives no number of new queries: "
                f"{power.format(f'{tally.queries:,}')} for a difference of {least:.4f}."
            )
        said = f"{IF_OBSERVED.capitalize()}, {power.format(f'{d.queries:,}')}"
        if d.queries_assured is None:
            return f"{said}."
        bound = f"its lower {ASSURANCE:.0%} confidence bound given significance"
        return f"{said}; if it is only as large as {bound}, with {d.queries_assured:,}."

    def method(self, found: ComparedPairs[PairComparison], *, pairs: bool) -> str:
        """Return what the numbers are; those of the tables of a pair only if these are printed."""
        alpha = f"{self.alpha:.2g}"
        interval = f"; the {self.level} interval excludes 0 exactly if p < {alpha}" if pairs else ""
        effect = "Effect size: the mean difference over its standard deviation. " if pairs else ""
        return (
            f"{self.queries:,} queries. p is the larger {_SIDES[self.alternative]}p-value of a permutation "
            f"test, which exchanges the runs within queries, and of Student's t test{interval}. "
            f"{found.corrected}. {effect}Queries as observed: for a paired t test at level {alpha} on new "
            f"queries, without correction, with {self.power:.0%} power, {IF_OBSERVED}"
            + (f", with their {self.level} interval. {BOUND_LEGEND}" if pairs else ".")
        )


def _confirming(agree: int, others: Sequence[str]) -> str:
    """Return how many of the other measures show the same difference.

    >>> _confirming(0, ["AP", "RR"]), _confirming(2, ["AP", "RR"])
    ('Neither other measure confirms this', 'Both other measures confirm this')
    >>> _confirming(1, ["AP", "RR", "P@5"])
    '1 of the other 3 measures confirms this'
    """
    count = len(others)
    if count == 1:
        return f"{others[0]} {'confirms' if agree else 'does not confirm'} this"
    if agree == count:
        return f"{'Both' if count == 2 else f'All {count}'} other measures confirm this"
    if not agree:
        return (
            "Neither other measure confirms this"
            if count == 2
            else f"None of the other {count} measures confirms this"
        )
    return f"{agree} of the other {count} measures {'confirms' if agree == 1 else 'confirm'} this"
