"""Regret of the trained ranker against the number of training queries, to 0 for consistent losses only."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import panels, style
from ndcg_asymptotics.plots.losses import error_curves

RANGE = (5e-7, 4e-2)


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/training_queries.py."""
    sizes = results["sizes"]

    def curve(text: str) -> tuple[list[float], list[float]]:
        drawn = [np.array(values) for values in results["regrets"][text]]
        return [v.mean() for v in drawn], [v.std(ddof=1) / len(v) ** 0.5 for v in drawn]

    groups = {"consistent": results["consistent"], "inconsistent": results["inconsistent"]}
    with style():
        figure, axes = panels(2, height=2.9)
        for ax, (title, texts) in zip(axes, groups.items(), strict=True):
            limits = {text: value for text, value in results["limits"].items() if value > 1e-12}
            error_curves(ax, sizes, {text: curve(text) for text in texts}, limits=limits, ylim=RANGE)
            ax.set_xlabel("training queries")
            ax.set_title(f"{title}: {len(texts)} losses", loc="left")
        axes[0].set_ylabel("regret (expected NDCG)")
    return {"losses_training_queries": figure}


if __name__ == "__main__":
    from_json(draw, "training_queries", __doc__)
