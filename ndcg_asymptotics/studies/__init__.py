"""What is asked: a study, as an object and as a file, and the design that an engine is given of it."""

from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.studies.grid import Grid, load_grid
from ndcg_asymptotics.studies.study import Study, decades
from ndcg_asymptotics.studies.toml import load

__all__ = ["Design", "Grid", "Study", "decades", "load", "load_grid"]
