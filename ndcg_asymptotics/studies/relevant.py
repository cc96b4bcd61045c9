"""The fields ``relevant`` and ``gain`` of a study: how many items are relevant, and gains of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import brief, is_number, whole_number
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.measures.gains import Gain, label_gains
from ndcg_asymptotics.populations import (
    Empirical,
    FixedCounts,
    Graded,
    GradedRoc,
    Random,
    Relevance,
    RocModel,
    Scorer,
    with_relevant,
)
from ndcg_asymptotics.populations.fixed_counts import MOST_RELEVANT

Relevant = int | str | Mapping[float, float]
"""A number of relevant items, or the number of items of each gain."""


def scorer_of(
    scorer: Scorer | RocModel | str, relevant: Relevant | None = None, gain: Gain = "linear"
) -> Scorer:
    """Return a scorer whose lists have a number of relevant items, and whose labels are replaced by gains.

    Parameters
    ----------
    scorer : Scorer, RocModel or text
        With ``relevant`` a relevance curve, a ROC curve or graded ones.
    relevant : int, text or mapping, optional
        As of a study.
    gain : {"linear", "binary", "exp2"}, text or mapping

    >>> str(scorer_of("roc_power(0.4)", relevant=2)), str(scorer_of("constant(0.2)"))
    ('relevant(2, roc_power(0.4))', 'constant(0.2)')
    """
    if relevant is not None:
        return with_gain(with_relevant(scorer, read_relevant(relevant)), gain)
    return with_gain(Scorer.of(scorer), gain)  # type: ignore[arg-type]


def read_relevant(field: object) -> int | Mapping[float, float]:
    """Return a study's field ``relevant``, in which numbers may be texts, as the keys of a TOML table are.

    Raises
    ------
    InputError
        Beginning with the name of the field.

    >>> read_relevant("2"), read_relevant({"2": 1, "1": "4"})
    (2, {2: 1, 1: 4})
    """
    if not isinstance(field, Mapping):
        return whole_number(_number(field), "relevant", 1, MOST_RELEVANT)
    require(len(field) > 0, "has no number of relevant items", "relevant")
    counts = {_number(key): _number(value) for key, value in field.items()}
    for value in (x for pair in counts.items() for x in pair):
        require(
            is_number(value) and value > 0,
            f"must be a table of positive numbers, got {brief(value)}",
            "relevant",
        )
    require(len(counts) == len(field), "has a number twice", "relevant")
    return counts


def _number(value: object) -> Any:
    """Return the number that a text stands for, or any other value as it is."""
    try:
        return (int(value) if value.isdigit() else float(value)) if isinstance(value, str) else value
    except ValueError:
        return value


def with_gain(scorer: Scorer | str, gain: Gain) -> Scorer:
    """Return the scorer in which labels are replaced by their gains, with the same probabilities.

    Grades whose gain becomes 0 are left out, since 0 takes the rest of the probability.

    >>> print(with_gain("graded(2=constant(0.1), 1=constant(0.2))", "exp2"))
    graded(3=constant(0.1), 1=constant(0.2))

    Raises
    ------
    InputError
        If two labels have the same gain, no label has a positive one, or a label has none.
    """
    model = Scorer.of(scorer)
    if isinstance(model, Random):
        return model
    gains = _mapped(model.gains, gain)
    if gains == model.gains:
        return model
    if isinstance(model, FixedCounts) and isinstance(model.source, Graded | GradedRoc):
        return _with_counts(model, model.source, gains)
    if not isinstance(model, Relevance):
        raise InputError(f"the label 1 of {model} has the gain 1, got {gains[0]:g}", "gain")
    if isinstance(model, Empirical):
        return model.with_gains(gains)
    return Graded(tuple(pair for pair in zip(gains, model.curves, strict=True) if pair[0] > 0))


def _with_counts(model: FixedCounts, source: Graded | GradedRoc, gains: tuple[float, ...]) -> FixedCounts:
    require(
        min(gains) > 0, "where the number of items of each grade is fixed, none may have the gain 0", "gain"
    )
    mapped = type(source)(tuple(zip(gains, source.curves, strict=True)))  # type: ignore[arg-type]
    counts = dict(zip(gains, model.counts, strict=True))
    return FixedCounts(tuple(counts[y] for y in mapped.gains), mapped)


def _mapped(labels: Sequence[float], gain: Gain) -> tuple[float, ...]:
    gains = tuple(label_gains(np.array(labels, np.float64), gain).tolist())
    positive = [value for value in gains if value > 0]
    table_text = ", ".join(f"{label:g}={value:g}" for label, value in zip(labels, gains, strict=True))
    different = len(set(positive)) == len(positive) > 0
    require(different, f"the positive gains of a scorer must be different, got {table_text}", "gain")
    return gains
