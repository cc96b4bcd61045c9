"""What a judge who errs at random costs: queries, and the order of two rankers itself.

The labels that a judge reports are those of another population, of which means and standard deviations are
exact as well. So the number of queries with these labels is known, next to that with true labels, and so is
whether the mean difference by the judge has the sign of the true one. If it has not, more queries only make
the wrong answer certain. DCG by a judge whose errors depend on the label only never has the wrong sign
(docs/judges.md).

Rankers that are independent given the true label are not independent given the reported one: an item that a
judge takes for relevant is ranked high by both if it is, and low by both if it is not. So the two values of a
list go up and down together, and their difference varies less. Its standard deviation is exact, since the
models of the judge's labels keep the true ones (`JudgedLabels`, `JudgedCounts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.core.errors import InputError, NotAvailableError, blaming, naming, require
from ndcg_asymptotics.core.files import Fields
from ndcg_asymptotics.core.tables import Column, Data, Line, ReportBlock, Table, fixed, general
from ndcg_asymptotics.core.text import listed
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import (
    Curve,
    FixedCounts,
    Judge,
    JudgedCounts,
    JudgedLabels,
    Mixture,
    Model,
    Roc,
    Scorer,
)

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.planning.curves import Experiment

_ROUGH = 0.1  # relative error of a standard deviation beyond which numbers of queries are not stated
_DEEPER = 10  # times the cutoff of a measure with the wrong sign


def with_judge(scorer: Scorer, fpr: float, fnr: float) -> Scorer:
    """Return the scorer whose labels are those that a judge reports, in every group.

    Two such scorers are independent given the true label.

    Raises
    ------
    InputError
        For graded labels, and for a fixed number of relevant items without a ROC curve.

    >>> str(with_judge(Scorer.parse("linear(0.1, 0.7)"), 0.01, 0.2))
    'judged(linear(0.1, 0.7), 0.01, 0.2)'
    >>> str(with_judge(Scorer.parse("relevant(2, roc_power(0.4))"), 0.01, 0.2))
    'relevant(2, noisy(roc_power(0.4), 0.01, 0.2))'
    """
    found = tuple((weight, _reported(model, fpr, fnr)) for weight, model in scorer.groups)
    return Mixture(found) if scorer.mixed else found[0][1]


def _reported(model: Model, fpr: float, fnr: float) -> Model:
    if isinstance(model, Curve):
        return JudgedLabels(model, fpr, fnr)
    if isinstance(model, FixedCounts) and isinstance(model.source, Roc):
        return JudgedCounts(model, fpr, fnr)
    raise InputError(f"takes relevance curves and ROC curves with the labels 0 and 1, got {model}", "judge")


@dataclass(frozen=True)
class JudgedRow:
    """What a judge does to one measure.

    Attributes
    ----------
    measure : str
    difference, judged_difference : float or None
        The mean difference of the two rankers by true labels, and by those of the judge.
    queries, judged_queries : int or None
        Required queries of a paired t test with these labels; with a wrong sign, to find the wrong order.
    worth : float or None
        How many times as many queries the judge's labels take, from the squares of the effects: what a human
        label is worth in labels of the judge. None with a wrong sign.
    wrong_sign : bool or None
        Whether the judge's difference has the other sign than the true one, both beyond their error bounds.
    reason : str
        Why numbers are missing.
    """

    measure: Annotated[str, Column("measure", whole=True)]
    difference: Annotated[float | None, Column("true difference", fixed(4))] = None
    judged_difference: Annotated[float | None, Column("by the judge", fixed(4))] = None
    queries: Annotated[int | None, Column("queries by true labels", general(","))] = None
    judged_queries: Annotated[int | None, Column("by the judge's", general(","))] = None
    worth: Annotated[float | None, Column("worth of a human query", fixed(1))] = None
    wrong_sign: Annotated[bool | None, Column("wrong sign", lambda wrong: "yes" if wrong else "no")] = None
    reason: str = ""


@dataclass(frozen=True)
class Judged:
    """What a judge does to a comparison of two rankers.

    Attributes
    ----------
    fpr, fnr : float
        The error rates of the judge.
    n : int
    rows : tuple of JudgedRow
        The measures that were asked for, and others that have the right sign where one of these has not.
    """

    fpr: float
    fnr: float
    n: int
    rows: tuple[JudgedRow, ...]

    @property
    def answer(self) -> Annotated[str, Data()]:
        """Whether a measure has the wrong sign, and which have not, in one sentence."""
        judge = f"a judge of fpr {self.fpr:g} and fnr {self.fnr:g}"
        wrong = [row.measure for row in self.rows if row.wrong_sign]
        right = [row.measure for row in self.rows if row.wrong_sign is False]
        if wrong:
            others = f"; the sign is right by {listed(right)}" if right else ""
            return f"With {judge} the order by {listed(wrong)} is wrong with any number of queries{others}."
        if not right:
            return f"Whether {judge} turns the order of the two is not known."
        by = f"all {len(right)} measures" if len(right) == len(self.rows) > 2 else listed(right)
        worth = dict.fromkeys(
            f"{x:.1f}" for x in sorted(row.worth for row in self.rows if row.worth is not None)
        )
        ends = " to ".join([*worth][:: max(len(worth) - 1, 1)])
        said = f" A query judged by humans is worth {ends} of the judge's." if worth else ""
        return f"With {judge} the order is right by {by}.{said}"

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of the measures."""
        yield Table.of(f"True labels and those of the judge, n = {self.n:,}", JudgedRow, self.rows)
        for row in self.rows:
            if row.reason:
                yield Line(f"{row.measure}: {row.reason}.")


def judged(experiment: Experiment, measures: Sequence[Measure], judge: Judge | Fields | str) -> Judged:
    """Return what a judge does to an experiment with two rankers.

    Parameters
    ----------
    experiment : Experiment
        The rankers by true labels.
    measures : sequence of Measure
    judge : Judge, mapping or text
        Who favours none of them.

    Raises
    ------
    InputError
        For error rates that are out of range, or rankers that a judge cannot label.
    """
    with blaming("judge"):
        stated = Judge.of(judge)
        require(stated.favours is None, "favours a scorer, which is for studies: a plan takes fpr and fnr")
    fpr, fnr = stated.rates
    with naming("judge"):
        pair = [with_judge(scorer, fpr, fnr) for scorer in (experiment.a, experiment.b)]
    reported = replace(experiment, a=pair[0], b=pair[1])
    found = [_row(experiment, reported, measure) for measure in measures]
    wrong = [measure for measure, row in zip(measures, found, strict=True) if row.wrong_sign]
    others = dict.fromkeys(other for measure in wrong for other in _instead(measure, experiment.n))
    found += [_row(experiment, reported, other) for other in others if other not in measures]
    return Judged(fpr, fnr, experiment.n, tuple(found))


def _instead(measure: Measure, n: int) -> Iterator[Measure]:
    """Yield DCG, a deeper cutoff and the whole list."""
    yield Measure(measure.discount, measure.cutoff, normalised=False)
    if _DEEPER * measure.cutoff(n) < n:
        yield Measure(measure.discount, _DEEPER * measure.cutoff(n))
    if not measure.discount.affine:  # the constant discount has no whole list
        yield Measure(measure.discount)


def _row(true: Experiment, reported: Experiment, measure: Measure) -> JudgedRow:
    try:
        (mean, sd), (judged_mean, judged_sd) = (one.difference(measure) for one in (true, reported))
    except NotAvailableError as error:
        return JudgedRow(str(measure), reason=str(error))
    wrong = bool(mean * judged_mean < 0) if mean and judged_mean else None
    for estimate in (sd, judged_sd):
        if estimate.error > _ROUGH * estimate:
            reason = f"the standard deviation of the differences is known as {estimate.text(2)} only"
            return JudgedRow(str(measure), float(mean), float(judged_mean), wrong_sign=wrong, reason=reason)
    worth = None
    if wrong is False and sd > 0:
        worth = float(mean / sd * judged_sd / judged_mean) ** 2
    return JudgedRow(
        str(measure),
        float(mean),
        float(judged_mean),
        true.design.lists(float(mean), float(sd)),
        true.design.lists(float(judged_mean), float(judged_sd)),
        worth,
        wrong,
    )
