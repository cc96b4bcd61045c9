"""Scorers with other gains, such as 2^y - 1 of the labels y in their texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.measures.gains import Gain, label_gains
from ndcg_asymptotics.populations import (
    Confusion,
    Empirical,
    FixedCounts,
    Graded,
    GradedRoc,
    Mixture,
    Model,
    Random,
    Relevance,
    Scorer,
)


def with_gain(given: Scorer | str, gain: Gain) -> Scorer:
    """Return the scorer in which labels are replaced by their gains, with the same probabilities.

    Grades whose gain becomes 0 are left out, since 0 takes the rest of the probability.

    >>> print(with_gain("graded(2=constant(0.1), 1=constant(0.2))", "exp2"))
    graded(3=constant(0.1), 1=constant(0.2))

    Raises
    ------
    InputError
        If two labels have the same gain, no label has a positive one, or a label has none.
    """
    scorer = Scorer.of(given)
    if isinstance(scorer, Random):
        return scorer
    if isinstance(scorer, Mixture):
        if scorer.file:
            return Mixture.decode(_rewritten(scorer.content, gain), scorer.file)
        return replace(
            scorer, groups=tuple((weight, _of_model(model, gain)) for weight, model in scorer.groups)
        )
    ((_, model),) = scorer.groups
    return _of_model(model, gain)


def _of_model(model: Model, gain: Gain) -> Model:
    gains = _mapped(model.gains, gain)
    if gains == model.gains:
        return model
    if isinstance(model, FixedCounts) and isinstance(model.source, Graded | GradedRoc):
        return _of_fixed_counts(model, model.source, gains)
    if not isinstance(model, Relevance):
        raise InputError(f"the label 1 of {model} has the gain 1, got {gains[0]:g}", "gain")
    if isinstance(model, Confusion):
        kept = min(gains) > 0 and list(gains) == sorted(gains, reverse=True)
        require(kept, "the grades of a judge keep their order, and none but 0 may have the gain 0", "gain")
        source = _of_model(model.source, gain)
        assert isinstance(source, Relevance)
        return Confusion(source, model.rates)
    if isinstance(model, Empirical):
        return Empirical(model.file, _rewritten(model.content, gain))
    return Graded(tuple(pair for pair in zip(gains, model.curves, strict=True) if pair[0] > 0))


def _of_fixed_counts(model: FixedCounts, source: Graded | GradedRoc, gains: tuple[float, ...]) -> FixedCounts:
    require(
        min(gains) > 0, "where the number of items of each grade is fixed, none may have the gain 0", "gain"
    )
    mapped = type(source)(tuple(zip(gains, source.curves, strict=True)))  # type: ignore[arg-type]
    counts = dict(zip(gains, model.counts, strict=True))
    return FixedCounts(tuple(counts[y] for y in mapped.gains), mapped)


def _mapped(labels: Sequence[float], gain: Gain) -> tuple[float, ...]:
    gains = tuple(label_gains(np.array(labels, np.float64), gain).tolist())
    positive = [value for value in gains if value > 0]
    listed = ", ".join(f"{label:g}={value:g}" for label, value in zip(labels, gains, strict=True))
    different = len(set(positive)) == len(positive) > 0
    require(different, f"the positive gains of a scorer must be different, got {listed}", "gain")
    return gains


def _rewritten(content: bytes, gain: Gain) -> bytes:
    """Return the content of a curve file with other gains."""
    table = json.loads(content)
    for curves in table.get("groups", [table]):
        gains = _mapped([float(label) for label in curves["gains"]], gain)
        order = sorted((row for row, value in enumerate(gains) if value > 0), key=lambda row: -gains[row])
        curves["gains"] = [gains[row] for row in order]
        curves["probability"] = _rows(curves["probability"], order)
        band = curves.get("band") or {}
        band.update({side: _rows(band[side], order) for side in ("low", "high") if side in band})
    return json.dumps(table, indent=1).encode()


def _rows(rows: Sequence[object], order: Sequence[int]) -> list[object]:
    return [rows[row] for row in order]
