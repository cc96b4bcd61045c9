"""What `make bench` found beside what is asked: each line's median, and its spread over the runs."""

from __future__ import annotations

from typing import Any

from common import RESULTS, from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import style

REACHED, NOT_REACHED = "tab:blue", "tab:red"


def draw(found: Any) -> dict[str, Figure]:
    """The figure, from results/benchmarks.json; lines of which nothing is asked are left out."""
    lines = [
        (f"{name}: {line['what']}", line)
        for name, table in found.items()
        for line in table["lines"]
        if line["asked"] is not None and len(line["values"]) > 1
    ]
    with style():
        figure = Figure(figsize=(9, 1.0 + 0.24 * len(lines)), layout="constrained")
        ax = figure.subplots()
        for place, (_, line) in enumerate(reversed(lines)):
            shares = sorted(_share(value, line) for value in line["values"])
            colour = REACHED if line["reached"] else NOT_REACHED
            ax.plot([shares[0], shares[-1]], [place, place], color=colour, linewidth=1.5, alpha=0.5)
            ax.plot(_share(line["median"], line), place, "o", color=colour, markersize=4)
        ax.axvline(1.0, color="black", linewidth=0.8)
        ax.set_xscale("log")
        ax.set_yticks(range(len(lines)), [name for name, _ in reversed(lines)], fontsize=7)
        ax.set_ylim(-0.7, len(lines) - 0.3)
        ax.set_xlabel("share of what is asked: medians, and the range of all runs (left of 1: reached)")
    return {"benchmarks": figure}


def _share(value: float, line: dict[str, Any]) -> float:
    """How much of what is asked is used up."""
    asked = float(line["asked"])
    return asked / value if line["at_least"] else value / asked


if __name__ == "__main__":
    from_json(draw, "benchmarks", __doc__, RESULTS)
