"""How fast the wrong order dies out: eight measures on one pair, down to 1e-100."""

from __future__ import annotations

from common import from_results
from matplotlib.figure import Figure

from ndcg_asymptotics.plots import error_exponent_figures
from ndcg_asymptotics.results import Results


def draw(results: Results) -> dict[str, Figure]:
    """The figure, from the results of experiments/rates.toml."""
    (figure,) = error_exponent_figures(results).values()
    return {"rates": figure}


if __name__ == "__main__":
    from_results(draw, __doc__)
