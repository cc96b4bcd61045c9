"""Folders of results damaged in many ways, and how the commands react.

``python -m robustness.damage [CASES [SEED]]``. A case is a copy of a sound folder of a study or of a
grid of studies, damaged once. Nothing may raise, no wrong number may be read, nothing that is missing may be
reported as complete, and once the files that are named have been deleted, the same command must give the
undisturbed bits again.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import xarray as xr
from cases import command

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.grid import grid_in
from ndcg_asymptotics.results.kinds import kind_of

STUDY = """
title = "harmed"
measures = ["nDCG", "nDCG@3", 'nDCG(custom("own:slow", 1000, "log"))']
n = [5, 20, 100]
engine = "cells"
replicates = 40
seed = 3
pairs = [["fitted", "random"]]
[scorers]
fitted = 'empirical("fitted.csv")'
random = "random"
"""
GRID = """
measures = ["nDCG", "nDCG(power($b))"]
n = [10, 100]
replicates = 12
seed = 5
[grid]
top = [0.5, 0.7]
b = [0.2, 0.6]
[scorers]
good = "linear(0.1, $top)"
random = "random"
"""
CURVE = "depth,y=1\n0,0.8\n0.5,0.3\n1,0.2\n"
OWN = "import numpy as np\n\ndef slow(rank):\n    return 1 / np.log(2 + rank)\n"

Data = dict[str, xr.Dataset]
Harm = Callable[[Path, random.Random], str]


@dataclass(frozen=True)
class Kind:
    """A kind of folder, in a sound example.

    Attributes
    ----------
    name : str
    sound : Path
    another : Path
        Another folder of the same kind, whose files have the same shapes.
    again : tuple
        The command that made it, without its folder.
    """

    name: str
    sound: Path
    another: Path
    again: tuple[object, ...]

    @cached_property
    def truth(self) -> Data:
        """The data of the sound folder."""
        return read(self.sound)[0]


def make_kinds(place: Path) -> list[Kind]:
    """Make a sound folder of every kind."""
    (place / "fitted.csv").write_text(CURVE)
    (place / "own.py").write_text(OWN)
    kinds = []
    # studies have a block for each number of replicates
    texts = {"study": (STUDY, (3, 8, 40)), "grid": (GRID, (12,))}
    for name, (text, counts) in texts.items():
        commands = []
        for which, seed in (("sound", ""), ("another", "9")):
            file = place / f"{name}{seed}.toml"
            file.write_text(text.replace("seed = ", f"seed = {seed}"))
            commands.append(("run", file, "--jobs", 1, "--allow-custom"))
            for count in counts:
                ended = command(*commands[-1], "--out", place / f"{which}-{name}", "--replicates", count)
                assert ended.code == 0, ended.err
        kinds.append(Kind(name, place / f"sound-{name}", place / f"another-{name}", commands[0]))
    return kinds


def read(folder: Path) -> tuple[Data, bool]:
    """Read the data of a folder, by point, and whether it says that nothing is missing.

    Raises
    ------
    InputError
        If the folder is refused.
    """
    if kind_of(folder) == "grid":
        grid = grid_in(folder, allow_custom=True)
        points, complete = {grid.axes.name(v): r for v, r in grid.points.items()}, grid.complete
    else:
        results = open_study(folder, allow_custom=True)
        points, complete = {"": results}, results.complete
    return {name: r.data.drop_attrs() for name, r in points.items() if r.replicates_complete}, complete


def same(one: Data, other: Data) -> bool:
    """Return whether all replicates in one are in the other, with the same numbers."""
    return all(
        name in other
        and np.isin(data["replicate"], other[name]["replicate"]).all()
        and data.identical(other[name].sel(replicate=data["replicate"].values))
        for name, data in one.items()
    )


def flip(folder: Path, chance: random.Random) -> str:
    """One bit of a file flipped."""
    file = chance.choice(_files(folder))
    content = bytearray(file.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)
    return f"bit {bit} of {file}"


def cut(folder: Path, chance: random.Random) -> str:
    """A file truncated, extended, or with zeros at its end."""
    file = chance.choice(_files(folder))
    content = file.read_bytes()
    kept = chance.randrange(len(content))
    rest = chance.choice((b"", b"", content, bytes(len(content) - kept)))
    file.write_bytes(content[:kept] + rest)
    return f"{file} cut at {kept}, then {len(rest)} bytes"


def delete(folder: Path, chance: random.Random) -> str:
    """A file or a folder deleted."""
    file = chance.choice(_files(folder))
    if chance.random() < 0.8 or file.parent == folder:
        file.unlink()
        return f"{file} deleted"
    within = chance.choice([part for part in file.parents if folder in part.parents])
    shutil.rmtree(within)
    return f"{within} deleted"


def swap(folder: Path, chance: random.Random) -> str:
    """Two files, two blocks or two points exchanged."""
    blocks, points = _files(folder, ".npz"), sorted((folder / "points").glob("*"))
    alike = [found for found in (points, blocks) if len(found) > 1]
    one, other = chance.sample(chance.choice([_files(folder), *alike]), 2)
    one.rename(folder / "aside")
    other.rename(one)
    (folder / "aside").rename(other)
    return f"{one} and {other} exchanged"


def rename(folder: Path, chance: random.Random) -> str:
    """A block renamed."""
    file = chance.choice(_files(folder, ".npz"))
    first, last, digest = file.stem.split("-")
    name = chance.choice((f"{int(first) + 1}-{int(last) + 1}-{digest}", f"{first}-{int(last) + 99}-{digest}"))
    file.rename(file.with_name(f"{name}.npz"))
    return f"{file} named {name}"


def replace(folder: Path, chance: random.Random) -> str:
    """A file replaced by a device, pipe, link, folder, noise, zeros or a terabyte."""
    file = chance.choice(_files(folder))
    size = file.stat().st_size
    file.unlink()
    makers: dict[str, Callable[[], object]] = {
        "noise": lambda: file.write_bytes(chance.randbytes(chance.randrange(1, 3000))),
        "deep lists": lambda: file.write_bytes(b"[" * 10**6),
        "zeros": lambda: file.write_bytes(bytes(size)),
        "huge": lambda: _sparse(file),
        "empty": file.touch,
        "a pipe": lambda: os.mkfifo(file),
        "a folder": lambda: (file / "within").mkdir(parents=True),
        "a device": lambda: file.symlink_to("/dev/zero"),
        "a link to nowhere": lambda: file.symlink_to("/nowhere/at/all"),
    }
    kind = chance.choice(list(makers))
    makers[kind]()
    return f"{file} made {kind}"


def _sparse(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(10**12)


def foreign(folder: Path, chance: random.Random) -> str:
    """A sound file or point of another study in the place of one of this study."""
    another = folder.parent / "another"
    points = sorted((folder / "points").glob("*"))
    if points and chance.random() < 0.5:
        point = chance.choice(points)
        shutil.rmtree(point)
        shutil.copytree(another / "points" / point.name, point)
        return f"{point} of another grid"
    file = chance.choice([*_files(folder, ".npz"), *_files(folder, ".json")])
    kind = file.suffix if file.name[0].isdigit() else file.name
    place = another / file.parent.relative_to(folder)
    other = chance.choice([other for other in _files(another, kind) if other.parent == place])
    file.unlink()
    target = file.with_name(other.name)
    shutil.copy(other, target)
    return f"{target} of another study"


HARMS: tuple[Harm, ...] = (flip, cut, delete, swap, rename, replace, foreign)


def _files(folder: Path, suffix: str = "") -> list[Path]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size)
    return [file for file in files if file.name.endswith(suffix)]


def try_harm(harm: Harm, chance: random.Random, kind: Kind) -> str:
    """Damage a copy of a folder, try the commands that read results, and return the outcome.

    Raises
    ------
    AssertionError
        If anything raised, a wrong number was read, something that is missing was not noticed, or the
        same command does not make it again once the named files are deleted.
    """
    truth = kind.truth
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "harmed"
        shutil.copytree(kind.sound, folder)
        shutil.copytree(kind.another, Path(place) / "another")
        what = f"{kind.name}, {harm.__name__}: {harm(folder, chance)}".replace(f"{folder}/", "")
        verified = command("info", folder, "--allow-custom")
        assert verified.code in (0, 1) or verified.refused, (what, verified)
        try:
            found, complete = read(folder)
            assert same(found, truth), f"{what}: wrong numbers were read"
            assert complete or verified.code != 0, f"{what}: missing, but info finds nothing"
            whole = complete and same(truth, found)
            assert whole or not complete, f"{what}: a part was reported as the whole"
            outcome = "nothing changed" if verified.code == 0 else "named" if whole else "reported as missing"
            assert whole or outcome != "nothing changed", what
        except InputError:
            assert verified.code != 0, f"{what}: refused, but info finds nothing"
            outcome = "refused"
        readers: list[tuple[object, ...]] = [("check", folder)]
        if kind.name == "study":
            readers.append(("merge", folder, "--out", Path(place) / "merged"))
        for words in readers:
            ended = command(*words, "--allow-custom")
            assert ended.code in (0, 1) or ended.refused, (what, words, ended)
            assert ended.refused or outcome != "refused", (what, words, ended)
            assert ended.code != 0 or outcome in ("nothing changed", "named"), (what, words)
        _mend(kind, folder, truth, what)
    return outcome


def _mend(kind: Kind, folder: Path, truth: Data, what: str) -> None:
    """Run the same command until it names no file; delete what it names."""
    ended = command(*kind.again, "--out", folder)
    for _ in range(20):
        if not ended.refused:
            break
        named, _, rest = ended.err.strip().removeprefix("ndcg-asymptotics: ").partition(": ")
        place = Path(named) if rest.startswith("holds another") else Path(named) / rest.split()[1]
        assert rest.startswith(("damaged: ", "holds another")), (what, ended)
        assert os.path.lexists(place), (what, ended)
        shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
        ended = command(*kind.again, "--out", folder)
    assert ended.code == 0, (what, ended)
    found, complete = read(folder)
    assert complete, what
    identical = same(found, truth) and same(truth, found)
    assert identical, f"{what}: made again with other bits"
    assert command("info", folder, "--allow-custom").code == 0, what


def main() -> None:
    """Print the outcomes of the cases for each kind of folder."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    counts: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as place:
        kinds = make_kinds(Path(place))
        for case in range(cases):
            harm, kind = HARMS[case % len(HARMS)], kinds[case // len(HARMS) % len(kinds)]
            counts[kind.name, harm.__name__, try_harm(harm, chance, kind)] += 1
    for kind in kinds:
        print(f"{kind.name}:")
        for harm in HARMS:
            outcomes = sorted(
                (n, o) for (k, name, o), n in counts.items() if (k, name) == (kind.name, harm.__name__)
            )
            found = ", ".join(f"{n} {outcome}" for n, outcome in reversed(outcomes))
            print(f"  {(harm.__doc__ or '').rstrip('.')}: {found}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{cases} cases: 0 wrong numbers read, 0 tracebacks, all made again with the same bits")
    print(f"largest memory of the process: {peak:.2f} GB")


if __name__ == "__main__":
    main()
