"""Draw the studies of Theorems 3 and 8 to 13, which look alike, on one page of small multiples.

`theorems.py [RESULTS] [FOLDER]`
"""

from __future__ import annotations

from pathlib import Path

from common import arguments, write
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import (
    curve_handles,
    figure_legend,
    length_axis,
    ndcg_curves,
    outer_labels,
    panels,
    style,
)
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import kind_of

NAMES = tuple(f"theorem{number}" for number in (3, 8, 9, 10, 11, 12, 13))
_FEW_TICKS = 5


def draw(studies: list[Results]) -> Figure:
    """Return a figure with a row for each study and a panel for each of its measures."""
    cells = [(results, measure) for results in studies for measure in results.study.measures]
    with style():
        figure, axes = panels(len(cells), columns=len(studies[0].study.measures), height=1.35, width=7.2)
        for ax, (results, measure) in zip(axes, cells, strict=True):
            ndcg_curves(results, measure, ax, names=False)
            length_axis(ax, results.study.n, most=_FEW_TICKS)
        outer_labels(axes)
        figure_legend(figure, curve_handles(studies[0], studies[0].study.measures, names=True))
    return figure


def theorems_of(folder: Path) -> dict[str, Figure]:
    """Return the figure by file name; none if a study of it has no results."""
    places = [folder / name for name in NAMES]
    if any(kind_of(place) != "study" for place in places):
        return {}
    return {"theorems": draw([open_study(place) for place in places])}


def main() -> None:
    """Draw the page from the results of its studies."""
    folder, out = arguments(__doc__)
    write(theorems_of(folder), out)


if __name__ == "__main__":
    main()
