"""Predictions for larger corpora in words: what they rest on, and what they cannot say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

TESTED_FACTOR = 10.0
"""The factor by which the corpus grew in the back-test of docs/larger-corpora.md."""

ASSUMED = (
    "The new documents are irrelevant; what a run did not retrieve stays below its list; documents "
    "without a judgement count as irrelevant."
)


def warnings(factor: float, untested: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what a prediction for a corpus that is ``factor`` times as large does not rest on.

    ``untested`` has by measure the runs that the model could not be tried on.
    """
    if factor > TESTED_FACTOR:
        yield (
            f"the largest corpus is {factor:.3g} times the one searched. Predictions were tested to "
            f"{TESTED_FACTOR:g} times; beyond that they rest on a law that these lists are too short to test."
        )
    for measure, runs in untested.items():
        if runs:
            yield (
                f"{', '.join(runs)}: the lists are too short to test the model on a tenth of their "
                f"documents, so the prediction of {measure} has no band."
            )
