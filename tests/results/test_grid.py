"""Grids of parameters: one study per point, one report over all, one chance of a false alarm."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import command, output, refused, write
from matplotlib.figure import Figure
from robustness.damage import GRID

import ndcg_asymptotics as na
from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.core.tables import Line
from ndcg_asymptotics.plots import draw_all
from ndcg_asymptotics.plots.grid import parameter_figure
from ndcg_asymptotics.plots.grid_points import curves_figure, gaps_figure
from ndcg_asymptotics.results.grid import GridResults, grid_in
from ndcg_asymptotics.results.kinds import write_record
from ndcg_asymptotics.studies.grid import Grid, grid_of, load_grid
from ndcg_asymptotics.sweep import run as simulate
from ndcg_asymptotics.sweep import sweep as sweeps
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import relative_means

TEXT = GRID.replace("replicates = 12", "replicates = 40")
FIELDS = tomllib.loads(TEXT)
VALUES = FIELDS.pop("grid")
CURVES = {"good": "linear(0.1, 0.6)", "random": "random"}
ONE_FIGURE = ("--measure", "nDCG(power($b))", "--against", "b", "-n", "100", "--dpi", 30)


def grid(**change: Any) -> Grid:
    return grid_of(VALUES, FIELDS | change)


def test_every_point_is_the_study_with_its_values_and_gives_its_bits() -> None:
    found = simulate(grid(), jobs=1)
    assert found.axes.parameters == {"top": (0.5, 0.7), "b": (0.2, 0.6)}
    assert len(found.points) == 4
    plain = grid_of({"b": [0.6]}, FIELDS | {"scorers": {"good": "linear(0.1, 0.7)", "random": "random"}})
    alone = simulate(next(iter(plain.studies.values())), jobs=1).data["ndcg"]
    np.testing.assert_array_equal(found.points[0.7, 0.6].data["ndcg"], alone)
    assert np.abs(found.points[0.5, 0.6].data["ndcg"].values - alone.values).max() > 0.01


def test_a_range_is_made_of_the_decimals_that_were_written() -> None:
    steps = {"start": 0.1, "stop": 1.5, "step": 0.1}
    found = grid_of({"top": [0.5], "b": steps}, FIELDS)
    assert found.axes.parameters["b"] == tuple(round(0.1 * i, 1) for i in range(1, 16))
    assert found.axes.name((0.5, 0.3)) == "top=0.5,b=0.3"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the grid and its results."""
    folder = tmp_path_factory.mktemp("grid")
    output("run", write(folder, TEXT, "grid.toml"), "--out", folder / "out", "--jobs", 1)
    return folder


@pytest.mark.slow
def test_the_check_has_one_chance_of_a_false_alarm_for_all_points(made: Path) -> None:
    """Seed 5; by chance, a true grid fails with probability 1e-4."""
    results = grid_in(made / "out")
    found = check(results)
    assert found.agrees
    assert {check.alpha for check in found.points.values()} == {1e-4 / 4}
    assert str(found).startswith("Nothing disagrees. Tested: 32 of 32 means, 0 of 32 standard deviations, ")
    assert not check(results, perturb=0.05).agrees


@pytest.fixture
def out(tmp_path: Path, made: Path) -> Path:
    """A copy of the results of the grid, beside its file."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out"


@pytest.mark.slow
def test_a_folder_of_another_grid_or_study_is_refused(out: Path) -> None:
    file, again = out.parent / "grid.toml", ("run", out.parent / "grid.toml", "--out", out, "--jobs", 1)
    file.write_text(TEXT.replace("0.6", "0.4"))
    assert "holds another grid" in command(*again)[2]
    (out / "grid.json").unlink()
    file.write_text(TEXT.replace("seed = 5", "seed = 6"))
    assert "holds another study; move it away" in command(*again)[2]
    assert not (out / "grid.json").exists()
    file.write_text(TEXT)
    assert command(*again)[:2] == (0, f"{out}: 4 of 4 points complete\n")
    assert command("info", out)[0] == 0


@pytest.mark.slow
def test_figures_of_a_grid_are_chosen(out: Path) -> None:
    drawn = out.parent / "drawn"
    code, said, _ = command("figures", out, "--out", drawn, *ONE_FIGURE)
    assert (code, said.splitlines()) == (0, [str(path) for path in drawn.iterdir()])
    for option, words in (
        (("--measure", "nDCG@3"), "no measure 'nDCG@3'"),
        (("--scorer", "a"), "--scorer: does not belong to a grid"),
        (("--against", "k"), "--against: no parameter 'k'"),
        (("-n", "11"), "--n: no list length 11, expected one of: 10, 100"),
    ):
        assert words in command("figures", out, "--out", drawn, *option)[2]


def test_a_deleted_point_is_incomplete_everywhere_and_made_again(out: Path) -> None:
    truth = grid_in(out).points
    shutil.rmtree(out / "points" / "top=0.5,b=0.2")
    code, said, _ = command("info", out)
    assert code == 1
    assert said.startswith(
        "Grid\n120 of 160 replicates complete, 3 of 4 points\n  top = 0.5, 0.7\n  b = 0.2, 0.6\n"
    )
    code, said, _ = command("check", out)
    assert code == 1
    assert said.startswith("Agrees so far: 3 of 4 points complete. ")
    assert json.loads(command("check", out, "--json")[1])["complete"] is False
    assert not grid_in(out).complete
    assert command("run", out.parent / "grid.toml", "--out", out, "--jobs", 1)[0] == 0
    assert command("check", out)[0] == 0
    assert all(point.data.identical(truth[values].data) for values, point in grid_in(out).points.items())


def test_a_complete_grid_simulates_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def simulated(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(sweeps, "prepared", simulated)
    assert command("run", out.parent / "grid.toml", "--out", out, "--jobs", 1)[0] == 0
    shutil.rmtree(out / "points" / "top=0.5,b=0.2")
    assert command("run", out.parent / "grid.toml", "--out", out, "--jobs", 1)[0] != 0


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"p": 3}},
        {"parameters": {}},
        {"fields": {"scorers": 1}},
        {"parameters": {name: list(range(10_000)) for name in "pqr"}},
    ],
)
def test_a_record_that_is_no_grid_is_one_line_though_its_digest_holds(
    out: Path, change: dict[str, object]
) -> None:
    stated = json.loads((out / "grid.json").read_text())
    stated.pop("digest")
    stated["grid"] |= change
    write_record(out / "grid.json", stated)
    code, _, error = command("check", out)
    assert (code, error.count("\n")) == (2, 1)
    assert "grid.json is damaged (not what a record states)" in error


@pytest.mark.slow
def test_figures_are_drawn_against_every_parameter(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: None)  # the layout takes seconds
    drawn = draw_all(grid_in(made / "out"), tmp_path, formats=["png"], dpi=30)
    assert sorted(path.name for path in drawn) == [
        "nDCG-against-b.png",
        "nDCG-against-top.png",
        "nDCG-curves.png",
        "nDCG-gaps.png",
        "nDCG-power-b-against-b.png",
        "nDCG-power-b-against-top.png",
        "nDCG-power-b-curves.png",
        "nDCG-power-b-gaps.png",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v, f: v.clear(), "grid: has no parameter"),
        (lambda v, f: v.update(c=[1]), r"grid.c: no text contains \$c"),
        (lambda v, f: v.pop("b"), "grid: no parameter 'b', expected one of: top"),
        (lambda v, f: v.update(b=[1, "x"]), "grid.b: must be a list of numbers"),
        (lambda v, f: v.update(b={"start": 0, "stop": 1, "step": 0}), "grid.b: needs start <= stop"),
        (lambda v, f: v.update(n=[1]), "grid.n: is not a name for a parameter"),
        (lambda v, f: v.update(top=[0.5, 1.7]), r"at top = 1.7, b = 0.2: scorers.good: .*within \[0, 1\]"),
        (
            lambda v, f: f.update(measures=["nDCG(power($b))", 10]),
            "at top = 0.5.*: measures: expected a measure",
        ),
    ],
)
def test_bad_grids_are_refused(change: Callable[[Any, Any], object], said: str) -> None:
    values, fields = dict(VALUES), dict(FIELDS)
    change(values, fields)
    refused(said, grid_of, values, fields)


@pytest.mark.slow
def test_points_that_end_when_they_are_precise_have_their_own_replicates(tmp_path: Path) -> None:
    fields = FIELDS | {"replicates": 400, "precision": 0.02, "n": [5, 20]}
    found = simulate(grid_of({"top": [0.3, 0.7], "b": [0.5]}, fields), tmp_path / "out", jobs=1)
    counts = {values[0]: point.replicates_complete for values, point in found.points.items()}
    assert len(set(counts.values())) == 2  # or nothing is tried
    assert check(found).agrees


@pytest.mark.slow
def test_a_grid_runs_code_only_with_permission(tmp_path: Path) -> None:
    write(tmp_path, "print('I ran')\n\n\ndef slow(rank):\n    return rank**-0.3\n", "mine.py")
    file = write(tmp_path, TEXT.replace('"nDCG",', "'nDCG(custom(\"mine:slow\", 1000))',"), "grid.toml")
    out = tmp_path / "out"
    steps = (
        ("run", file, "--out", out, "--jobs", 1),
        ("check", out),
        ("figures", out, "--out", tmp_path / "drawn", *ONE_FIGURE),
    )
    for step in steps:
        before = sorted(tmp_path.rglob("*"))
        code, said, error = command(*step)
        assert (code, "--allow-custom permits it" in error) == (2, True), error
        assert "I ran" not in said + error
        assert sorted(tmp_path.rglob("*")) == before
        assert command(*step, "--allow-custom")[0] == 0
    refused("allow_custom=True", load_grid, file)
    refused("allow_custom=True", grid_in, out)
    again = simulate(load_grid(file, allow_custom=True), out, jobs=1)
    assert again.complete
    kept = grid_in(out, allow_custom=True).points
    assert all(kept[values].data.equals(point.data) for values, point in again.points.items())


@pytest.mark.slow
def test_the_check_of_a_large_grid_is_a_summary_and_the_points_that_disagree() -> None:
    """Twelve points printed 48 rows, at 80 columns without the last parameters."""
    names = [f"parameter{i}" for i in range(4)]
    levels = np.linspace(0.1, 0.15, 6).round(2).tolist(), [0.31, 0.32], [0.25], [0.75]
    values = dict(zip(names, levels, strict=True))
    fields = {
        "scorers": {"a": "step($parameter0, $parameter1, $parameter2)", "b": "random"},
        "measures": ["nDCG@5", "nDCG(power($parameter3))@5"],
        "n": [8],
        "replicates": 100,
        "seed": 1,
    }
    results = simulate(grid_of(values, fields), jobs=1)
    right, wrong = check(results), check(results, perturb=0.9)
    for found, answer in (
        (right, "Nothing disagrees. "),
        (wrong, " verdicts disagree, the first: the mean of a"),
    ):
        answered, *tables = [block for block in found.blocks() if not block.detail]
        assert answer in answered.text
        for table in tables:
            assert len(table.rows) == 24
            assert re.search("; the first 24 of .*, parameter2 = 0.25, parameter3 = 0.75$", table.title), (
                table.title
            )
            assert [column.name for column in table.columns[:2]] == names[:2]
            assert all(len(line) <= 80 for line in str(found).splitlines() if "0.31 " in line)
    # what disagrees is first
    assert [row[-1] for row in list(wrong.blocks())[2].rows] == ["disagrees"] * 24
    # everything is in the long form and in the DataFrame, with all parameters
    assert len(wrong.to_dataframe()) == 48
    assert list(wrong.to_dataframe().columns[:4]) == names
    points = {*map(results.axes.name, results.points)}
    assert sum(isinstance(block, Line) and block.text in points for block in wrong.long()) == 12


def test_a_grid_is_a_study_with_one_more_axis(tmp_path: Path) -> None:
    """Every command and function takes its folder; points that were not begun are left out."""
    file, out = write(tmp_path, TEXT.replace("seed", 'pairs = [["good", "random"]]\nseed')), tmp_path / "out"
    code, said, advice = command("run", file, "--out", out, "--jobs", 1)
    assert (code, said) == (0, f"{out}: 4 of 4 points complete\n")
    assert re.findall(r"ndcg-asymptotics (\w+)", advice) == ["check"]
    (out / "points" / "top=0.7,b=0.6").rename(tmp_path / "aside")
    said = output("distinguish", out, "-v")
    assert said.startswith(
        "INCOMPLETE: 3 of 4 points complete.\ngood > random: at n = 100 most often by nDCG"
    )
    for point in ("top=0.5,b=0.2", "top=0.5,b=0.6", "top=0.7,b=0.2"):
        assert f"\n{point}\n" in said
    found, opened = na.distinguish(out), na.open_results(out)
    rates = {
        (name, pair.measure): pair.points[-1].rate
        for name, point in found.points.items()
        for pair in point.pairs
    }
    most = max(rates.values())
    (top, b), measure = next(place for place, rate in rates.items() if rate == most)
    assert f"{measure} (top={top},b={b}), in {most:.1%}" in said.splitlines()[1]
    # a parameter with the name of another column has that of the file
    frame = found.to_dataframe()
    assert list(frame.columns[:4]) == ["top", "$b", "a", "b"]
    alone = na.distinguish(opened.points[0.7, 0.2])
    part = frame[(frame["top"] == 0.7) & (frame["$b"] == 0.2)].drop(columns=["top", "$b"])
    assert part.reset_index(drop=True).equals(alone.to_dataframe())
    means = opened.to_dataframe()
    assert list(means.columns[:5]) == ["top", "b", "scorer", "measure", "n"]
    assert len(means) == 3 * 2 * 2 * 2


@pytest.mark.slow
def test_figures_show_the_values_of_their_points() -> None:
    """Markers are simulated means and gaps at the chosen points, lines exact ones; points may be missing."""
    fields = FIELDS | {"scorers": CURVES, "measures": ["nDCG(power($b))"], "pairs": [["good", "random"]]}
    found = simulate(grid_of({"b": [0.5, 1, 1.5]}, fields), jobs=1)
    results = GridResults(found.axes, {values: found.points[values] for values in [(0.5,), (1.5,)]})
    against = parameter_figure(results, "b", "nDCG(power($b))", [100])
    mean, wrong = against.axes[:2]
    good = [point.data["ndcg"].sel(scorer="good", n=100).mean().item() for point in results.points.values()]
    np.testing.assert_allclose(mean.lines[2].get_ydata(), [good[0], np.nan, good[1]])
    assert abs(good[0] - good[1]) > 0.05  # or exchanged points would look alike
    assert wrong.get_ylabel() == "P(wrong order)"
    assert "INCOMPLETE: 2 of 3 points complete" in against.get_suptitle()
    curves, gaps = curves_figure(results, "nDCG(power($b))"), gaps_figure(results, "nDCG(power($b))")
    assert [ax.get_title(loc="left") for ax in curves.axes[:2]] == [
        r"(a) $\mathit{b}$ = 0.5",
        r"(b) $\mathit{b}$ = 1.5",
    ]
    (ax,) = gaps.axes  # nDCG(power(1.5)) has no limit
    ends = np.array([line.get_ydata()[-1] for line in ax.lines])
    study = found.points[0.5,].study
    for scorer in study.scorers.values():
        (mean,), goal = relative_means(scorer, study.measures[0], [100]), limit(scorer, study.measures[0])
        assert np.isclose(ends, abs(mean - goal.value)).any()
        assert not np.isclose(ends, abs(mean + 0.01 - goal.value)).any()
    assert len(ax.texts) == 2
