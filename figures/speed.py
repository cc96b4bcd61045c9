"""Draw what `make bench` measured: how much faster we are than what a user would use instead."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import RESULTS, from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import line_styles, panels, style
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY


def draw(found: Any) -> dict[str, Figure]:
    """Return the figure of the lines of results/benchmarks.json that compare with a peer."""
    lines = []
    for name, table in found.items():
        way = " (numpy without vector sorts)" if name.endswith("plain sorts") else ""
        lines += [line | {"what": line["what"] + way} for line in table["lines"] if line["is_peer"]]
    faster, slower = (line.color for line in line_styles(2))
    with style():
        figure, (ax,) = panels(1, height=0.7 + 0.42 * len(lines), width=6.5)
        for place, line in enumerate(lines):
            ratios = 1 / np.array(sorted(line["values"]))
            middle = float(np.median(ratios))
            color = faster if middle > 1 else slower
            ax.plot([1, middle], [place, place], color=color, lw=6, alpha=0.3, solid_capstyle="butt")
            ax.plot([ratios[0], ratios[-1]], [place, place], color=color, lw=1.2)
            ax.plot(middle, place, "o", color=color, ms=4)
            said = f"{middle:.2g} times as fast" if middle < 100 else f"{middle:.0f} times as fast"
            right = max(1.0, float(ratios.max()))
            ax.annotate(
                said, (right, place), xytext=(5, 0), textcoords="offset points", va="center", fontsize=7.5
            )
        ax.axvline(1, color=GREY, lw=0.8)
        log_axis(ax.xaxis)
        ax.set_xlim(None, 3e4)
        ax.set_yticks(range(len(lines)), [f"{line['what']}\nagainst {line['relative_to']}" for line in lines])
        ax.set_ylim(len(lines) - 0.5, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("their time over ours: medians and ranges of the runs (right of 1: we are faster)")
    return {"benchmarks": figure}


if __name__ == "__main__":
    from_json(draw, "benchmarks", __doc__, RESULTS)
