"""Wang et al. (2013), Figure 2: the discount r^-1/2. Every scorer tends to a limit of its own."""

from __future__ import annotations

from common import from_results
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import measure_figure
from ndcg_asymptotics.results import Results


def draw(results: Results) -> dict[str, Figure]:
    """The figure, from the results of experiments/wang2013.toml."""
    return {"figure2": measure_figure(results, "nDCG(power(0.5))")}


if __name__ == "__main__":
    from_results(draw, __doc__)
