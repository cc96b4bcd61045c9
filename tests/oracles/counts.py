"""The multinomial law of label counts, number by number, and a function of them."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import multinomial

LAW = np.array([0.05, 0.2, 0.3, 0.45])


def every_count(total, law):
    """Return all label counts and their probabilities."""
    heads = itertools.product(range(total + 1), repeat=len(law) - 1)
    found = np.array([(*head, total - sum(head)) for head in heads if sum(head) <= total])
    return found.astype(float), multinomial.pmf(found, total, law)


def curved(c):
    """Return a smooth function of the counts that is no product of functions of one count each."""
    return 1 / np.log(3 + c[:, 0] + 0.5 * c[:, 1]) + np.sqrt(1 + c[:, 2]) / (5 + c[:, 0])
