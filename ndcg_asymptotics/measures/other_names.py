"""Measures that other programs know: what to write for them here, or that they are not computed."""

from __future__ import annotations

import re

_ONE = "with one relevant item"
_SEVERAL = "with several ir_measures computes it"
_NO_WEIGHTS = "its ranks have no fixed weights: ir_measures computes it"
_CUT = (
    r"(?:\([^)]*\))?[@_.](?P<k>\d+)"  # @10, or (rel=2)@10 as in ir_measures, or _10 and .10 as in trec_eval
)
_ANSWERS = {
    r"(?:m?rr|recip(?:rocal)?_rank)(?P<k>@\d+)?": f"{_ONE} it is nDCG(zipf){{k}}, {_SEVERAL}",
    rf"(?:p|precision){_CUT}": "for labels 0 and 1 it is DCG(constant)@{k} divided by {k}",
    rf"(?:r|recall){_CUT}": (
        "with at most {k} relevant items it is nDCG(constant)@{k}, with more ir_measures computes it"
    ),
    rf"(?:hr|hits?|hit_?rate|success){_CUT}": f"{_ONE} it is nDCG(constant)@{{k}}, {_SEVERAL}",
    r"auc": f"{_ONE} it is nDCG(linear), {_SEVERAL}",
    r"(?:m?ap|err|rprec|bpref|infap|iprec|f1?|alpha_n?dcg)(?![a-z]).*": _NO_WEIGHTS,
}
"""Answers by regular expressions for whole texts, in either case."""


def answer(text: str) -> str | None:
    """Return what to write for a measure of another program; None for other texts.

    >>> answer("P@10")
    'for labels 0 and 1 it is DCG(constant)@10 divided by 10'
    >>> answer("AP(rel=2)@100")
    'its ranks have no fixed weights: ir_measures computes it'
    """
    for pattern, found in _ANSWERS.items():
        match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
        if match is not None:
            return found.format(k=match.groupdict().get("k") or "")
    return None
