"""What a newcomer's call is answered with: the call that was meant."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import ndcg_asymptotics as na

RUN = pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "score": [2.0, 1.0]})
QRELS = pd.DataFrame({"user": ["u"], "item": ["b"], "rating": [1]})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: na.evaluate(RUN, QRELS, "ndgc@10"), "did you mean 'nDCG@10'?"),
        (lambda: na.evaluate(RUN, QRELS, "nDCG@10 nDCG@20"), 'measures=["nDCG@10", "nDCG@20"]'),
        (lambda: na.evaluate(RUN[:0], QRELS, "nDCG"), "the run has no documents"),
        (lambda: na.compare(RUN, QRELS), '{"a": run_a, "b": run_b}'),
        (lambda: na.Measure("nDCG@10"), 'Measure.parse("nDCG@10")'),
        (lambda: na.compare(RUN, RUN, QRELS), 'compare({"a": run_a, "b": run_b}, qrels)'),
        (lambda: na.evaluate(np.array([1, 0]), np.array([2, 1])), ".evaluate(y_true, y_score)"),
        (lambda: na.plan(RUN, RUN), "plan(runs=…, qrels=…)"),
        (lambda: na.evaluate(RUN.rename(columns={"user": "who"}), QRELS), 'columns={"query": NAME}'),
    ],
)
def test_messages_name_the_call_that_was_meant(call, said):
    with pytest.raises(na.InputError, match=re.escape(said)) as error:
        call()
    assert "\n" not in str(error.value)
