"""Draw the figures of docs/findings.md and docs/dcg.md.

They are drawn from results/never_settles, best_discount, normalising_few and
normalising_many.

`findings.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from common import arguments, write
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from theory_axes import OPTIMUM, SMALL, signal_to_noise

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.plots import figure_legend, measure_style, outer_labels, panels, style, titles
from ndcg_asymptotics.plots.layout import one_scale
from ndcg_asymptotics.plots.marks import grey_line, handle, white_marker
from ndcg_asymptotics.plots.scales import length_axis
from ndcg_asymptotics.plots.style import GREY, line_styles
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.stats.rates import rate_of
from ndcg_asymptotics.theory.deviation import effect_sizes
from ndcg_asymptotics.theory.mean import expected_ndcg

# grids of exponents and cutoffs at which the theoretical curves are drawn
EXPONENTS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.05, 1.2, 1.35, 1.5)
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1000)
N = 1000  # list length of the study best_discount, and one of the studies normalising
SIMULATED = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55)  # shares at which simulated means are drawn
WINDOWS = {
    "(log)": ("log discount", ""),
    "(zipf)": ("1/r", "////"),
    "(log)@10": ("log discount, @10", "...."),
}
_ZERO: dict[str, Any] = {"marker": "|", "ms": 10}
PAIRS = {"top": "better at the top", "middle": "better in the middle", "everywhere": "better everywhere"}
LENGTHS = tuple(round(10 ** (2 + i / 2)) for i in range(21))  # 100 to 1e12


def never_settles(results: Results) -> Figure:
    """Draw how often the scorer with the lower top is ahead, against n, beside the theoretical rate."""
    (pair,) = results.study.pairs
    (measure,) = results.study.design.measures
    a, b = (results.study.scorers[name] for name in pair)
    order = results.data["order"].isel(pair=0, measure=0).transpose("replicate", "n").to_numpy()
    rates = [rate_of(n, order[:, i] > 0) for i, n in enumerate(results.study.n)]
    line = measure_style(measure)
    sizes = [r.n for r in rates]
    middle = np.array([r.rate for r in rates])
    bars = np.abs(np.array([[r.low, r.high] for r in rates]).T - middle)
    with style():
        figure, (ax,) = panels(1, height=2.6)
        ax.axhline(0.5, color=GREY, ls=":", lw=0.9)
        ax.plot(sizes, [list_moments((a, b), measure, n).right_rate for n in sizes], color=line.color)
        ax.errorbar(sizes, middle, bars, ls="none", lw=0.8, zorder=3, ecolor=line.color, **line.hollow)
        length_axis(ax, sizes)
        ax.set_ylim(0.48, 0.6)
        ax.set_ylabel(f"P({pair[0]} ahead of {pair[1]})")
        titles(ax, "$r^{-4/5}$: by Theorem 4 this would tend to 0 or 1")
        marks = [white_marker("simulated, 95% interval"), grey_line("theory")]
        figure_legend(figure, [*marks, grey_line("a coin toss", ls=":", lw=0.9)])
    return figure


def best_discount(results: Results) -> Figure:
    """Draw signal over noise against b and against the cutoff; small markers are simulated."""
    scorers, study = results.study.scorers, results.study
    families = (
        ("b", [f"nDCG(power({b:g}))" for b in EXPONENTS], EXPONENTS, "$b$ of the discount $r^{-b}$"),
        ("k", [f"nDCG@{k}" for k in CUTOFFS], CUTOFFS, "cutoff $k$"),
    )
    with style():
        figure, axes = panels(2, height=2.8)
        optima = []
        for ax, (symbol, texts, x, label) in zip(axes, families, strict=True):
            pairs = [(scorers[a], scorers[b]) for a, b in study.pairs]
            measures = [Measure.of(text) for text in texts]
            ratios = [effect_sizes(*pair, N, measures) for pair in pairs]
            optima.append(signal_to_noise(ax, x, ratios, label, symbol))
        one_scale(axes)
        outer_labels(axes)
        titles(axes[0], "discount $r^{-b}$")
        titles(axes[1], "log discount, cut at $k$")
        lines = line_styles(len(study.pairs))
        names = [f"{PAIRS[a]}: {', '.join(best)}" for (a, _), *best in zip(study.pairs, *optima, strict=True)]
        rankers = [handle(line, name, marker=False) for line, name in zip(lines, names, strict=True)]
        optimum = Line2D([], [], ls="none", marker="o", color=GREY, label="optimum", **OPTIMUM)
        drawn = Line2D([], [], ls="none", marker="o", color=GREY, label="simulated", **SMALL)
        figure_legend(figure, [*rankers, optimum, drawn])
        for (a, b), line in zip(study.pairs, lines, strict=True):
            for measure in study.design.measures:
                cut = measure.cutoff(N) < N
                exponent = measure.discount.asymptotics.exponent
                if cut or (0 < exponent < 2 and exponent != 1):
                    cell = results.data["ndcg"].sel(measure=str(measure), n=N)
                    gap = (cell.sel(scorer=a) - cell.sel(scorer=b)).to_numpy()
                    axes[int(cut)].plot(
                        measure.cutoff(N) if cut else exponent,
                        gap.mean() / gap.std(ddof=1),
                        color=line.color,
                        marker=line.marker,
                        ls="none",
                        **SMALL,
                    )
    return figure


def normalising(few: Results, many: Results) -> Figure:
    """Draw E[A - B] under NDCG and DCG against the share of queries with few relevant items; its zeros.

    The two studies are of queries with few and with many relevant items. With a share w of the first the
    mean is ``w few + (1 - w) many``.
    """
    studies, n = (few, many), N
    lines = {"nDCG": measure_style("nDCG"), "DCG": replace(measure_style("DCG"), marker="s", dashes="--")}
    shares = np.linspace(0.0, 1.0, 101)
    pairs = [(results.study.scorers["A"], results.study.scorers["B"]) for results in studies]
    with style():
        figure, axes = panels(2, height=2.8)
        for name, line in lines.items():
            gains = [_gap(*pair, name, n) for pair in pairs]
            exact = shares * gains[0] + (1 - shares) * gains[1]
            axes[0].plot(shares, exact / gains[0], color=line.color, ls=line.dashes)
            cells = [results.data["ndcg"].sel(measure=name, n=n) for results in studies]
            seen = [(cell.sel(scorer="A") - cell.sel(scorer="B")).to_numpy() for cell in cells]
            mean = np.array([of_study.mean() for of_study in seen])
            error = np.array([of_study.std(ddof=1) / np.sqrt(of_study.size) for of_study in seen])
            weight = np.array([SIMULATED, 1 - np.array(SIMULATED)])
            bars = 2 * np.hypot(*(weight * error[:, None])) / gains[0]
            axes[0].errorbar(
                SIMULATED, mean @ weight / gains[0], bars, ls="none", ecolor=line.color, lw=0.8, **line.hollow
            )
            axes[0].plot(_balance(pairs, name, n), 0, ls="none", color=line.color, **_ZERO)
        axes[0].axhline(0, color=GREY, lw=0.8)
        axes[0].set_xlim(0, 0.62)
        axes[0].set_ylim(-0.8, 0.65)
        axes[0].set_xlabel("share of queries with few relevant items")
        axes[0].set_ylabel("E[A − B], relative to that at share 1")
        titles(axes[0], f"log discount, $n$ = {n}")
        windows = []
        for text, (label, hatch) in WINDOWS.items():
            color = measure_style(f"nDCG{text}").color
            start, stop = ([_balance(pairs, name + text, m) for m in LENGTHS] for name in lines)
            axes[1].fill_between(LENGTHS, start, stop, color=color, alpha=0.25, lw=0, hatch=hatch)
            for edge, line in zip((start, stop), lines.values(), strict=True):
                axes[1].plot(LENGTHS, edge, color=color, lw=1.0, ls=line.dashes)
            windows.append(Patch(color=color, alpha=0.4, lw=0, label=label, hatch=hatch))
        length_axis(axes[1], LENGTHS)
        axes[1].set_ylim(0, 0.62)
        axes[1].set_ylabel("share at which A and B are equal")
        titles(axes[1], "NDCG and DCG disagree in between")
        of_lines = [replace(line, color=GREY) for line in lines.values()]
        marks = [*map(handle, of_lines, ("NDCG", "DCG")), white_marker("simulated, ±2 standard errors")]
        zero = Line2D([], [], ls="none", color=GREY, label="A and B are equal", **_ZERO)
        figure_legend(figure, [*marks, zero, *windows])
    return figure


def _balance(pairs: Sequence[tuple[Scorer, Scorer]], measure: str, n: int) -> float:
    """Return the share of the first kind of queries with which two scorers have equal means."""
    first, second = (_gap(*pair, measure, n) for pair in pairs)
    return second / (second - first)


def _gap(a: Scorer, b: Scorer, measure: str, n: int) -> float:
    return float(np.subtract(*(expected_ndcg(of, measure, [n]).value[0] for of in (a, b))))


FIGURES: dict[str, tuple[Callable[[Results], Figure], ...]] = {
    "never_settles": (never_settles,),
    "best_discount": (best_discount,),
}
"""The figures of each study, by the names of the functions that draw them."""

NORMALISING = ("normalising_few", "normalising_many")
"""The two studies of `normalising`."""


def figures_of(results: Results) -> dict[str, Figure]:
    """Return the figures of one of these studies by file name."""
    return {draw.__name__: draw(results) for draw in FIGURES[results.name]}


def normalising_of(folder: Path) -> dict[str, Figure]:
    """Return the figure of the two studies `NORMALISING` by file name; none if one of them has no results."""
    places = [folder / name for name in NORMALISING]
    if any(kind_of(place) != "study" for place in places):
        return {}
    return {"normalising": normalising(*map(open_study, places))}


def main() -> None:
    """Draw the figures of every study that has results."""
    folder, out = arguments(__doc__)
    write(normalising_of(folder), out)
    for name in FIGURES:
        if kind_of(folder / name) == "study":
            write(figures_of(open_study(folder / name)), out)
        else:
            print(f"{folder / name}: no results, left out")


if __name__ == "__main__":
    main()
