"""Many studies at once: one per point of a grid of parameters, as simulation studies are designed."""

from ndcg_asymptotics.grids.check import GridCheck, check_grid
from ndcg_asymptotics.grids.grid import Grid, load_grid
from ndcg_asymptotics.grids.results import GridResults, open_grid
from ndcg_asymptotics.grids.run import run_grid

__all__ = [
    "Grid",
    "GridCheck",
    "GridResults",
    "check_grid",
    "load_grid",
    "open_grid",
    "run_grid",
]
