"""Importance sampling of wrong orders: against enumeration, plain simulation and its own weights."""

from dataclasses import replace

import numpy as np
import pytest
from cases import design
from engines_cases import z_scores
from numpy.polynomial import Polynomial
from oracles.first_labels import binary, not_greater

from ndcg_asymptotics.engines import items, rare
from ndcg_asymptotics.engines.rare import draw as draws
from ndcg_asymptotics.engines.rare.plan import PairPlan, make
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance

A, B = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
RISING, FALLING = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
DEPTH = {RISING: Polynomial([0.6, -0.4]), FALLING: Polynomial([0.35, 0.1])}


def drawn(plan: PairPlan, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Orders and log weights log dP/dQ."""
    found = [draws.draw_pair(plan, np.random.Generator(np.random.SFC64([seed, i]))) for i in range(count)]
    return np.array([d.order for d in found]), np.array([d.log_weight for d in found])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "text"),
    [(1, "nDCG"), (2, "nDCG@3"), (5, "nDCG(zipf)"), (12, "nDCG"), (12, "nDCG(zipf)"), (12, "nDCG@3")],
)
def test_against_all_label_sequences(n: int, text: str) -> None:
    """6 tests, each beyond 4.5 with probability 7e-6. A tie, which is frequent here, is a wrong order."""
    measure = Measure.parse(text)
    weights = measure.discount(np.arange(1.0, measure.cutoff(n) + 1), float(n))
    exact = not_greater(binary(DEPTH[RISING]), binary(DEPTH[FALLING]), n, weights, 0.4)
    order, log_weight = drawn(make(RISING, FALLING, measure, n, leader=1), 800)
    wrong = np.exp(log_weight) * (order != 1)
    if exact > 1 - 1e-9:  # at n = 1 all orders are ties
        assert wrong.mean() == pytest.approx(1)
        return
    assert abs(z_scores(wrong, exact)) < 4.5
    assert abs(z_scores(wrong, exact + 0.1)) > 4.5


def test_reference_values() -> None:
    """Planned with another program: log10 P = -6.26 +- 0.04 at 1e4 and -73.95 +- 0.1 at 1e5 (one sd each)."""
    for n, expected, theirs, count in ((10**4, -6.26, 0.04, 150), (10**5, -73.95, 0.1, 50)):
        order, log_weight = drawn(make(A, B, Measure("log"), n), count, seed=9)
        top = log_weight[order != 1].max()
        values = np.where(order != 1, np.exp(np.minimum(log_weight - top, 0)), 0.0)
        log10 = (np.log(values.mean()) + top) / np.log(10)
        relative = values.std() / values.mean() / np.sqrt(count)
        error = np.hypot(relative / np.log(10), theirs)
        assert abs(log10 - expected) < 3.9 * error  # 1e-4 each
        assert relative < 0.1 * np.sqrt(2000 / count)  # 0.1 at 2000 draws


PAIR = {"a": "linear(0.2, 0.6)", "b": "linear(0.45, 0.35)"}
PAIRS = (
    (PAIR["a"], PAIR["b"]),
    ("linear(0.1, 0.5)", "linear(0.2, 0.4)"),
    ("graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))", "graded(3=constant(0.3), 1=constant(0.2))"),
    ("step(0.1, 0.9, 0.8)", "power(prevalence=0.26, top=0.7, exponent=2)"),
)
MEASURES = ("nDCG", "nDCG(power(0.7))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5")


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("pair", PAIRS)
def test_against_plain_simulation_and_on_a_grid(pair: tuple[str, str]) -> None:
    """At n and at any grid size from n on, where both see: up to 30 beyond 5 with probability 2e-5."""
    study = design(dict(zip("ab", pair, strict=True)), (50, 200, 1000), MEASURES, pairs=[("a", "b")])
    a, b = study.population.scorers.values()
    leaders = [make(a.model, b.model, measure, 1000).tilt.leader for measure in study.measures]
    ahead = np.array(leaders)[:, None]
    weighed = [rare.simulate(study, r) for r in range(600)]
    weight = np.exp([d["log_weight"][0] for d in weighed])
    at = weight * (np.array([d["order"][0] for d in weighed]) != ahead)
    last = weight * (np.array([d["last"][0] for d in weighed]) == 1)
    plain = items.simulate_block(study, range(5000))["order"][:, 0] != ahead
    any_from = np.logical_or.accumulate(plain[..., ::-1], axis=-1)[..., ::-1]
    from_n = np.cumsum(last[..., ::-1], axis=-1)[..., ::-1]
    compared = [(at, plain, True), (from_n, any_from, True), (at / weight, plain, False)]
    if pair == PAIRS[0]:  # a sum of the chances at each size counts streams more than once
        compared.append((np.cumsum(at[..., ::-1], axis=-1)[..., ::-1], any_from, False))
    for ours, theirs, right in compared:
        error = np.sqrt(ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs))
        seen = (theirs.mean(axis=0) >= 0.01) & (theirs.mean(axis=0) <= 0.4)
        z = ((ours.mean(axis=0) - theirs.mean(axis=0)) / error)[seen]
        assert z.size >= 5
        assert (np.abs(z).max() < 5) == right
        print(f"{z.size} combinations, largest |z| {np.abs(z).max():.2f}")


def test_a_replicate_depends_on_seed_and_index_only() -> None:
    both = design(PAIR, (50, 5000), ("nDCG(zipf)", "nDCG@10"), pairs=[("a", "b")])
    one = design(PAIR, (5000,), ("nDCG@10",), pairs=[("a", "b")])
    for r in (0, 3):
        first, again, alone = rare.simulate(both, r), rare.simulate(both, r), rare.simulate(one, r)
        assert all(np.array_equal(first[name], again[name]) for name in first)
        for name in ("order", "log_weight"):
            assert first[name][0, 1, 1] == alone[name][0, 0, 0]
    other = rare.simulate(replace(both, seed=2), 0)
    assert not np.array_equal(other["log_weight"], rare.simulate(both, 0)["log_weight"])
