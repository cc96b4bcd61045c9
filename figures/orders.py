"""Draw which scorer is ahead in the studies one_pair, zipf_pair and cutoff_equal_tops on one page.

`orders.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from common import arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.orders.distinguishing import distinguish
from ndcg_asymptotics.orders.pair import Pair
from ndcg_asymptotics.plots import (
    figure_legend,
    order_handles,
    outer_labels,
    panels,
    style,
    titles,
    wrong_order_rates,
)
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import kind_of

NAMES = ("one_pair", "zipf_pair", "cutoff_equal_tops")
_FALLS = 0.2  # P(wrong order) at the last n, below which it is drawn as falling


def rows(studies: Sequence[Results]) -> Iterator[tuple[str, list[Pair]]]:
    """Yield titles and entries of pairs, with rows of their own for wrong orders that do not die out."""
    for results in studies:
        found = distinguish(results, exponents=False).pairs
        for names in results.study.pairs:
            entries = [pair for pair in found if pair.pair == names]
            dies_out = [1 - pair.points[-1].rate < _FALLS for pair in entries]
            split = len(results.study.pairs) == 1
            for falls in (True, False) if split else (None,):
                row = [pair for pair, one in zip(entries, dies_out, strict=True) if falls in (one, None)]
                if row:
                    yield f"{names[0]} and {names[1]}", row


def draw(studies: Sequence[Results]) -> Figure:
    """Return a figure with a row for each group of measures: the order at n, and from n on."""
    drawn = list(rows(studies))
    with style():
        figure, axes = panels(2 * len(drawn), height=1.5)
        for row, (title, entries) in enumerate(drawn):
            for ax, from_n in zip(axes[2 * row : 2 * row + 2], (False, True), strict=True):
                wrong_order_rates(ax, entries, from_n=from_n)
                titles(ax, f"{title}, at {'some length from ' if from_n else ''}$n${' on' if from_n else ''}")
        outer_labels(axes)
        marks = (mark for _, entries in drawn for mark in order_handles(entries))
        figure_legend(figure, list({str(mark.get_label()): mark for mark in marks}.values()))
    return figure


def orders_of(folder: Path) -> dict[str, Figure]:
    """Return the figure by file name; none if a study of it has no results."""
    places = [folder / name for name in NAMES]
    if any(kind_of(place) != "study" for place in places):
        return {}
    return {"orders": draw([open_study(place) for place in places])}


def main() -> None:
    """Draw the page from the results of its studies."""
    folder, out = arguments(__doc__)
    write(orders_of(folder), out)


if __name__ == "__main__":
    main()
