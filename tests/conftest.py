"""Fixtures of all tests: hypothesis profiles, the effort of searches, the command line, real data."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import browser
import pytest
import typer
from hypothesis import settings

# typer would build all commands anew for each one that is run in this process, which takes longer than most
typer.main.get_command = cache(typer.main.get_command)

# once: the setting log_level of pytest would clear the caches of all loggers six times in each test
logging.getLogger().setLevel(logging.INFO)
gc.disable()  # until all modules are there

settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--effort", type=int, default=1, help="how many times as long random searches take")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of slow tests: none is left to one process when the others have ended."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from the million objects of modules, which stay, and run it less often."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@pytest.fixture(scope="session")
def effort(request: pytest.FixtureRequest) -> int:
    """How many times as long a random search takes as in the daily tests."""
    return int(request.config.getoption("--effort"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real ranked lists, which are not part of the package."""
    folder = os.environ.get("NDCG_ASYMPTOTICS_DATA")
    if not folder:
        pytest.skip("NDCG_ASYMPTOTICS_DATA names no folder of real data")
    return Path(folder)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """A browser; see `browser.chromium`."""
    with browser.chromium() as found:
        yield found
