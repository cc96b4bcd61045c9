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

from robustness.broken import ENGINES, THEORY

ROOT = Path(__file__).parents[2]

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


def theory() -> Iterator[Mutation]:
    """Yield the formulas of `broken.THEORY`."""
    for block in THEORY.strip().split("\n\n"):
        first, old, new, *ways = block.splitlines()
        file, name = first.split(": ", 1)
        how = dict(way.split(" ", 1) for way in ways)
        scorer, _, measures = how.get("check", "").partition(" by ")
        study = (scorer, *measures.split("; ")) if scorer else ()
        yield Mutation(name, file, _text(old), _text(new), study, tuple(how.get("pytest", "").split()))


def engines() -> Iterator[Mutation]:
    """Yield the formulas of `broken.ENGINES`."""
    for tests, text in ENGINES.items():
        for block in text.strip().split("\n\n"):
            first, old, new = block.splitlines()
            place, name = first.split("]: ", 1)
            file, test = place.split(" [")
            name = f"{file.partition('/')[0]}: {name}"
            yield Mutation(
                name, f"engines/{file}", _text(old), _text(new), (), (tests, "-k", test), plain=True
            )


def _text(line: str) -> str:
    """Return the text of a line after its sign."""
    return line[2:].replace("\\n", "\n")


MUTATIONS = (*theory(), *engines())


def mutated(mutation: Mutation, text: str) -> str:
    """Return the text of a file with the mutation, which must apply in exactly one place."""
    if (count := text.count(mutation.old)) != 1:
        raise SystemExit(
            f"{mutation.name}: {mutation.old!r} occurs {count} times in {mutation.file}, not once"
        )
    return text.replace(mutation.old, mutation.new)


@contextmanager
def copy_of_the_package(mutation: Mutation | None = None) -> Iterator[Path]:
    """A copy of the package with its tests, broken in one place."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        folder = Path(name)
        shutil.copy2(ROOT / "pyproject.toml", folder)
        skipped = ("*.nbi", "*.nbc") if mutation is not None and mutation.plain else ()
        for part in ("ndcg_asymptotics", "tests"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns(*skipped))
        if mutation is not None:
            file = folder / "ndcg_asymptotics" / mutation.file
            file.write_text(mutated(mutation, file.read_text(encoding="utf-8")), encoding="utf-8")
        yield folder


def caught(folder: Path, mutation: Mutation) -> str:
    """Return what notices that the package in a folder is broken as a mutation says, or an empty text."""
    if mutation.study:
        scorer, *measures = mutation.study
        run = run_python(folder, "-c", _CHECK, json.dumps([{"a": scorer}, measures]))
        if run.returncode:
            return f"check ends with exit status {run.returncode}: {run.stderr.strip()[-200:]}"
        if wrong := json.loads(run.stdout.splitlines()[-1]):
            return f"check: {wrong[0]}"
    if not mutation.tests:
        return ""
    # as plain Python, whole numbers that overflow on purpose and divisions that numba allows give warnings
    warnings = ("-W", "ignore::RuntimeWarning") if mutation.plain else ()
    options = "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *warnings, *mutation.tests
    run = run_python(folder, *options, NUMBA_DISABLE_JIT=str(int(mutation.plain)))
    if run.returncode not in (0, 1):
        raise SystemExit(f"pytest {mutation.tests} ends with exit status {run.returncode}:\n{run.stdout}")
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
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
