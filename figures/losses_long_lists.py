"""Regret against the list length: the norm concentrates when labels are independent, not with two readers."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import length_axis, line_styles, outer_labels, panels, style
from ndcg_asymptotics.plots.losses import error_curves, line_style_handles

PANELS = (
    ("independent", "squared"), ("independent", "cosine"),
    ("independent", "listnet"), ("two readers", "squared"),
)  # fmt: skip
LEAST = 1e-10


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/long_lists.py."""
    sizes, discounts = results["sizes"], results["discounts"]
    styles = dict(zip(discounts, line_styles(len(discounts)), strict=True))
    with style():
        figure, axes = panels(len(PANELS))
        for ax, (population, loss) in zip(axes, PANELS, strict=True):
            found = {d: np.array(results["regret"][population][f"{loss} under {d}"]) for d in discounts}
            curves = {d: (np.where(v[:, 0] > LEAST, v[:, 0], np.nan), v[:, 1]) for d, v in found.items()}
            known = {name.partition(" under ")[::2]: value for name, value in results["limits"].items()}
            limits = {
                d: value for (of, d), value in known.items() if (population, of) == ("independent", loss)
            }
            error_curves(ax, sizes, curves, styles=styles, limits=limits, labels=False)
            length_axis(ax, sizes)
            ax.set_xlabel("list length $m$")
            ax.set_ylabel("regret (expected NDCG)")
            ax.set_ylim(LEAST if loss != "listnet" and population == "independent" else 1e-4, 0.2)
            ax.set_title(f"{loss}, {population}", loc="left")
        outer_labels(axes)
        figure.legend(handles=line_style_handles(styles), loc="outside lower center", ncols=len(styles))
    return {"losses_long_lists": figure}


if __name__ == "__main__":
    from_json(draw, "long_lists", __doc__)
