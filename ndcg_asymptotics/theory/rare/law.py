"""A tilted law, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from ndcg_asymptotics.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class Side:
    """One scorer's part of a tilt; arrays over grades (gains decreasing, then 0) and cells.

    Attributes
    ----------
    true, tilted : (J + 1, C)
        P(cell | grade) before and after.
    log_ratio : (J + 1, C)
        log(true / tilted), to full relative accuracy however close to 0.
    influence : (J + 1, C)
        h, at the tilted law.
    """

    true: Floats
    tilted: Floats
    log_ratio: Floats
    influence: Floats


@dataclass(frozen=True, eq=False)
class Tilt:
    """The law under which a pair's order at n is a toss-up, and what it costs to go there.

    Attributes
    ----------
    leader : int
        1 if the first scorer has the larger mean DCG, -1 if the second.
    theta, cost, std : float
        theta >= 0; n KL in nats; the standard deviation, under the tilted law, of theta (DCG_A - DCG_B)
        to first order.
    edges : (C + 1,)
        Of the cells of depth.
    law, tilted_law, log_ratio : (J + 1,)
        Label laws before and after, and log(before / after).
    sides : two of Side
        Of the first and the second scorer.
    residual : float
        By how much one more iteration would change the law, relative.
    gap : float
        The difference of the mean DCGs under the true law, in favour of the leader.
    """

    leader: int
    theta: float
    cost: float
    std: float
    edges: Floats
    law: Floats
    tilted_law: Floats
    log_ratio: Floats
    sides: tuple[Side, Side]
    residual: float
    gap: float
