"""Draw the figures of docs/findings.md and docs/dcg.md.

They are drawn from results/never_settles, phase_diagram, best_discount and normalising.

`findings.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import arguments, write
from matplotlib.figure import Figure
from theory_axes import signal_to_noise, std_exponents

from ndcg_asymptotics.analysis.orders.rates import rate_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import figure_legend, measure_style, outer_labels, panels, style, titles
from ndcg_asymptotics.plots.layout import grey_marker, length_axis, one_scale, white_marker
from ndcg_asymptotics.plots.style import GREY, line_styles
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.fluctuations.laws import right_rate
from ndcg_asymptotics.theory.fluctuations.variance import quick_moments
from ndcg_asymptotics.theory.mean import expected_ndcg

# grids of exponents and cutoffs at which the theoretical curves are drawn
EXPONENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.05, 1.2, 1.35, 1.5)
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1000)
N = 1000  # list length of the study best_discount, and one of the study normalising
SIMULATED = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55)  # shares at which simulated means are drawn
WINDOWS = {"(log)": "log", "(zipf)": "1/r", "(log)@10": "log, @10"}
PAIRS = {"top": "better at the top", "middle": "in the middle", "everywhere": "everywhere"}
LENGTHS = tuple(round(10 ** (2 + i / 2)) for i in range(21))  # 100 to 1e12


def never_settles(results: Results) -> Figure:
    """Draw how often the scorer with the lower top is ahead, against n, beside the theoretical rate."""
    (pair,) = results.study.pairs
    (measure,) = results.study.design.measures
    a, b = (results.study.scorers[name] for name in pair)
    order = results.data["order"].isel(pair=0, measure=0).transpose("replicate", "n").to_numpy()
    rates = [rate_of(n, order[:, i] > 0) for i, n in enumerate(results.study.n)]
    with style():
        figure, (ax,) = panels(1)
        line = measure_style(measure)
        sizes = [r.n for r in rates]
        middle = np.array([r.rate for r in rates])
        bars = np.abs(np.array([[r.low, r.high] for r in rates]).T - middle)
        ax.axhline(0.5, color=GREY, ls=":", lw=0.9, label="a coin toss")
        ax.plot(sizes, [right_rate(a, b, measure, n) for n in sizes], color=GREY, label="theory")
        ax.errorbar(
            sizes,
            middle,
            bars,
            color=line.color,
            marker=line.marker,
            mfc="white",
            ls="none",
            capsize=2,
            label="simulated, 95%",
        )
        length_axis(ax, sizes)
        ax.set_ylim(0, 1.02)
        ax.set_ylabel(f"P({pair[0]} ahead of {pair[1]})")
        titles(ax, "$r^{-4/5}$: by Theorem 4 this would tend to 0 or 1")
        ax.legend(loc="lower right")
    return figure


def phase_diagram(results: Results) -> Figure:
    """Draw the exponent of the standard deviation against that of the discount."""
    study, name = results.study, "steep"
    found = []
    for measure in study.design.measures:
        b = measure.discount.asymptotics.exponent
        if not 0 < b <= 2:
            continue
        values = results.data["ndcg"].sel(scorer=name, measure=str(measure))
        ends = values.transpose("replicate", "n").to_numpy()[:, [0, -1]]
        sizes = np.log([study.n[0], study.n[-1]])
        sd = ends.std(axis=0, ddof=1)
        fourth = ((ends - ends.mean(axis=0)) ** 4).mean(axis=0) / sd**4
        error = np.sqrt(((fourth - 1) / 4 / len(ends)).sum()) / np.diff(sizes)
        exact = ndcg_std(study.scorers[name], measure, [study.n[0], study.n[-1]]).value
        slopes = [np.diff(np.log(x)) / np.diff(sizes) for x in (exact, sd)]
        found.append((b, max(-0.5, -max(1 - b, 0.0)), *(float(x[0]) for x in (*slopes, error))))
    b, *rest = np.array(found).T
    with style():
        figure, (ax,) = panels(1, height=2.8)
        std_exponents(ax, list(b), *rest)
    return figure


def uniform_law(results: Results) -> Figure:
    """Draw the density of NDCG with 2^-r where the top label is a fair coin, and its law less the uniform."""
    values = results.data["ndcg"].sel(scorer="half", measure="nDCG(geometric(2))").isel(n=-1).to_numpy()
    line = measure_style("nDCG(geometric(2))")
    count, bins = values.size, 20
    with style():
        figure, axes = panels(2)
        noise = 2.576 * np.sqrt((bins - 1) / count)  # of a bin's density: that of a binomial number of lists
        axes[0].axhspan(1 - noise, 1 + noise, color=GREY, alpha=0.2, lw=0, label="99% for each bar")
        density, edges = np.histogram(values, bins, (0, 1), density=True)
        label = f"{count:,} lists of {results.study.n[-1]:,}"
        axes[0].stairs(density, edges, baseline=None, color=line.color, label=label)
        axes[0].axhline(1, color=GREY, lw=0.8, label="uniform")
        axes[0].set_ylim(0, 1.35)
        axes[0].set_ylabel("density")
        titles(axes[0], "density of NDCG$_n$")
        axes[0].legend(loc="lower center")
        x = np.sort(values)
        part = (np.arange(count) + 0.5) / count
        axes[1].plot(x, part - x, color=line.color, lw=0.7)
        level = 1.358 / np.sqrt(count)  # the 95% quantile of Kolmogorov's law
        axes[1].axhspan(-level, level, color=GREY, alpha=0.2, lw=0)
        axes[1].axhline(0, color=GREY, lw=0.8)
        axes[1].set_ylim(-1.6 * level, 1.6 * level)
        axes[1].set_ylabel("P(NDCG$_n$ ≤ $x$) $-$ $x$")
        titles(axes[1], "95% of such curves stay within the band")
        for ax in axes:
            ax.set_xlabel("$x$")
            ax.set_xlim(0, 1)
    return figure


def best_discount(results: Results) -> Figure:
    """Draw signal over noise against b and against the cutoff; small markers are simulated."""
    scorers, study = results.study.scorers, results.study
    with style():
        figure, axes = panels(2, height=2.8)
        for ax, symbol, texts, x, label in (
            (
                axes[0],
                "b",
                [f"nDCG(power({b:g}))" for b in EXPONENTS],
                EXPONENTS,
                "$b$ of the discount $r^{-b}$",
            ),
            (axes[1], "k", [f"nDCG@{k}" for k in CUTOFFS], CUTOFFS, "cutoff $k$, log discount"),
        ):
            ratios = {
                PAIRS[a]: np.array([_ratio(scorers[a], scorers[b], text) for text in texts])
                for a, b in study.pairs
            }
            signal_to_noise(ax, x, ratios, label, symbol)
            titles(ax, f"a ranker that is … against a blank one, $n$ = {N}")
        one_scale(axes)
        outer_labels(axes)
        figure_legend(figure, [white_marker("best"), grey_marker("simulated")])
        for (a, b), line in zip(study.pairs, line_styles(len(study.pairs)), strict=True):
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
                        ms=2.5,
                        ls="none",
                    )
    return figure


def _ratio(a: Scorer, b: Scorer, measure: str) -> float:
    mean, sd = quick_moments((a, b), Measure.of(measure), N)
    return mean / sd


def normalising(results: Results) -> Figure:
    """Draw E[A - B] under NDCG and DCG against the share of queries with few relevant items; its zeros."""
    study, n = results.study, N
    a, b = study.scorers.values()
    colors = [line.color for line in line_styles(2)]
    shares = np.linspace(0.0, 1.0, 101)
    few = np.array(
        [study.design.drawn(int(r)).population.scorers["A"] == a.models[0] for r in results.replicates]
    )
    with style():
        figure, axes = panels(2, height=2.8)
        for name, color, marker in (("nDCG", colors[0], "o"), ("DCG", colors[1], "s")):
            gains = [_gap(x, y, name, n) for x, y in zip(a.models, b.models, strict=True)]
            line = shares * gains[0] + (1 - shares) * gains[1]
            axes[0].plot(shares, line / gains[0], color=color, label=name.replace("(log)", ""))
            cell = results.data["ndcg"].sel(measure=name, n=n)
            seen = (cell.sel(scorer="A") - cell.sel(scorer="B")).to_numpy()
            mean, error = (
                np.array([of(seen[few]), of(seen[~few])])
                for of in (np.mean, lambda x: np.std(x, ddof=1) / np.sqrt(x.size))
            )
            for share in SIMULATED:
                weight = np.array([share, 1 - share])
                axes[0].errorbar(
                    share,
                    weight @ mean / gains[0],
                    2 * float(np.hypot(*(weight * error))) / gains[0],
                    color=color,
                    marker=marker,
                    mfc="white",
                    ls="none",
                    ms=4,
                )
            axes[0].plot(_balance(a, b, name, n), 0, marker="|", ms=14, color=color)
        axes[0].axhline(0, color=GREY, lw=0.8)
        axes[0].set_xlim(0, 0.62)
        axes[0].set_ylim(-0.8, 0.65)
        axes[0].set_xlabel("share of queries with few relevant items")
        axes[0].set_ylabel("E[A - B], relative to that at share 1")
        axes[0].legend(loc="lower right")
        titles(axes[0], f"log discount, n = {n}")
        for text, label in WINDOWS.items():
            color = measure_style(f"nDCG{text}").color
            start, stop = ([_balance(a, b, name + text, m) for m in LENGTHS] for name in ("nDCG", "DCG"))
            axes[1].fill_between(LENGTHS, start, stop, color=color, alpha=0.25, lw=0, label=label)
            axes[1].plot(LENGTHS, start, color=color, lw=1.0)
            axes[1].plot(LENGTHS, stop, color=color, lw=1.0, ls="--")
        length_axis(axes[1], LENGTHS)
        axes[1].set_ylim(0, 0.62)
        axes[1].set_ylabel("share at which A and B are equal")
        axes[1].legend(loc="upper left")
        titles(axes[1], "solid: NDCG, dashed: DCG")
    return figure


def _balance(a: Scorer, b: Scorer, measure: str, n: int) -> float:
    """Return the weight of the first of two groups with which two scorers have equal means."""
    first, second = (_gap(x, y, measure, n) for x, y in zip(a.models, b.models, strict=True))
    return second / (second - first)


def _gap(a: Relevance, b: Relevance, measure: str, n: int) -> float:
    return float(np.subtract(*(expected_ndcg(of, measure, [n]).value[0] for of in (a, b))))


FIGURES: dict[str, tuple[Callable[[Results], Figure], ...]] = {
    "never_settles": (never_settles,),
    "phase_diagram": (phase_diagram, uniform_law),
    "best_discount": (best_discount,),
    "normalising": (normalising,),
}
"""The figures of each study, by the names of the functions that draw them."""


def figures_of(results: Results) -> dict[str, Figure]:
    """Return the figures of one of these studies by file name."""
    return {draw.__name__: draw(results) for draw in FIGURES[results.name]}


def main() -> None:
    """Draw the figures of every study that has results."""
    folder, out = arguments(__doc__)
    for name in FIGURES:
        if kind_of(folder / name) == "study":
            write(figures_of(open_results(folder / name)), out)
        else:
            print(f"{folder / name}: no results, left out")


if __name__ == "__main__":
    main()
