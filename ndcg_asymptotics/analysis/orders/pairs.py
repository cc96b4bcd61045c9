"""The order of any two scorers of a study: as its engine drew it, or as the NDCG that was kept says."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.results import Results


def orders_of(results: Results, pair: tuple[str, str]) -> xr.Dataset:
    """The variables that tell the order of a pair, (replicate, measure, n) or (replicate, measure).

    Of a pair that the study does not name this is the sign of the difference of the kept NDCG. It is
    `UNDECIDED` where brackets overlap: an engine that knows of the pair cuts them as far as it takes.

    Raises
    ------
    InputError
        If a name is none of the study's scorers, or the results hold no NDCG.
    """
    study, data = results.study, results.data
    if pair in study.pairs:
        return data.isel(pair=study.pairs.index(pair))
    a, b = pair
    for name in pair:
        if name not in study.scorers:
            near = did_you_mean(name, study.scorers) or ","
            known = ", ".join(study.scorers)
            raise InputError(f"{name} is no scorer of this study{near} expected two of: {known}", "pair")
    require(a != b, f"a pair needs two different scorers, got {a} twice", "pair")
    named = "; ".join(" ".join(names) for names in study.pairs)
    require("ndcg" in data, f"the {study.engine} engine keeps no NDCG, only the orders of: {named}", "pair")
    low, high = (data.get(name, data["ndcg"]) for name in ("low", "high"))
    (low_a, high_a), (low_b, high_b) = ((low.sel(scorer=x), high.sel(scorer=x)) for x in pair)
    ahead, behind = low_a > high_b, high_a < low_b
    tied = (low_a == high_b) & (high_a == low_b)
    unknown = ~(ahead | behind | tied)
    order = ahead.astype(np.int8) - behind.astype(np.int8) + unknown * UNDECIDED
    return xr.Dataset({"order": order.drop_vars("scorer", errors="ignore")})
