"""P(wrong order) and required list lengths of random pairs against lists that other engines draw one by one.

`python -m robustness.wrong_orders [STATES [LENGTHS [SEED]]]`; exit status 1 if one of them is contradicted at
a family-wise level of 1e-3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import stats

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.engines import cells, items
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.orders.wrong_order import wrong_order
from ndcg_asymptotics.plans.required_length import required_length
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design

DISCOUNTS = (
    *("log", "zipf", "power(0.2)", "power(0.5)", "power(0.6)", "power(0.8)", "power(1.5)"),
    *("geometric(2)", "rbp(0.8)", "linear"),
)
CUTOFFS = "", "", "", "@1", "@5", "@10", "@100", "@0.2n", "@n^0.5", "@5log(n)", "@n/log(n)"
RATES = 0.8, 0.9, 0.95
LEVEL = 1e-3
LONGEST_DRAWN = 2000  # lists, which the items engine draws; the cells engine draws longer ones
LISTS, LONG_LISTS = 2000, 400


class State(NamedTuple):
    """Two curves of one label law, a measure and a list length."""

    a: str
    b: str
    measure: str
    n: int


def random_state(rng: np.random.Generator) -> State:
    """Draw a state: lengths from 10 to 1e6, prevalences from 0.01 to 0.45, curves of six families."""
    p = float(f"{10 ** rng.uniform(-2, np.log10(0.45)):.2g}")
    a, b = (_curve(rng, p) for _ in range(2))
    measure = f"nDCG({rng.choice(DISCOUNTS)}){rng.choice(CUTOFFS)}"
    return State(a, b, measure, round(10 ** rng.uniform(1, 6)))


def _curve(rng: np.random.Generator, p: float) -> str:
    top = p * rng.uniform(1.05, min(2.0, 1 / p))
    texts = (
        f"constant({p})",
        f"linear(prevalence={p}, top={min(top, 1.9 * p):.3g})",
        f"power(prevalence={p}, top={top:.3g}, exponent={rng.uniform(1, 6):.2g})",
        f"step(prevalence={p}, top={top:.3g}, at={rng.uniform(0.5, 0.99):.2g})",
        f"binormal({p}, {rng.uniform(0.1, 1.5):.2g})",
        f"logistic({p}, {rng.uniform(-2, 6):.2g})",
    )
    return str(rng.choice(texts))


def _lists(n: int) -> int:
    return LISTS if n <= LONGEST_DRAWN else LONG_LISTS


@cache
def counted(state: State, ahead: int, lists: int, seed: int) -> int:
    """Count on how many lists the scorer is not ahead, drawn one by one by the items or the cells engine."""
    population = Population.of({"a": state.a, "b": state.b})
    design = Design(population, (Measure.of(state.measure),), (state.n,), seed, (("a", "b"),))
    engine = items if state.n <= LONGEST_DRAWN else cells
    orders = [int(engine.simulate(design, r)["order"][0, 0, 0]) for r in range(lists)]
    return int(np.sum(np.array(orders) != (-1 if ahead else 1)))


def p_value(stated: WrongOrder, wrong: int, lists: int) -> float:
    """Return how likely so many wrong lists are, or more extreme numbers, for the end of the interval."""
    low, high = (0.0 if end is None else min(10**end, 1.0) for end in (stated.low, stated.high))
    return float(min(2 * stats.binom.cdf(wrong, lists, low), 2 * stats.binom.sf(wrong - 1, lists, high), 1.0))


def check_state(state: State, lists: int | None = None, seed: int = 1, factor: float = 1.0) -> float:
    """Return the p-value of the probability of a state; ``factor`` multiplies it, to see that it matters."""
    first, second = Population.of({"a": state.a, "b": state.b}).scorers.values()
    stated = [wrong_order(first, second, Measure.of(state.measure), state.n, ahead) for ahead in (0, 1)]
    ahead = int(stated[1].right[0] > stated[0].right[0])
    found = stated[ahead]
    if found.high is None:
        raise NotAvailableError("a probability without an interval")
    if factor != 1:
        low, middle, high = (
            None if x is None else x + np.log10(factor) for x in (found.low, found.log10, found.high)
        )
        found = WrongOrder(middle, low, high, found.method)
    lists = lists or _lists(state.n)
    wrong = counted(state, ahead, lists, seed)
    p = p_value(found, wrong, lists)
    print(f"{state}: {found} {found.method}, {wrong} of {lists} wrong, p {p:.2g}", flush=True)
    return p


def check_length(state: State, rate: float, lists: int | None = None, seed: int = 2) -> float:
    """Return the smaller p-value of the rates at a required length, and at a shorter one by the factor 1.3.

    Raises
    ------
    NotAvailableError
        If no length, or none that is drawn here, is sufficient.
    """
    a, b = Population.of({"a": state.a, "b": state.b}).scorers.values()
    measure = Measure.of(state.measure)
    length = required_length(a, b, measure, rate)
    if length.n is None or length.n > 10**6:
        raise NotAvailableError("no length to draw")
    # what is stated has itself an error: the interval of n stands for it
    low, high = length.between or (length.n, length.n)
    values = []
    ahead = int(wrong_order(a, b, measure, high).right[0] < 0.5)
    lists = lists or _lists(high)
    for n, least in ((max(high, length.n), True), (int(min(low, length.n) / 1.3), False)):
        if n < 1:
            continue
        wrong = counted(state._replace(n=n), ahead, lists, seed)
        tail = (
            stats.binom.sf(wrong - 1, lists, 1 - rate) if least else stats.binom.cdf(wrong, lists, 1 - rate)
        )
        values.append(float(tail))
    print(f"{state.measure} {state.a} {state.b} {rate}: {length.n} {length.between} {values}", flush=True)
    return min(values)


def searched(count: int, rng: np.random.Generator, check: Callable[[State], float]) -> list[float]:
    """Return the p-values of random states, of those that have any."""
    values: list[float] = []
    while len(values) < count:
        with suppress(InputError, NotAvailableError):
            values.append(check(random_state(rng)))
    return values


def main() -> int:
    """Print a line for each state and length; 1 if any is contradicted."""
    states, lengths, seed = (int(x) for x in (*sys.argv[1:], *("60", "20", "1")[len(sys.argv) - 1 :]))
    rng = np.random.default_rng(seed)
    found = (
        searched(states, rng, check_state),
        searched(lengths, rng, lambda state: check_length(state, float(rng.choice(RATES)))),
    )
    for what, values in zip(("probabilities", "required lengths"), found, strict=True):
        print(f"{len(values)} {what}, smallest p-value {min(values, default=1.0):.2g}")
    every = [p for values in found for p in values]
    return int(min(every, default=1.0) < LEVEL / max(len(every), 1))


if __name__ == "__main__":
    sys.exit(main())
