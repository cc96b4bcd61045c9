"""The consistent loss for preferences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses import stable
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.preferences import check_weights, net_preference, pair_weights
from ndcg_asymptotics.learning.utilities import Utility
from ndcg_asymptotics.specs.scanner import number_text

_PENALTIES = ("square", "cosh")


@dataclass(frozen=True)
class Duchi(Listwise, keyword="duchi"):
    """φ = Σ a_ij (s_j - s_i) + ν Σ ρ(s_j), ρ strongly convex (Duchi, Mackey and Jordan 2010).

    Linear in the preferences, so that it sorts by E[Σ_j (a_ij - a_ji)]: consistent for pairwise
    disagreement under low noise, and with a_ij = G_i - G_j ("gain") for DCG.

    Parameters
    ----------
    strength : float
        ν > 0.
    penalty : str
        ρ(s) = s²/2 ("square") or cosh s - 1 ("cosh").
    weights : str
        a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain").
    """

    strength: float = 1.0
    penalty: str = "square"
    weights: str = "order"
    claim: ClassVar[str] = "consistent for PD under low noise (Duchi et al.)"
    skips_empty: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive = 0 < self.strength < np.inf
        require(positive, f"{self.keyword}: strength must be positive, got {number_text(self.strength)}")
        known = f"{self.keyword}: penalty must be one of {', '.join(_PENALTIES)}, got {self.penalty!r}"
        require(self.penalty in _PENALTIES, known)
        check_weights(self.weights)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return net_preference(pair_weights(labels, utility.gain, self.weights))  # type: ignore[arg-type]

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        if self.penalty == "square":
            rho, slope = s**2 / 2, s
        else:
            powers, slopes = stable.exp(np.abs(s))
            inverse = np.exp(-np.abs(s))
            rho, slope = (powers + inverse) / 2 - 1, np.sign(s) * (slopes - inverse) / 2
        value = self.strength * rho.sum(axis=-1) - (s * t).sum(axis=-1)
        return value, self.strength * slope - t

    def link(self, mean: Floats) -> Floats:
        net = mean / self.strength
        return net if self.penalty == "square" else np.asarray(np.arcsinh(net))
