"""The label counts of a stream: shared by all scorers, and the same whichever engine draws it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.design import Design

Integers = NDArray[np.int64]


def label_counts(design: Design, replicate: int) -> Integers:
    """How many of the items that arrive between list sizes have each grade.

    Returns
    -------
    (K, J + 1) integers
        Row k: the items in S_{n_k} but not in S_{n_{k-1}}; the last column is the gain 0.
    """
    steps = [n - before for n, before in zip(design.sizes, (0, *design.sizes), strict=False)]
    law = np.array(design.population.masses)
    law = np.append(law, max(1.0 - law.sum(), 0.0))
    counts = design.stream(replicate, "labels").multinomial(steps, law / law.sum())
    return np.asarray(counts, np.int64)
