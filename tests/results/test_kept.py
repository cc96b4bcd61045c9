from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import LINEAR, command, study

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.orders import weighted
from ndcg_asymptotics.analysis.orders.rates import Rate
from ndcg_asymptotics.analysis.orders.weighted import speed_of
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import kept as keeping
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.damage.seals import with_checksum
from ndcg_asymptotics.results.damage.verify import verify
from ndcg_asymptotics.results.kept import FILE, Kept
from ndcg_asymptotics.results.merge import merge
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.theory.mean import Expectation, expected_ndcg

CURVE, MEASURE, SIZES = Relevance.parse(LINEAR), Measure.parse("nDCG@5"), (10, 100)
BITS = random.Random(5).sample(range(10**6), 60)


def two_rankers(replicates: int = 5) -> Study:
    rankers = {"a": LINEAR, "b": "random"}
    measures = ("nDCG@5", "nDCG(geometric(2))")
    return study(rankers, measures=measures, pairs=[("a", "b")], replicates=replicates)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "results"
    na.run(two_rankers(), folder, jobs=1)
    return folder


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    """Results of a study, with nothing kept yet."""
    return Path(shutil.copytree(results, tmp_path / "results"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What theory is asked for."""
    calls: list[tuple[Any, ...]] = []

    def counting(*given: Any) -> Expectation:
        calls.append(given)
        return expected_ndcg(*given)

    monkeypatch.setattr(keeping, "expected_ndcg", counting)
    return calls


def mean(folder: Path | None) -> Expectation:
    kept = Kept(folder)
    found = kept.mean(CURVE, MEASURE, SIZES)
    kept.save()
    return found


def same(one: Expectation, other: Expectation) -> bool:
    return np.array_equal(one.value, other.value) and np.array_equal(one.error, other.error)


def test_a_second_look_computes_nothing_and_has_the_same_bits(folder: Path, asked: list[Any], tmp_path: Path):
    first = check(open_results(folder))
    assert asked
    asked.clear()
    assert check(open_results(folder)).as_dict() == first.as_dict()
    draw_all(open_results(folder), tmp_path / "figures", formats=("png",), dpi=20)
    report(open_results(folder))
    assert not asked


def test_every_command_takes_a_folder_that_keeps_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Also those that take a folder of curves, which are JSON files too."""
    out = tmp_path / "figures"
    for arguments in (["check"], ["figures", "--out", out, "--format", "svg"], ["verify"], ["distinguish"],
                      ["report", "--out", tmp_path / "page.html"], ["check"]):  # fmt: skip
        code, _, error = command(monkeypatch, capsys, arguments[0], folder, *arguments[1:])
        assert (code, error) == (0, "")
        assert (folder / FILE).exists()
    assert len(list(out.glob("*.svg"))) == 4


def test_the_cost_of_a_wrong_order_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Of a pair of curves, in their order."""
    curves = Relevance.parse("linear(0.1, 0.7)"), Relevance.parse("constant(0.4)")
    points = [
        Rate(n, 1 - 10**-nats, 0, 1, -nats, 0.1, True) for n, nats in ((10, 1.0), (100, 2.0), (1000, 3.0))
    ]
    kept = Kept(folder)
    first = speed_of(points, *curves, MEASURE, kept)
    kept.save()

    def never(*given: Any, **options: Any) -> Any:
        raise AssertionError(given)

    monkeypatch.setattr(weighted, "tilt", never)
    assert speed_of(points, *curves, MEASURE, Kept(folder)) == first
    with pytest.raises(AssertionError):
        speed_of(points, *curves[::-1], MEASURE, Kept(folder))


def test_sizes_that_are_not_there_are_added(folder: Path, asked: list[Any]):
    kept = Kept(folder)
    kept.mean(CURVE, MEASURE, [100])
    assert same(
        kept.mean(CURVE, MEASURE, [1000, 10, 100, 10]), expected_ndcg(CURVE, MEASURE, [1000, 10, 100, 10])
    )
    assert [sizes for *_, sizes in asked] == [(100,), (1000, 10)]


def test_kinds_are_kept_apart(folder: Path):
    kept = Kept(folder)
    kept.mean(CURVE, MEASURE, [10])
    ones = (np.array([1.0]), np.array([0.5]))
    assert kept.values("sd", CURVE, MEASURE, [10], lambda sizes: ones) == ones
    kept.save()

    def never(sizes: tuple[int, ...]) -> Any:
        raise AssertionError(sizes)

    assert Kept(folder).values("sd", CURVE, MEASURE, [10], never) == ones


@pytest.mark.parametrize("bit", BITS)
def test_damage_is_never_unnoticed(folder: Path, bit: int):
    truth = mean(folder)
    file = folder / FILE
    content = bytearray(file.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    file.write_bytes(content)
    assert same(mean(folder), truth)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"[" * 10**5, b"\xff", None])
def test_what_is_no_such_file_is_as_good_as_none(folder: Path, content: bytes | None):
    truth, file = mean(folder), folder / FILE
    file.write_bytes(content if content is not None else file.read_bytes()[:-20])
    assert same(mean(folder), truth)
    assert same(mean(folder), truth)  # it is whole again


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("numpy", "1.0"),
        ("formulas", "0123"),
        ("ndcg_asymptotics", "9.9"),
        ("value", float("nan")),
        ("value", "x"),
    ],
)
def test_what_others_made_is_not_read_though_its_checksum_holds(
    folder: Path, asked: list[Any], place: str, value: Any
):
    truth, file = mean(folder), folder / FILE
    content = json.loads(file.read_bytes())
    if place == "value":
        content["values"][0][3][0][1] = value
    else:
        content["made by"][place] = value
    file.write_bytes(with_checksum(json.dumps(content).encode()))
    asked.clear()
    assert same(mean(folder), truth)
    assert len(asked) == 1


def test_a_file_that_is_right_is_read(folder: Path, asked: list[Any]):
    """The counterpart: what the tests above write is refused for what they changed in it."""
    mean(folder)
    file = folder / FILE
    content = json.loads(file.read_bytes())
    content["values"][0][3][0][1] = 0.25
    file.write_bytes(with_checksum(json.dumps(content).encode()))
    asked.clear()
    assert mean(folder).value[0] == 0.25
    assert not asked


@pytest.mark.parametrize("put", ["device", "folder", "link"])
def test_what_stands_in_its_place_does_no_harm(folder: Path, tmp_path: Path, put: str):
    file, elsewhere = folder / FILE, tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    {"device": lambda: os.mkfifo(file), "folder": file.mkdir, "link": lambda: file.symlink_to(elsewhere)}[
        put
    ]()
    assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert elsewhere.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(folder.rglob("*"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert same(mean(folder), expected_ndcg(CURVE, MEASURE, SIZES))
    assert not (folder / FILE).exists()
    assert [path for path in sorted(folder.rglob("*")) if path.is_file()] == [
        p for p in before if p.is_file()
    ]


def test_a_folder_that_is_gone_is_not_made_anew(folder: Path):
    kept = Kept(folder)
    kept.mean(CURVE, MEASURE, SIZES)
    shutil.rmtree(folder)
    kept.save()
    assert not folder.exists()


def test_two_processes_keep_what_both_computed(folder: Path, asked: list[Any]):
    one, other = Kept(folder), Kept(folder)
    one.mean(CURVE, MEASURE, [10])
    other.mean(CURVE, MEASURE, [100])
    one.save()
    other.save()
    asked.clear()
    Kept(folder).mean(CURVE, MEASURE, SIZES)
    assert not asked


def test_what_depends_on_a_function_of_ones_own_is_not_kept(folder: Path):
    kept = Kept(folder)
    kept.mean(na.populations.curve(lambda s: 0.2 + 0.1 * s, name="mine"), MEASURE, SIZES)
    kept.mean(CURVE, Measure(na.measures.discount(lambda r: 1 / r, name="mine", largest=1000)), SIZES)
    kept.save()
    assert not (folder / FILE).exists()


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
        kept, curve = Kept(folder), stored(probability)
        assert same(kept.mean(curve, MEASURE, SIZES), expected_ndcg(curve, MEASURE, SIZES))
        kept.save()


def test_it_is_no_part_of_the_results(folder: Path, tmp_path: Path):
    values = open_results(folder).data
    check(open_results(folder))
    (folder / FILE).write_bytes(b"damaged")
    assert verify(folder).sound
    assert open_results(folder).data.identical(values)
    extended = na.run(two_rankers(8), folder, jobs=1)
    assert extended.replicates_complete == 8
    merged = merge([folder], tmp_path / "merged")
    assert merged.replicates_complete == 8
    assert not (tmp_path / "merged" / FILE).exists()
    assert check(open_results(folder)).agrees


def test_what_theory_does_not_know_is_refused_as_theory_does(folder: Path):
    unknown = Measure(na.measures.discount(lambda r: np.where(r < 5, 1.0, 0.5), name="step", largest=100))
    with pytest.raises(InputError, match="exponentials"):
        Kept(folder).mean(CURVE, unknown, SIZES)
