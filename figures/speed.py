"""Draw what `make bench` measured: our time relative to what a user would use instead."""

from __future__ import annotations

from typing import Any

from common import RESULTS, from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import style


def draw(found: Any) -> dict[str, Figure]:
    """Return the figure of the lines of results/benchmarks.json that compare with a peer."""
    lines = [line for table in found.values() for line in table["lines"] if line["is_peer"]]
    with style():
        figure = Figure(figsize=(9, 1.0 + 0.4 * len(lines)), layout="constrained")
        ax = figure.subplots()
        for place, line in enumerate(reversed(lines)):
            values = sorted(line["values"])
            ax.plot([values[0], values[-1]], [place, place], color="tab:blue", linewidth=1.5, alpha=0.5)
            ax.plot(values[len(values) // 2], place, "o", color="tab:blue", markersize=4)
        ax.axvline(1.0, color="black", linewidth=0.8)
        ax.set_xscale("log")
        names = [f"{line['what']}\n{line['relative_to']}" for line in reversed(lines)]
        ax.set_yticks(range(len(lines)), names, fontsize=7)
        ax.set_ylim(-0.7, len(lines) - 0.3)
        ax.set_xlabel("our time / time of the peer: medians and ranges (left of 1: faster than the peer)")
    return {"benchmarks": figure}


if __name__ == "__main__":
    from_json(draw, "benchmarks", __doc__, RESULTS)
