"""How often a judge and humans give the same label to a document, with intervals that go by query.

The documents of a query share their topic and its difficulties, so that errors of one query go together,
and an interval that counts documents as independent is too short. With k_q errors among the m_q documents of
each of Q queries, p = sum k_q / sum m_q is a ratio with the variance (Cochran 1977, "Sampling Techniques",
section 6.3)

    Var p = Q/(Q - 1) sum (k_q - p m_q)^2 / (sum m_q)^2,

and its interval is that of Clopper and Pearson with p(1 - p)/Var p documents in place of sum m_q (Korn and
Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", Survey Methodology 24).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ndcg_asymptotics.core.arrays import Bools, tails
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.lists.names import Codes
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.stats.paired import Interval
from ndcg_asymptotics.stats.rates import clopper_pearson


@dataclass(frozen=True)
class ShareOfDocuments:
    """A share of documents with its interval; both None where there are no documents."""

    value: float | None
    interval: Interval | None

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "-"
        return f"{self.value:.3f} [{self.interval.low:.3f}, {self.interval.high:.3f}]"


@dataclass(frozen=True)
class JudgeAgreement:
    """The agreement of a judge with humans about documents that both have judged.

    Attributes
    ----------
    documents : int
        How many both have judged.
    fpr, fnr : ShareOfDocuments
        The share of relevant ones by the judge among those that are not relevant by humans, and of those that
        are not relevant by the judge among those that are by humans. A label above 0 is relevant.
    """

    documents: int
    fpr: ShareOfDocuments
    fnr: ShareOfDocuments


def agreement(human: Records, judge: Records, level: float = LEVEL) -> JudgeAgreement:
    """Compare the labels of a judge with those of humans.

    Parameters
    ----------
    human, judge : Records
        Labels; documents that only one of them has count for nothing.
    level : float
        Confidence level of the intervals.

    >>> human = Records.of({"q": {"a": 1.0, "b": 0.0, "c": 0.0}, "r": {"a": 1.0, "b": 0.0}}, "label")
    >>> judge = Records.of({"q": {"a": 1.0, "b": 1.0, "c": 0.0}, "r": {"a": 0.0, "b": 0.0}}, "label")
    >>> rates = agreement(human, judge)
    >>> print(rates.fpr, rates.fnr)
    0.333 [0.000, 1.000] 0.500 [0.000, 1.000]
    """
    at = judge.find(human)
    shared = at >= 0
    row, truth, positive = human.row[shared], human.values[shared] > 0, judge.values[at[shared]] > 0

    def rate(wrong: Bools, among: Bools) -> ShareOfDocuments:
        return _rate(wrong[among], row[among], level)

    return JudgeAgreement(int(shared.sum()), rate(positive, ~truth), rate(~positive, truth))


def _rate(hits: Bools, row: Codes, level: float) -> ShareOfDocuments:
    """Return the share of hits; ``row`` is the query of each document."""
    if not hits.size:
        return ShareOfDocuments(None, None)
    _, query = np.unique(row, return_inverse=True)
    sizes, counts = np.bincount(query), np.bincount(query, hits)
    documents, queries = hits.size, sizes.size
    value = float(counts.sum() / documents)
    if queries == 1 or value in (0.0, 1.0):
        effective = float(queries)  # as if the documents of a query were one
    else:
        variance = queries / (queries - 1) * ((counts - value * sizes) ** 2).sum() / documents**2
        low, _ = tails(level)
        wider = special.stdtrit(documents - 1, low) / special.stdtrit(queries - 1, low)
        effective = float(documents)
        if variance > 0:
            effective = min(effective, float(value * (1 - value) / variance * wider**2))
    return ShareOfDocuments(value, Interval(*clopper_pearson(value * effective, effective, level)))
