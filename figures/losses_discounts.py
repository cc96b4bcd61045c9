"""A surrogate normalised for one discount, under another: worst and typical regret."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import from_json
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import panels, style
from ndcg_asymptotics.plots.losses import value_table


def draw(results: dict[str, Any]) -> dict[str, Figure]:
    """The figure, from experiments/learning/discounts.py."""
    rows, columns = results["rows"], results["columns"]
    cells = {(cell["row"], cell["column"]): cell for cell in results["table"]}
    titles = {"worst": "worst regret, exact", "typical": "mean regret over random distributions"}
    with style():
        figure, axes = panels(2, height=3.4)
        for ax, (what, title) in zip(axes, titles.items(), strict=True):
            values = np.array([[cells[row, column][what] for column in columns] for row in rows])
            value_table(ax, rows, columns, values, least=1e-2 if what == "worst" else 1e-5)
            ax.set_title(title, loc="left")
            ax.set_xlabel("discount of the NDCG that counts")
        axes[0].set_ylabel("loss, or discount it is normalised for")
    return {"losses_discounts": figure}


if __name__ == "__main__":
    from_json(draw, "discounts", __doc__)
