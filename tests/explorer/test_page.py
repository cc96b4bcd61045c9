"""The page of the explorer in a browser: what it shows first, keys, menus, files, and a phone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import browser
import pytest

from ndcg_asymptotics.explorer.state import State

pytestmark = pytest.mark.slow

_FIND = """
const [selector, label] = arguments;
function* every(root) {
  for (const e of root.querySelectorAll("*")) { yield e; if (e.shadowRoot) yield* every(e.shadowRoot); }
}
const found = [...every(document)].filter(e => e.matches(selector) && e.getBoundingClientRect().width > 0);
return found.filter(e => !label || (e.getRootNode().textContent + e.textContent).includes(label));
"""
_TEXT = """
function text(root) { let s = ""; for (const n of root.childNodes) {
  if (n.nodeType === 3) s += n.textContent + " ";
  else if (n.nodeType === 1 && !["STYLE", "SCRIPT"].includes(n.tagName)) {
    if (n.shadowRoot) s += text(n.shadowRoot); s += text(n); } }
  return s; }
return text(document.body)
"""
_ANSWERED = """
const page = (window.Bokeh?.documents ?? [])[0];
return page?.get_model_by_name("exponent b")?.data.x.length &&
  [...page._all_models.values()].every(m => m.styles?.opacity !== "0.35");
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with browser.explorer() as found:
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

    def resize(self, width: int) -> None:
        settings = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", settings)

    def open(self) -> None:
        self.resize(1280)
        self.driver.get(self.address)
        wait(lambda: self.driver.execute_script(_ANSWERED))

    def all(self, selector: str, label: str = "") -> list[Any]:
        found: list[Any] = self.driver.execute_script(_FIND, selector, label)
        return found

    def press(self, label: str) -> None:
        """Click the button whose own text is the label."""
        next(b for b in self.all("button", label) if b.text == label).click()

    def source(self, name: str) -> dict[str, list[float]]:
        found = self.driver.execute_script(
            "const d = Bokeh.documents[0].get_model_by_name(arguments[0]).data;"
            "return Object.fromEntries(Object.entries(d).map(([k, v]) => [k, [...v]]))",
            name,
        )
        return dict(found)

    def text(self) -> str:
        """What can be read on the page."""
        return " ".join(self.driver.execute_script(_TEXT).split())

    def state(self) -> State:
        """The state in the address."""
        return State.from_query(unquote(self.driver.current_url.partition("?")[2]))

    def errors(self) -> list[str]:
        log = self.driver.get_log("browser")
        return [e["message"] for e in log if e["level"] == "SEVERE" and "favicon" not in e["message"]]


@pytest.fixture(scope="module")
def seen(driver: Any, address: str) -> Seen:
    return Seen(driver, address)


def test_the_first_view_is_complete_and_nothing_else_is_loaded(seen: Seen) -> None:
    seen.driver.get("about:blank")
    browser.requests(seen.driver)
    seen.open()
    text = seen.text()
    assert "By nDCG one list puts A first with probability 0.95 from about 1,400 items on." in text
    assert "tends to 1 (Theorem 1)" in text
    assert seen.source("mean A")["y"][-1] == pytest.approx(0.9784, abs=1e-4)
    assert len(seen.source("items B")["x"]) == 50
    (best,) = seen.source("best cutoff k")["x"]
    assert 400 < best < 800
    for width in (1280, 390):
        seen.resize(width)
        shown = "return document.documentElement.scrollWidth"
        wait(lambda width=width, shown=shown: seen.driver.execute_script(shown) <= width)
        heights = [chart.size["height"] for chart in seen.all(".bk-Figure")]
        assert len(heights) == 6
        assert min(heights) >= 100
    assert seen.all(".noUi-handle:not([aria-label])") == []
    loaded = [u for u in browser.requests(seen.driver) if u.startswith(("http", "ws"))]
    assert loaded
    assert [u for u in loaded if not u.startswith(seen.address)] == []
    assert seen.errors() == []


def test_sliders_move_with_keys_and_the_address_follows(seen: Seen) -> None:
    seen.open()
    before = seen.source("mean A")["y"]
    slider = wait(lambda: seen.all(".noUi-handle[aria-label=top]"))[0]
    slider.send_keys("\ue014")  # the right arrow
    wait(lambda: seen.source("mean A")["y"] != before)
    wait(lambda: seen.state().a.values == (0.51,))
    seen.all(".noUi-handle")[-1].send_keys("\ue014")  # the last slider, n
    wait(lambda: seen.state().n == 2000)
    seen.all(".noUi-handle[aria-label^='share of relevant']")[-1].send_keys("\ue014")
    wait(lambda: seen.state().share == 0.31)
    wait(lambda: seen.all(".noUi-handle[aria-label=top]"))[1].send_keys("\ue010")  # End: not possible
    wait(lambda: "Ranker B: linear: prevalence must be 0.5 to 1" in seen.text() or seen.all("[role=alert]"))
    assert seen.state().b.values == (0.4,)
    seen.press("Reset")
    wait(lambda: seen.state() == State())
