"""The sort of ranx: numba's quicksort, which leaves equal numbers in an order of its own."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.compiled import kernel


@kernel
def sorted_parts(values: Floats, ends: Integers) -> Integers:
    """Return the indices that sort each part of an array; ``ends`` are where the parts end."""
    order = np.empty(values.size, np.int64)
    start = 0
    for end in ends:
        # in a compiled function this is the quicksort of numba, not that of numpy, whose order differs
        order[start:end] = start + np.argsort(values[start:end])
        start = end
    return order
