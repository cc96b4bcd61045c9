"""The lines that `make bench` measures, and their figure."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES
from benchmarks.line import Line, ratios


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_module_of_lines(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").lines)


def test_a_line_shows_its_median_and_range() -> None:
    line = Line("work", "yardstick", (3.0, 1.0, 2.0))
    assert line.row() == ("work", "yardstick", "2", "1 to 3")
    assert Line(**line.plain()) == line


def test_ratios_are_taken_in_turn() -> None:
    now, calls = [0.0], []

    def take(name: str, time: float) -> None:
        calls.append(name)
        now[0] += time

    found = ratios(lambda: take("work", 3.0), lambda: take("yardstick", 2.0), 2, lambda: now[0])
    assert found == (1.5, 1.5)
    assert calls == ["work", "yardstick"] * 2


def test_the_figure_has_a_point_for_each_line_with_a_peer(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "figures"))
    speed = import_module("speed")
    lines = [
        Line("a", "b", (1.0, 3.0, 2.0), is_peer=True),
        Line("c", "d", (1.0, 2.0)),
        Line("e", "f", (5.0, 8.0, 6.0), is_peer=True),
    ]
    table = {"lines": [line.plain() for line in lines]}
    (figure,) = speed.draw({"some": table, "some, plain sorts": table}).values()
    (ax,) = figure.axes
    plain = " (numpy without vector sorts)"
    names = ["a\nagainst b", "e\nagainst f", f"a{plain}\nagainst b", f"e{plain}\nagainst f"]
    assert [text.get_text() for text in ax.get_yticklabels()] == names
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert medians == [1 / 2, 1 / 6, 1 / 2, 1 / 6]
