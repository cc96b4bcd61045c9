"""Simulated studies and theoretical values are those of the record (see `frozen_record`)."""

import json

import frozen_record
import numpy as np
import pytest

VALUES = json.loads(frozen_record.VALUES.read_text(encoding="utf-8"))
STUDIES = json.loads(frozen_record.STUDIES.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_studies_draw_what_they_drew() -> None:
    drawn = {name: frozen_record.digests(study) for name, study in frozen_record.studies()}
    assert drawn.keys() == STUDIES.keys()
    for name, record in STUDIES.items():
        assert drawn[name].keys() == record.keys(), name
        for variable, digest in record.items():
            assert drawn[name][variable] == pytest.approx(digest, rel=1e-11, abs=1e-9), (name, variable)


def test_digests_change_with_one_value() -> None:
    values = np.random.default_rng(1).random(500)
    before = np.array(frozen_record.digest(values))
    values[321] += 1e-7
    assert np.abs(frozen_record.digest(values) - before).max() > 1e-8


def agrees(record: frozen_record.Value, value: float | None, error: list[float]) -> bool:
    """Whether a value is the recorded one within the two stated errors.

    The ends of intervals of drawn values are two standard errors away, and both draws may be unlucky: 2.5
    times both half widths are five standard errors or more, beyond which a right value is with 6e-7.
    """
    if record["kind"] == "wrong order":
        half = [max(high - low, 1e-6) / 2 for low, high in (record["error"], error)]
        return value is not None and abs(value - record["value"]) <= 2.5 * sum(half)
    return value is not None and abs(value - record["value"]) <= record["error"][0] + error[0]


@pytest.mark.slow
def test_theoretical_values_are_those_of_the_record(effort: int) -> None:
    """Every third of them is computed anew; with ``--effort 3`` all are."""
    values, wrong = VALUES[:: max(3 // effort, 1)], []
    for record, now in zip(values, frozen_record.computed_anew(values), strict=True):
        if not agrees(record, now["value"], now["error"]):
            wrong.append((record, now))
    assert not wrong


def test_a_wrong_value_does_not_agree() -> None:
    by_kind = {record["kind"]: record for record in VALUES}
    assert by_kind.keys() == frozen_record.KINDS
    for record in by_kind.values():
        assert agrees(record, record["value"], record["error"])
        assert not agrees(record, record["value"] + 1, record["error"])
        assert not agrees(record, None, record["error"])
