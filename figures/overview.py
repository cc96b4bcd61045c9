"""All measures of a study in one figure, named after the folder of results."""

from __future__ import annotations

from common import from_results
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import overview_figure
from ndcg_asymptotics.results import Results


def draw(results: Results) -> dict[str, Figure]:
    """The figure, from the results of any study."""
    return {results.name: overview_figure(results)}


if __name__ == "__main__":
    from_results(draw, __doc__)
