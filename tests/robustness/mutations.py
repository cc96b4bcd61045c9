"""Formulas broken one at a time: whether `check`, or a test of an engine or of the theory, notices each.

Each mutation edits one line in a copy of the package. If the mutation names a study, `check` runs it with
the copy, and where it finds nothing wrong the tests named beside the mutation run. The unbroken copy must
pass all of it. Engines run as plain Python: a compiled kernel does not notice that one it calls has changed.

    python -m robustness.mutations [NAME ...]

A name is that of a mutation, or its beginning, such as "cells".
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from robustness.engine_mutations import TESTS

ROOT = Path(__file__).parents[2]
_COPIED = ("ndcg_asymptotics", "tests", "pyproject.toml")

_CHECK = """
import json, sys
import ndcg_asymptotics as na
scorers, measures = json.loads(sys.argv[1])
study = na.Study(scorers=scorers, measures=measures, n=[10, 100], replicates=400, seed=1)
found = na.check(na.run(study, jobs=1))
kinds = {"mean": found.rows, "standard deviation": found.stds, "limit": found.limits}
wrong = [(kind, row) for kind, rows in kinds.items() for row in rows if row.verdict == "disagrees"]
print(json.dumps([f"{kind} of {row.measure}" for kind, row in wrong]))
"""
LINEAR = "linear(0.1, 0.7)"


@dataclass(frozen=True)
class Mutation:
    """A formula and the way it is broken.

    Attributes
    ----------
    name : str
    file : str
        Below the package.
    old, new : str
        A text that occurs once in the file, and what replaces it.
    study : tuple of str
        A scorer and measures for `check`; for none of them `check` does not run.
    tests : tuple of str
        Arguments of pytest, used where `check` finds nothing.
    plain : bool
        Whether kernels run as plain Python.
    """

    name: str
    file: str
    old: str
    new: str
    study: tuple[str, ...]
    tests: tuple[str, ...] = ()
    plain: bool = False


THEORY = (
    Mutation(
        "Theorem 1: 0.99 for 1",
        "theory/limits.py",
        "return Limit(1.0, theorem, (_some_gain(relevance),), mode",
        "return Limit(0.99, theorem, (_some_gain(relevance),), mode",
        (LINEAR, "nDCG"),
    ),
    Mutation(
        "Theorem 3: ideal list without 1/(1 - b)",
        "measures/asymptotics.py",
        "t**a / a)",
        "t**a)",
        (LINEAR, "nDCG(power(0.5))"),
    ),
    Mutation(
        "Theorem 8: ideal list not cut",
        "theory/limits.py",
        "ends = np.minimum(self.reached, c)\n",
        "ends = np.minimum(self.reached, 1.0)\n",
        (LINEAR, "nDCG@0.2n"),
    ),
    Mutation(
        "Theorem 9: another profile",
        "theory/limits.py",
        "weights = weights * asymptotics.profile(t) *",
        "weights = weights * (1 + 0.3 * t) * asymptotics.profile(t) *",
        (LINEAR, "nDCG(power(0.3))@0.2n"),
    ),
    Mutation(
        "Theorems 5 and 7: 1/1.01 of the value at the top",
        "theory/limits.py",
        "return Limit(relevance.mean_gain_at_top / labels.gains[0], theorem, assumptions)",
        "return Limit(relevance.mean_gain_at_top / labels.gains[0] / 1.01, theorem, assumptions)",
        (LINEAR, "nDCG(zipf)", "nDCG@n^0.5"),
    ),
    Mutation(
        "Theorem 11: another best grade",
        "theory/limits.py",
        "return Limit(relevance.mean_gain_at_top / labels.gains[0], theorem, assumptions)",
        "return Limit(relevance.mean_gain_at_top / labels.gains[-1], theorem, assumptions)",
        ("graded(3=linear(0.1, 0.3), 2=constant(0.3))", "nDCG@n^0.5"),
    ),
    Mutation(
        "linear discount: ideal list with a third for a half",
        "measures/asymptotics.py",
        "t - t**2 / 2",
        "t - t**2 / 3",
        (LINEAR, "nDCG(linear)"),
    ),
    Mutation(
        "Theorem 6 with a certain top: 0.98 of the limit",
        "theory/limits.py",
        "value = relevance.mean_gain_at_top / gains[0] if gains",
        "value = 0.98 * relevance.mean_gain_at_top / gains[0] if gains",
        ("linear(0, 1)", "nDCG@10"),
    ),
    Mutation(
        "leading gap of the log discount: 1.1 of it",
        "theory/leading_terms.py",
        "return Gap((first - value * ideal) /",
        "return Gap(1.1 * (first - value * ideal) /",
        (LINEAR, "nDCG"),
    ),
    Mutation(
        "leading gap of r^-b: 1.1 of it",
        "theory/leading_terms.py",
        "return Gap(constant * (top - value * most) /",
        "return Gap(1.1 * constant * (top - value * most) /",
        (LINEAR, "nDCG(power(0.7))"),
    ),
    Mutation(
        "standard deviation that stays: at the list length",
        "theory/deviation/asymptotic.py",
        "squares = _weights(measure, seen, n) ** 2 *",
        "squares = 1.05 * _weights(measure, seen, n) ** 2 *",
        (LINEAR, "nDCG@10"),
    ),
    Mutation(
        "standard deviation that stays: in the limit",
        "theory/deviation/asymptotic.py",
        "squares = _weights(measure, min(measure.cutoff(ENDLESS), _RANKS), ENDLESS) ** 2",
        "squares = 1.05 * _weights(measure, min(measure.cutoff(ENDLESS), _RANKS), ENDLESS) ** 2",
        (LINEAR, "nDCG@10"),
        ("tests/theory/test_limits.py", "-k", "limiting_std"),
    ),
    Mutation(
        "log discount: log(1.5 + r)",
        "measures/discounts/standard.py",
        "return 1.0 / np.log1p(rank)\n",
        "return 1.0 / np.log(1.5 + rank)\n",
        (LINEAR, "nDCG"),
        ("tests/measures/test_discounts.py",),
    ),
    Mutation(
        "ideal list: the grades in the wrong order",
        "measures/measure.py",
        "prepend=0.0) @ np.asarray(gains, np.float64))",
        "prepend=0.0) @ np.asarray(gains, np.float64)[::-1])",
        ("graded(3=linear(0.1, 0.3), 1=constant(0.3))", "nDCG"),
    ),
    Mutation(
        "error exponent: kappa without the lead",
        "theory/rare/exponents.py",
        "pair.lead / (pair.lead + highest - lowest)",
        "pair.lead / (highest - lowest)",
        (LINEAR, "nDCG"),
        ("tests/theory/test_exponents.py", "-k", "turn_over"),
    ),
    Mutation(
        "probability of a wrong order: without the width of the tilted law",
        "theory/rare/tilting.py",
        "return -cost + std**2 / 2 + float(log_ndtr(-std))",
        "return -cost + float(log_ndtr(-std))",
        (),
        ("tests/theory/test_exponents.py", "-k", "is_an_integral"),
    ),
    Mutation(
        "standard deviation: without what the first ranks change",
        "theory/deviation/counts.py",
        "variance += off / ideal.middle**2",
        "variance += 0 * off",
        (),
        ("tests/theory/deviation/test_counts.py", "-k", "first_ranks"),
    ),
    Mutation(
        "standard deviation: the bends of the mean in the counts left out",
        "theory/deviation/counts.py",
        "linear - of_variance - of_mean + second",
        "linear - of_variance + second",
        (),
        ("tests/theory/deviation/test_counts.py", "-k", "second_order"),
    ),
    Mutation(
        "few relevant items: the largest kappa of the grades",
        "theory/scaled_limits.py",
        "kappa = min(top.exponent for top, _ in known)",
        "kappa = max(top.exponent for top, _ in known)",
        (LINEAR, "nDCG"),
        ("tests/theory/test_scaled_limits.py", "-k", "different_exponents"),
    ),
    Mutation(
        "few relevant items: the discount's constant left out",
        "theory/scaled_limits.py",
        "value=constant * found.value",
        "value=found.value",
        ("relevant(1, roc_power(0.5))", "nDCG(clipped_log(2))"),
    ),
    Mutation(
        "wrong orders: a tie is none",
        "analysis/orders/wrong_order.py",
        "found[measure] = DrawnOrders(lists, (lists - first, lists - second), method)",
        "found[measure] = DrawnOrders(lists, (second, first), method)",
        (LINEAR, "nDCG"),
        ("tests/analysis/test_wrong_orders.py", "-k", "rare_wrong"),
    ),
    Mutation(
        "tilt: the push of the items below left out",
        "theory/rare/tilting.py",
        "influence = weights.own + push[:, None]",
        "influence = weights.own",
        (LINEAR, "nDCG"),
        ("tests/theory/test_rare.py",),
    ),
)

ENGINES = tuple(
    Mutation(
        f"{file.partition('/')[0]}: {name}", f"engines/{file}", old, new, (), (tests, "-k", test), plain=True
    )
    for tests, formulas in TESTS.items()
    for file, name, old, new, test in formulas
)
MUTATIONS = THEORY + ENGINES


def mutated(mutation: Mutation, text: str) -> str:
    """Return the text of a file with the mutation, which must apply in exactly one place."""
    found = text.count(mutation.old)
    if found != 1:
        raise SystemExit(
            f"{mutation.name}: {mutation.old!r} occurs {found} times in {mutation.file}, not once"
        )
    return text.replace(mutation.old, mutation.new)


@contextmanager
def copy_of_the_package(mutation: Mutation | None = None) -> Iterator[Path]:
    """A copy of the package with its tests, broken in one place; no tests for a mutation without any."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        folder = Path(name)
        for part in _COPIED if mutation is None or mutation.tests else _COPIED[:1]:
            source = ROOT / part
            if source.is_dir():
                skipped = ("*.nbi", "*.nbc") if mutation is not None and mutation.plain else ()
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns(*skipped))
            else:
                shutil.copy2(source, folder / part)
        if mutation is not None:
            file = folder / "ndcg_asymptotics" / mutation.file
            file.write_text(mutated(mutation, file.read_text(encoding="utf-8")), encoding="utf-8")
        yield folder


def caught(folder: Path, mutation: Mutation) -> str:
    """Return what notices that the package in a folder is broken as a mutation says, or an empty text."""
    if mutation.study:
        scorer, *measures = mutation.study
        found = run_python(folder, "-c", _CHECK, json.dumps([{"a": scorer}, measures]))
        if found.returncode:
            return f"check ends with exit status {found.returncode}: {found.stderr.strip()[-200:]}"
        wrong = json.loads(found.stdout.splitlines()[-1])
        if wrong:
            return f"check: {wrong[0]}"
    tests = mutation.tests
    if not tests:
        return ""
    # as plain Python, whole numbers that overflow on purpose and divisions that numba allows give warnings
    warnings = ("-W", "ignore::RuntimeWarning") if mutation.plain else ()
    options = "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *warnings
    found = run_python(folder, "-m", "pytest", *options, *tests, NUMBA_DISABLE_JIT=str(int(mutation.plain)))
    if found.returncode not in (0, 1):
        raise SystemExit(
            f"pytest {' '.join(tests)} ends with exit status {found.returncode}:\n{found.stdout}"
        )
    lines = [line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].split(" - ")[0].removeprefix("FAILED ") if lines else ""


def run_python(
    folder: Path, *arguments: str, timeout: float | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with the package and the tests of a folder, and with some environment variables."""
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{folder / 'tests'}"} | variables
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=timeout
    )


def false_alarms(mutations: Iterable[Mutation]) -> list[str]:
    """Return the tests that fail for the package as it is."""
    with copy_of_the_package() as folder:
        looks = {(mutation.study, mutation.tests, mutation.plain): mutation for mutation in mutations}
        return [found for mutation in looks.values() if (found := caught(folder, mutation))]


def main() -> None:
    """Print what notices each mutation; exit status 1 if one lives, or the unbroken package does not pass."""
    names = sys.argv[1:]
    chosen = [m for m in MUTATIONS if not names or any(m.name.startswith(name) for name in names)]
    alive = []
    for mutation in chosen:
        start = time.perf_counter()
        with copy_of_the_package(mutation) as folder:
            found = caught(folder, mutation)
        print(f"{mutation.name}: {found or 'LIVES'} ({time.perf_counter() - start:.0f} s)", flush=True)
        alive += [] if found else [mutation.name]
    wrong = false_alarms(chosen)
    print(f"{len(chosen)} mutations, {len(alive)} live; {len(wrong)} false alarms without one: {wrong}")
    raise SystemExit(1 if alive or wrong else 0)


if __name__ == "__main__":
    main()
