"""Measures other than NDCG and DCG, such as AP and RR@10, which ir_measures computes.

They keep the names and the definitions that they have there; what this package computes itself, it
computes: `nDCG@10` is its own, and with the conventions of trec_eval the two agree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, as_list, brief
from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.lists.records import Records, is_table
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.other_names import remedy
from ndcg_asymptotics.specs.scanner import SpecError

_OWN = re.compile(r"\s*(?:n?dcg|rbp)", re.IGNORECASE)  # names of measures that this package computes
_LETTERS = re.compile(r"[A-Za-z_]+")
_HITS = dict.fromkeys(("hr", "hit", "hitrate", "hit_rate"), "Success")  # names in RecBole and ranx
_HIGHEST_OF_ERR = 4.0  # label; ERR is gdeval's, where label y satisfies with probability (2^y - 1)/2^4
_HIGHEST = 1e6  # label; trec_eval counts the documents of every label up to the highest


@dataclass(frozen=True)
class OtherMeasure:
    """A measure that ir_measures computes, by its name there."""

    name: str

    def __str__(self) -> str:
        return self.name


AnyMeasure = Measure | OtherMeasure
"""A measure of this package or of ir_measures."""

AnyMeasures = Sequence[object] | AnyMeasure | Discount | str
"""One measure or several, as values or texts; those of ir_measures also as its own objects."""


def any_measures_of(measures: AnyMeasures) -> tuple[AnyMeasure, ...]:
    """Return the measures of a measure, a discount, a text, or several of them.

    NDCG, DCG and RBP are this package's; other names are those of ir_measures, in capital letters or not, or
    of trec_eval as ir_measures reads them. A measure that is given twice counts once.

    Raises
    ------
    InputError
        If there is none, one is not a measure, or ir_measures is needed and not installed.

    >>> [str(measure) for measure in any_measures_of(["nDCG@10", "AP", "recall_100", "mrr@10", "hit_rate@5"])]
    ['nDCG@10', 'AP', 'R@100', 'RR@10', 'Success@5']
    """
    # compare(run_a, run_b, qrels) would take the judgements for measures
    is_file = isinstance(measures, str | os.PathLike) and os.path.isfile(measures)
    require(
        not is_file and not isinstance(measures, Mapping) and not is_table(measures),
        "must be measures, such as 'nDCG@10', "
        f"got {brief(measures) if is_file else 'a table or a dictionary'}: "
        'several runs are one argument, as in compare({"a": run_a, "b": run_b}, qrels)',
        "measures",
    )
    measure_list = (
        [measures]
        if _of_ir_measures(measures)
        else as_list(measures, "measures", (str, *get_args(AnyMeasure), Discount))
    )
    distinct = tuple(dict.fromkeys(map(_measure_of, measure_list)))
    require(len(distinct) > 0, "must hold at least one measure", "measures")
    return distinct


def _of_ir_measures(measure: object) -> bool:
    """Return whether a value is an object of ir_measures, which need not be installed."""
    return type(measure).__module__.partition(".")[0] == "ir_measures"


def _measure_of(measure: Any) -> AnyMeasure:
    if isinstance(measure, OtherMeasure):
        return measure
    if _of_ir_measures(measure):
        measure = str(measure)
    if not isinstance(measure, str) or _OWN.match(measure):
        return Measure.of(measure)
    return _named(measure)


def _named(text: str) -> AnyMeasure:
    """Return the measure of ir_measures with a name; for other names, raise the error of `Measure`."""
    try:
        import ir_measures
    except ImportError:
        if remedy(text) is None:
            return Measure.parse(text)
        with needing("ir_measures", f"{text.strip()} is computed by"):
            raise  # the ImportError, which `needing` replaces
    names = {name.casefold(): name for name in ir_measures.measures.registry} | _HITS
    name = _LETTERS.sub(lambda match: names.get(match[0].casefold(), match[0]), text.strip(), count=1)
    try:
        measure = ir_measures.parse_measure(name)
    except AttributeError as error:  # of ast.Num, which Python 3.14 no longer has
        too_old = f"this version of ir_measures cannot read {brief(text)} under this version of Python"
        raise InputError(f"{too_old} ({error}): install a later one") from None
    except (NameError, ValueError):
        try:
            measures = ir_measures.parse_trec_measure(text.strip())
        except ValueError:
            return _parsed(text)
        if len(measures) > 1:
            raise InputError(f"{brief(text)} is several measures: write one, such as {measures[0]}") from None
        (measure,) = measures
    _require_computable(ir_measures, text, measure)
    return OtherMeasure(str(measure))


def _parsed(text: str) -> Measure:
    """Return a measure of this package; an error says how other metrics are compared."""
    try:
        return Measure.parse(text)
    except SpecError as error:
        elsewhere = "values of other metrics are compared with values= (--values FILE)"
        raise SpecError(f"{error}; {elsewhere}" if remedy(text) is None else str(error)) from None


def _require_computable(library: Any, text: str, measure: Any) -> None:
    """Refuse a measure with wrong parameters, and one for which a program or a column is missing."""
    name = measure.NAME
    try:
        measure.validate_params()
    except AssertionError:
        parameters = ", ".join(
            f"{key} ({of.dtype.__name__ if of.dtype else 'value'}{', required' if of.required else ''})"
            for key, of in measure.SUPPORTED_PARAMS.items()
        )
        raise InputError(
            f"{brief(text)}: {name} of ir_measures takes {parameters or 'no parameters'}"
        ) from None
    # on one document: this fails where a program, such as Perl, or a column of the labels is missing
    _calculated(library, [measure], {"1": {"1": 1}}, {"1": {"1": 1.0}})


def values_of(
    measures: Sequence[OtherMeasure], scores: Records, labels: Records, queries: Sequence[str]
) -> Floats:
    """Return the values of ir_measures, (queries, measures).

    Parameters
    ----------
    measures : (measures,)
    scores, labels : Records
        Of a run and of its judgements.
    queries : (queries,)
        Those of the judgements that are evaluated; one that is not in the run has the value that ir_measures
        gives it, which is 0 as a rule.

    Raises
    ------
    InputError
        If a label is not a whole number, or the program behind ir_measures fails.

    >>> run = Records.of({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "score")
    >>> values_of([OtherMeasure("AP"), OtherMeasure("RR")], run, Records.of({"q": {"b": 1}}, "label"), ["q"])
    array([[0.5, 0.5]])
    """
    import ir_measures

    names = [str(measure) for measure in measures]
    fractions = labels.values[labels.values != np.rint(labels.values)]
    if fractions.size:
        whole = "ir_measures takes labels that are whole numbers"
        raise InputError(f"{', '.join(names)}: {whole}, got {fractions[0]:g}")
    _require_labels(names, labels)
    query_names, numbers = tuple(queries), _document_numbers(scores, labels)
    judged = {
        query: {numbers[document]: int(label) for document, label in documents.items()}
        for query, documents in _numbered(labels.of_queries(query_names).as_dict())
    }
    retrieved = {
        query: {numbers[document]: score for document, score in documents.items()}
        for query, documents in _numbered(scores.of_queries(query_names).as_dict())
        if documents
    }
    values = np.full((len(query_names), len(measures)), np.nan)
    metrics = [ir_measures.parse_measure(name) for name in names]
    for metric in _calculated(ir_measures, metrics, judged, retrieved):
        values[int(metric.query_id) - 1, names.index(str(metric.measure))] = metric.value
    return values


def _require_labels(names: Sequence[str], labels: Records) -> None:
    """Refuse labels that the programs behind ir_measures have no place for."""
    low, high = labels.values.min(initial=0.0), labels.values.max(initial=0.0)
    for name in names:
        most = _HIGHEST_OF_ERR if name.startswith("ERR") else _HIGHEST
        got = low if low < -most else high
        require(-most <= low <= high <= most, f"{name}: ir_measures takes labels up to {most:g}, got {got:g}")


def _numbered(by_query: Mapping[str, dict[str, float]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the documents of each query by its number, from 1 on: gdeval reads no other names of queries."""
    return zip(map(str, range(1, len(by_query) + 1)), by_query.values(), strict=True)


def _document_numbers(scores: Records, labels: Records) -> Mapping[str, str]:
    """Return numbers for the names of documents, as some programs read words, and names may hold white space.

    The names decide among equal scores, so numbers have the order of the names, also as texts: 01, 02, …, 10.
    """
    names = sorted({*scores.names.tolist(), *labels.names.tolist()})
    width = len(str(len(names)))
    return {name: f"{number:0{width}}" for number, name in enumerate(names)}


def _calculated(library: Any, measures: Sequence[Any], judged: object, retrieved: object) -> list[Any]:
    """Return the values that ir_measures computes.

    Raises
    ------
    InputError
        Naming the first measure whose program fails.
    """
    try:
        return [*library.iter_calc(measures, judged, retrieved)]
    except Exception as error:  # of a program in another language, or a division by zero
        if len(measures) > 1:
            return [
                value for measure in measures for value in _calculated(library, [measure], judged, retrieved)
            ]
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{measures[0]}: the program behind ir_measures failed: {reason}") from error
