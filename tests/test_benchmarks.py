"""What `make bench` is made of: its lines, and the figure of them."""

from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES, restored
from benchmarks.line import Line, ratios


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_module_of_lines(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").lines)


def test_a_line_says_whether_its_median_is_what_is_asked() -> None:
    values = (3.0, 1.0, 2.0)
    assert Line("work", "yardstick", values, 2.0).reached
    assert not Line("work", "yardstick", values, 1.99).reached
    assert Line("work", "yardstick", values, 2.0, at_least=True).reached
    assert not Line("work", "yardstick", values, 2.01, at_least=True).reached
    assert Line("work", "yardstick", values).reached is None
    assert Line("work", "yardstick", values, 2.0).row() == ("work", "yardstick", "2", "1 to 3", "≤ 2", "yes")
    line = Line("work", "yardstick", values, 2.0)
    assert restored(line.plain()) == line


def test_ratios_are_taken_in_turn() -> None:
    now, calls = [0.0], []

    def take(name: str, time: float) -> None:
        calls.append(name)
        now[0] += time

    found = ratios(lambda: take("work", 3.0), lambda: take("yardstick", 2.0), 2, lambda: now[0])
    assert found == (1.5, 1.5)
    assert calls == ["work", "yardstick"] * 2


def test_the_figure_has_a_point_for_each_line_of_which_something_is_asked(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "figures"))
    speed = import_module("speed")
    lines = [
        Line("a", "b", (1.0, 2.0), 3.0),
        Line("c", "d", (1.0, 2.0)),
        Line("e", "f", (5.0, 8.0), 4.0, True),
    ]
    (figure,) = speed.draw({"some": {"lines": [line.plain() for line in lines]}}).values()
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["some: e", "some: a"]
    medians = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert medians == pytest.approx([4.0 / 6.5, 0.5])
