"""A headless Chromium for pages and the explorer; tests that ask for it are skipped where there is none."""

from __future__ import annotations

import asyncio
import json
import queue
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--force-color-profile=srgb", "--hide-scrollbars"),
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser that notes every request and every message of a page."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no Chromium with its driver on this machine")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        try:
            yield driver
        finally:
            driver.quit()


@contextmanager
def explorer(submit: Any = None) -> Iterator[str]:
    """The address of the explorer, served by a thread of this process."""
    with explorer_server(submit) as found:
        yield f"http://127.0.0.1:{found.port}/"


@contextmanager
def explorer_server(submit: Any = None) -> Iterator[Any]:
    """The explorer's server, run by a thread of this process; values are computed in another one."""
    from ndcg_asymptotics.explorer.serving import server

    started: queue.Queue[Any] = queue.Queue()

    def run() -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        found = server(0, submit or ThreadPoolExecutor(1).submit)
        found.start()
        started.put(found)
        found.io_loop.start()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    found = started.get(timeout=120)
    yield found
    found.io_loop.add_callback(found.io_loop.stop)
    thread.join(10)


def visit(driver: Any, page: Path, width: int = 1280, height: int = 900) -> None:
    """Open a page at a width (of the page, whatever the window may be)."""
    settings = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", settings)
    driver.get(page.as_uri())


def requests(driver: Any) -> list[str]:
    """The addresses requested since the last call."""
    events = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    sent = (event for event in events if event["method"] == "Network.requestWillBeSent")
    return [event["params"]["request"]["url"] for event in sent]
