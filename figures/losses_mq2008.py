"""Surrogates and their NDCG-consistent versions on MQ2008: NDCG@1 … 10, and the differences."""

from __future__ import annotations

from typing import Any

from common import from_json
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from ndcg_asymptotics.plots import panels, style
from ndcg_asymptotics.plots.losses import error_curves

SHOWN = ("squared", "squared_consistent", "listnet", "listnet_consistent", "cosine_consistent",
         "pnorm_normalised(1.25)", "order_preserving", 'pairwise("squared_hinge")')  # fmt: skip
NAMES = {
    "squared_consistent - squared": "squared", "cosine_consistent - cosine": "cosine",
    "listnet_consistent - listnet": "listnet",
    "pnorm_normalised(1.25) - cosine_consistent": "p-norm less cosine",
    'order_preserving - pairwise("squared_hinge")': "Buffoni less RankSVM",
}  # fmt: skip


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/mq2008.py."""
    cutoffs = list(range(1, 11))
    nothing = [0.0] * len(cutoffs)
    with style():
        figure, axes = panels(2, height=3.1)
        means = {text: (results["means"][text], nothing) for text in SHOWN}
        error_curves(axes[0], cutoffs, means, log=False)
        axes[0].set_ylabel("NDCG@$k$")
        axes[0].set_title(f"{results['queries']} queries, five folds", loc="left")
        tests = results["tests"]
        curves = {
            f"{NAMES[pair]}: p = {test['p']:.2g}": (test["mean"], test["error"])
            for pair, test in tests.items()
        }
        error_curves(axes[1], cutoffs, curves, log=False)
        axes[1].axhline(0, color="0.35", lw=0.7)
        axes[1].set_ylabel("difference of NDCG@$k$")
        axes[1].set_title("consistent less inconsistent, p for all $k$", loc="left")
        for ax in axes:
            ax.set_xscale("linear")
            ax.set_xticks(cutoffs)
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.set_xlabel("$k$")
    return {"losses_mq2008": figure}


if __name__ == "__main__":
    from_json(draw, "mq2008", __doc__)
