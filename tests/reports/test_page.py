"""The page of a study: its numbers and sentences, in a browser too, and with any names."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import cases
import numpy as np
import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.style import COLORS
from ndcg_asymptotics.reports.page import report
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies.toml import study_text

MEASURES = ["nDCG", "nDCG(power(0.5))", "nDCG@10"]
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
    assert [chart["title"] for chart in charts[:3]] == ["nDCG(log)", "nDCG(power(0.5))", "nDCG(log)@10"]
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
    assert series["limit"] == pytest.approx(0.4**0.5)  # mean gain 0.4 over the ideal 2 sqrt(0.4) / 2
    assert len(charts) == 3 + 3


def test_the_page_agrees_with_check(results: Results) -> None:
    page = report(results)
    assert "Simulation and theory agree: each of the 24 simulated means" in page
    assert page.count('data-facets="') == 6
    wrong = cases.results(results.study, ndcg=results.data["ndcg"].to_numpy() * 0.7,
                          order=results.data["order"].to_numpy())  # fmt: skip
    assert "Simulation and theory disagree: " in report(wrong)


def test_the_study_is_on_the_page(results: Results) -> None:
    assert study_text(results.study) in html.unescape(report(results))


def rerun(results: Results, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the commands that the page prints, in a folder, and return them."""
    blocks = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", report(results), re.DOTALL)
    text, said = map(html.unescape, blocks[-2:])
    install, *commands = said.splitlines()
    assert install == "pip install ."
    (folder / "study.toml").write_text(text)
    monkeypatch.chdir(folder)
    for command in commands:
        assert cases.command(None, *shlex.split(command)[1:])[0] == 0, command
    return commands


@pytest.mark.parametrize(
    "asked", [{"replicates": 7}, {"replicates": 33}, {"replicates": 5, "first": 10}, {"precision": 0.05}]
)
def test_the_commands_of_the_page_give_the_same_replicates(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands ask for the replicates of the results, not for those of the study."""
    study = na.Study(scorers={"a": "linear(0.1, 0.7)"}, measures="nDCG", n=[10, 100], replicates=100)
    results = na.run(study, tmp_path / "here", jobs=1, **asked)
    rerun(results, tmp_path, monkeypatch)
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
    assert "<code><bdi>mine.py</bdi></code>" in report(results)
    shutil.copy(tmp_path / "here" / "mine.py", tmp_path)
    assert all("--allow-custom" in command for command in rerun(results, tmp_path, monkeypatch))
    again = na.open_results(tmp_path / "results", allow_custom=True)
    np.testing.assert_array_equal(again.data["ndcg"], results.data["ndcg"])


def test_names_are_escaped() -> None:
    page = report(simulated(scorers=EVIL, pairs=[list(EVIL)[:2]], title="<b>&\x1b[31m"))
    assert "<img" not in page
    assert page.count("<script") == 2
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


def test_colours_are_those_of_figures() -> None:
    css = (Path(report.__code__.co_filename).parent / "templates" / "report.css").read_text()
    light = css.split('[data-theme="dark"]')[0]
    assert re.findall(r"--c\d: (#\w+);", light) == [color.lower() for color in COLORS]


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
    hidden = "return [...document.querySelectorAll('.scroll')].map(s => s.scrollWidth - s.clientWidth)"
    browser.visit(driver, tmp_path / "wide.html", 1200)
    assert driver.execute_script(hidden) == [0, 0, 0]
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
        "const s = document.querySelector('select[data-filter=measure]'); s.value = 'nDCG(log)@10';"
        "s.dispatchEvent(new Event('change'))"
    )
    assert set(column(driver, 1)) == {"nDCG(log)@10"}
    assert driver.find_element("id", "count").text == "2 of 6 rows"


@pytest.mark.slow
def test_hover_keys_and_scales(driver: Any, page: Path, results: Results) -> None:
    browser.visit(driver, page)
    svg = driver.find_element("css selector", "figure svg")
    tip = driver.find_element("css selector", "figure .tip")
    before = driver.execute_script("return document.querySelector('path.exact').getAttribute('d')")
    assert not tip.is_displayed()
    from selenium.webdriver import ActionChains

    ActionChains(driver).move_to_element_with_offset(svg, svg.size["width"] // 2 - 14, 0).perform()
    assert tip.is_displayed()
    mean = results.data["ndcg"].sel(scorer="good", measure="nDCG(log)", n=300).mean().item()
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
    after = driver.execute_script("return document.querySelector('path.exact').getAttribute('d')")
    assert after != before


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
