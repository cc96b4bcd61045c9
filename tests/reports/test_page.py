"""The page of a study: its numbers and sentences, in a browser too, and with any names."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import cases
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.orders.distinguish import distinguish
from ndcg_asymptotics.analysis.runs.compare import compare
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.looks import contrast, on_dark
from ndcg_asymptotics.lists.growing import grow
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.style import COLORS, line_styles, measure_style, measure_styles
from ndcg_asymptotics.reports.glossary import TERMS
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies.grid import grid_of, load_grid
from ndcg_asymptotics.studies.toml import study_text
from ndcg_asymptotics.theory.mean import expected_ndcg

MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG@10"]
FAMILY = ["nDCG(power(0.3))", "nDCG(power(0.7))", "nDCG(geometric(2))", "nDCG@0.2n", "RBP(0.8)"]
SCORERS = {"good": "linear(0.1, 0.7)", "random": "constant(0.4)"}

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


def embedded(page: str) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="charts-data">(.*?)</script>', page, re.DOTALL)
    assert found
    charts: list[dict[str, Any]] = json.loads(found[1])
    return charts


def test_charts_hold_the_numbers_of_the_results(results: Results) -> None:
    charts = embedded(report(results))
    assert [chart["title"] for chart in charts[:3]] == ["nDCG", "nDCG(power(0.5))", "nDCG@10"]
    values = results.data["ndcg"].sel(measure="nDCG(power(0.5))", scorer="random").to_numpy()
    series = charts[1]["series"][1]
    assert series["name"] == "random"
    np.testing.assert_allclose(series["y"], values.mean(axis=0))
    np.testing.assert_allclose(series["se"], values.std(axis=0, ddof=1) / np.sqrt(len(values)))
    np.testing.assert_allclose(series["low"], np.quantile(values, 0.05, axis=0))
    exact = [
        row.expectation
        for row in check(results).rows
        if (row.scorer, row.measure) == ("random", "nDCG(power(0.5))")
    ]
    np.testing.assert_allclose(series["line"], exact)
    between = [n for n in series["curve"]["x"] if n not in results.study.n]
    assert between
    mean = expected_ndcg("constant(0.4)", "nDCG(power(0.5))", between).value
    known = dict(zip(series["curve"]["x"], series["curve"]["y"], strict=True))
    np.testing.assert_allclose([known[n] for n in between], mean, atol=1e-4)
    assert series["limit"] == pytest.approx(0.4**0.5)  # mean gain 0.4 over the ideal 2 sqrt(0.4) / 2
    assert len(charts) == 3 + 2
    assert [series["name"] for series in charts[3]["series"]] == [
        "nDCG",
        "nDCG(power(0.5))",
        "nDCG@10",
    ]
    points = distinguish(results).pairs[1].points
    shown = charts[3]["series"][1]
    assert shown["y"] == [1 - point.rate for point in points]
    assert shown["low"] == [1 - point.high for point in points]
    assert charts[3]["ylog"]
    assert charts[3]["remark"] == "right order: good ahead of random"


def test_the_page_agrees_with_check(results: Results) -> None:
    page = report(results)
    assert "Simulation and theory agree: each of the 24 simulated means" in page
    assert page.count('<td class="text agrees"') >= 6
    wrong = cases.results(
        results.study, ndcg=results.data["ndcg"].to_numpy() * 0.7, order=results.data["order"].to_numpy()
    )
    assert "Simulation and theory disagree: " in report(wrong)


def test_the_study_is_on_the_page(results: Results) -> None:
    assert study_text(results.study) in html.unescape(report(results))


def rerun(results: Results, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the commands that the page prints, in a folder, and return them."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", report(results), re.DOTALL)
    text, said = map(html.unescape, blocks)
    install, *commands = said.splitlines()
    assert install == "pip install ."
    (folder / "study.toml").write_text(text)
    monkeypatch.chdir(folder)
    for command in commands:
        assert cases.command(None, *shlex.split(command)[1:])[0] == 0, command
    return commands


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "asked", "options"),
    [
        (None, {}, ""),
        (None, {"replicates": 5, "first": 10}, " --replicates 5 --first 10"),
        (None, {"precision": 0.05}, " --replicates 32"),
        (0.05, {}, ""),
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


def test_the_page_names_the_modules_that_a_rerun_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.py").write_text("def slow(rank):\n    return rank**-0.3\n")
    measure = Measure.parse('nDCG(custom("mine:slow", 1000))', tmp_path / "study")
    study = na.Study(scorers={"a": "linear(0.1, 0.7)"}, measures=measure, n=[10, 100], replicates=12)
    results = na.run(study, tmp_path / "here", jobs=1)
    assert "<div>mine.py</div>" in report(results)
    shutil.copy(tmp_path / "here" / "mine.py", tmp_path)
    assert all("--allow-custom" in command for command in rerun(results, tmp_path, monkeypatch))
    again = na.open_results(tmp_path / "results", allow_custom=True)
    np.testing.assert_array_equal(again.data["ndcg"], results.data["ndcg"])


def test_names_are_escaped() -> None:
    page = report(simulated(scorers=EVIL, pairs=[list(EVIL)[:2]], title="<b>&\x1b[31m"))
    assert "<img" not in page
    assert page.count("<script") == 2
    assert "Vector units" in page
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", page)
    assert "<title>&lt;b&gt;&amp;\\x1b[31m</title>" in page
    names = [series["name"] for series in embedded(page)[0]["series"]]
    assert names[0] == next(iter(EVIL))
    assert names[2] == "a\\x1b]0;b\\x07c \\u202edna שלום"


@pytest.mark.parametrize("fields", [{"n": [50]}, {"measures": ["nDCG(zipf)"], "pairs": []}])
def test_small_studies_have_pages(fields: dict[str, object]) -> None:
    assert len(embedded(report(simulated(**fields)))) >= 1


def test_one_replicate_has_curves_and_no_verdicts() -> None:
    one = cases.simulated(cases.study("linear(0.1, 0.7)"), 1)
    page = report(one)
    assert "verdicts need at least two" in page
    assert 'id="verdict-table"' not in page
    assert embedded(page)[0]["series"][0]["se"] is None


def test_incomplete_results_have_a_warning(results: Results) -> None:
    asked = np.arange(60)
    fewer = dataclasses.replace(results, replicates=asked, done=asked < 40)
    assert "Incomplete: 40 of 60 replicates." in report(fewer)


def test_wrong_output_paths_are_refused(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, expected the name of a file"):
        report(results, tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        report(results, tmp_path / "nowhere" / "report.html")


def test_looks_are_those_of_figures(results: Results) -> None:
    page = report(results)
    charts = embedded(page)
    scorers = [series["look"] for series in charts[0]["series"]]
    assert [(look["color"], look["marker"]) for look in scorers] == [
        (line.color, line.marker) for line in line_styles(2)
    ]
    measures = [series["look"] for series in charts[3]["series"]]
    assert [(look["color"], look["marker"]) for look in measures] == [
        (line.color, line.marker) for line in measure_styles(MEASURES).values()
    ]
    for look in (*scorers, *measures):
        assert f"--{look['color'][1:]}: {look['color']};" in page


@pytest.mark.parametrize("color", sorted({*COLORS, *(measure_style(m).color for m in FAMILY)}))
def test_colours_are_seen_on_dark_pages(color: str) -> None:
    assert contrast(on_dark(color), "#14171a") >= 4.5


@pytest.mark.slow
def test_rare_orders_have_a_page() -> None:
    study = na.Study(
        scorers=SCORERS,
        measures=MEASURES[:2],
        n=[100, 1000],
        replicates=100,
        engine="rare",
        pairs=[("good", "random")],
    )
    results = na.run(study, jobs=1)
    page = report(results)
    (chart,) = embedded(page)
    points = distinguish(results).pairs[0].points
    shown = chart["series"][0]
    assert shown["y"] == [-point.log10_wrong if point.reliable else None for point in points]
    assert chart["ylog"]
    assert chart["title"] == "-log10 P(wrong order) at n"
    assert len(shown["curve"]["x"]) > len(chart["x"])  # lengths between those of the study
    for predicted, simulated in zip(shown["line"], shown["y"], strict=True):
        assert simulated is None or predicted == pytest.approx(simulated, rel=0.2)
    assert 'data-term="effective-sample-size"' in page
    assert "ndcg-asymptotics distinguish results" in page


def test_a_grid_has_a_page_and_its_file(tmp_path: Path) -> None:
    fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG", "nDCG(power($b))"], "n": [10, 50]}
    grid = grid_of({"p": [0.1, 0.3], "b": [0.5]}, {**fields, "replicates": 40})
    results = na.sweep.run_grid(grid, jobs=1)
    page = report(results)
    charts = embedded(page)
    assert [chart["title"] for chart in charts] == [
        f"{measure} against {name}" for measure in fields["measures"] for name in "pb"
    ]
    mean = results.data["ndcg"].sel(p=0.3, b=0.5, n=50).mean("replicate")
    assert charts[0]["series"][0]["y"][1] == pytest.approx(mean.sel(measure="nDCG", scorer="a").item())
    assert charts[2]["series"][0]["line"][0] == pytest.approx(
        expected_ndcg("constant(0.1)", "nDCG(power(0.5))", [50]).value[0], abs=1e-3
    )
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    (tmp_path / "grid.toml").write_text(html.unescape(blocks[0]))
    assert load_grid(tmp_path / "grid.toml").axes == results.axes
    assert page.count("<tr>") == 1 + 1 + 2 * 2 - 1


LABELS = {str(query): {f"d{i}": float(i < 6) for i in range(24)} for query in range(12)}


def noisy(noise: float, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    return {q: {d: y + noise * rng.normal() for d, y in docs.items()} for q, docs in LABELS.items()}


RUNS = {"good": noisy(0.5, 1), "bad": noisy(2.0, 2), "worse": noisy(4.0, 3)}


@pytest.mark.parametrize("runs", [("good", "bad"), ("good", "bad", "worse")])
def test_a_comparison_has_a_page(runs: tuple[str, ...]) -> None:
    found = compare({name: RUNS[name] for name in runs}, LABELS, MEASURES[::2], theory=False, resamples=99)
    page = report(found)
    charts = embedded(page)
    forests = [chart for chart in charts if "rows" in chart]
    assert len(forests) == len(found.pairs)
    best = min(found.pairs, key=lambda pair: pair.clearest.p)
    assert forests[0]["rows"] == ["nDCG", "nDCG@10"]
    assert forests[0]["series"][0]["y"] == [judged.difference.mean for judged in best.by_measure]
    assert "\\n" not in html.unescape(page).split("<main>")[0].split("</style>")[1]


@pytest.mark.parametrize("runs", [("good", "bad"), ("good", "bad", "worse")])
def test_a_comparison_with_a_judge_has_a_page_with_three_rows_for_each_measure(runs: tuple[str, ...]) -> None:
    human = {q: LABELS[q] for q in list(LABELS)[:8]}
    found = compare(
        {name: RUNS[name] for name in runs}, human, MEASURES[::2], judge=LABELS, resamples=99, theory=False
    )
    page = report(found)
    charts = embedded(page)
    assert len(charts) == len(found.pairs)
    best = min(found.pairs, key=lambda pair: pair.clearest.combined.p)
    rows = [row for measure in best.by_measure for row in measure.rows]
    assert charts[0]["rows"] == [f"{row.measure}, {row.labels}" for row in rows]
    assert charts[0]["series"][0]["y"] == [row.difference for row in rows]
    assert "8 queries judged by humans and 12 by the judge" in page


def test_growing_lists_have_a_page() -> None:
    grown = grow({name: RUNS[name] for name in ("good", "bad")}, LABELS, "nDCG", orders=2, by=2)
    page = report(grown)
    (chart,) = embedded(page)
    assert chart["x"][-1] == 24
    assert chart["series"][0]["y"][-1] == pytest.approx(grown.mean[0, 0, -1])
    assert grown.theory is not None
    assert [v is None for v in chart["series"][1]["ticks"]] == [v is None for v in chart["series"][1]["dots"]]
    assert "line" not in chart["series"][1]  # theory is known at a few sizes, and not drawn between them
    dots = [value for value in chart["series"][1]["dots"] if value is not None]
    np.testing.assert_allclose(dots[-1], grown.theory.mixture[1, 0, -1])
    assert 'data-term="monte-carlo-standard-error"' not in page.split("</header>")[1]


def test_highest_means_and_orders_that_settle_have_their_interval() -> None:
    grown = grow({name: RUNS[name] for name in ("good", "bad")}, LABELS, "nDCG", orders=2)
    low, high = (end[0, 0, -1] for end in grown.band())
    assert f"{grown.mean[0, 0, -1]:.4f} (95% band {low:.4f} to {high:.4f})" in html.unescape(report(grown))
    scorers = {"a": "linear(0.1, 0.9)", "b": "constant(0.5)"}
    study = na.Study(
        scorers=scorers, measures="nDCG", n=[300, 1000, 3000], replicates=400, seed=1, pairs=[("a", "b")]
    )
    results = na.run(study, jobs=1)
    (pair,) = distinguish(results).pairs
    since = pair.from_n[0]
    assert pair.settled_from == since.n
    said = f"in {since.rate:.4f} [{since.low:.4f}, {since.high:.4f}] of the replicates"
    assert said in html.unescape(report(results))


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser.chromium() as found:
        yield found


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    report(results, file)
    return file


def column(driver: Any, index: int) -> list[str]:
    script = (
        "return [...document.querySelectorAll('#verdict-table tbody tr')].filter(r => !r.hidden)"
        f".map(r => r.children[{index}].textContent)"
    )
    found: list[str] = driver.execute_script(script)
    return found


@pytest.mark.slow
def test_the_page_loads_nothing_else(driver: Any, page: Path) -> None:
    driver.get("about:blank")
    browser.requests(driver), driver.get_log("browser")
    for width in (360, 800, 1400):
        browser.visit(driver, page, width)
        assert {url for url in browser.requests(driver) if not url.startswith("data:")} == {page.as_uri()}
        assert driver.get_log("browser") == []
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert driver.execute_script("return document.querySelectorAll('figure svg path.exact').length") == 12


@pytest.mark.slow
def test_tables_fit_their_page_and_verdicts_fit_a_phone(driver: Any, tmp_path: Path) -> None:
    wide = ["nDCG(geometric(2))", "nDCG(linear)", "nDCG(power(0.5))@0.2n"]
    report(simulated(measures=wide), tmp_path / "wide.html")
    browser.visit(driver, tmp_path / "wide.html", 390)
    above = (
        "return Math.max(...[...document.querySelectorAll('figure')].map(f => f.getBoundingClientRect().top))"
        " < document.querySelector('table').getBoundingClientRect().top"
    )
    assert driver.execute_script(above.replace("'figure'", "'#curves figure'"))
    narrow = (
        "return [...document.querySelectorAll('.scroll td')].filter(c => c.textContent.includes(' ') &&"
        " c.clientHeight > 3 * parseFloat(getComputedStyle(c).lineHeight)).map(c => c.textContent)"
    )
    assert driver.execute_script(narrow) == []
    browser.visit(driver, tmp_path / "wide.html", 400)
    right = (
        "return Math.max(...[...document.querySelectorAll('#verdict-table td:nth-child(4) bdi')]"
        ".map(b => b.getBoundingClientRect().right))"
    )
    assert driver.execute_script(right) < 400
    stuck = "const s = document.querySelector('#verdicts .scroll'); s.scrollLeft = 999; return s.scrollLeft"
    assert driver.execute_script(stuck) > 0
    first = "return document.querySelector('#verdict-table tbody td').getBoundingClientRect().left"
    assert 0 <= driver.execute_script(first) < 20


@pytest.mark.slow
def test_sorting_and_filtering(driver: Any, page: Path) -> None:
    browser.visit(driver, page)
    head = driver.find_elements("css selector", "#verdict-table th button")
    simulated = [button.text for button in head].index("simulated")
    values = [float(text) for text in column(driver, simulated)]
    head[simulated].click()
    assert [float(text) for text in column(driver, simulated)] == sorted(values) != values
    head[simulated].send_keys("\ue007")  # the Enter key
    assert [float(text) for text in column(driver, simulated)] == sorted(values, reverse=True)
    driver.execute_script(
        "const s = document.querySelector('[data-table=verdict-table] select'); s.value = 'nDCG@10';"
        "s.dispatchEvent(new Event('change'))"
    )
    assert set(column(driver, 1)) == {"nDCG@10"}
    assert driver.find_element("css selector", "[data-table=verdict-table] .count").text == "2 of 6 rows"


@pytest.mark.slow
def test_hover_keys_and_scales(driver: Any, page: Path, results: Results) -> None:
    browser.visit(driver, page)
    svg = driver.find_element("css selector", "figure svg")
    tip = driver.find_element("css selector", "figure .tip")
    before = driver.execute_script("return document.querySelector('figure path.exact').getAttribute('d')")
    assert not tip.is_displayed()
    from selenium.webdriver import ActionChains

    mouse = ActionChains(driver, duration=10)
    mouse.move_to_element_with_offset(svg, svg.size["width"] // 2 - 14, 0).perform()
    assert tip.is_displayed()
    mean = results.data["ndcg"].sel(scorer="good", measure="nDCG", n=300).mean().item()
    assert tip.text.startswith("n = 300")
    assert f"{mean:.5f}" in tip.text
    assert "1.00000" in tip.text  # the limit
    driver.execute_script("arguments[0].focus()", svg)
    svg.send_keys("\ue011")  # Home
    assert tip.text.startswith("n = 10")
    svg.send_keys("\ue014")  # the right arrow
    assert tip.text.startswith("n = 30")
    svg.send_keys("\ue00c")  # Escape
    assert not tip.is_displayed()
    driver.find_element("css selector", "input[value=linear]").click()
    after = driver.execute_script("return document.querySelector('figure path.exact').getAttribute('d')")
    assert after != before


@pytest.mark.slow
def test_scorers_are_hidden_and_ranges_zoomed(driver: Any, page: Path) -> None:
    from selenium.webdriver import ActionChains

    browser.visit(driver, page)
    drawn = "return document.querySelectorAll('#curves figure:first-child path.exact').length"
    buttons = driver.find_elements("css selector", "#curves .key button")
    assert [button.text for button in buttons] == list(SCORERS)
    assert driver.execute_script(drawn) == 2
    buttons[0].click()
    assert driver.execute_script(drawn) == 1
    assert buttons[0].get_attribute("aria-pressed") == "false"
    buttons[0].send_keys("\ue007")
    assert driver.execute_script(drawn) == 2
    svg = driver.find_element("css selector", "figure svg")
    again = driver.find_element("css selector", "figure [data-save=all]")
    whole = driver.execute_script("return document.querySelector('figure svg').textContent")
    assert not again.is_displayed()
    drag = ActionChains(driver, duration=10).move_to_element_with_offset(svg, -200, 0).click_and_hold()
    drag.move_by_offset(150, 0).move_by_offset(200, 0).release().perform()
    assert again.is_displayed()
    assert driver.execute_script("return document.querySelector('figure svg').textContent") != whole
    again.click()
    assert not again.is_displayed()
    assert driver.execute_script("return document.querySelector('figure svg').textContent") == whole
    driver.execute_script("arguments[0].focus()", svg)
    svg.send_keys("\ue011")  # Home
    svg.send_keys("+")
    assert again.is_displayed()
    svg.send_keys("0")
    assert not again.is_displayed()


@pytest.mark.slow
def test_charts_are_saved_and_texts_are_copied(
    driver: Any, page: Path, results: Results, tmp_path: Path
) -> None:
    there = {"behavior": "allow", "downloadPath": str(tmp_path)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", there)
    browser.visit(driver, page)
    for kind in ("csv", "png"):
        driver.find_element("css selector", f"figure [data-save={kind}]").click()
    files = [tmp_path / "nDCG-Theorem-1.csv", tmp_path / "nDCG-Theorem-1.png"]
    for _ in range(100):
        if all(file.exists() for file in files):
            break
        time.sleep(0.1)
    saved = pd.read_csv(files[0])
    assert list(saved)[:4] == ["series", "n", "mean", "MCSE"]
    mean = results.data["ndcg"].sel(scorer="random", measure="nDCG").mean("replicate")
    np.testing.assert_allclose(saved.loc[saved.series == "random", "mean"], mean)
    with Image.open(files[1]) as picture:
        assert picture.width > 1200
        colors = {color for _, color in picture.convert("RGB").getcolors(10**6)}
    assert {(255, 255, 255), (0, 114, 178), (213, 94, 0)} <= colors
    driver.execute_script("navigator.clipboard.writeText = async text => { window.copied = text; }")
    buttons = driver.find_elements("css selector", "button.copy")
    for button in buttons:
        button.click()
    assert [button.text for button in buttons] == ["Copied", "Copied"]
    last = "return [...document.querySelectorAll('pre')].filter(p => p.parentNode.className)[1].textContent"
    assert driver.execute_script("return window.copied") == driver.execute_script(last)
    assert driver.get_log("browser") == []


@pytest.mark.slow
def test_terms_are_explained_on_hover_and_focus(driver: Any, page: Path) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.support.ui import WebDriverWait

    browser.visit(driver, page)
    meaning, wait = driver.find_element("id", "meaning"), WebDriverWait(driver, 30, 0.05)
    for anchor in ("monte-carlo-standard-error", "pseudo-expectation", "detectable-error"):
        head = driver.find_element("css selector", f"#verdict-table [data-term={anchor}]")
        known = next(term for term in TERMS if term.anchor == anchor)
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].blur()", head)

        def hovered(_: object, head: Any = head, text: str = known.meaning) -> bool:
            # scrolling hides what a pointer has shown until it enters again, so it leaves first
            pointer = ActionBuilder(driver, duration=0)
            pointer.pointer_action.move_to_location(1, 1)
            pointer.perform()
            ActionChains(driver, duration=0).move_to_element(head).perform()
            return bool(meaning.text == text)

        wait.until(hovered)
        ActionChains(driver, duration=0).move_by_offset(0, 300).perform()
        wait.until(lambda _: not meaning.is_displayed())
        driver.execute_script("arguments[0].focus({preventScroll: true})", head)
        wait.until(lambda _, text=known.meaning: meaning.text == text)
        head.send_keys("\ue00c")  # Escape
        wait.until(lambda _: not meaning.is_displayed())


@pytest.mark.slow
def test_light_and_dark_and_paper(driver: Any, page: Path) -> None:
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    browser.visit(driver, page)
    background = "return getComputedStyle(document.body).backgroundColor"
    assert driver.execute_script(background) == "rgb(20, 23, 26)"
    driver.find_element("id", "theme").click()
    assert driver.execute_script(background) == "rgb(255, 255, 255)"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(driver.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000


@pytest.mark.slow
def test_scripts_in_names_do_not_run(driver: Any, tmp_path: Path) -> None:
    report(simulated(scorers=EVIL, pairs=[list(EVIL)[:2]], title="<b>"), tmp_path / "evil.html")
    browser.visit(driver, tmp_path / "evil.html")
    assert driver.title == "<b>"
    assert driver.get_log("browser") == []
    assert set(column(driver, 0)) == {*list(EVIL)[:2], "a\\x1b]0;b\\x07c \\u202edna שלום"}
