"""What a folder of results looks like.

It holds ``results.zarr`` and what its study's texts refer to: ``curves/`` with copies of curve files, and
copies of modules. The store has every variable of the engine with a leading ``replicate``;
``complete`` says for each replicate whether its values are all there.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ndcg_asymptotics.arrays import Integers
from ndcg_asymptotics.studies import Study

FORMAT = 1
STORE = "results.zarr"
PACKAGE = "ndcg-asymptotics"

#: What is known of each replicate beside its values.
INDEX, COMPLETE = "replicate", "complete"


def holds_results(folder: Path) -> bool:
    """Whether a store is there."""
    return (folder / STORE / "zarr.json").is_file()


@cache  # asked for with every block
def versions_here() -> dict[str, str]:
    """The versions that decide bits."""
    libraries = {name: version(name) for name in ("numpy", "numba", "scipy")}
    return {"ndcg_asymptotics": version(PACKAGE), "python": platform.python_version()} | libraries


def coordinates(study: Study) -> dict[str, NDArray[Any]]:
    """The labels of the axes, apart from `replicate`."""
    found: dict[str, NDArray[Any]] = {
        "scorer": np.array(list(study.scorers)),
        "measure": np.array([str(measure) for measure in study.measures]),
        "n": np.array(study.n, np.int64),
    }
    if study.pairs:
        found["pair"] = np.array([f"{a} > {b}" for a, b in study.pairs])
    return found


def dataset(
    study: Study,
    replicates: Integers,
    variables: Mapping[str, tuple[tuple[str, ...], NDArray[Any]]],
    further: Mapping[str, Any],
) -> xr.Dataset:
    """The values of some replicates, by variable with its axes, as a Dataset that says what it is of."""
    attributes = {"title": study.title, "seed": study.seed, "engine": study.engine, **further}
    return xr.Dataset(variables, {INDEX: replicates, **coordinates(study)}, attributes)
