"""How a cutoff k(n) grows with the list length n, which decides the theorems that apply to it.

A cutoff consists of a formula (`cutoffs`) and its growth, the leading term ``factor n^power (log n)^logs``:

=========== ================= ====== ========== =======================================================
cutoff      factor, power,    share  kind       theorems of Wang et al. (2013)
            logs
=========== ================= ====== ========== =======================================================
whole list  1, 1, 0           1      whole      1, 3, 5, 10
cn          c, 1, 0           c      fraction   8, 9, 12, 13
n/log(n)    1, 1, -1          0      vanishing  7, 11
n^a         1, a, 0           0      vanishing  7, 11
clog(n)     c, 0, 1           0      vanishing  7, 11
k           k, 0, 0           0      fixed      6
=========== ================= ====== ========== =======================================================

A cutoff with another growth, such as ``log log n``, has `UNKNOWN_GROWTH`. What follows from the growth is not
known then; exact means and simulation need k(n) alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["whole", "fixed", "fraction", "vanishing", "unknown"]


@dataclass(frozen=True)
class CutoffGrowth:
    """The leading term ``factor n^power (log n)^logs`` of k(n) as n grows.

    >>> [CutoffGrowth(*leading).share for leading in ((0.2, 1), (1, 0.5), (10, 0))]
    [0.2, 0.0, 0.0]
    >>> [CutoffGrowth(*leading).kind for leading in ((0.2, 1), (1, 0.5), (10, 0), (1, 1, -1))]
    ['fraction', 'vanishing', 'fixed', 'vanishing']
    """

    factor: float
    power: float = 0.0
    logs: float = 0.0

    @property
    def known(self) -> bool:
        """Whether the growth is known."""
        return not math.isnan(self.power)

    @property
    def bounded(self) -> bool:
        """Whether k(n) stays the same for all large n."""
        return (self.power, self.logs) == (0.0, 0.0)

    @property
    def share(self) -> float:
        """The limit of k(n)/n; NaN where the growth is not known."""
        if not self.known:
            return math.nan
        return self.factor if (self.power, self.logs) == (1.0, 0.0) else 0.0

    @property
    def vanishing(self) -> bool:
        """Whether k(n) -> infinity and k = o(n)."""
        return self.share == 0 and not self.bounded

    @property
    def kind(self) -> Kind:
        """What k(n) is for large n: a share, all or a vanishing part of the list, or fixed."""
        if not self.known:
            return "unknown"
        if self.bounded:
            return "fixed"
        return "vanishing" if self.vanishing else "whole" if self.share == 1 else "fraction"

    def exceeds_log(self, to_the: float = 1.0) -> bool | None:
        """Return whether ``k^to_the`` grows faster than log n; None where the leading term does not tell.

        Parameters
        ----------
        to_the : float
            An exponent that is exact up to factors of log k. The leading term tells nothing where
            ``k^to_the`` is a multiple of log n and the exponent is not 1.

        >>> squared = CutoffGrowth(1, 0, 2)
        >>> CutoffGrowth(5, 0, 1).exceeds_log(), squared.exceeds_log(), squared.exceeds_log(0.5)
        (False, True, None)
        """
        if not self.known:
            return None
        if self.power:
            return True
        logs = self.logs * to_the
        return None if logs == 1 and to_the != 1 else logs > 1


UNKNOWN_GROWTH = CutoffGrowth(math.nan, math.nan, math.nan)
"""The growth of a cutoff of which only the values k(n) are known."""
