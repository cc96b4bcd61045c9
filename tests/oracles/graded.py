"""Graded labels without the package's rules: sums over all label counts, and plain simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.stats import binom


def mean_by_counts(curves, integrals, gains, discount, k, n):
    """E[NDCG_n@k] as a sum over the label counts of the n - 1 other items.

    ``curves`` and ``integrals`` are functions of depth, one per gain, the integrals from 0 on; ``discount``
    holds D(1), …, D(n).
    """
    t, w = leggauss(4 * n + 40)
    t, w = (t + 1) / 2, w / 2
    masses = [f(1.0) for f in integrals]
    law = np.array([*masses, 1 - sum(masses)])
    above = np.array([f(t) / mass for f, mass in zip(integrals, masses, strict=True)])
    rest = (t - sum(f(t) for f in integrals)) / law[-1]
    above = np.clip(np.vstack([above, rest]), 0.0, 1.0)
    numbers = np.arange(n)
    pmf = [[binom.pmf(numbers[: c + 1, None], c, g) for c in range(n)] for g in above]
    sums = np.concatenate([[0.0], np.cumsum(discount)])
    used = np.where(np.arange(n) < k, discount, 0.0)
    total = 0.0
    for counts in itertools.product(range(n), repeat=len(gains)):
        if sum(counts) > n - 1:
            continue
        every = np.array([*counts, n - 1 - sum(counts)])
        chance = math.exp(
            math.lgamma(n)
            - sum(math.lgamma(c + 1) for c in every)
            + sum(c * math.log(p) for c, p in zip(every, law, strict=True) if c)
        )
        ranks = np.ones((1, t.size))
        for grade, c in enumerate(every):
            ranks = np.array(
                [
                    sum(ranks[i] * pmf[grade][c][a - i] for i in range(len(ranks)) if 0 <= a - i <= c)
                    for a in range(len(ranks) + c)
                ]
            )
        expected = used[: len(ranks)] @ ranks
        for j, gain in enumerate(gains):
            ends = np.cumsum(every[:-1]) + (np.arange(len(gains)) >= j)
            ideal = sum(
                (y - z) * sums[min(e, k)] for y, z, e in zip(gains, [*gains[1:], 0.0], ends, strict=True)
            )
            total += chance * n * gain * float(w @ (curves[j](t) * expected)) / ideal
    return total


def mean_of_first(curves, integrals, gains, n):
    """E[NDCG_n@1]: the gain of the first item over the best of the list, as an integral over its depth."""
    edges = np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 400)])
    x, w = leggauss(16)
    t = ((edges[1:] + edges[:-1]) / 2 + np.outer(x, np.diff(edges)) / 2).ravel()
    w = np.outer(w, np.diff(edges) / 2).ravel()
    # all others lie below, and the first h grades do not occur there
    below = np.array([f(1.0) - f(t) for f in integrals])
    better = np.vstack([np.zeros_like(t), np.cumsum(below, axis=0)])
    none = np.maximum(1 - t - better, 0.0) ** (n - 1)
    total = 0.0
    for j, (gain, curve) in enumerate(zip(gains, curves, strict=True)):
        ratio = sum((none[h] - none[h + 1]) / gains[h] for h in range(j)) + none[j] / gain
        total += n * gain * float(w @ (curve(t) * ratio))
    return total
