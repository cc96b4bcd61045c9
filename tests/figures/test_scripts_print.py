"""The figures of the documentation can be printed, as those of the package can."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import cases
import few_relevant
import figure_kinds
import findings
import orders
import pytest
import real_lists
import sampled_negatives
import speed
import theorems
import theory_figures
from matplotlib.figure import Figure
from printed_figures import check_key, check_texts, check_ticks

from benchmarks.line import Line
from ndcg_asymptotics import plots
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.studies import Study, load

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
RANKS = {"first": {"u": 100, "v": 100}, "second": {"u": 40, "v": 8437}, "third": {"u": 2, "v": 1548}}


def study(name: str, **fields: Any) -> Study:
    return load(EXPERIMENTS / f"{name}.toml").with_(**fields)


def of_study(name: str, replicates: int, draw: Callable[[Results], Figure], **fields: Any) -> Figure:
    """Draw a study with other list lengths and few replicates."""
    return draw(cases.simulated(study(name, **fields), replicates))


def of_theory(name: str, **fields: Any) -> Figure:
    return next(iter(theory_figures.FIGURES[name](study(name, **fields)).values()))


SPEED = {
    "evaluate": {
        "lines": [
            Line(f"evaluate, {n} lines", peer, (0.2, ratio, 1.3 * ratio), is_peer=True).plain()
            for n in (3000, 1000000)
            for peer, ratio in (("ranx", 0.1), ("pytrec_eval", 2.0), ("ir_measures", 0.7))
        ]
    }
}

DRAWN: dict[str, Callable[[], Figure]] = {
    "few_log": partial(of_study, "few_log", 40, few_relevant.log_discount, n=[10, 1000, 10**6]),
    "few_cutoffs": partial(of_study, "few_cutoffs", 200, few_relevant.cutoffs, n=[100, 1000, 10**4]),
    "few_queries": partial(of_study, "few_queries", 400, few_relevant.queries, n=[1000, 10**5, 10**9]),
    "few_regimes": partial(
        of_study,
        "few_regimes",
        1000,
        few_relevant.regimes,
        n=[10**3, 10**6, 10**15, 10**18],
        measures=["nDCG(power(0.1))", "nDCG(power(0.6))", "nDCG(power(1.2))"],
    ),
    "never_settles": partial(of_study, "never_settles", 60, findings.never_settles, n=[100, 1000]),
    "best_discount": partial(of_study, "best_discount", 20, findings.best_discount),
    "normalising": lambda: findings.normalising(
        *(cases.simulated(study(name, n=[1000]), 60) for name in findings.NORMALISING)
    ),
    "arrival": lambda: real_lists.arrival_figure(
        {"random": figure_kinds.growing(), "file": figure_kinds.growing()}
    ),
    "orders": lambda: orders.draw(
        [cases.simulated(study(name, n=[10, 100, 300]), 30) for name in orders.NAMES[1:]]
    ),
    "theorems": lambda: theorems.draw(
        [cases.simulated(study(name, n=[10, 100, 1000]), 30) for name in theorems.NAMES[1:5:2]]
    ),
    "how_large": partial(of_theory, "eighteen_decades", n=[10, 10**4, 10**18]),
    "pseudo_expectation": partial(of_theory, "pseudo_expectation", n=[10, 100, 1000]),
}
WITHOUT_KEY: dict[str, Callable[[], Figure]] = {
    "sampled negatives": lambda: sampled_negatives.of_ranks(RANKS),
    "speed": lambda: speed.draw(SPEED)["benchmarks"],
}

COARSE: dict[ModuleType, list[str]] = {
    findings: ["EXPONENTS", "CUTOFFS", "LENGTHS"],
}
"""Where theoretical curves are drawn."""


@pytest.fixture(autouse=True)
def _coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw theoretical curves with few points, which have the same ends, texts and keys."""
    for script, names in COARSE.items():
        for name in names:
            points = getattr(script, name)
            monkeypatch.setattr(script, name, (*points[:-1:8], points[-1]))
    monkeypatch.setattr(few_relevant, "POINTS", 7)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DRAWN, *WITHOUT_KEY])
def test_figures_of_scripts_can_be_printed(name: str) -> None:
    with plots.style():
        figure = (DRAWN | WITHOUT_KEY)[name]()
        figure.draw_without_rendering()
    check_texts(figure)
    check_ticks(figure)
    if name in DRAWN:
        check_key(figure)
