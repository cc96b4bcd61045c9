"""The charts of a page as plain data, with the same numbers as the figures and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.text import visible
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.theory.cache import user_cache
from ndcg_asymptotics.theory.limits import limit

BAND = (0.05, 0.95)
"""Quantiles over replicates between which a band is drawn."""

ORDER_SLOTS = (6, 5)
"""Line styles of the two rates of an order, which the first five scorers do not have."""

Chart = dict[str, Any]


def curve_charts(results: Results) -> list[Chart]:
    """Return a chart per measure: the mean over replicates with its band, the exact mean and the limit."""
    study = results.study
    return [_curves(results, measure) for measure in tracked(study.measures, "curves")]


def _curves(results: Results, measure: Measure) -> Chart:
    study, series, theorems, highest = results.study, [], [], 1e-9
    for slot, (name, scorer) in enumerate(study.scorers.items()):
        cell = results.relative(measure)["ndcg"].sel(scorer=name)
        values = cell.transpose("replicate", "n").to_numpy()
        found = limit(scorer, measure)
        theorems.append("no limit" if found.converges is False else found.theorem)
        low, high = np.quantile(values, BAND, axis=0)
        highest = max(highest, float(high.max()))
        se = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
        series.append(
            {
                "name": visible(name), "slot": slot, "y": _plain(values.mean(axis=0)),
                "se": None if se is None else _plain(se),
                "low": _plain(low), "high": _plain(high),
                "line": _exact_means(results, scorer, measure), "limit": found.value,
            }
        )  # fmt: skip
    fields = [
        {"key": "y", "label": "mean", "kind": "fixed"},
        {"key": "se", "label": "std. error", "kind": "exponent"},
        {"key": "line", "label": "exact mean", "kind": "fixed"},
        {"key": "limit", "label": "limit", "kind": "fixed"},
    ]
    remark = " / ".join(dict.fromkeys(text for text in theorems if text != "none")) or "limit unknown"
    words = f"{measure} of {len(series)} scorer{'s' * (len(series) > 1)} against the list length."
    title = str(measure) if measure.normalised else f"{measure} / F(k(n))"
    # NDCG is drawn from 0 to 1
    scale = {} if measure.normalised else {"top": 1.05 * highest}
    return {"title": visible(title), "remark": remark, "words": words, "details": "",
            "n": list(study.n), "fields": fields, "series": series, **scale}  # fmt: skip


def _exact_means(results: Results, scorer: Scorer, measure: Measure) -> list[float | None]:
    """Return E[NDCG_n], or E[DCG_n] / F(k(n)), at the study's sizes; None where theory does not give it."""
    sizes = results.study.n
    unit = np.array([measure.unit(n) or 1.0 for n in sizes])
    try:
        return _plain(user_cache().mean(scorer, measure, sizes).value / unit)
    except NotAvailableError:
        return [None] * len(sizes)


def order_charts(pairs: Sequence[Pair]) -> list[Chart]:
    """Return a chart per pair and measure with a right order: how often it holds at n, and from n on."""
    return [_order(pair) for pair in pairs if pair.right is not None]


def _order(pair: Pair) -> Chart:
    a, b = pair.pair
    behind = b if pair.right == a else a
    since = "from n on, at grid points" if pair.from_n_is_upper_bound else "at every length from n on"
    named = (("at n", pair.points, ORDER_SLOTS[0]), (since, pair.from_n, ORDER_SLOTS[1]))
    series = [
        {
            "name": name, "slot": slot, "y": [r.rate for r in rates],
            "low": [r.low for r in rates], "high": [r.high for r in rates],
        }
        for name, rates, slot in named
    ]  # fmt: skip
    fields = [
        {"key": "y", "label": "right", "kind": "fixed"},
        {"key": "low", "label": "at least", "kind": "fixed"},
        {"key": "high", "label": "at most", "kind": "fixed"},
    ]
    remark = visible(f"{pair.right} ahead of {behind}")
    words = f"Rate of the right order under {pair.measure} against the list length."
    return {"title": visible(pair.measure), "remark": remark, "words": words, "details": visible(pair.text),
            "n": [r.n for r in pair.points], "fields": fields, "series": series}  # fmt: skip


def _plain(values: Iterable[float]) -> list[float | None]:
    """Return numbers for JSON, in which NaN and infinities become null."""
    return [float(v) if np.isfinite(v) else None for v in values]
