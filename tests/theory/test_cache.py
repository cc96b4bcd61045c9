"""The cache of exact values: the same bits as computed ones, no damaged values, and a bounded size."""

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
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.analysis.orders.weighted import fit_exponent
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.files import write_record
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory import cache as theory_cache
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


def mean(folder: Path) -> Expectation:
    """Return the mean from a new cache, which has no values but those in the folder."""
    return TheoryCache(folder).mean(CURVE, MEASURE, SIZES)


def written(folder: Path) -> set[tuple[str, int]]:
    """Return the files of a folder with their inodes, which change when a file is written again."""
    return {(path.name, path.stat().st_ino) for path in folder.rglob("*.json")}


class Computed:
    """Values that count how often they are computed."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, ...]] = []

    def __call__(self, sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        self.sizes.append(sizes)
        return np.array(sizes) / 1e3, np.zeros(len(sizes))


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def same(one: Expectation, other: Expectation) -> bool:
    return np.array_equal(one.value, other.value) and np.array_equal(one.error, other.error)


@pytest.mark.slow
def test_a_second_check_computes_no_mean_again_and_has_the_same_bits(results: Path, tmp_path: Path):
    folder = Path(os.environ["XDG_CACHE_HOME"])
    first = check(open_results(results))
    files = written(folder)
    assert files
    user_cache.cache_clear()  # as in another process
    assert check(open_results(results)).as_dict() == first.as_dict()
    assert files == written(folder)  # a file is written again when a value is computed
    # figures and pages have further lengths, but once only
    draw_all(open_results(results), tmp_path / "figures", formats=("png",), dpi=20)
    report(open_results(results))
    drawn = written(folder)
    assert drawn != files
    user_cache.cache_clear()
    assert check(open_results(results)).as_dict() == first.as_dict()
    draw_all(open_results(results), tmp_path / "figures", formats=("png",), dpi=20)
    report(open_results(results))
    assert drawn == written(folder)


@pytest.mark.slow
def test_commands_write_nothing_into_the_folder_of_results(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.iterdir()}
    out = tmp_path / "figures"
    for arguments in (
        ["check"],
        ["figures", "--out", out, "--figure-format", "svg"],
        ["verify"],
        ["distinguish"],
        ["report", "--out", tmp_path / "page.html"],
        ["info"],
    ):
        code, _, error = command(capsys, arguments[0], results, *arguments[1:])
        assert (code, error) == (0, "")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in results.iterdir()} == before
    assert len(list(out.glob("*.svg"))) == 4
    assert list(Path(os.environ["XDG_CACHE_HOME"]).rglob("*.json"))


def test_the_cost_of_a_wrong_order_is_cached_for_each_order_of_the_pair(folder: Path):
    curves = Relevance.parse("linear(0.1, 0.7)"), Relevance.parse("constant(0.4)")
    points = [
        Rate(n, 1 - 10**-nats, 0, 1, -nats, 0.1, True) for n, nats in ((10, 1.0), (100, 2.0), (1000, 3.0))
    ]
    first = fit_exponent(points, *curves, MEASURE, TheoryCache(folder))
    files = written(folder)
    assert len(files) == 1
    assert fit_exponent(points, *curves, MEASURE, TheoryCache(folder)) == first
    assert written(folder) == files
    fit_exponent(points, *curves[::-1], MEASURE, TheoryCache(folder))
    assert len(written(folder)) == 2


def test_only_missing_sizes_are_computed(folder: Path):
    cache, compute = TheoryCache(folder), Computed()
    cache.values("kind", CURVE, MEASURE, [100], compute)
    value, _ = cache.values("kind", CURVE, MEASURE, [1000, 10, 100, 10], compute)
    assert value.tolist() == [1.0, 0.01, 0.1, 0.01]
    assert compute.sizes == [(100,), (1000, 10)]
    sizes = [1000, 10, 100, 10]
    assert same(cache.mean(CURVE, MEASURE, sizes), expected_ndcg(CURVE, MEASURE, sizes))


def test_kinds_are_kept_apart(folder: Path):
    cache, compute = TheoryCache(folder), Computed()
    mean = cache.mean(CURVE, MEASURE, [10]).value
    assert cache.values("sd", CURVE, MEASURE, [10], compute)[0].tolist() == [0.01]
    assert TheoryCache(folder).values("sd", CURVE, MEASURE, [10], compute)[0].tolist() == [0.01]
    assert len(compute.sizes) == 1
    assert TheoryCache(folder).mean(CURVE, MEASURE, [10]).value == mean != 0.01


@pytest.mark.parametrize("bit", BITS)
def test_a_damaged_file_is_ignored(folder: Path, bit: int):
    truth = mean(folder)
    file = only_file(folder)
    content = bytearray(file.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    file.write_bytes(content)
    assert same(mean(folder), truth)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 10**5, b"\xff", None])
def test_a_file_of_another_format_is_ignored(folder: Path, content: bytes | None):
    truth, file = mean(folder), only_file(folder)
    file.write_bytes(content if content is not None else file.read_bytes()[:-20])
    assert same(mean(folder), truth)
    assert same(mean(folder), truth)  # the file was written anew


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("numpy", "1.0"),
        ("method", "0"),
        ("ndcg_asymptotics", "9.9"),
        ("kind", "sd"),
        ("curve", "constant(0.4)"),
        ("value", float("nan")),
        ("value", "x"),
    ],
)
def test_a_file_of_another_version_or_key_is_ignored_though_its_digest_is_right(
    folder: Path, place: str, value: Any
):
    truth, file = mean(folder), only_file(folder)
    content = json.loads(file.read_bytes())
    content.pop("digest")
    if place == "value":
        content["values"][0][1] = value
    else:
        assert content[place] != value
        content[place] = value
    write_record(file, content)
    changed = written(folder)
    assert same(mean(folder), truth)
    assert written(folder) != changed


def test_a_file_with_its_own_version_and_key_is_read(folder: Path):
    """The counterpart of the test above, which would pass if no file were read."""
    mean(folder)
    file = only_file(folder)
    content = json.loads(file.read_bytes())
    content.pop("digest")
    content["values"][0][1] = 0.25
    write_record(file, content)
    assert mean(folder).value[0] == 0.25


def test_a_raised_version_of_the_method_makes_values_new_and_a_comment_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """All that decides whether a value is used is in its file: nothing of it changes with a comment."""
    truth = mean(folder)
    content = json.loads(only_file(folder).read_bytes())
    makers = {"ndcg_asymptotics", "python", "numpy", "scipy", "numpy_cpu"}
    assert set(content) == {"kind", "curve", "measure", "method", "values", "digest"} | makers
    monkeypatch.setattr(theory_cache, "METHOD", theory_cache.METHOD + 1)
    assert same(mean(folder), truth)
    assert len(written(folder)) == 2


@pytest.mark.parametrize("put", ["device", "folder", "link"])
def test_a_device_folder_or_link_in_the_place_of_a_file_does_no_harm(folder: Path, tmp_path: Path, put: str):
    mean(folder)
    file, elsewhere = only_file(folder), tmp_path / "elsewhere"
    file.unlink()
    elsewhere.write_text("mine")
    {"device": lambda: os.mkfifo(file), "folder": file.mkdir, "link": lambda: file.symlink_to(elsewhere)}[
        put
    ]()
    assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert elsewhere.read_text() == "mine"


def test_values_are_computed_where_the_folder_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert not list(folder.iterdir())
    folder.rmdir()
    folder.write_text("a file where the folder should be")
    assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))


def test_the_file_has_the_values_of_two_processes_that_write_in_turn(folder: Path):
    compute = Computed()
    one, other = TheoryCache(folder), TheoryCache(folder)
    one.values("kind", CURVE, MEASURE, [10], compute)
    other.values("kind", CURVE, MEASURE, [100], compute)
    value, _ = TheoryCache(folder).values("kind", CURVE, MEASURE, [10, 100], compute)
    assert value.tolist() == [0.01, 0.1]
    assert compute.sizes == [(10,), (100,)]


def test_values_of_user_defined_functions_are_not_cached(folder: Path):
    cache = TheoryCache(folder)
    cache.mean(na.populations.curve(lambda s: 0.2 + 0.1 * s, name="mine"), MEASURE, SIZES)
    cache.mean(CURVE, Measure(na.measures.discount(lambda r: 1 / r, name="mine", largest=1000)), SIZES)
    assert not folder.exists()


def test_curve_files_are_distinguished_by_their_content(folder: Path, tmp_path: Path):
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


def test_a_mean_that_is_not_available_raises_the_error_of_theory(folder: Path):
    unknown = Measure(na.measures.discount(lambda r: np.where(r < 5, 1.0, 0.5), name="step", largest=100))
    with pytest.raises(NotAvailableError, match="exponentials"):
        TheoryCache(folder).mean(CURVE, unknown, SIZES)


def test_the_folder_stays_within_its_limit_and_keeps_the_files_used_last(folder: Path):
    limit = 2**13
    cache = TheoryCache(folder, limit)
    ones = (np.array([1.0]), np.array([0.5]))
    for number in range(40):
        cache.values(f"kind {number}", CURVE, MEASURE, [10], lambda sizes: ones)
        for file in folder.iterdir():  # as if used long ago, in the order in which they were written
            if file.stat().st_mtime > 1e6:
                os.utime(file, (number, number))
    files = list(folder.iterdir())
    largest = max(file.stat().st_size for file in files)
    assert limit - 3 * largest < sum(file.stat().st_size for file in files) <= limit + largest
    times = sorted(file.stat().st_mtime for file in files)
    assert times == list(range(40 - len(times), 40))


@pytest.mark.slow
def test_two_processes_may_write_at_the_same_time(folder: Path):
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
    compute = Computed()
    value, _ = TheoryCache(folder).values("kind", curve, measure, range(1, 400), compute)
    assert np.array_equal(value, np.arange(1, 400) / 1e3)
    assert sum(map(len, compute.sizes)) < 399
    assert [path.suffix for path in folder.iterdir()] == [".json"]
