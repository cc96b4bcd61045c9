"""Figures of the experiments about losses, from the JSON files that experiments/learning writes."""

from __future__ import annotations

from typing import Any

import numpy as np
from common import grey_bar
from loss_axes import (
    bound_quantiles,
    dot_rows,
    error_curves,
    line_style_handles,
    value_table,
)
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ndcg_asymptotics.comparisons.figures import zero_line
from ndcg_asymptotics.plots import (
    Choice,
    figure_legend,
    length_axis,
    line_styles,
    measure_style,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.plots.marks import grey_line, handle, white_marker
from ndcg_asymptotics.plots.style import GREY

WHISKERS = grey_bar("95% interval")


def discounts(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw the worst and the mean regret of losses normalised for one discount, under another."""
    rows, columns = results["rows"], results["columns"]
    cells = {(cell["row"], cell["column"]): cell for cell in results["table"]}
    headings = {"worst": "worst regret, exact", "typical": "mean regret over random distributions"}
    with style():
        figure, axes = panels(2, height=3.4)
        for ax, (what, title) in zip(axes, headings.items(), strict=True):
            values = np.array([[cells[row, column][what] for column in columns] for row in rows])
            value_table(ax, rows, columns, values, least=1e-2 if what == "worst" else 1e-5)
            titles(ax, title)
            ax.set_xlabel("discount of the NDCG that counts")
        axes[0].set_ylabel("loss, or discount it is normalised for")
        axes[1].set_yticklabels([])
    return {"losses_discounts": figure}


def excess_risk(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw regret below its bounds by excess risk (Ravikumar et al. 2011, Theorems 10 and 11)."""
    styles = dict(zip(results["losses"], line_styles(len(results["losses"])), strict=True))
    with style():
        figure, axes = panels(2, height=2.9)
        for text, line in styles.items():
            _, regret, bound, linear = np.array(results["points"][text]).T
            bound_quantiles(axes[0], bound, regret, line)
            bound_quantiles(axes[1], linear, regret, line)
        for ax in axes:
            ax.set_ylim(1e-4, 2)
        titles(axes[0], "Theorem 10 of Ravikumar et al.")
        axes[0].set_xlabel(r"bound $C_F\sqrt{(\Phi-\Phi^*)/C_\phi}$")
        titles(axes[1], "with a margin $\\gamma$ (as their Theorem 11)")
        axes[1].set_xlabel(r"bound $C_F^2(\Phi-\Phi^*)/(C_\phi\gamma)$")
        outer_labels(axes)
        marks = [grey_line("median regret", ls=":", lw=0.9), grey_line("the bound", lw=0.9)]
        named = {f"largest regret, {text}": line for text, line in styles.items()}
        figure_legend(figure, [*line_style_handles(named), *marks])
    return {"losses_excess_risk": figure}


def growing(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw Figures 1 to 4 of Wang et al. (2013) for learned rankers on real lists, one per data set."""
    figures = {}
    for name, found in results["data"].items():
        with style():
            figure, axes = panels(len(results["measures"]))
            rankers = list(found["curves"][results["measures"][0]])
            styles = dict(zip(rankers, line_styles(len(rankers)), strict=True))
            for ax, measure in zip(axes, results["measures"], strict=True):
                curves = {r: tuple(np.array(v).T) for r, v in found["curves"][measure].items()}
                error_curves(ax, found["sizes"], curves, styles=styles, log="", labels=False)
                length_axis(ax, found["sizes"])
                ax.set_ylim(0, 1)
                ax.set_ylabel("NDCG$_n$")
                titles(ax, Choice().title(measure))
            outer_labels(axes)
            figure_legend(figure, [*line_style_handles(styles), WHISKERS])
        figures[f"losses_growing_{name}"] = figure
    return figures


# panels of `long_lists`: population and loss
PANELS = (
    ("independent", "squared"),
    ("independent", "cosine"),
    ("independent", "listnet"),
    ("two readers", "squared"),
)
LABELS = {"independent": "independent labels", "two readers": "two readers"}
LEAST = 1e-10  # smaller regrets are rounding errors


def long_lists(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw regret against the list length, with independent labels and with those of two readers."""
    sizes, discounts = results["sizes"], results["discounts"]
    styles = {discount: measure_style(f"nDCG({discount})") for discount in discounts}
    with style():
        figure, axes = panels(len(PANELS))
        for ax, (population, loss) in zip(axes, PANELS, strict=True):
            found = {d: np.array(results["regret"][population][f"{loss} under {d}"]) for d in discounts}
            curves = {d: (np.where(v[:, 0] > LEAST, v[:, 0], np.nan), v[:, 1]) for d, v in found.items()}
            known = {name.partition(" under ")[::2]: value for name, value in results["limits"].items()}
            limits = {
                d: value for (of, d), value in known.items() if (population, of) == ("independent", loss)
            }
            error_curves(ax, sizes, curves, styles=styles, limits=limits, log="y", labels=False)
            length_axis(ax, sizes)
            ax.set_xlabel("list length $m$")
            ax.set_ylabel("regret (expected NDCG)")
            ax.set_ylim(LEAST if loss != "listnet" and population == "independent" else 1e-4, 0.2)
            titles(ax, f"{loss} loss, {LABELS[population]}")
        outer_labels(axes)
        named = {Choice().formula(f"nDCG({discount})"): line for discount, line in styles.items()}
        marks = [WHISKERS, grey_line("limit, where known", ls=":", lw=0.8)]
        figure_legend(figure, [*line_style_handles(named), *marks])
    return {"losses_long_lists": figure}


PAIRWISE = {
    'pairwise("hinge", "gain")': "pairwise, hinge",
    'pairwise("squared_hinge", "gain")': "pairwise, squared hinge",
    'pairwise("logistic", "gain")': "pairwise, logistic",
    'margin("hinge")': "margin, hinge",
    'margin("logistic")': "margin, logistic",
}
COLUMNS = {"disagreement": "disagreement over pairs", "nDCG@10": "NDCG@10"}


def movielens(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw differences between losses on MovieLens: pairwise disagreement and NDCG@10."""
    tests, columns = results["tests"], results["columns"]
    rows = [PAIRWISE[pair.partition(" - ")[2]] for pair in tests]
    with style():
        figure, axes = panels(2, height=2.3)
        for ax, (name, title) in zip(axes, COLUMNS.items(), strict=True):
            k = columns.index(name)
            means, errors = ([test[part][k] for test in tests.values()] for part in ("mean", "error"))
            dot_rows(ax, rows, means, errors)
            texts = ("the other better", "Duchi et al. better")
            zero_line(ax, *(texts[::-1] if name == "disagreement" else texts))
            titles(ax, title)
            ax.set_xlabel("Duchi et al. less the other loss")
            ax.xaxis.set_major_locator(MaxNLocator(5))
        axes[1].set_yticklabels([])
        figure_legend(figure, [white_marker("mean over users, 95% interval")])
    return {"losses_movielens": figure}


SHOWN = (
    "squared",
    "squared_consistent",
    "listnet",
    "listnet_consistent",
    "cosine_consistent",
    "pnorm_normalised(1.25)",
    "order_preserving",
    'pairwise("squared_hinge")',
)
NAMES = {
    "squared_consistent - squared": "squared, consistent less plain",
    "cosine_consistent - cosine": "cosine, consistent less plain",
    "listnet_consistent - listnet": "ListNet, consistent less plain",
    "pnorm_normalised(1.25) - cosine_consistent": "p-norm less cosine, consistent",
    'order_preserving - pairwise("squared_hinge")': "Buffoni et al. less RankSVM",
}


def mq2008(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw NDCG@1 to NDCG@10 of losses and of their consistent versions on MQ2008.

    A difference has the colour of the loss that comes first in it.
    """
    cutoffs = list(range(1, 11))
    nothing = [0.0] * len(cutoffs)
    styles = dict(zip(SHOWN, line_styles(len(SHOWN)), strict=True))
    with style():
        figure, axes = panels(2, columns=1, height=2.5, width=5.5)
        means = {text: (results["means"][text], nothing) for text in SHOWN}
        error_curves(axes[0], cutoffs, means, styles=styles, log="")
        axes[0].set_ylabel("NDCG@$k$")
        titles(axes[0], f"{results['queries']} queries, five folds")
        tests = results["tests"]
        named = {pair: f"{name}: p = {tests[pair]['p']:.2g}" for pair, name in NAMES.items() if pair in tests}
        curves = {name: (tests[pair]["mean"], tests[pair]["error"]) for pair, name in named.items()}
        firsts = {name: styles[pair.partition(" - ")[0]] for pair, name in named.items()}
        error_curves(axes[1], cutoffs, curves, styles=firsts, log="")
        axes[1].axhline(0, color=GREY, lw=0.7)
        axes[1].set_ylabel("difference of NDCG@$k$")
        titles(axes[1], "differences, with p of a test for all $k$")
        for ax in axes:
            ax.set_xticks(cutoffs)
            ax.set_xlabel("$k$")
        outer_labels(axes)
        figure_legend(figure, [WHISKERS])
    return {"losses_mq2008": figure}


RANGE = (5e-7, 4e-2)


SAME = 0.03  # curves whose ratio differs from 1 by less are drawn as one


def training_queries(results: dict[str, Any]) -> dict[str, Figure]:
    """Draw the regret of the trained ranker against the number of training queries.

    Losses whose regrets differ by less than 3% at every size are drawn once.
    """
    sizes = results["sizes"]

    def curve(text: str) -> tuple[list[float], list[float]]:
        drawn = [np.array(values) for values in results["regrets"][text]]
        return [v.mean() for v in drawn], [v.std(ddof=1) / len(v) ** 0.5 for v in drawn]

    alike: dict[str, list[str]] = {}
    for text in (*results["consistent"], *results["inconsistent"]):
        mean = np.array(curve(text)[0])
        same = next((t for t in alike if np.all(np.abs(mean / curve(t)[0] - 1) < SAME)), text)
        alike.setdefault(same, []).append(text)
    names = {first: _said(texts) for first, texts in alike.items()}
    limits = {names[t]: v for t, v in results["limits"].items() if v > 1e-12 and t in names}
    styles = dict(zip(names.values(), line_styles(len(names)), strict=True))
    with style():
        figure, (ax,) = panels(1, height=3.6, width=6.0)
        curves = {name: curve(first) for first, name in names.items()}
        error_curves(ax, sizes, curves, styles=styles, limits=limits, log="y", ylim=RANGE)
        length_axis(ax, sizes)
        ax.set_xlabel("training queries")
        ax.set_ylabel("regret (expected NDCG)")
        groups = [handle(styles[_said(t)], ", ".join(t)) for t in alike.values() if len(t) > 1]
        figure_legend(figure, [WHISKERS, grey_line("limit, where known", ls=":", lw=0.8), *groups])
    return {"losses_training_queries": figure}


def _said(texts: list[str]) -> str:
    """Return the label of losses that are one curve."""
    return texts[0] if len(texts) == 1 else f"{len(texts)} losses,\nwithin {SAME:.0%}"


FIGURES = {
    draw.__name__: draw
    for draw in (discounts, excess_risk, growing, long_lists, movielens, mq2008, training_queries)
}
"""Functions that draw figures, by the name of the file that they draw."""
