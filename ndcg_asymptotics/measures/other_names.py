"""Measures that other programs know: what to write for them here, or that theory does not know them.

ir_measures puts gains and the treatment of unjudged documents into the name of NDCG. Here these are options,
since they belong to the labels, so such names are answered with the options that stand for them.
"""

from __future__ import annotations

import re

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.specs.scanner import SpecError

_ONE = "theory knows NDCG and DCG: with one relevant item"
_COMPUTED = "evaluate and compare compute it with ir_measures"
_SEVERAL = f"with several {_COMPUTED}"
_NO_WEIGHTS = f"theory knows NDCG and DCG, whose ranks have weights; {_COMPUTED}"
# @10, or (rel=2)@10 as in ir_measures, or _10 and .10 as in trec_eval
_CUT = r"(?:\([^)]*\))?[@_.](?P<k>\d+)"
_ANSWERS = {
    r"(?:m?rr|recip(?:rocal)?_rank)(?P<k>@\d+)?": f"{_ONE} it is nDCG(zipf){{k}}, {_SEVERAL}",
    rf"(?:p|precision){_CUT}": (
        "theory knows NDCG and DCG: for labels 0 and 1 it is DCG(constant)@{k} divided by {k}; " + _COMPUTED
    ),
    rf"(?:r|recall){_CUT}": (
        "theory knows NDCG and DCG: with at most {k} relevant items it is nDCG(constant)@{k}, with more "
        + _COMPUTED
    ),
    rf"success{_CUT}": f"{_ONE} it is nDCG(constant)@{{k}}, {_SEVERAL}",
    rf"(?:hr|hit|hit_?rate){_CUT}": (
        f"{_ONE} it is nDCG(constant)@{{k}}, with several evaluate and compare compute it as Success@{{k}}"
    ),
    r"auc": f"{_ONE} it is nDCG(linear)",
    r"f1?(?:@\d+)?": f"{_NO_WEIGHTS}, as SetF",
    r"(?:m?ap|err|rprec|bpref|infap|iprec|alpha_n?dcg|judged|num(?:q|rel|ret|relret)|set(?:p|r|f|ap|relp)|bpm|"
    r"insq|inst|sdcg|compat|accuracy|nn?rbp|strecall|nerr(?:8|9|10|11|_ia))(?![a-z]).*": _NO_WEIGHTS,
}
"""Answers by regular expressions for whole texts, in either case."""


def remedy(text: str) -> str | None:
    """Return what to write for a measure of another program; None for other texts.

    >>> remedy("AUC")
    'theory knows NDCG and DCG: with one relevant item it is nDCG(linear)'
    >>> print(remedy("AP(rel=2)@100"))
    theory knows NDCG and DCG, whose ranks have weights; evaluate and compare compute it with ir_measures
    """
    for pattern, sentence in _ANSWERS.items():
        match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
        if match is not None:
            return sentence.format(k=match.groupdict().get("k") or "")
    return None


# nDCG(dcg=…) and nDCG(gains=…) of ir_measures, but not nDCG(power(…)); log2 is the discount here too
_SETTINGS = re.compile(r"ndcg\(\s*(?:dcg|gains|judged_only|cutoff)\s*=.*", re.IGNORECASE | re.DOTALL)
_SAME = re.compile(r"ndcg(?:_cut[_.]|\(dcg=(?:'log2'|\"log2\")\)\s*(?:@|$))", re.IGNORECASE)


def translated(text: str) -> str:
    """Return a measure of this package for the name that NDCG has in another program, or the text unchanged.

    >>> translated("ndcg_cut_10"), translated("nDCG(dcg='log2')@10"), translated("nDCG(zipf)@5")
    ('nDCG@10', 'nDCG@10', 'nDCG(zipf)@5')

    Raises
    ------
    SpecError
        For a name that means more than a measure; the message says what to write.
    """
    name = text.strip()
    if match := _SAME.match(name):
        return f"nDCG@{name[match.end() :]}" if match.end() < len(name) else "nDCG"
    if _SETTINGS.fullmatch(name):
        raise SpecError(
            f"{brief(text)}: gains and conventions are no part of a measure: write nDCG@10 with --gain exp2, "
            "--gain '0=0, 1=1, 2=3' or --unjudged drop"
        )
    return text
