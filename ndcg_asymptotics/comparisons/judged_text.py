"""A comparison of runs by labels of humans and of a judge, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ndcg_asymptotics.comparisons.agreement import JudgeAgreement
from ndcg_asymptotics.comparisons.pairs import ComparedPairs, PairWords
from ndcg_asymptotics.stats.paired import mostly_ties
from ndcg_asymptotics.stats.replication import IF_OBSERVED

if TYPE_CHECKING:
    from ndcg_asymptotics.comparisons.judged import JudgedMeasure, JudgedPair, OfBoth

_FEW = 10  # differing queries below which no interval of these keeps its coverage

CONDITION = "the queries that humans judged were drawn at random from those that the judge judged"


def few_differing(combined: OfBoth) -> bool:
    """Return whether too few queries of humans differ for an interval to cover as it says.

    What decides is the number of differences that are not 0; docs/judges.md has the coverage.
    """
    return combined.differing < _FEW or mostly_ties(combined.differing, combined.human_queries)


def could_turn(judged: JudgedMeasure) -> bool:
    """Return whether the intervals hold a bias of the judge that is as large as the difference by both."""
    bias, combined = judged.judge.bias_interval, judged.combined.interval
    if bias is None or combined is None:
        return False
    return combined.sign == 0 or max(map(abs, bias)) >= min(map(abs, combined))


@dataclass(frozen=True)
class JudgedWords(PairWords["JudgedPair"]):
    """What a comparison with a judge says."""

    human_queries: int
    machine_queries: int

    @property
    def shown_by(self) -> str:
        """The queries by both kinds of labels."""
        return f"{self.human_queries:,} queries judged by humans and {self.machine_queries:,} by the judge"

    def paragraph(self, pair: JudgedPair) -> str:
        """Return which run is better by both, what that is worth, and the bias of the judge."""
        best = pair.first
        if best.combined.interval is None:
            return (
                f"{pair.a} and {pair.b} do not differ by {best.measure} on the {self.human_queries:,} "
                "queries judged by humans, so these cannot show what the judge's labels are worth."
            )
        sentences = [
            self.headline(pair),
            self._worth(best),
            self._more(best),
            self._bias(pair, best),
            self._few(best),
        ]
        return " ".join(part for part in sentences if part)

    def headline(self, pair: JudgedPair) -> str:
        """Return which run is better by both, or that nothing shows it."""
        answer = pair.first.answer
        if answer.p < self.alpha:
            return f"{self.better(pair, answer)}, by {self.shown_by}."
        return f"{self.undecided(pair, answer)}."

    def _worth(self, best: JudgedMeasure) -> str:
        combined = best.combined
        if combined.weight == 0:
            return "The judge's labels do not help: their weight is 0, and those of humans decide alone."
        return (
            f"Together they are worth {combined.effective_human_queries:,.0f} queries judged by humans; the "
            f"judge's labels have the weight {combined.weight:.2f}."
        )

    def _more(self, best: JudgedMeasure) -> str:
        combined = best.combined
        if combined.p_corrected < self.alpha or combined.difference == 0:
            return ""
        test = f"{IF_OBSERVED.capitalize()}, a test at level {self.alpha:g} has {self.power:.0%} power"
        if combined.human_queries_needed is None:
            return f"{test} only with more queries than the {self.machine_queries:,} of the judge."
        extra_queries = max(combined.human_queries_needed - self.human_queries, 0)
        return (
            f"{test} with {extra_queries:,} more of the judge's queries judged by humans."
            if extra_queries
            else f"{test} with those judged already."
        )

    def _bias(self, pair: JudgedPair, best: JudgedMeasure) -> str:
        if all(judged.machine.interval is None for judged in pair.by_measure):
            return f"By the judge's labels {pair.a} and {pair.b} are the same in every query."
        biased = [judged for judged in pair.by_measure if judged.judge.favours]
        subject = best if best in biased or not biased else biased[0]
        quality, measure = subject.judge, subject.measure
        if quality.bias_interval is None:
            return "On every query that humans judged, the judge's labels give the same difference as theirs."
        low, high = quality.bias_interval
        between = f"{self.level} interval of the bias {low:+.4f} to {high:+.4f}"
        if not biased and could_turn(subject):
            return (
                f"{self.human_queries:,} queries judged by humans are not enough to tell whether the judge "
                f"favours a run by {measure} ({between})."
            )
        if not biased:
            return f"By {measure} the judge favours neither run by as much as they differ ({between})."
        low, high = sorted((abs(low), abs(high)))
        alike = [of.measure for of in biased if of is not subject and of.judge.favours == quality.favours]
        also = f", and by {', '.join(alike)}" if alike else ""
        return (
            f"Warning: the judge's labels move the difference by {abs(quality.bias):.4f} {measure} in favour "
            f"of {pair.a if quality.bias > 0 else pair.b} ({self.level} interval {low:.4f} to {high:.4f})"
            f"{also}; do not rely on them alone."
        )

    def _few(self, best: JudgedMeasure) -> str:
        differing = best.combined.differing
        if not few_differing(best.combined):
            return ""
        reason = (
            f"humans judged only {self.human_queries:,} queries"
            if differing == self.human_queries
            else f"the runs differ in only {differing} of the {self.human_queries:,} queries judged by humans"
        )
        return (
            f"Warning: {reason}; with so few, {self.level} intervals cover less often than they say, also "
            "those of humans alone."
        )

    def biased(self, pairs: Sequence[JudgedPair]) -> str:
        """Return in how many comparisons the judge favours one of the runs."""
        judged = [of_measure for pair in pairs for of_measure in pair.by_measure]
        biased = sum(of_measure.judge.favours != 0 for of_measure in judged)
        unknown = sum(not of_measure.judge.favours and could_turn(of_measure) for of_measure in judged)
        return (
            f"The judge favours one of the two runs in {biased} of {len(judged)} comparisons (the "
            f"{self.level} interval of its bias, not corrected for their number, excludes 0). In {unknown} "
            "others humans judged too few queries to tell."
        )

    def quality(self, agreement: JudgeAgreement) -> str:
        """Return the error rates of the judge."""
        return (
            f"Of {agreement.documents:,} documents that both have judged the judge calls {agreement.fpr} of "
            "those relevant that are irrelevant by humans (false positive rate), and "
            f"{agreement.fnr} of the others irrelevant (false negative rate); {self.level} intervals over "
            "queries."
        )

    def method(self, comparison: ComparedPairs[JudgedPair], *, pairs: bool) -> str:
        """Return what the numbers are, and on which condition."""
        by = ", from a multivariate t law for both" if comparison.correction == "maxt" else ""
        return (
            f"Humans: their queries alone. Judge: its queries alone, with its errors and its bias. Both: the "
            f"judge's difference, corrected by humans; valid if {CONDITION}. Worth: the number of queries "
            f"judged by humans whose mean has the same variance. {comparison.corrected}{by}."
        )
