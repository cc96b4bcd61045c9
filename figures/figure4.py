"""Wang et al. (2013), Figure 4: the log discount with k = n/5. The limits differ."""

from __future__ import annotations

from common import from_results
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import measure_figure
from ndcg_asymptotics.results import Results


def draw(results: Results) -> dict[str, Figure]:
    """The figure, from the results of experiments/wang2013.toml."""
    return {"figure4": measure_figure(results, "nDCG(log)@0.2n")}


if __name__ == "__main__":
    from_results(draw, __doc__)
