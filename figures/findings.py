"""Draw the figures of docs/findings.md and docs/dcg.md.

They are drawn from results/never_settles, phase_diagram, best_discount and normalising.

`findings.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

import numpy as np
from common import arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.analysis.orders.rates import rate_of
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots import panels, signal_to_noise, std_exponents, style
from ndcg_asymptotics.plots.style import GREY, length_axis, line_styles
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.fluctuations.effort import QUICK
from ndcg_asymptotics.theory.fluctuations.laws import right_rate
from ndcg_asymptotics.theory.fluctuations.variance import moments
from ndcg_asymptotics.theory.mean import expected_ndcg

# grids of exponents and cutoffs at which the theoretical curves are drawn
EXPONENTS = tuple(round(0.05 * i, 2) for i in range(1, 31))
CUTOFFS = (1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1000)
N = 1000  # list length of the study best_discount, and one of the study normalising
SIMULATED = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55)  # shares at which simulated means are drawn
WINDOWS = {"(log)": "log", "(zipf)": "1/r", "(log)@10": "log, @10"}
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
        line = line_styles(1)[0]
        sizes = [r.n for r in rates]
        middle = np.array([r.rate for r in rates])
        bars = np.abs(np.array([[r.low, r.high] for r in rates]).T - middle)
        ax.errorbar(
            sizes, middle, bars, color=line.color, marker="o", ls="none", capsize=2, label="simulated, 95%"
        )
        ax.plot(sizes, [right_rate(a, b, measure, n) for n in sizes], color=GREY, label="theory")
        length_axis(ax, sizes)
        ax.set_ylim(0.5, 0.62)
        ax.set_ylabel(f"{pair[0]} ahead of {pair[1]}")
        ax.legend(loc="upper right")
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
    """Draw the distribution function of NDCG with 2^-r where the top label is a fair coin."""
    values = results.data["ndcg"].sel(scorer="half", measure="nDCG(geometric(2))").isel(n=-1).to_numpy()
    with style():
        figure, axes = panels(2)
        x = np.sort(values)
        part = (np.arange(x.size) + 0.5) / x.size
        axes[0].plot([0, 1], [0, 1], color=GREY, lw=0.8, label="uniform")
        axes[0].plot(x, part, color=line_styles(1)[0].color, label=f"simulated, {x.size:,} lists")
        axes[0].set_xlabel("$x$")
        axes[0].set_ylabel("P(NDCG$_n$ ≤ $x$)")
        axes[0].legend()
        axes[1].plot(x, (part - x) * np.sqrt(x.size), color=line_styles(1)[0].color, lw=0.7)
        for level in (-1.358, 1.358):
            axes[1].axhline(level, color=GREY, lw=0.8, ls="--")
        axes[1].set_xlabel("$x$")
        axes[1].set_ylabel("√N (simulated - uniform)")
        axes[1].set_title("dashed: 95% of the supremum", loc="left")
    return figure


def best_discount(results: Results) -> Figure:
    """Draw signal over noise against b and against the cutoff; small markers are simulated."""
    scorers, study = results.study.scorers, results.study
    with style():
        figure, axes = panels(2, height=2.8)
        for ax, texts, x, label in (
            (axes[0], [f"nDCG(power({b:g}))" for b in EXPONENTS], EXPONENTS, "$b$ of the discount $r^{-b}$"),
            (axes[1], [f"nDCG@{k}" for k in CUTOFFS], CUTOFFS, "cutoff $k$, log discount"),
        ):
            ratios = {
                a: np.array([_ratio(scorers[a], scorers[b], text) for text in texts]) for a, b in study.pairs
            }
            signal_to_noise(ax, x, ratios, label)
        axes[1].set_xscale("log")
        for (a, b), line in zip(study.pairs, line_styles(len(study.pairs)), strict=True):
            for measure in study.design.measures:
                cut = measure.cutoff(N) < N
                exponent = measure.discount.asymptotics.exponent
                if cut or (0 < exponent < 2 and exponent != 1):
                    cell = results.data["ndcg"].sel(measure=str(measure), n=N)
                    gap = (cell.sel(scorer=a) - cell.sel(scorer=b)).to_numpy()
                    axes[int(cut)].plot(
                        measure.cutoff(N) if cut else exponent, gap.mean() / gap.std(ddof=1),
                        color=line.color, marker=line.marker, ms=2.5, ls="none",
                    )  # fmt: skip
    return figure


def _ratio(a: Scorer, b: Scorer, measure: str) -> float:
    mean, variance, *_ = moments((a, b), Measure.of(measure), N, QUICK)
    return float(mean / variance**0.5)


def normalising(results: Results) -> Figure:
    """Draw E[A - B] under NDCG and DCG against the share of queries with few relevant items; its zeros."""
    study, n = results.study, N
    a, b = study.scorers.values()
    colors = [line.color for line in line_styles(3)]
    shares = np.linspace(0.0, 1.0, 101)
    few = np.array(
        [study.design.drawn(int(r)).population.scorers["A"] == a.models[0] for r in results.replicates]
    )
    with style():
        figure, axes = panels(2, height=2.8)
        for name, color, marker in (("nDCG(log)", colors[0], "o"), ("DCG(log)", colors[1], "s")):
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
                    share, weight @ mean / gains[0], 2 * float(np.hypot(*(weight * error))) / gains[0],
                    color=color, marker=marker, mfc="white", ls="none", ms=4,
                )  # fmt: skip
            axes[0].plot(_balance(a, b, name, n), 0, marker="|", ms=14, color=color)
        axes[0].axhline(0, color=GREY, lw=0.8)
        axes[0].set_xlim(0, 0.62)
        axes[0].set_ylim(-0.8, 0.65)
        axes[0].set_xlabel("share of queries with few relevant items")
        axes[0].set_ylabel("E[A - B], relative to that at share 1")
        axes[0].legend(loc="lower right")
        axes[0].set_title(f"log discount, n = {n}", loc="left")
        for (text, label), color in zip(WINDOWS.items(), colors, strict=True):
            start, stop = ([_balance(a, b, name + text, m) for m in LENGTHS] for name in ("nDCG", "DCG"))
            axes[1].fill_between(LENGTHS, start, stop, color=color, alpha=0.25, lw=0, label=label)
            axes[1].plot(LENGTHS, start, color=color, lw=1.0)
            axes[1].plot(LENGTHS, stop, color=color, lw=1.0, ls="--")
        length_axis(axes[1], LENGTHS)
        axes[1].set_ylim(0, 0.62)
        axes[1].set_ylabel("share at which A and B are equal")
        axes[1].legend(loc="upper left")
        axes[1].set_title("solid: NDCG, dashed: DCG", loc="left")
    return figure


def _balance(a: Scorer, b: Scorer, measure: str, n: int) -> float:
    """Return the weight of the first of two groups with which two scorers have equal means."""
    first, second = (_gap(x, y, measure, n) for x, y in zip(a.models, b.models, strict=True))
    return second / (second - first)


def _gap(a: Relevance, b: Relevance, measure: str, n: int) -> float:
    return float(np.subtract(*(expected_ndcg(of, measure, [n]).value[0] for of in (a, b))))


def main() -> None:
    """Draw the figures of every study that has results."""
    folder, out = arguments(__doc__)
    for name, draws in {
        "never_settles": {"never_settles": never_settles},
        "phase_diagram": {"phase_diagram": phase_diagram, "uniform_law": uniform_law},
        "best_discount": {"best_discount": best_discount},
        "normalising": {"normalising": normalising},
    }.items():
        if not (folder / name).exists():
            print(f"{folder / name}: no results, left out")
            continue
        results = open_results(folder / name)
        write({file: draw(results) for file, draw in draws.items()}, out)


if __name__ == "__main__":
    main()
