"""Growing lists in a folder, which holds ``growth.zarr`` and the fitted curves that theory stands on.

The store has ``ndcg`` (query, run, measure, n) and, held against theory, ``pooled`` (run, measure, m),
``groups`` (group, run, measure, m) and ``redrawn`` (query, run, measure, m), m some of the list lengths, and
``group`` (query). Its attributes say how it was made. It appears by one rename, when all of it is there.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.storage import LocalStore

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import ASIDE, flush, lock, make_folder, unlock, write_file
from ndcg_asymptotics.lists.growing import Growth, Theory
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.results.layout import holds_results, versions_here

if TYPE_CHECKING:
    import xarray as xr

GROWTH = "growth.zarr"
FORMAT = "ndcg-asymptotics growth 1"

_CURVES = "curves"
_AXES = {
    "ndcg": ("query", "run", "measure", "n"),
    "pooled": ("run", "measure", "m"),
    "groups": ("group", "run", "measure", "m"),
    "redrawn": ("query", "run", "measure", "m"),
    "group_of": ("query",),
}


def holds_growth(folder: str | Path) -> bool:
    """Whether a folder holds growing lists."""
    return (Path(folder) / GROWTH / "zarr.json").is_file()


def require_free(folder: str | Path) -> None:
    """Refuse a folder that holds results already."""
    taken = holds_growth(folder) or holds_results(Path(folder))
    require(not taken, f"{folder}: holds results already; take a new folder")


def save_growth(growth: Growth, folder: str | Path) -> None:
    """Keep growing lists in a folder, made if it is not there.

    Raises
    ------
    InputError
        If the folder holds results already, or another process is writing to it.
    OSError
        If it cannot be written to.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> grown = na.lists.grow({"mine": {"q": {"a": 2.0, "b": 1.0}}}, {"q": {"b": 1.0}}, "nDCG", orders=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_growth(grown, folder)
    ...     bool((open_growth(folder).ndcg == grown.ndcg).all())
    True
    """
    folder = Path(folder)
    require_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    held = lock(folder)
    try:
        require_free(folder)
        shutil.rmtree(folder / ASIDE, ignore_errors=True)
        theory = growth.theory
        for name, content in (theory.curves if theory else {}).items():
            write_file(folder / _CURVES / name, content, folder)
        make_folder(folder / ASIDE)
        _write(growth, folder / ASIDE / GROWTH)
        for path in (folder / ASIDE / GROWTH).rglob("*"):
            flush(path)
        os.replace(folder / ASIDE / GROWTH, folder / GROWTH)
        flush(folder)
    finally:
        shutil.rmtree(folder / ASIDE, ignore_errors=True)
        unlock(held)


def _write(growth: Growth, target: Path) -> None:
    attributes = {
        "format": FORMAT,
        "settings": json.dumps(dict(growth.settings)),
        "left_out": list(growth.left_out),
        "versions": [versions_here()],
    }
    group = zarr.create_group(store=LocalStore(target), attributes=attributes)
    arrays: dict[str, NDArray[Any]] = {"ndcg": growth.ndcg}
    theory = growth.theory
    if theory is not None:
        arrays |= {"pooled": theory.pooled, "groups": theory.groups, "redrawn": theory.redrawn}
        arrays["group_of"] = theory.group
    for name, values in (*_coordinates(growth).items(), *arrays.items()):
        text = values.dtype.kind == "U"
        array = group.create_array(
            name,
            shape=values.shape,
            dtype=str if text else values.dtype,
            dimension_names=_AXES.get(name, (name,)),
            fill_value=np.nan if values.dtype.kind == "f" else None,  # what is not there is not a number
        )
        array[...] = values.astype(object) if text else values


def _coordinates(growth: Growth) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {
        "query": np.array(growth.queries),
        "run": np.array(growth.runs),
        "measure": np.array([str(measure) for measure in growth.measures]),
        "n": growth.sizes,
    }
    return found | ({"m": growth.theory.sizes} if growth.theory else {})


def open_growth(folder: str | Path) -> Growth:
    """Growing lists that are kept in a folder.

    Raises
    ------
    InputError
        If the folder holds none, or they are damaged or of a newer version.

    >>> open_growth("nowhere")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: nowhere: no growing lists here (no growth.zarr)
    """
    folder = Path(folder)
    require(holds_growth(folder), f"{folder}: no growing lists here (no {GROWTH})")
    try:
        group = zarr.open_group(store=LocalStore(folder / GROWTH, read_only=True), mode="r")
        attributes = dict(group.attrs)
        require(
            attributes.get("format") == FORMAT,
            f"{folder}: format must be {FORMAT!r}, got {attributes.get('format')!r}",
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of files that belong to no array: one without a description
            values = {name: np.asarray(array[...]) for name, array in group.arrays()}
        settings = json.loads(str(attributes["settings"]))
        left_out: Any = attributes["left_out"]
        theory = None
        if "pooled" in values:
            theory = Theory(
                values["m"], values["group_of"], values["pooled"], values["groups"], values["redrawn"],
                _curves(folder / _CURVES),
            )  # fmt: skip
        measures = tuple(Measure.parse(text, folder) for text in values["measure"].tolist())
        found = Growth(
            tuple(values["run"].tolist()), measures, values["n"], tuple(values["query"].tolist()),
            values["ndcg"], tuple(left_out), settings, theory,
        )  # fmt: skip
        expected = tuple(map(len, (found.queries, found.runs, found.measures, found.sizes)))
        if (
            found.ndcg.shape != expected
            or not np.isfinite(found.ndcg).all()
            or (np.diff(found.sizes) < 1).any()
        ):
            raise ValueError(
                f"ndcg of shape {found.ndcg.shape} must have {expected}, all finite, sizes increase"
            )
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the growing lists cannot be read ({error!r})") from None
    return found


def _curves(folder: Path) -> dict[str, bytes]:
    paths = sorted(folder.rglob("*.json"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def growth_dataset(growth: Growth) -> xr.Dataset:
    """Growing lists as an xarray Dataset."""
    import xarray as xr

    variables: dict[str, Any] = {"ndcg": (_AXES["ndcg"], growth.ndcg)}
    theory = growth.theory
    if theory is not None:
        variables |= {name: (_AXES[name], vars(theory)[name]) for name in ("pooled", "groups", "redrawn")}
        variables["group_of"] = (_AXES["group_of"], theory.group)
    return xr.Dataset(variables, _coordinates(growth), {"settings": json.dumps(dict(growth.settings))})
