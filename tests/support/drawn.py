"""Results to draw, and what can be read in a figure."""

from __future__ import annotations

import dataclasses
from typing import Any

import cases
import numpy as np
from matplotlib.axes import Axes

from ndcg_asymptotics import plots
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.results import Results

SCORERS = {"strong": "power(0.05, 0.8, 2)", "weak": "linear(0.1, 0.5)", "random": "random"}


def made_up(
    level: float = 0.6, *, done: int = 8, bracket: bool = False, every_n: bool = False, **fields: Any
) -> Results:
    """Return results of a study that has random numbers within 0.1 of a level as values."""
    usual = {"scorers": SCORERS, "n": (10, 100, 1000), "replicates": 8, "title": "made up"}
    study = cases.study(**usual | {"measures": ["nDCG", "nDCG(power(0.5))@0.2n"]} | fields)
    rng, cells = np.random.default_rng(7), (len(study.measures), len(study.n))
    values: dict[str, Any] = {
        "ndcg": rng.uniform(level - 0.1, level + 0.1, (done, len(study.scorers), *cells))
    }
    if study.pairs:
        orders = np.array([-1, 0, 1, UNDECIDED], np.int8)
        values["order"] = rng.choice(orders, (done, len(study.pairs), *cells))
    if bracket:
        values |= {"low": values["ndcg"] - 5e-5, "high": values["ndcg"] + 5e-5}
    if every_n:
        for name in ("last_not_greater", "last_not_less", "changes"):
            values[name] = rng.integers(0, study.n[-1], (done, len(study.pairs), len(study.measures)))
    asked = np.arange(study.replicates)
    return dataclasses.replace(cases.results(study, **values), replicates=asked, done=asked < done)


def panel(results: Results, measure: str = "nDCG", **chosen: Any) -> Axes:
    """Return axes with the curves of a measure."""
    with plots.style():
        _, (ax,) = plots.panels(1)
        return plots.ndcg_curves(results, measure, ax, **chosen)


def texts(ax: Axes) -> list[str]:
    """Return the title and the texts of the axes and of the legend."""
    legend = ax.get_legend()
    words = [*ax.texts, *(legend.get_texts() if legend else [])]
    return [ax.get_title(loc="left"), *(text.get_text() for text in words)]
