"""How often the numbers of queries of `compare` and `plan --run` keep their power, where the truth is known.

A pilot of normal differences with a known effect size shows an effect, and `replication` says how many new
queries show it again with 80% power. A number is kept if a test on so many queries has that power in the
direction that the pilot has shown. Beside the numbers as observed and assured stands that at the one-sided
80% bound which takes no account of significance. `python -m benchmarks.replication [pilots]`, 100,000 by
default.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.stats.power import queries_for
from ndcg_asymptotics.stats.replication import effect_bound, replication

EFFECTS = (0.1, 0.2, 0.3, 0.5, 0.8)
PILOTS = (10, 12, 25, 50, 100)
POWER, ALPHA = 0.8, 0.05
ANY, SIGNIFICANT = "any", "p < 0.05"
STEP = 1e-3


@dataclass(frozen=True)
class Kept:
    """How often one kind of number is printed, and kept where it is, in all pilots or in a part of them."""

    printed: float
    kept: float
    pilots: int


def rates(effect: float, queries: int, pilots: int, step: float = STEP) -> dict[tuple[str, str], Kept]:
    """Return the rates of each kind of number, after any pilot and after a significant one.

    Observed effects are rounded to multiples of ``step``, so that each number of queries is computed once.
    """
    rng = np.random.default_rng([queries, round(1000 * effect)])
    mean = effect + rng.normal(size=pilots) / math.sqrt(queries)
    sd = np.sqrt(rng.chisquare(queries - 1, pilots) / (queries - 1))
    observed = mean / sd
    significant = np.abs(observed) * math.sqrt(queries) > -special.stdtrit(queries - 1, ALPHA / 2)
    parts = {ANY: np.full(pilots, True), SIGNIFICANT: significant}
    needed = queries_for(effect, POWER, ALPHA) if effect else None
    # the rounding must not move a pilot across the level, where the assured number jumps
    size = np.abs(observed) / step
    size, of = np.unique(np.where(significant, np.ceil(size), np.floor(size)) * step, return_inverse=True)
    numbers = np.array([_numbers(one, queries) for one in size.tolist()]).T[:, of]
    found = {}
    for name, number in zip(("observed", "bound", "assured"), numbers, strict=True):
        enough = (observed > 0) & (number >= (needed or math.inf)) & np.isfinite(number)
        for part, chosen in parts.items():
            found[name, part] = _kept(np.isfinite(number)[chosen], enough[chosen])
    return found


def _kept(printed: Bools, kept: Bools) -> Kept:
    share = float(kept.sum() / printed.sum()) if printed.any() else math.nan
    return Kept(float(printed.mean()) if printed.size else math.nan, share, int(printed.sum()))


@cache
def _numbers(effect: float, queries: int) -> Floats:
    """Return the numbers as observed, at the bound without selection, and assured; infinite where none is."""
    found = replication(effect, queries, POWER, ALPHA)
    bound = queries_for(effect_bound(effect, queries, 0.0), POWER, ALPHA)
    return np.array([n or math.inf for n in (found.observed, bound, found.assured)])


def main() -> None:
    """Print a row for each effect and number of queries."""
    pilots = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(
        "| effect | pilot | p < 0.05 | as observed: kept | if p < 0.05 | 80% bound: kept | if p < 0.05 "
        "| assured: printed | kept | if p < 0.05: printed | kept |"
    )
    print("|---" * 11 + "|")
    for effect in EFFECTS:
        for queries in PILOTS:
            found = rates(effect, queries, pilots)
            values = [found["observed", SIGNIFICANT].pilots / pilots]
            for name in ("observed", "bound"):
                values += [found[name, part].kept for part in (ANY, SIGNIFICANT)]
            for part in (ANY, SIGNIFICANT):
                values += [found["assured", part].printed, found["assured", part].kept]
            print(f"| {effect:g} | {queries} | " + " | ".join(f"{x:.2f}" for x in values) + " |", flush=True)


if __name__ == "__main__":
    main()
