"""Draw the expected NDCG@10 of recommenders against the number of sampled negatives.

`sampled_negatives.py [RANKS] [FOLDER]`: a folder with a table of ranks for each recommender, as
experiments/real/recommenders.py writes them, and one for the figure.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import RESULTS, arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.lists.ranked_users import ranked_tables
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import Choice, length_axis, line_styles, margin_labels, panels, style, titles
from ndcg_asymptotics.samples import sampled
from ndcg_asymptotics.theory.sampled import metric_of_ranks, sampled_moments

ITEMS, MEASURE = 9724, Measure.parse("nDCG@10")


def of_ranks(tables: object) -> Figure:
    """Return the figure of systems, whose ranks are what `sampled` takes."""
    systems = ranked_tables(tables, ITEMS)
    numbers = np.unique(np.rint(np.geomspace(1, ITEMS - 1, 100)).astype(int))
    curves, labels = {}, []
    with style():
        figure, (ax,) = panels(1, height=3.0)
        for name, line in zip(systems, line_styles(len(systems)), strict=True):
            means = [
                sampled_moments(metric_of_ranks(MEASURE, np.arange(1, m + 2), m + 1), systems[name], ITEMS)[0]
                for m in numbers.tolist()
            ]
            curves[name] = np.mean(means, axis=1)
            ax.plot(numbers, curves[name], color=line.color, ls=line.dashes, lw=1.1)
            labels.append((float(curves[name][-1]), name, line))
        for pair in sampled(tables, MEASURE, items=ITEMS).pairs:
            heights = np.interp(np.log(pair.crossings), np.log(numbers), curves[pair.a])
            ax.plot(pair.crossings, heights, ls="none", marker="o", mfc="none", mec="black", ms=6)
        length_axis(ax, [1, ITEMS])
        ax.set_xlabel("sampled negatives $m$")
        ax.set_ylim(0, None)
        ax.set_ylabel("expected NDCG")
        titles(ax, Choice().title(MEASURE))
        margin_labels(ax, labels)
    return figure


def draw(folder: Path) -> dict[str, Figure]:
    """Return the figure by file name; none of a folder without tables."""
    tables = sorted(folder.glob("*.csv"))
    if not tables:
        print(f"{folder}: no ranks, left out")
        return {}
    return {"sampled-nDCG-10": of_ranks(tables)}


def main() -> None:
    """Draw the figure of the ranks in a folder."""
    ranks, out = arguments(__doc__, RESULTS / "real" / "ranks")
    write(draw(ranks), out)


if __name__ == "__main__":
    main()
