"""Two rerankers of one candidate list: how often the wrong one is ahead or level.

An item has two features U and V, independent and uniform, and is relevant with probability 0.7 - 0.6 U. A
sorts by U. B has the same first fifth in the same order, the items with U < 0.2, and sorts the others by V.
A third ranker has the relevance curve of B, but its scores are independent of A's given the label.
Theorem H of docs/theorems.md says what they do.

`shared_top.py [FILE]` writes, for each discount and list length, how many of 20,000 lists A does not win.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARED, TOP, SLOPE = 0.2, 0.7, 0.6
BELOW = (
    TOP - SLOPE * (1 + SHARED) / 2
)  # P(relevant) of B's items below the shared part, which V does not tell
DISCOUNTS = ("power(0.5)", "power(2)", "geometric(2)")
LENGTHS = (30, 100, 300, 1000, 3000)
LISTS, SEED, BATCH = 20_000, 38, 100
RESULTS = Path(__file__).resolve().parents[1] / "results"


def relevance(depth: Floats) -> Floats:
    """Return P(relevant) at depths of B, which is that of A in the shared part."""
    return np.where(depth < SHARED, TOP - SLOPE * depth, BELOW)


def independent_depths(relevant: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """Draw depths with B's law given the label, by rejection."""
    depth = np.empty(relevant.shape)
    left = np.ones(relevant.shape, np.bool_)
    while left.any():
        drawn = rng.random(int(left.sum()))
        chance = np.where(relevant[left], relevance(drawn), 1 - relevance(drawn))
        depth[left] = drawn
        left[left] = rng.random(drawn.size) >= chance
    return depth


def log_discounts(discount: str, n: int) -> Floats:
    """Return log D(r), r = 1 … n."""
    name, parameter = discount.rstrip(")").split("(")
    ranks = np.arange(1.0, n + 1)
    found: Floats = (
        -float(parameter) * np.log(ranks) if name == "power" else -ranks * np.log(float(parameter))
    )
    return found


def not_ahead(a: Floats, b: Floats, log_discount: Floats) -> int:
    """Return in how many lists sum_r (a_r - b_r) D(r) <= 0, for labels in rank order.

    The sum is taken in units of the discount at the first rank that differs, so that none underflows.
    """
    difference = a - b
    first = np.argmax(difference != 0, axis=1)
    weights = np.exp(np.minimum(log_discount - log_discount[first][:, None], 0.0))
    return int(np.sum(np.sum(difference * weights, axis=1) <= 0))


def count(n: int, rng: np.random.Generator) -> dict[str, dict[str, int]]:
    """Return the number of lists of n items that A does not win, by coupling and discount."""
    found = {kind: dict.fromkeys(DISCOUNTS, 0) for kind in ("shared top", "independent")}
    for _ in range(LISTS // BATCH):
        u, v = rng.random((2, BATCH, n))
        relevant = rng.random((BATCH, n)) < TOP - SLOPE * u
        others = {
            "shared top": np.where(u < SHARED, u, 1 + v),
            "independent": independent_depths(relevant, rng),
        }
        labels = relevant.astype(np.float64)
        by_a = np.take_along_axis(labels, np.argsort(u, axis=1), axis=1)
        for kind, depth in others.items():
            by_b = np.take_along_axis(labels, np.argsort(depth, axis=1), axis=1)
            for discount in DISCOUNTS:
                found[kind][discount] += not_ahead(by_a, by_b, log_discounts(discount, n))
    return found


def main() -> None:
    """Simulate, print the counts and write the file."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS / "shared_top.json"
    rng = np.random.default_rng(SEED)
    counts = [count(n, rng) for n in LENGTHS]
    for n, of_length in zip(LENGTHS, counts, strict=True):
        print(n, of_length)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"n": LENGTHS, "lists": LISTS, "not_ahead": counts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
