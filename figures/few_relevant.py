"""Figures of the studies with a fixed number of relevant items, from their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import Floats, filled_in
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.plots import (
    figure_legend,
    length_axis,
    line_styles,
    margin_labels,
    measure_style,
    outer_labels,
    panels,
    style,
    titles,
)
from ndcg_asymptotics.plots.marks import grey_line, handle, scientific, white_marker
from ndcg_asymptotics.plots.scales import log_axis
from ndcg_asymptotics.plots.style import GREY, LineStyle
from ndcg_asymptotics.populations import FixedCounts, RocPower
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.stats.power import queries_for
from ndcg_asymptotics.theory.mean import expected_ndcg

POWER, LEVEL = 0.8, 0.05  # of the paired t test whose queries are counted
SEEN = 0.1  # simulated means with a larger relative standard error are left out
POINTS = 45  # of a theoretical curve of `regimes`
SPANS = ((10**3, 10**6), (10**15, 10**18))  # list lengths between which `regimes` measures slopes
_ASYMPTOTE: dict[str, Any] = {"color": "0.82", "lw": 3.5, "zorder": 0}
HITS = 50  # fewest lists with a relevant item among the first ten: on fewer, simulated variances miss them


def log_discount(results: Results) -> Figure:
    """Draw NDCG of the whole list, and log n times it, which tends to R/IDCG for every scorer."""
    study = results.study
    (measure,) = study.measures
    goal = _constant(results, measure)
    n, fine = np.array(study.n, np.float64), filled_in(study.n)
    with style():
        figure, axes = panels(2, height=2.6)
        labels: list[tuple[float, str, LineStyle | str]] = [(goal, "$R$ / IDCG", GREY)]
        axes[0].axhline(0, color=GREY, ls=":", lw=0.9)
        axes[1].axhline(goal, color=GREY, ls=":", lw=0.9)
        for name, line in zip(study.scorers, line_styles(len(study.scorers)), strict=True):
            exact = expected_ndcg(study.scorers[name], measure, fine).value
            mean, error = _simulated(results, name, measure)
            scales: tuple[Callable[[Any], Any], ...] = (np.ones_like, np.log)
            for ax, scale in zip(axes, scales, strict=True):
                ax.plot(fine, exact * scale(fine), color=line.color, ls=line.dashes)
                ax.errorbar(
                    n,
                    mean * scale(n),
                    3 * error * scale(n),
                    color=line.color,
                    marker=line.marker,
                    mfc="white",
                    ls="none",
                    lw=0.8,
                )
            labels.append((float(exact[-1] * np.log(n[-1])), name, line))
        for ax in axes:
            length_axis(ax, study.n)
        titles(axes[0], "NDCG$_n$ tends to 0 for every scorer")
        axes[0].set_ylabel("E NDCG$_n$")
        axes[0].set_ylim(-0.02, 1)
        titles(axes[1], "times $\\log n$ it has the same limit")
        axes[1].set_ylabel("$\\log n$ · E NDCG$_n$")
        axes[1].set_ylim(0, None)
        margin_labels(axes[1], labels)
        figure_legend(figure, [*_handles(), grey_line("limit", ls=":", lw=0.9)])
    return figure


def _constant(results: Results, measure: Measure) -> float:
    """Return R over the ideal DCG."""
    model = _model(results, next(iter(results.study.scorers)))
    return model.least_n / float(measure.ideal(model.counts, model.gains, results.study.n[-1]))


def _model(results: Results, name: str) -> FixedCounts:
    model = results.study.scorers[name]
    assert isinstance(model, FixedCounts)
    return model


def _simulated(results: Results, name: str, measure: Measure) -> tuple[Floats, Floats]:
    """Return the simulated mean at every n and its standard error."""
    values = (
        results.data["ndcg"].sel(scorer=name, measure=str(measure)).transpose("replicate", "n").to_numpy()
    )
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))


def _seen(results: Results, name: str, measure: Measure) -> NDArray[np.bool_]:
    """Return at which n the simulated mean is precise, by the standard deviation.

    Where rare lists make most of the mean, a sample without any of them looks precise.
    """
    study = results.study
    mean = expected_ndcg(study.scorers[name], measure, study.n).value
    sd = np.array([list_moments((study.scorers[name],), measure, n).sd for n in study.n])
    return np.asarray(sd < SEEN * mean * np.sqrt(results.replicates_complete))


def _handles() -> list[Artist]:
    return [grey_line("exact mean"), white_marker("simulated, ±3 standard errors")]


def cutoffs(results: Results) -> Figure:
    """Draw means of measures of the top on two logarithmic axes, with the asymptotic C n^-kappa."""
    study = results.study
    n = np.array(study.n, np.float64)
    with style():
        figure, axes = panels(len(study.measures), columns=3, height=2.5, width=7.2)
        for ax, measure in zip(axes, study.measures, strict=True):
            for name, line in zip(study.scorers, line_styles(len(study.scorers)), strict=True):
                exact = expected_ndcg(study.scorers[name], measure, study.n).value
                ax.plot(n, exact, color=line.color, ls=line.dashes, lw=1)
                constant = _top_constant(_kappa(results, name), measure)
                if constant is not None:
                    ax.plot(n, constant * n ** -_kappa(results, name), **_ASYMPTOTE)
                mean, error = _simulated(results, name, measure)
                seen = _seen(results, name, measure)
                ax.errorbar(
                    n[seen],
                    mean[seen],
                    3 * error[seen],
                    color=line.color,
                    marker=line.marker,
                    mfc="white",
                    ls="none",
                    lw=0.8,
                )
            log_axis(ax.yaxis)
            length_axis(ax, study.n, most=6)
            ax.set_ylim(1e-11, 2)
            ax.set_ylabel("E NDCG$_n$")
            titles(ax, _title(measure))
        outer_labels(axes)
        named = zip(study.scorers, line_styles(len(study.scorers)), strict=True)
        scorers = [handle(line, f"{name}, $\\kappa$ = {_kappa(results, name):g}") for name, line in named]
        closed = Line2D([], [], label=r"$C\,n^{-\kappa}$, $C$ in closed form", **_ASYMPTOTE)
        figure_legend(figure, [*scorers, *_handles(), closed])
    return figure


def _title(measure: Measure) -> str:
    known = {"nDCG(constant)@10": "recall@10", "nDCG(zipf)": "reciprocal rank", "nDCG(linear)": "linear NDCG"}
    return known.get(str(measure), str(measure).replace("nDCG", "NDCG"))


def _kappa(results: Results, name: str) -> float:
    source = _model(results, name).source
    assert isinstance(source, RocPower)
    return source.kappa


def _top_constant(kappa: float, measure: Measure) -> float | None:
    """Return the C of E NDCG_n ~ C n^-kappa for one relevant item with F(t) = t^kappa, None without one.

    It is ``sum_r D(r) kappa Gamma(r - 1 + kappa) / Gamma(r)``, to the cutoff, over D(1).
    """
    largest = 10**18
    if measure.cutoff(largest) == largest:  # 1/r: the sum is Gamma(1 + kappa) / (1 - kappa)
        return float(np.exp(gammaln(1 + kappa))) / (1 - kappa) if kappa < 1 else None
    r = np.arange(1.0, measure.cutoff(largest) + 1)
    terms = measure.discount(r) * kappa * np.exp(gammaln(r - 1 + kappa) - gammaln(r))
    return float(terms.sum() / measure.discount(1.0))


def queries(results: Results) -> Figure:
    """Draw how many queries a paired t test needs to tell two rankers apart, against the corpus size."""
    study = results.study
    ((a, b),) = study.pairs
    n = np.array(study.n, np.float64)
    hits = expected_ndcg(study.scorers[a], Measure.parse("nDCG(constant)@10"), study.n).value
    seen = hits * results.replicates_complete >= HITS
    with style():
        figure, (ax,) = panels(1, height=3.0, width=5.0)
        labels: list[tuple[float, str, LineStyle | str]] = []
        for measure in study.measures:
            line = measure_style(measure)
            pair = study.scorers[a], study.scorers[b]
            exact = [list_moments(pair, measure, size) for size in study.n]
            needed = np.array([_queries(found.mean / found.sd) for found in exact])
            ax.plot(n, needed, color=line.color, ls=line.dashes)
            values = results.data["ndcg"].sel(measure=str(measure)).transpose("scorer", "replicate", "n")
            gap = (values.sel(scorer=a) - values.sel(scorer=b)).to_numpy()[:, seen]
            effects = gap.mean(axis=0) / gap.std(axis=0, ddof=1)
            simulated = [_queries(float(effect)) for effect in effects]
            ax.plot(n[seen], simulated, color=line.color, marker=line.marker, mfc="white", ls="none")
            labels.append((float(needed[-1]), _title(measure), line))
        ax.axhline(_queries(_limiting_effect(results, a, b)), color=GREY, ls=":", lw=0.9)
        log_axis(ax.yaxis)
        length_axis(ax, study.n)
        ax.set_xlabel("items of the corpus $n$")
        ax.set_ylabel("queries")
        titles(ax, f"queries that tell two rankers apart (level {LEVEL:g}, power {POWER:g})")
        margin_labels(ax, labels)
        marks = [grey_line("exact"), white_marker("simulated")]
        figure_legend(figure, [*marks, grey_line("NDCG as $n\\to\\infty$", ls=":", lw=0.9)])
    return figure


def _limiting_effect(results: Results, a: str, b: str) -> float:
    """Return the mean of ``sum log T_b - sum log T_a`` over its standard deviation.

    -log T is exponential with the mean 1/kappa.
    """
    means = np.array([1 / _kappa(results, name) for name in (a, b)])
    return float((means[0] - means[1]) * np.sqrt(_model(results, a).least_n) / np.hypot(*means))


def _queries(effect: float) -> float:
    found = queries_for(effect, POWER, LEVEL)
    return np.nan if found is None else float(found)


def regimes(results: Results) -> Figure:
    """Draw the exponent with which the mean of NDCG falls against b of the discount r^-b."""
    study = results.study
    (name,) = study.scorers
    kappa = _kappa(results, name)
    b = np.array([measure.discount.asymptotics.exponent for measure in study.measures])
    fine = np.round(np.linspace(b[0], b[-1], POINTS), 3)
    model = study.scorers[name]

    def exponent(measure: Measure, ends: tuple[int, int]) -> float:
        mean = expected_ndcg(model, measure, ends).value
        return float(np.log(mean[0] / mean[1]) / np.log(ends[1] / ends[0]))

    with style():
        figure, (ax,) = panels(1, height=2.8)
        ax.plot(fine, np.minimum(fine, kappa), color=GREY, lw=0.9, ls="-.")
        ax.axvline(kappa, color=GREY, lw=0.6, ls=":")
        handles = [grey_line("as $n\\to\\infty$", lw=0.9, ls="-.")]
        for ends, line in zip(SPANS, line_styles(len(SPANS)), strict=True):
            exact = [exponent(Measure.of(f"nDCG(power({at:g}))"), ends) for at in fine]
            ax.plot(fine, exact, color=line.color, ls=line.dashes)
            places, span = [study.n.index(n) for n in ends], np.log(ends[1] / ends[0])
            slope, error, seen = [], [], []
            for measure in study.measures:
                cell = results.data["ndcg"].sel(scorer=name, measure=str(measure))
                values = cell.transpose("n", "replicate").to_numpy()[places]
                means = values.mean(axis=1)
                slope.append(-np.log(means[1] / means[0]) / span)
                relative = values[1] / means[1] - values[0] / means[0]
                error.append(relative.std(ddof=1) / np.sqrt(relative.size) / span)
                seen.append(_seen(results, name, measure)[places].all())
            ax.errorbar(
                b[seen],
                np.array(slope)[seen],
                3 * np.array(error)[seen],
                ls="none",
                lw=0.8,
                ecolor=line.color,
                **line.hollow,
            )
            said = " to ".join(map(scientific, ends))
            handles.append(handle(line, f"exact, $n$ = {said}", marker=False))
        ax.set_xlabel("$b$ of the discount $r^{-b}$")
        ax.set_ylabel("exponent of $1/n$ in E NDCG$_n$")
        ax.set_ylim(0, None)
        corner = grey_line("$b=\\kappa$", ls=":", lw=0.6)
        figure_legend(figure, [*handles, corner, white_marker("simulated, ±3 standard errors")])
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "few_log": log_discount,
    "few_cutoffs": cutoffs,
    "few_queries": queries,
    "few_regimes": regimes,
}
"""The figure of each study."""
