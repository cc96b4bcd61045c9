"""Measures that other programs know: what to write for them here, or that theory does not know them.

Programs put gains and the treatment of unjudged documents into the name of NDCG. Here these are options,
since they belong to the labels, so such names are answered with the options that stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.specs.scanner import SpecError

_ONE = "theory knows NDCG and DCG: with one relevant item"
_COMPUTED = "evaluate and compare compute it with ir_measures"
_SEVERAL = f"with several {_COMPUTED}"
_NO_WEIGHTS = f"theory knows NDCG and DCG, whose ranks have weights; {_COMPUTED}"
_CUT = (
    r"(?:\([^)]*\))?[@_.](?P<k>\d+)"  # @10, or (rel=2)@10 as in ir_measures, or _10 and .10 as in trec_eval
)
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
    for pattern, found in _ANSWERS.items():
        match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
        if match is not None:
            return found.format(k=match.groupdict().get("k") or "")
    return None


_TREC_CUT = re.compile(r"ndcg_cut[_.](\d+(?:,\d+)*)", re.IGNORECASE)
_MINUS = re.compile(r"ndcg(?:@(\d+))?-", re.IGNORECASE)
_BURGES = re.compile(r"ndcg_burges(?:@(\d+))?", re.IGNORECASE)
_CATBOOST = re.compile(r"ndcg:((?:\w+=\w+;)*\w+=\w+;?)", re.IGNORECASE)
_IR_MEASURES = re.compile(r"ndcg\((.*)\)\s*(?:@\s*(\d+))?", re.IGNORECASE)
_ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*(\{[^{}]*\}|'[^']*'|\"[^\"]*\"|\w+)\s*(?:,|$)")
_IR_ARGUMENTS = {"dcg", "gains", "judged_only", "cutoff"}


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
    if found := _TREC_CUT.fullmatch(name):
        first, *others = map(_measure, found[1].split(","))
        if others:
            raise SpecError(
                f"{brief(text)} is several measures, each a text of its own: {first}, {others[0]}"
            )
        return first
    if found := _MINUS.fullmatch(name):
        _advise(text, _measure(found[1]), "like xgboost", "empty zero")
    if found := _BURGES.fullmatch(name):
        _advise(text, _measure(found[1]), "gain exp2")
    if found := _CATBOOST.fullmatch(name):
        parts = dict(part.lower().split("=") for part in found[1].strip(";").split(";"))
        discount = "(zipf)" if parts.get("denominator") == "position" else ""
        gain = ["gain exp2"] if parts.get("type") == "exp" else []
        _advise(text, _measure(parts.get("top"), discount), "like catboost", *gain)
    if (found := _IR_MEASURES.fullmatch(name)) and (given := _arguments(found[1])):
        return _of_ir_measures(text, given, found[2])
    return text


def _measure(k: str | None, discount: str = "") -> str:
    return f"nDCG{discount}" + (f"@{k}" if k else "")


def _arguments(text: str) -> Mapping[str, str]:
    """Return the arguments in the text of a measure of ir_measures; none if it is something else."""
    given: dict[str, str] = {}
    at = 0
    while at < len(text):
        part = _ARGUMENT.match(text, at)
        if part is None or part[1] not in _IR_ARGUMENTS:
            return {}
        given[part[1]], at = part[2].strip("'\""), part.end()
    return given


def _of_ir_measures(text: str, given: Mapping[str, str], cutoff: str | None) -> str:
    measure = _measure(given.get("cutoff", cutoff))
    options = []
    if given.get("dcg", "log2") == "exp-log2":
        options.append("gain exp2")
    elif given.get("dcg", "log2") != "log2":
        raise SpecError(f"{brief(text)}: dcg must be 'log2' or 'exp-log2', got {brief(given['dcg'])}")
    if "gains" in given:
        table = given["gains"].strip("{} ").replace(" ", "").replace(":", "=").replace(",", ", ")
        options.append(f"gain '{table}'")
    if given.get("judged_only") == "True":
        options.append("unjudged drop")
    if options:
        _advise(text, measure, *options)
    return measure


def _advise(text: str, measure: str, *options: str) -> NoReturn:
    """Raise an error that says which measure to write, with which options."""
    flags = " ".join(f"--{option}" for option in options)
    raise SpecError(
        f"{brief(text)}: gains and conventions are no part of a measure: write {measure} with {flags}"
    )
