"""The label counts of a stream, shared by all its scorers, for engines that draw lists by their counts.

The items and the cells engine draw the same ones; the every-n engine draws label by label, and others.
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.studies.design import Design


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
    counts = design.generator(replicate, "labels").multinomial(steps, law / law.sum())
    return np.asarray(counts, np.int64)
