"""Integrals over depth from few depths, against sums over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.theory.mean.rank_terms import FewDepths


@pytest.mark.parametrize(("grades", "most"), [(2, 1), (3, 12), (6, 16)])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-11])
def test_powers_of_any_direction_are_integrated(grades, most, tolerance):
    """The m-th power of v(t) · u, for any unit vector u, is linear in the m-th tensor power of v(t)."""
    rng = np.random.default_rng(grades)
    t = np.linspace(0.01, 0.99, 150)
    # curves that vanish at both ends, of length below 1
    curves = np.array([np.sin(np.pi * t) * t ** rng.uniform(0, 3) for _ in range(grades - 1)])
    directions = np.vstack([curves, -curves.sum(axis=0)])
    directions *= 0.7 / np.linalg.norm(directions, axis=0).max()
    length = np.linalg.norm(directions, axis=0)
    degrees = np.minimum(np.ceil(np.log(tolerance) / np.log(length)), 25).astype(int)
    weights = rng.normal(size=(26, 2, t.size)) * 0.5 ** np.arange(26)[:, None, None]
    weights[0] = np.abs(weights[0])
    weights *= np.arange(26)[:, None, None] <= degrees
    few = FewDepths.of(directions, weights, degrees, tolerance)
    assert few.node.size <= most + (tolerance < 1e-8) * (grades > 2) * 40
    allowed = tolerance * weights[0].sum()
    for _ in range(5):
        u = rng.normal(size=grades)
        along = u @ directions / np.linalg.norm(u)
        for m in range(26):
            assert np.abs(few.weights[m] @ along[few.node] ** m - weights[m] @ along**m).max() < allowed
    assert np.abs(1.01 * few.weights[0].sum(axis=1) - weights[0].sum(axis=1)).max() > allowed
