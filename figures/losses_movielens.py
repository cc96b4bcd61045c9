"""Hinge, logistic and the consistent loss on MovieLens small: pairwise disagreement and NDCG@10."""

from __future__ import annotations

from typing import Any

from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import panels, style
from ndcg_asymptotics.plots.losses import dot_rows


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/movielens.py."""
    tests, columns = results["tests"], results["columns"]
    rows = [pair.partition(" - ")[2] for pair in tests]
    first = next(iter(tests)).partition(" - ")[0]
    with style():
        figure, axes = panels(2, height=2.3)
        for ax, name in zip(axes, ("disagreement", "nDCG@10"), strict=True):
            k = columns.index(name)
            means, errors = ([test[part][k] for test in tests.values()] for part in ("mean", "error"))
            dot_rows(ax, rows, {name: (means, errors)})
            ax.axvline(0, color="0.35", lw=0.7)
            ax.set_title(name, loc="left")
            ax.set_xlabel(f"{first} less the other")
        axes[1].set_yticklabels([])
    return {"losses_movielens": figure}


if __name__ == "__main__":
    from_json(draw, "movielens", __doc__)
