"""A record of simulated studies and of theoretical values that later versions must reproduce.

``python tests/support/frozen_record.py`` computes tests/data/*.json anew; `test_frozen_record` compares.
A value is replaced only after it was shown to be wrong, in a commit that says why.

Of a study the record has digests: two sums of all values of a variable with fixed weights. They change with
any draw, but not with the last bits, which depend on the processor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.wrong_order import wrong_order
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.sweep.running import run
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders import error_exponent

HERE = Path(__file__).parents[1]
STUDIES, VALUES = HERE / "data" / "frozen_studies.json", HERE / "data" / "frozen_values.json"

EXPERIMENTS = tuple(path for path in sorted((HERE.parent / "experiments").glob("*.toml")))
LONGEST = {"items": 1000, "every-n": 300, "cells": 10**18, "rare": 10**4}
REPLICATES = 2
COUPLED = {
    "scorers": {"a": "power(0.1, 0.7, 2)", "b": "linear(0.1, 0.5)"},
    "measures": ["nDCG", "nDCG(zipf)@0.2n", "DCG(power(0.3))", "DCG@7"],
    "n": [1, 5, 40, 300],
    "seed": 7,
    "pairs": [("a", "b")],
    "coupling": "gaussian(0.5)",
}

Value = dict[str, Any]
"""What a recorded value is of, the value, and its error."""


def studies() -> Iterator[tuple[str, Study]]:
    """Yield the studies of experiments/ at small size, and one whose scorers are coupled."""
    for path in EXPERIMENTS:
        study = load(path)
        sizes = [n for n in study.n if n <= LONGEST[study.engine]]
        # the items drawn depend on the longest n, so that the sizes are part of the record
        yield path.stem, study.with_(n=sizes, replicates=REPLICATES)
    yield "coupled", Study(**COUPLED, replicates=REPLICATES)  # type: ignore[arg-type]


def digest(values: np.ndarray[Any, Any]) -> list[float]:
    """Return two sums of the values with fixed weights between -1 and 1; infinite values count as 1e6."""
    flat = np.clip(np.nan_to_num(values.astype(float).ravel(), nan=-1e6), -1e6, 1e6)
    place = np.arange(1.0, flat.size + 1)
    return [float(flat @ np.cos(place)), float(flat @ np.sin(np.sqrt(2) * place))]


def digests(study: Study) -> dict[str, list[float]]:
    """Simulate a study and return the digest of each variable of its results."""
    data = run(study, jobs=1).data
    return {str(name): digest(data[name].values) for name in sorted(map(str, data.data_vars))}


def compute(kind: str, a: str, b: str | None, measure_text: str, n: int | None) -> tuple[Any, ...]:
    """Return a value of theory, and the error or the interval that is stated for it."""
    scorer, measure = Scorer.of(a), Measure.of(measure_text)
    match kind:
        case "mean":
            assert n is not None
            mean = expected_ndcg(scorer, measure, [n])
            return float(mean.value[0]), float(mean.error[0])
        case "limit":
            return limit(scorer, measure).value, 1e-9
        case "exponent":
            assert b is not None
            return error_exponent(scorer, Scorer.of(b), measure).exponent, 1e-9
        case _:
            assert n is not None
            assert b is not None
            wrong = wrong_order(scorer, Scorer.of(b), measure, n)
            return wrong.log10, wrong.low, wrong.high


FIELDS = ("kind", "a", "b", "measure", "n")
KINDS = {"mean", "limit", "exponent", "wrong order"}


def computed_anew(values: list[Value]) -> Iterator[Value]:
    """Yield the values of the record as they are computed now."""
    for value in values:
        new, *error = compute(*(value[field] for field in FIELDS))
        yield value | {"value": new, "error": error}


def _write(path: Path, ends: str, rows: list[str]) -> None:
    path.write_text("\n".join([ends[0], ",\n".join(rows), ends[1], ""]), encoding="utf-8")


if __name__ == "__main__":
    recorded = json.loads(VALUES.read_text(encoding="utf-8"))
    _write(STUDIES, "{}", [f"{json.dumps(name)}: {json.dumps(digests(study))}" for name, study in studies()])
    _write(VALUES, "[]", [json.dumps(value) for value in computed_anew(recorded)])
