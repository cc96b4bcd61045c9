"""The page of results: its numbers, figures and sentences, in a browser too, and with any names."""

from __future__ import annotations

import base64
import dataclasses
import html
import re
import shlex
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import browser
import cases
import numpy as np
import pandas as pd
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.comparisons.comparing import compare
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.distinguishing import distinguish
from ndcg_asymptotics.plots import measure_figure, pair_figures
from ndcg_asymptotics.plots.saving import svg_of
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies.grid import grid_of, load_grid
from ndcg_asymptotics.studies.toml import study_text

MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG@10"]
SCORERS = {"good": "linear(0.1, 0.7)", "random": "constant(0.4)"}
WIDTH = 3.5  # of figures, in inches

EVIL = {
    "</script><script>document.title='broken'</script>": "linear(0.1, 0.7)",
    "\"><img src=x onerror=alert(1)> & ' $x$ \\input{y}": "constant(0.4)",
    "a\x1b]0;b\x07c \u202edna שלום": "linear(0.2, 0.6)",
}


def simulated(**fields: object) -> Results:
    given = {"scorers": SCORERS, "measures": MEASURES, "n": (10, 30, 100, 300), "title": "A study"}
    return cases.simulated(cases.study(**{**given, "pairs": [("good", "random")], **fields}), 40)


@pytest.fixture(scope="module")
def results() -> Results:
    return simulated()


@pytest.fixture(scope="module")
def text(results: Results) -> str:
    return report(results)


def decoded(page: str, kind: str) -> list[str]:
    """The files of a media type that a page holds."""
    found = re.findall(rf"data:{re.escape(kind)};charset=utf-8;base64,([^\"]*)", page)
    return [base64.b64decode(data).decode() for data in found]


def frames(page: str) -> list[pd.DataFrame]:
    return [pd.read_csv(StringIO(csv)) for csv in decoded(page, "text/csv")]


@pytest.mark.slow
def test_figures_are_those_of_plots(results: Results, text: str) -> None:
    shown = decoded(text, "image/svg+xml")
    assert len(set(shown)) == len(MEASURES) + 1
    (orders,) = pair_figures(results, width=WIDTH).values()
    assert [shown[1], shown[-1]] == [
        svg_of(measure_figure(results, MEASURES[1], width=WIDTH)),
        svg_of(orders),
    ]


@pytest.mark.slow
def test_files_have_every_value(results: Results, text: str) -> None:
    orders, means, simulated = frames(text)
    for frame, outcome in ((orders, distinguish(results)), (means, check(results)), (simulated, results)):
        expected = pd.read_csv(StringIO(outcome.to_dataframe().to_csv(index=False)))
        pd.testing.assert_frame_equal(frame, expected)
    assert len(means) == 2 * 3 * 4


def test_the_page_agrees_with_check(results: Results, text: str) -> None:
    assert "Simulation against theory: nothing disagrees. Tested: 24 of 24 means" in text
    assert text.count("<bdi>agrees</bdi>") >= 6
    wrong = cases.results(
        results.study, ndcg=results.data["ndcg"].to_numpy() * 0.7, order=results.data["order"].to_numpy()
    )
    page = report(wrong)
    words = "Simulation against theory: [0-9]+ verdicts disagree, the first: the mean of good by nDCG"
    assert re.search(words, page)
    assert 'class="text disagrees"' in page


def test_the_study_is_on_the_page(results: Results, text: str) -> None:
    assert study_text(results.study) in html.unescape(text)


def rerun(results: Results, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the commands that the page prints, in a folder, and return them."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", report(results), re.DOTALL)
    study, *_, commands = map(html.unescape, blocks)
    install, *lines = commands.splitlines()
    assert install == "pip install ."
    (folder / "study.toml").write_text(study)
    monkeypatch.chdir(folder)
    for line in lines:
        assert cases.command(*shlex.split(line)[1:])[0] == 0, line
    return lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "asked", "options"),
    [
        (None, {"replicates": 5, "first": 10}, " --replicates 5 --first 10"),
        (None, {"precision": 0.05}, " --replicates 32"),
        (0.05, {"precision": 0.02}, " --replicates 64"),
    ],
)
def test_the_commands_of_the_page_are_those_of_the_run(
    precision: float | None,
    asked: dict[str, Any],
    options: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The commands have options only where the study by itself would give other replicates."""
    curves = {"a": "linear(0.1, 0.7)"}
    study = na.Study(scorers=curves, measures="nDCG", n=[10, 100], replicates=100, precision=precision)
    results = na.run(study, tmp_path / "here", jobs=1, **asked)
    commands = rerun(results, tmp_path, monkeypatch)
    assert commands[0] == f"ndcg-asymptotics run study.toml --out results{options}"
    again = na.open_results(tmp_path / "results")
    np.testing.assert_array_equal(again.data["replicate"], results.data["replicate"])
    np.testing.assert_array_equal(again.data["ndcg"], results.data["ndcg"])


@pytest.mark.slow
def test_the_page_names_the_modules_that_a_rerun_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.py").write_text("def slow(rank):\n    return rank**-0.3\n")
    measure = Measure.parse('nDCG(custom("mine:slow", 1000))', tmp_path / "study")
    study = na.Study(scorers={"a": "linear(0.1, 0.7)"}, measures=measure, n=[10, 100], replicates=12)
    results = na.run(study, tmp_path / "here", jobs=1)
    assert "<code>mine.py</code>" in report(results)
    shutil.copy(tmp_path / "here" / "mine.py", tmp_path)
    assert all("--allow-custom" in command for command in rerun(results, tmp_path, monkeypatch))
    again = na.open_results(tmp_path / "results", allow_custom=True)
    np.testing.assert_array_equal(again.data["ndcg"], results.data["ndcg"])


@pytest.mark.slow
def test_names_are_escaped() -> None:
    few = {"measures": "nDCG", "n": [10, 30], "pairs": [list(EVIL)[:2]]}
    page = report(simulated(scorers=EVIL, title="<b>&\x1b[31m", **few))
    assert "<script" not in page
    assert page.count("<img ") == page.count('src="data:image/svg+xml;') == 2
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", page)
    assert "<title>&lt;b&gt;&amp;\\x1b[31m</title>" in page
    assert "<bdi>a\\x1b]0;b\\x07c \\u202edna שלום</bdi>" in page


def test_one_replicate_has_curves_and_no_verdicts() -> None:
    page = report(cases.simulated(cases.study("linear(0.1, 0.7)"), 1))
    assert "verdicts need at least two" in page
    assert "Simulation against theory" not in page
    assert page.count("<img ") == 1


@pytest.mark.slow
def test_incomplete_results_have_a_warning() -> None:
    asked, drawn = np.arange(60), simulated(measures="nDCG", n=[10], pairs=[])
    fewer = dataclasses.replace(drawn, replicates=asked, done=asked < 40)
    assert "Incomplete: 40 of 60 replicates." in report(fewer)


def test_wrong_output_paths_are_refused(results: Results, tmp_path: Path) -> None:
    cases.refused("is a folder, expected the name of a file", report, results, tmp_path)
    cases.refused("there is no folder", report, results, tmp_path / "nowhere" / "report.html")


@pytest.mark.slow
def test_a_grid_has_a_page_and_its_file(tmp_path: Path) -> None:
    fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG", "nDCG(power($b))"], "n": [10, 50]}
    grid = grid_of({"p": [0.1, 0.3], "b": [0.5]}, {**fields, "replicates": 40})
    results = na.run(grid, jobs=1)
    page = report(results)
    assert page.count("<img ") == 2 * 4
    means, simulated = frames(page)
    assert means.p.tolist() == [0.1] * 4 + [0.3] * 4
    assert set(means.verdict) == {"agrees"}
    assert simulated.p.tolist() == means.p.tolist()
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    (tmp_path / "grid.toml").write_text(html.unescape(blocks[0]))
    assert load_grid(tmp_path / "grid.toml").axes == results.axes


LABELS = {str(query): {f"d{i}": float(i < 6) for i in range(24)} for query in range(12)}


RUNS = cases.noisy_runs(LABELS, {"good": 0.5, "bad": 2.0, "worse": 4.0}, np.random.default_rng(1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "judged"), [(("good", "bad"), False), (("good", "bad", "worse"), False), (("good", "bad"), True)]
)
def test_a_comparison_has_a_page(runs: tuple[str, ...], judged: bool) -> None:
    chosen = {name: RUNS[name] for name in runs}
    human = {q: LABELS[q] for q in list(LABELS)[:8]} if judged else LABELS
    judge = LABELS if judged else None
    compared = compare(chosen, human, MEASURES[::2], judge=judge, resamples=99)
    page = report(compared)
    answers = {(pair.a, pair.b): pair.first.answer for pair in compared.pairs}
    a, b = min(answers, key=lambda pair: (answers[pair].p, -abs(answers[pair].difference)))
    figures = re.findall('alt="Figure: ([^"]*)[.] The', page)
    assert len(figures) == len(compared.pairs)
    assert figures[0].endswith(f" {a} {b}")
    assert '<p class="answer">good is better' in page
    assert len(frames(page)[0]) > 0
    assert ("8 queries judged by humans and 12 by the judge" in page) == judged


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    report(results, file)
    return file


@pytest.mark.slow
def test_the_page_loads_nothing_else_and_fits_every_width(driver: Any, page: Path) -> None:
    driver.get("about:blank")
    browser.requests(driver), driver.get_log("browser")
    for width in (360, 800, 1400):
        browser.visit(driver, page, width)
        assert {url for url in browser.requests(driver) if not url.startswith("data:")} == {page.as_uri()}
        assert driver.get_log("browser") == []
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        sizes = "return [...document.images].map(i => [i.naturalWidth, i.getBoundingClientRect().width])"
        for natural, shown in driver.execute_script(sizes):
            assert natural == pytest.approx(72 * WIDTH * 4 / 3, abs=1)
            assert min(width - 40, 400) <= shown <= width
