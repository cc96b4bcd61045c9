"""Stores harmed in every way that comes to mind: what `verify`, `check`, `merge` and `run` make of them.

``python -m benchmarks.damage [CASES [SEED]]``. A case is a copy of a sound store with one harm. Nothing may
raise, no wrong number may be read, and the same run must give the undisturbed bits again.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.commands import command
from benchmarks.soak import digest
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results import layout, open_results

REPLICATES = 40
STUDY = """
title = "harmed"
measures = ["nDCG", "nDCG(zipf)@0.2n", 'nDCG(custom("own:slow", 1000, "log"))']
n = [5, 10, 20, 50, 100]
engine = "cells"
replicates = 40
seed = 3
pairs = [["fitted", "random"]]
[scorers]
fitted = 'empirical("fitted.json")'
random = "random"
"""
CURVE = {
    "format": "ndcg-asymptotics curve 1",
    "gains": [1],
    "depth": [0.0, 0.5, 1.0],
    "probability": [[0.8, 0.3, 0.2]],
}
OWN = "import numpy as np\n\ndef slow(rank):\n    return 1 / np.log(2 + rank)\n"

Harm = Callable[[Path, random.Random], str]


def flip_values(folder: Path, chance: random.Random) -> str:
    """One bit of a value."""
    return _flip(chance.choice(_files(folder, "ndcg/c")), chance)


def flip_anything(folder: Path, chance: random.Random) -> str:
    """One bit of any file."""
    return _flip(chance.choice(_files(folder)), chance)


def _flip(file: Path, chance: random.Random) -> str:
    content = bytearray(file.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)
    return f"bit {bit} of {file}"


def cut(folder: Path, chance: random.Random) -> str:
    """A file that ends early, or goes on."""
    file = chance.choice(_files(folder))
    content = file.read_bytes()
    kept = chance.randrange(len(content))
    file.write_bytes(content[:kept] if chance.random() < 0.8 else content + content[kept:])
    return f"{file} cut at {kept}"


def delete(folder: Path, chance: random.Random) -> str:
    """A file, or a folder of the store."""
    file = chance.choice(_files(folder))
    if chance.random() < 0.8:
        file.unlink()
        return f"{file} deleted"
    within = file.parent if file.parent not in (folder, folder / layout.STORE) else file
    shutil.rmtree(within) if within.is_dir() else within.unlink()
    return f"{within} deleted"


def swap(folder: Path, chance: random.Random) -> str:
    """Two files, each in the place of the other."""
    one, other = chance.sample(_files(folder), 2)
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    return f"{one} and {other} swapped"


def swap_chunks(folder: Path, chance: random.Random) -> str:
    """Two chunks that could pass for each other."""
    one, other = chance.sample(_files(folder, "/c/"), 2)
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    return f"{one} and {other} swapped"


def edit(folder: Path, chance: random.Random) -> str:
    """A number, text or list in a description."""
    file = chance.choice([f for f in _files(folder) if f.suffix == ".json"])
    found = json.loads(file.read_text())
    places = list(_leaves(found))
    holder, key = chance.choice(places)
    old = holder[key]
    holder[key] = chance.choice([0, 1, -1, 10**10, 1e308, "x", "", None, [], {}, [[]] * 3, True, old])
    if isinstance(old, str) and len(old) > 2 and chance.random() < 0.5:
        at = chance.randrange(len(old))
        holder[key] = old[:at] + chance.choice('0123456789xyz"\\') + old[at + 1 :]
    file.write_text(json.dumps(found, indent=2))
    return f"{file}: {key} {old!r:.60} made {holder[key]!r:.60}"


def _leaves(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _leaves(value[key])


def replace(folder: Path, chance: random.Random) -> str:
    """Something else in the place of a file."""
    file = chance.choice(_files(folder))
    file.unlink()
    kind = chance.choice(("noise", "empty", "device", "pipe", "folder", "nowhere"))
    if kind == "noise":
        file.write_bytes(chance.randbytes(chance.randrange(1, 3000)))
    elif kind == "empty":
        file.touch()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero" if kind == "device" else "/nowhere/at/all")
    return f"{file} made {kind}"


HARMS: tuple[Harm, ...] = (flip_values, flip_anything, cut, delete, swap, swap_chunks, edit, replace)


def _files(folder: Path, within: str = "") -> list[Path]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size)
    return [file for file in files if within in file.as_posix()]


def sound_store(place: Path) -> tuple[Path, Path]:
    """A study file and a folder with its results, in several chunks."""
    (place / "fitted.json").write_text(json.dumps(CURVE))
    (place / "own.py").write_text(OWN)
    study = place / "study.toml"
    study.write_text(STUDY)
    ended = command("run", study, "--out", place / "sound", "--jobs", 1, "--allow-custom")
    if ended.code != 0:
        raise AssertionError(ended.err)
    return study, place / "sound"


def try_harm(harm: Harm, chance: random.Random, study: Path, sound: Path, looks: bool) -> tuple[str, str]:
    """What became of one harm, and what it was; ``looks`` for `check` and `merge`, which take longer.

    Raises
    ------
    AssertionError
        If anything raised, a wrong number was read, or the same run does not mend it.
    """
    truth = digest(open_results(sound, allow_custom=True))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "harmed"
        shutil.copytree(sound, folder)
        what = f"{harm.__name__}: {harm(folder, chance)}".replace(str(folder) + "/", "")
        verified = command("verify", folder)
        assert verified.code in (0, 1), (what, verified)
        try:
            read = digest(open_results(folder, allow_custom=True))
            assert read == truth, f"{what}: wrong numbers were read"
            outcome = (
                "changes nothing" if verified.code == 0 else "changes nothing that is read, but is named"
            )
        except InputError as error:
            one_line = "\n" not in str(error)
            assert one_line, what
            assert verified.code == 1, f"{what}: refused, but verify finds nothing"
            outcome = "refused"
        if looks:
            ended = command("check", folder, "--summary", "--allow-custom")
            assert ended.code == 0 if outcome == "changes nothing" else ended.refused, (what, ended)
            ended = command("merge", folder, "--out", Path(place) / "merged", "--allow-custom")
            assert ended.code == 0 if outcome == "changes nothing" else ended.refused, (what, ended)
        ended = command("run", study, "--out", folder, "--jobs", 1, "--allow-custom")
        assert ended.code == 0, (what, ended)
        assert f"{REPLICATES} of {REPLICATES} replicates complete" in ended.out, (what, ended)
        assert digest(open_results(folder, allow_custom=True)) == truth, f"{what}: mended with other bits"
        assert command("verify", folder).code == 0, what
    return outcome, what


def harmed(cases: int, seed: int, looks: int) -> Counter[tuple[str, str]]:
    """How many harms of each kind had which outcome; `check` and `merge` look at every ``looks``-th."""
    chance = random.Random(seed)
    counts: Counter[tuple[str, str]] = Counter()
    chunk_bytes = layout.CHUNK_BYTES
    layout.CHUNK_BYTES = 2**11  # several chunks in a small store
    try:
        with tempfile.TemporaryDirectory() as place:
            study, sound = sound_store(Path(place))
            for case in range(cases):
                harm = HARMS[case % len(HARMS)]
                outcome, _ = try_harm(harm, chance, study, sound, case % looks == 0)
                counts[harm.__name__, outcome] += 1
    finally:
        layout.CHUNK_BYTES = chunk_bytes
    return counts


def main() -> None:
    """Print what became of how many cases of each kind."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    counts = harmed(cases, int(sys.argv[2]) if len(sys.argv) > 2 else 1, looks=5)
    for harm in HARMS:
        outcomes = sorted((n, outcome) for (name, outcome), n in counts.items() if name == harm.__name__)
        found = ", ".join(f"{n} {outcome}" for n, outcome in reversed(outcomes))
        print(f"{(harm.__doc__ or '').rstrip('.')}: {found}")
    print(f"{cases} cases: 0 wrong numbers read, 0 tracebacks, all mended with the same bits")


if __name__ == "__main__":
    main()
