"""Studies, as objects and as files, and the design that an engine simulates."""

from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.studies.grid import Grid, load_grid
from ndcg_asymptotics.studies.study import Study, decades
from ndcg_asymptotics.studies.toml import load, write_template

__all__ = ["Design", "Grid", "Study", "decades", "load", "load_grid", "write_template"]
