"""The page of the explorer in a browser: widgets, the tour, the address, keys, a phone and a dark page."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import browser
import pytest

from ndcg_asymptotics.explorer import draws, page
from ndcg_asymptotics.explorer.against_n import LENGTHS
from ndcg_asymptotics.explorer.drawing import ranked_list
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.explorer.tour import STEPS

pytestmark = pytest.mark.slow

_FIND = """
const [selector, label] = arguments;
function* every(root) {
  for (const e of root.querySelectorAll("*")) { yield e; if (e.shadowRoot) yield* every(e.shadowRoot); }
}
const found = [...every(document)].filter(e => e.matches(selector) && e.getBoundingClientRect().width > 0);
return found.filter(e => !label || (e.getRootNode().textContent + e.textContent).includes(label));
"""

_DIMMED = '[...Bokeh.documents[0]._all_models.values()].filter(m => m.styles?.opacity === "0.35").length'
_COMPLETE = f"return {_DIMMED} === 0"
_ANSWERED = f"""
const last = (window.Bokeh?.documents ?? [])[0]?.get_model_by_name("exponent b");
return last?.data.x.length && {_DIMMED} <= 1
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with browser.explorer() as found:
        yield found


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser.chromium() as found:
        yield found


def wait(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until a condition holds, and return its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s")


class Seen:
    """The page in the browser."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver, self.address = driver, address

    def start(self) -> None:
        """Show the state at the start, on the page that is open if there is one; its charts are to come."""
        self.size(1280)
        if self.driver.current_url.startswith(self.address) and self.all("button", "Reset"):
            press(self, "Reset")
            wait(lambda: self.state() == State() and "step=" not in self.driver.current_url)
        else:
            self.open()

    def size(self, width: int) -> None:
        settings = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", settings)

    def open(self, query: str = "") -> None:
        self.size(1280)
        self.driver.get(f"{self.address}?{query}")
        self.answered()

    def all(self, selector: str, label: str = "") -> list[Any]:
        found: list[Any] = self.driver.execute_script(_FIND, selector, label)
        return found

    def one(self, selector: str, label: str = "") -> Any:
        return wait(lambda: self.all(selector, label))[-1]

    def source(self, name: str) -> dict[str, list[float]]:
        found = self.driver.execute_script(
            "const d = Bokeh.documents[0].get_model_by_name(arguments[0]).data;"
            "return Object.fromEntries(Object.entries(d).map(([k, v]) => [k, [...v]]))",
            name,
        )
        return dict(found)

    def text(self) -> str:
        """What can be read on the page."""
        found = self.driver.execute_script(
            """
            function text(root) { let s = ""; for (const n of root.childNodes) {
              if (n.nodeType === 3) s += n.textContent + " ";
              else if (n.nodeType === 1 && !["STYLE", "SCRIPT"].includes(n.tagName)) {
                if (n.shadowRoot) s += text(n.shadowRoot); s += text(n); } }
              return s; }
            return text(document.body)
            """
        )
        return " ".join(found.split())

    def state(self) -> State:
        """The state in the address."""
        query = unquote(self.driver.current_url.partition("?")[2])
        fields = (p for p in query.split("&") if not p.startswith(("theme=", "step=")))
        return State.from_query("&".join(fields))

    def answered(self) -> None:
        """Wait until every chart is there: only the answers in words, which stand below them, are to come."""
        wait(lambda: self.driver.execute_script(_ANSWERED))

    def complete(self) -> None:
        """Wait until nothing is dimmed, and the answers in words are there, which come last."""
        wait(lambda: self.driver.execute_script(_COMPLETE) and self.all("ul"))

    def errors(self) -> list[str]:
        log = self.driver.get_log("browser")
        return [e["message"] for e in log if e["level"] == "SEVERE" and "favicon" not in e["message"]]


@pytest.fixture(autouse=True)
def _first_answers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let first answers stand where a test does not wait until they are completed."""
    if request.function is not test_the_first_view_is_complete_on_a_dark_phone_and_nothing_else_is_loaded:
        monkeypatch.setattr(page, "_REST", 3600.0)


@pytest.fixture(scope="module")
def seen(driver: Any, address: str) -> Seen:
    return Seen(driver, address)


def test_the_first_view_is_complete_on_a_dark_phone_and_nothing_else_is_loaded(seen: Seen) -> None:
    number, step = next((i, one) for i, one in enumerate(STEPS, 1) if one.state == State())
    seen.driver.get("about:blank")
    browser.requests(seen.driver)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    seen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        seen.size(390)
        seen.driver.get(f"{seen.address}?step={number}")
        wait(lambda: "theme=dark" in seen.driver.current_url)
        seen.answered()
        seen.complete()
        assert seen.state() == step.state
        text = seen.text()
        assert step.question in text
        assert "nDCG tells them apart from n = 1,382 [1,260, 1,517] on; nDCG@10 never does." in text
        assert "tends to 1 (Theorem 1)" in text
        assert seen.source("mean A")["y"][-1] == pytest.approx(0.9784, abs=1e-4)
        assert len(seen.source("wrong")["x"]) >= LENGTHS.size
        (best,) = seen.source("best cutoff k")["x"]
        assert 400 < best < 800
        assert seen.driver.execute_script("return document.documentElement.scrollWidth") <= 390
        # answers stand below the charts
        bottom, top = seen.driver.execute_script(
            "const [chart] = arguments[0].slice(-1), [list] = arguments[1];"
            "return [chart.getBoundingClientRect().bottom, list.getBoundingClientRect().top]",
            seen.all(".bk-Figure"),
            seen.all("ul"),
        )
        assert bottom <= top
        background = "return getComputedStyle(document.documentElement).backgroundColor"
        assert seen.driver.execute_script(background) == "rgb(18, 18, 18)"
        seen.one("button", "Light").click()
        wait(lambda: "theme=default" in seen.driver.current_url)
        wait(lambda: seen.driver.execute_script(background) != "rgb(18, 18, 18)")
        seen.answered()
    finally:
        seen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    loaded = [u for u in browser.requests(seen.driver) if u.startswith(("http", "ws"))]
    assert loaded
    assert [u for u in loaded if not u.startswith(seen.address)] == []
    assert seen.errors() == []


def test_sliders_move_with_keys_and_the_address_follows(seen: Seen) -> None:
    seen.start()
    seen.answered()
    before = seen.source("mean A")["y"]
    slider = wait(lambda: seen.all(".noUi-handle[aria-label=top]"))[0]
    slider.send_keys("\ue014")  # the right arrow
    wait(lambda: seen.source("mean A")["y"] != before)
    wait(lambda: seen.state().a.values == (0.51,))
    seen.one(".noUi-handle").send_keys("\ue014")  # the last slider, n
    wait(lambda: seen.state().n == 2000)
    wait(lambda: seen.all(".noUi-handle[aria-label=top]"))[1].send_keys("\ue010")  # End
    wait(lambda: seen.state().b.values == (0.6,))
    assert seen.all("[role=alert]") == []
    seen.one(".noUi-handle[aria-label=top][aria-valuetext='0.60']")  # nothing more is possible
    seen.one(".noUi-handle[aria-label^='share of relevant']").send_keys("\ue014")
    wait(lambda: seen.state().share == 0.31)


def press(seen: Seen, label: str) -> None:
    """Click the button whose own text is the label."""
    next(b for b in seen.all("button", label) if b.text == label).click()


def choose(seen: Seen, label: str, option: str) -> None:
    seen.driver.execute_script(
        "const s = arguments[0]; s.value = [...s.options].find(o => o.text === arguments[1]).value;"
        "s.dispatchEvent(new Event('change'))",
        seen.one("select", label),
        option,
    )


def test_menus(seen: Seen) -> None:
    """One of each kind; `test_widgets` has them all."""
    seen.start()
    choose(seen, "Ranker B", "constant (a random order)")
    wait(lambda: seen.state().b.family == "constant")
    choose(seen, "Discount", "r^-b")
    wait(lambda: seen.state().measure == "nDCG(power(0.5))")
    assert seen.errors() == []


def test_a_number_of_relevant_items(seen: Seen) -> None:
    seen.start()
    press(seen, "a number is relevant")
    wait(lambda: seen.state().relevant == 1)
    wait(lambda: "one query never settles it" in seen.text())
    seen.one(".noUi-handle[aria-label^='relevant items of every list']").send_keys("\ue014")
    wait(lambda: seen.state().relevant == 2)
    press(seen, "a share is relevant")
    wait(lambda: seen.state().relevant is None)


def test_points_are_dragged(seen: Seen) -> None:
    from selenium.webdriver import ActionChains

    seen.start()
    choose(seen, "Ranker A", "points that you drag")
    wait(lambda: seen.state().a.family == "piecewise")
    wait(lambda: len(seen.source("points A")["x"]) == 5)
    # where the point at s = 1/2 is on the screen
    x, y = seen.driver.execute_script(
        """
        const plot = Bokeh.documents[0].get_model_by_name("curves"), view = Bokeh.index.find_one(plot);
        const data = Bokeh.documents[0].get_model_by_name("points A").data;
        const box = view.canvas_view.el.getBoundingClientRect();
        const { x_scale, y_scale } = view.frame;
        return [box.left + x_scale.compute(data.x[2]), box.top + y_scale.compute(data.y[2])];
        """
    )
    mouse = ActionChains(seen.driver, duration=10)
    mouse.w3c_actions.pointer_action.move_to_location(int(x), int(y))
    mouse.w3c_actions.pointer_action.pointer_down()
    mouse.w3c_actions.pointer_action.move_to_location(int(x), int(y) - 60)
    mouse.w3c_actions.pointer_action.pointer_up()
    mouse.perform()
    wait(lambda: seen.state().a.points[2][1] > 0.35)
    assert seen.state().a.curve(0.3).mass == pytest.approx(0.3)


def test_the_tour(seen: Seen) -> None:
    """The first steps; `test_widgets` has them all."""
    seen.start()
    for i, step in enumerate(STEPS[:2], 1):
        press(seen, "›")
        wait(lambda i=i: f"step={i}" in seen.driver.current_url)
        assert seen.state() == step.state
        wait(lambda step=step: step.question in seen.text())
    press(seen, "‹")
    wait(lambda: seen.state() == STEPS[0].state)
    press(seen, "Show the answer")
    a, b = ranked_list(STEPS[0].state, 0).ndcg
    wait(lambda: f"so its NDCG is {a:.3f}, and that of B is {b:.3f}" in seen.text())
    with urlopen(seen.one("a", "More: docs/theory.md").get_attribute("href")) as more:
        assert "<h1>The mathematics" in more.read().decode()
    assert seen.errors() == []


def test_simulated_lists(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "_PAUSES", (0.0, 0.0))
    seen.start()
    seen.answered()
    assert seen.source("histogram A")["top"] == [0.0] * len(seen.source("law A")["y"])
    press(seen, "Draw a list")
    wait(lambda: sum(seen.source("histogram A")["top"]) == 1)
    press(seen, "Draw 300 lists")
    wait(lambda: sum(seen.source("histogram B")["top"]) == 300)
    assert sum(seen.source("law B")["y"]) == pytest.approx(300)
    wait(lambda: len(seen.source("drawn A")["x"]) == 300 * 5)
    values = seen.source("drawn A")
    at_thousand = [y for x, y in zip(values["x"], values["y"], strict=True) if 500 < x < 2000]
    # 300 lists with a standard deviation of 0.017: 5 standard errors, a false alarm in 2e6 runs
    assert sum(at_thousand) / 300 == pytest.approx(0.8390, abs=5 * 0.0171 / 300**0.5)
    # a length at which no list is in the wrong order shows a bound
    assert sum(len(seen.source(name)["x"]) for name in ("drawn wrong", "drawn none wrong")) == 5


def test_files(seen: Seen, tmp_path: Any) -> None:
    seen.start()
    seen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    seen.driver.execute_script(
        "const click = HTMLAnchorElement.prototype.click;"
        "HTMLAnchorElement.prototype.click = function () { window.made = [this.download, this.href]; };"
    )
    seen.driver.execute_script("arguments[0].click()", seen.one("button", "PNG"))  # below the fold
    name, data = wait(lambda: seen.driver.execute_script("return window.made"))
    assert name == "explorer.png"
    picture = base64.b64decode(data.partition(",")[2])
    import matplotlib.image as mpl_image

    assert mpl_image.imread(io.BytesIO(picture)).std() > 0.01
