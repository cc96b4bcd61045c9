"""A record of simulated studies and of theoretical values that later versions must reproduce.

``python tests/frozen_record.py`` computes tests/data/*.json anew; `test_frozen_record` compares. A value
is replaced only after it was shown to be wrong, in a commit that says why.

Of a study the record has digests: two sums of all values of a variable with fixed weights. They change with
any draw, but not with the last bits, which depend on the processor.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.analysis.orders.wrong_order import wrong_order
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.sweep.running import run
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rare import error_exponent

HERE = Path(__file__).parent
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


class _Random:
    """Random specs: curves, pairs of curves with the same label law, fixed counts, measures."""

    discounts = (
        "log", "log", "zipf", "power(0.2)", "power(0.5)", "power(0.7)", "power(0.9)", "power(1.5)",
        "geometric(2)", "geometric(1.1)", "linear", "rbp(0.8)", "constant",
    )  # fmt: skip
    cutoffs = ("", "", "", "@1", "@5", "@10", "@100", "@0.2n", "@0.5n", "@n^0.5", "@n^0.8", "@5log(n)")

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def number(self, least: float, most: float) -> float:
        return float(f"{self.rng.uniform(least, most):.3g}")

    def measure(self) -> str:
        discount, cutoff = self.rng.choice(self.discounts), self.rng.choice(self.cutoffs)
        if discount == "constant" and not cutoff:
            cutoff = "@0.3n"
        return f"{self.rng.choice(['nDCG'] * 6 + ['DCG'])}({discount}){cutoff}"

    def of_many_ranks(self) -> str:
        """A measure that more and more ranks decide, so that most pairs have an exponent above 0."""
        discount, cutoff = self.rng.choice(self.discounts[:7]), self.rng.choice(("", "@0.2n", "@n^0.8"))
        return f"nDCG({discount}){cutoff}"

    def family(self, p: float) -> str:
        """A curve with the mean p."""
        top = float(f"{p * self.rng.uniform(0.6, min(1.9, (1 + p) / 2 / p)):.3g}")
        high = float(f"{p + (min(1, 2 * p) - p) * self.rng.uniform(0.1, 0.9):.3g}")
        return str(
            self.rng.choice(
                [
                    f"linear(prevalence={p}, top={top})",
                    f"power(prevalence={p}, top={high}, exponent={self.number(1, 5)})",
                    f"cusp(prevalence={p}, top={high}, alpha={self.number(0.2, 0.9)})",
                    f"constant({p})",
                    f"binormal({p}, {self.number(0, 2)})",
                    f"logistic({p}, {self.number(-3, 8)})",
                ]
            )
        )

    def odd(self) -> str:
        """A curve with breaks, or one that is 0 or 1 at an end."""
        x, y, z = (self.number(0.02, 0.9) for _ in range(3))
        return str(
            self.rng.choice(
                [
                    f"step({x}, {y}, {z})",
                    f"piecewise(0={x}, {z}={y}, 1={z})",
                    f"linear(0, {x})",
                    f"linear({x}, 1)",
                    f"power(0, 1, {self.number(0.5, 6)})",
                    f"polynomial({x / 2}, {y / 2})",
                ]
            )
        )

    def share(self) -> float:
        return float(f"{10 ** self.rng.uniform(-2, np.log10(0.45)):.2g}")

    def graded(self, p: float, q: float) -> str:
        return f"graded(3={self.family(p)}, 1={self.family(q)})"

    def one(self) -> str:
        kind = self.rng.random()
        if kind < 0.4:
            return self.family(self.share())
        if kind < 0.65:
            return self.odd()
        if kind < 0.8:
            return self.graded(self.share(), self.share())
        return self.few(int(self.rng.integers(1, 5)))

    def few(self, relevant: int) -> str:
        roc = self.rng.choice(
            [
                f"roc_power({self.number(0.2, 1)})",
                f"roc_binormal({self.number(0, 2)})",
                f"roc_beta({self.number(0.5, 1)}, {self.number(1, 3)})",
            ]
        )
        return f"relevant({relevant}, {roc})"

    def pair(self) -> tuple[str, str]:
        kind, p, q = self.rng.random(), self.share(), self.share()
        if kind < 0.75:
            return self.family(p), self.family(p)
        return self.graded(p, q), self.graded(p, q)


def specs() -> Iterator[tuple[str, str, str | None, str, int | None]]:
    """Yield what values there could be of: endlessly many, the four kinds in turn."""
    random = _Random(2013)
    sizes, short = (
        [1, 2, 3, 7, 20, 60, 150, 700, 3000, 10**5, 10**8, 10**12, 10**18],
        [5, 30, 200, 1000, 10**5],
    )
    yield (
        "mean",
        "linear(0.1, 0.7)",
        None,
        "nDCG(clipped_log(2))",
        1000,
    )  # its exponentials take a second to find
    for i in itertools.count():
        yield "mean", random.one(), None, random.measure(), int(random.rng.choice(sizes))
        yield "limit", random.one(), None, random.measure(), None
        yield "exponent", *random.pair(), random.measure() if i % 3 else random.of_many_ranks(), None
        yield "wrong order", *random.pair(), random.measure(), int(random.rng.choice(short))


FIELDS = ("kind", "a", "b", "measure", "n")
COUNTS = {"mean": 230, "limit": 130, "exponent": 80, "wrong order": 60}


def new_values() -> list[Value]:
    """Compute the values of the record: those that are known, with a finite error."""
    record: list[Value] = []
    missing = dict(COUNTS)
    for spec in specs():
        if not missing[spec[0]]:
            continue
        try:
            value, *error = compute(*spec)
        except (InputError, NotAvailableError):
            continue
        if value is None or None in error or not np.isfinite([value, *error]).all():
            continue
        record.append(dict(zip(FIELDS, spec, strict=True)) | {"value": value, "error": error})
        missing[spec[0]] -= 1
        if not any(missing.values()):
            break
    return record


def _write(path: Path, ends: str, rows: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([ends[0], ",\n".join(rows), ends[1], ""]), encoding="utf-8")


if __name__ == "__main__":
    _write(STUDIES, "{}", [f"{json.dumps(name)}: {json.dumps(digests(study))}" for name, study in studies()])
    _write(VALUES, "[]", [json.dumps(value) for value in new_values()])
