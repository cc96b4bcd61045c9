"""Regret against the list length m, from 3 to 10,000, for two populations.

*Independent*: item i has a mean gain h and a risk ρ, both uniform on (0, 1); given them its label is 1 with
probability (1-ρ)h, 3 (gain 7) with probability ρh/7, else 0, independently of all others: E[G] = h.
*Two readers*: each list is judged by a harsh or by a generous reader, one chance in two; labels are
independent given the reader, 1 with probability a/10 for the harsh one and 3 with probability b for the
generous one, a and b uniform.

Regret is that of the expected NDCG of the list. Up to 8 items E[G/||G||_D] is a sum over all label vectors,
beyond it is exact up to a factor that all items share, and noise of a smaller order in m.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from expected_shares import (
    cosine_share,
    expected_shares,
    gain_share,
    plain_share,
    regret_of,
    softmax_share,
)
from keeping import keep
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.utilities import Discounted
from ndcg_asymptotics.measures import Measure

Floats = NDArray[np.float64]
Population = Callable[[int, np.random.Generator], list[Floats]]

SIZES = (3, 4, 5, 6, 8, 12, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
EXACT = 8  # up to this many items we sum over all label vectors
DISCOUNTS = ("log", "power(0.5)", "zipf", "power(2)", "geometric(2)", "linear")
LABELS = np.array([0.0, 1.0, 3.0])
OTHERS = {"squared": plain_share(), "cosine": cosine_share(), "listnet": softmax_share()}
SHARES = OTHERS | {f"nDCG({d})": gain_share(f"nDCG({d})") for d in DISCOUNTS}
LISTS = 600_000  # items of all lists of one length together
MOST, FEWEST = 1000, 60  # the largest and the smallest number of lists of one length
DRAWS = 400_000  # labels drawn for one list, in at most 400 draws


def laws(p1: Floats, p3: Floats) -> Floats:
    """P(label) for the labels 0, 1, 3."""
    return np.column_stack([1 - p1 - p3, p1, p3])


def independent(items: int, rng: np.random.Generator) -> list[Floats]:
    """Return the laws of one list's labels, for the one reader that there is."""
    h, risk = rng.random((2, items))
    return [laws((1 - risk) * h, risk * h / 7)]


def two_readers(items: int, rng: np.random.Generator) -> list[Floats]:
    """Return the laws of one list's labels, for the harsh and for the generous reader."""
    a, b = rng.random((2, items))
    return [laws(a / 10, np.zeros(items)), laws(np.zeros(items), b)]


POPULATIONS: dict[str, Population] = {"independent": independent, "two readers": two_readers}


def summed(law: Floats) -> dict[str, Floats]:
    """Return the mean targets, over all label vectors."""
    items = len(law)
    kinds = np.array(list(product(range(len(LABELS)), repeat=items)))
    chances = np.prod(law[np.arange(items), kinds], axis=1)
    labels = LABELS[kinds]
    found = {f"nDCG({d})": chances @ utility(d).standardised(labels) for d in DISCOUNTS}
    for name in OTHERS:
        loss = Loss.parse(name)
        assert isinstance(loss, Listwise)
        found[name] = chances @ loss.target(labels, utility("log"))
    return found


def utility(discount: str) -> Discounted:
    """NDCG with a discount."""
    return Discounted("exp2", Measure(discount))


def regrets(items: int, population: Population, number: int) -> dict[str, float]:
    """Return the regret of every loss under every discount, for one list."""
    readers = population(items, np.random.default_rng([17, items, number]))
    draws = max(20, min(400, DRAWS // items))
    means = [
        summed(law) if items <= EXACT else expected_shares(law, LABELS, SHARES, draws=draws, seed=number)
        for law in readers
    ]
    mean = {name: np.mean([m[name] for m in means], axis=0) for name in SHARES}
    return {
        f"{other} under {d}": regret_of(mean[other], mean[f"nDCG({d})"], utility(d).weights(items))
        for other in OTHERS
        for d in DISCOUNTS
    }


def limits() -> dict[str, float]:
    """Return the limits of ListNet's regret for independent labels, for r^-1/2 (Theorem 10) and n - r.

    Sorting by h is optimal in the limit, and ListNet sorts by E[e^y] = 1 + h ((1-ρ)(e-1) + ρ(e³-1)/7).
    """
    grid = (np.arange(2000) + 0.5) / 2000
    h, risk = (x.reshape(-1) for x in np.meshgrid(grid, grid))
    by_listnet = np.argsort(-h * ((1 - risk) * np.expm1(1) + risk * np.expm1(3) / 7), kind="stable")
    lost = np.sort(h)[::-1] - h[by_listnet]
    share7, positive = 1 / 28, 1 / 28 + 1 / 4
    found = {}
    for name, total in (("power(0.5)", np.sqrt), ("linear", lambda t: t - t**2 / 2)):
        weight = np.diff(total(np.linspace(0, 1, h.size + 1)))
        ideal = 7 * total(share7) + total(positive) - total(share7)
        found[f"listnet under {name}"] = float(lost @ weight / ideal)
    return found


def main() -> None:
    """Draw lists of every length, and write the mean regret with its standard error."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    with show_progress():
        for name, population in POPULATIONS.items():
            rows: dict[str, list[tuple[float, float]]] = {}
            for items in SIZES:
                lists = min(MOST, max(FEWEST, LISTS // items))
                numbers = tracked(range(lists), f"{name}, {items} items: lists")
                drawn = [regrets(items, population, number) for number in numbers]
                for row in drawn[0]:
                    values = np.array([one[row] for one in drawn])
                    rows.setdefault(row, []).append(
                        (float(values.mean()), float(values.std(ddof=1) / np.sqrt(lists)))
                    )
            found[name] = rows
    keep(
        "long_lists",
        {
            "sizes": SIZES,
            "discounts": DISCOUNTS,
            "others": list(OTHERS),
            "regret": found,
            "limits": limits(),
        },
    )


if __name__ == "__main__":
    main()
