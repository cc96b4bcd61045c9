"""Exact values of theory in the user's cache folder: the same bits, never damaged ones, within a limit."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import LINEAR, command, study

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.orders import weighted
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.analysis.orders.weighted import fit_exponent
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import write_record
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory import cache as caching
from ndcg_asymptotics.theory.cache import TheoryCache, user_cache
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg

CURVE, MEASURE, SIZES = Relevance.parse(LINEAR), Measure.parse("nDCG@5"), (10, 100)
BITS = random.Random(5).sample(range(10**6), 60)


def two_rankers(replicates: int = 5) -> Study:
    rankers = {"a": LINEAR, "b": "random"}
    measures = ("nDCG@5", "nDCG(geometric(2))")
    return study(rankers, measures=measures, pairs=[("a", "b")], replicates=replicates)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "results"
    na.run(two_rankers(), folder, jobs=1)
    return folder


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    """Results of a study."""
    return Path(shutil.copytree(made, tmp_path / "results"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a cache, which does not exist yet."""
    return tmp_path / "theory"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What theory is asked for."""
    calls: list[tuple[Any, ...]] = []

    def counting(*given: Any) -> Expectation:
        calls.append(given)
        return expected_ndcg(*given)

    monkeypatch.setattr(caching, "expected_ndcg", counting)
    return calls


def mean(folder: Path | None) -> Expectation:
    """The mean by a cache that knows what is in the folder and nothing else."""
    return TheoryCache(folder).mean(CURVE, MEASURE, SIZES)


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def same(one: Expectation, other: Expectation) -> bool:
    return np.array_equal(one.value, other.value) and np.array_equal(one.error, other.error)


def test_a_second_look_computes_nothing_and_has_the_same_bits(
    results: Path, asked: list[Any], tmp_path: Path
):
    first = check(open_results(results))
    assert asked
    asked.clear()
    user_cache.cache_clear()  # as another process
    assert check(open_results(results)).as_dict() == first.as_dict()
    draw_all(open_results(results), tmp_path / "figures", formats=("png",), dpi=20)
    report(open_results(results))
    assert not asked


def test_no_command_writes_into_the_folder_that_it_reads(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.iterdir()}
    out = tmp_path / "figures"
    for arguments in (["check"], ["figures", "--out", out, "--format", "svg"], ["verify"], ["distinguish"],
                      ["report", "--out", tmp_path / "page.html"], ["info"]):  # fmt: skip
        code, _, error = command(capsys, arguments[0], results, *arguments[1:])
        assert (code, error) == (0, "")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.iterdir()} == before
    assert len(list(out.glob("*.svg"))) == 4
    assert list(Path(os.environ["XDG_CACHE_HOME"]).rglob("*.json"))


def test_the_cost_of_a_wrong_order_is_cached(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Of a pair of curves, in their order."""
    curves = Relevance.parse("linear(0.1, 0.7)"), Relevance.parse("constant(0.4)")
    points = [
        Rate(n, 1 - 10**-nats, 0, 1, -nats, 0.1, True) for n, nats in ((10, 1.0), (100, 2.0), (1000, 3.0))
    ]
    first = fit_exponent(points, *curves, MEASURE, TheoryCache(folder))

    def never(*given: Any, **options: Any) -> Any:
        raise AssertionError(given)

    monkeypatch.setattr(weighted, "tilt", never)
    assert fit_exponent(points, *curves, MEASURE, TheoryCache(folder)) == first
    with pytest.raises(AssertionError):
        fit_exponent(points, *curves[::-1], MEASURE, TheoryCache(folder))


def test_sizes_that_are_not_there_are_added(folder: Path, asked: list[Any]):
    cache = TheoryCache(folder)
    cache.mean(CURVE, MEASURE, [100])
    assert same(
        cache.mean(CURVE, MEASURE, [1000, 10, 100, 10]), expected_ndcg(CURVE, MEASURE, [1000, 10, 100, 10])
    )
    assert [sizes for *_, sizes in asked] == [(100,), (1000, 10)]


def test_kinds_are_kept_apart(folder: Path):
    cache = TheoryCache(folder)
    cache.mean(CURVE, MEASURE, [10])
    ones = (np.array([1.0]), np.array([0.5]))
    assert cache.values("sd", CURVE, MEASURE, [10], lambda sizes: ones) == ones

    def never(sizes: tuple[int, ...]) -> Any:
        raise AssertionError(sizes)

    assert TheoryCache(folder).values("sd", CURVE, MEASURE, [10], never) == ones


@pytest.mark.parametrize("bit", BITS)
def test_damage_is_never_unnoticed(folder: Path, bit: int):
    truth = mean(folder)
    file = only_file(folder)
    content = bytearray(file.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    file.write_bytes(content)
    assert same(mean(folder), truth)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 10**5, b"\xff", None])
def test_what_is_no_such_file_is_as_good_as_none(folder: Path, content: bytes | None):
    truth, file = mean(folder), only_file(folder)
    file.write_bytes(content if content is not None else file.read_bytes()[:-20])
    assert same(mean(folder), truth)
    assert same(mean(folder), truth)  # it is whole again


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("numpy", "1.0"),
        ("formulas", "0123"),
        ("ndcg_asymptotics", "9.9"),
        ("key", ["mean", "constant(0.4)", "nDCG(log)@5"]),
        ("value", float("nan")),
        ("value", "x"),
    ],
)
def test_what_others_made_is_not_read_though_its_digest_holds(
    folder: Path, asked: list[Any], place: str, value: Any
):
    truth, file = mean(folder), only_file(folder)
    content = json.loads(file.read_bytes())
    content.pop("digest")
    if place == "value":
        content["values"][0][1] = value
    elif place == "key":
        content["key"] = value
    else:
        content["made_by"][place] = value
    write_record(file, content)
    asked.clear()
    assert same(mean(folder), truth)
    assert len(asked) == 1


def test_a_file_that_is_right_is_read(folder: Path, asked: list[Any]):
    """The counterpart: what the test above writes is refused for what it changed."""
    mean(folder)
    file = only_file(folder)
    content = json.loads(file.read_bytes())
    content.pop("digest")
    content["values"][0][1] = 0.25
    write_record(file, content)
    asked.clear()
    assert mean(folder).value[0] == 0.25
    assert not asked


@pytest.mark.parametrize("put", ["device", "folder", "link"])
def test_what_stands_in_its_place_does_no_harm(folder: Path, tmp_path: Path, put: str):
    mean(folder)
    file, elsewhere = only_file(folder), tmp_path / "elsewhere"
    file.unlink()
    elsewhere.write_text("mine")
    {"device": lambda: os.mkfifo(file), "folder": file.mkdir, "link": lambda: file.symlink_to(elsewhere)}[
        put
    ]()
    assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert elsewhere.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert not list(folder.iterdir())
    folder.rmdir()
    folder.write_text("a file where the folder should be")
    assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))


def test_two_processes_keep_what_both_computed(folder: Path, asked: list[Any]):
    one, other = TheoryCache(folder), TheoryCache(folder)
    one.mean(CURVE, MEASURE, [10])
    other.mean(CURVE, MEASURE, [100])
    asked.clear()
    TheoryCache(folder).mean(CURVE, MEASURE, SIZES)
    assert not asked


def test_what_depends_on_a_function_of_ones_own_is_not_cached(folder: Path):
    cache = TheoryCache(folder)
    cache.mean(na.populations.curve(lambda s: 0.2 + 0.1 * s, name="mine"), MEASURE, SIZES)
    cache.mean(CURVE, Measure(na.measures.discount(lambda r: 1 / r, name="mine", largest=1000)), SIZES)
    assert not folder.exists()


def test_curve_files_are_told_apart_by_what_they_hold(folder: Path, tmp_path: Path):
    def stored(probability: float) -> Relevance:
        table = {
            "format": "ndcg-asymptotics curve 1",
            "gains": [1],
            "depth": [0, 1],
            "probability": [[0.5, probability]],
        }
        (tmp_path / "curve.json").write_text(json.dumps(table))
        return Relevance.parse('empirical("curve.json")', tmp_path)

    for probability in (0.1, 0.2):
        cache, curve = TheoryCache(folder), stored(probability)
        assert same(cache.mean(curve, MEASURE, SIZES), expected_ndcg(curve, MEASURE, SIZES))


def test_what_theory_does_not_know_is_refused_as_theory_does(folder: Path):
    unknown = Measure(na.measures.discount(lambda r: np.where(r < 5, 1.0, 0.5), name="step", largest=100))
    with pytest.raises(InputError, match="exponentials"):
        TheoryCache(folder).mean(CURVE, unknown, SIZES)


def test_the_folder_stays_within_its_limit_and_what_was_used_last_stays(
    folder: Path,
):
    limit = 2**13
    cache = TheoryCache(folder, limit)
    ones = (np.array([1.0]), np.array([0.5]))
    for number in range(40):
        cache.values(f"kind {number}", CURVE, MEASURE, [10], lambda sizes: ones)
        for file in folder.iterdir():  # long ago, in the order in which they were written
            if file.stat().st_mtime > 1e6:
                os.utime(file, (number, number))
    files = list(folder.iterdir())
    largest = max(file.stat().st_size for file in files)
    assert limit - 3 * largest < sum(file.stat().st_size for file in files) <= limit + largest
    times = sorted(file.stat().st_mtime for file in files)
    assert times == list(range(40 - len(times), 40))
    assert cache._known.currsize <= limit


def test_processes_that_write_at_the_same_time_do_each_other_no_harm(folder: Path):
    program = (
        "import sys; from pathlib import Path; import numpy as np; "
        "from ndcg_asymptotics.theory.cache import TheoryCache; "
        "from ndcg_asymptotics.measures import Measure; from ndcg_asymptotics.populations import Relevance; "
        "cache = TheoryCache(Path(sys.argv[1])); "
        "c = Relevance.parse('constant(0.4)'); m = Measure.of('nDCG'); "
        "[cache.values('kind', c, m, [n], lambda s: (np.array(s) / 1e3, np.zeros(len(s)))) "
        "for n in range(int(sys.argv[2]), 400, 2)]"
    )
    every = [subprocess.Popen([sys.executable, "-c", program, str(folder), str(first)]) for first in (1, 2)]
    assert [process.wait() for process in every] == [0, 0]
    curve, measure = Relevance.parse("constant(0.4)"), Measure.of("nDCG")
    asked: list[int] = []

    def compute(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        asked.extend(sizes)
        return np.array(sizes) / 1e3, np.zeros(len(sizes))

    value, _ = TheoryCache(folder).values("kind", curve, measure, range(1, 400), compute)
    assert np.array_equal(value, np.arange(1, 400) / 1e3)
    assert len(asked) < 399
    assert [path.suffix for path in folder.iterdir()] == [".json"]
