"""ROC curves in files, estimated from data; `curve_file` describes their format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.curve_file import ROC, OfFile, check_points, decoded
from ndcg_asymptotics.populations.roc import KAPPAS, SHALLOWEST, Roc, Top


@dataclass(frozen=True)
class RocEmpirical(OfFile, Roc, keyword="roc_empirical"):
    """roc_empirical("file"): linear between the points of a JSON file, a power of t above the first one.

    ``content`` is that of the file, which need not exist.
    """

    _points: tuple[Floats, Floats, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_points", decoded(self.content, ROC, _points))

    def cdf(self, t: Floats) -> Floats:
        depth, share, exponent = self._points
        power = share[1] * (np.minimum(t, depth[1]) / depth[1]) ** exponent
        return np.where(t < depth[1], power, np.interp(t, depth, share))

    def density(self, t: Floats) -> Floats:
        depth, share, exponent = self._points
        piece = np.clip(np.searchsorted(depth, t, side="right") - 1, 0, depth.size - 2)
        with np.errstate(divide="ignore"):
            power = exponent * share[1] / depth[1] * (np.minimum(t, depth[1]) / depth[1]) ** (exponent - 1)
        slope = np.diff(share) / np.diff(depth)
        return np.asarray(np.where(piece == 0, power, slope[piece]))

    def quantile(self, u: ArrayLike) -> Floats:
        depth, share, exponent = self._points
        u = np.asarray(u, np.float64)
        some = share[1] if share[1] > 0 else 1.0
        power = depth[1] * (np.minimum(u, share[1]) / some) ** (1 / exponent)
        found = np.where(u < share[1], power, np.interp(u, share, depth))
        return np.asarray(np.maximum(found, SHALLOWEST))

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(self._points[0][1:-1].tolist())

    @property
    def top(self) -> Top:
        depth, share, exponent = self._points
        return Top(exponent, float(share[1] / depth[1] ** exponent) if share[1] > 0 else None)


def _points(table: Any) -> tuple[Floats, Floats, float]:
    depth, share = (np.array([float(x) for x in table[name]]) for name in ("depth", "share"))
    check_points(depth.size)
    exponent = float(table.get("exponent", 1.0))
    require(depth.size == share.size >= 2, "depth and share must have the same number of points, two or more")
    ends = depth[0] == 0 and depth[-1] == 1 and bool((np.diff(depth) > 0).all())
    require(ends, "depth must increase from 0 to 1")
    require(bool((np.diff(share) >= 0).all()), "share must not decrease with depth")
    require(share[0] == 0, f"share must begin at 0, got {share[0]:g}")
    require(share[-1] == 1, f"share must end at 1, got {share[-1]:g}")
    KAPPAS.check("roc_empirical", "exponent", exponent)
    return depth, share, exponent
