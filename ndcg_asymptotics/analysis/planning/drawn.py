"""Lists of a population, drawn item by item where theory does not know how its scorers vary together."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.analysis.orders.one_list import SEED
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies.design import Design

_ITEMS, _FEWEST, _MOST = 3_000_000, 700, 10_000  # items of each scorer, and lists, that are drawn
_BLOCK = 500  # lists drawn at a time


def draw_values(population: Population, measures: tuple[Measure, ...], n: int) -> Floats:
    """Return NDCG of 700 to 10,000 lists of n items, (scorer, measure, list); the longer, the fewer."""
    from ndcg_asymptotics.engines.engine import draw_block, load_engine

    design = Design(population, measures, (n,), SEED)
    engine, lists = load_engine("items"), min(max(_ITEMS // n, _FEWEST), _MOST)
    blocks = (range(start, min(start + _BLOCK, lists)) for start in range(0, lists, _BLOCK))
    values = np.concatenate([draw_block(engine, design, block)["ndcg"][..., 0] for block in blocks])
    return np.asarray(np.moveaxis(values, 0, 2))
