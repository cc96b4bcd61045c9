"""Designs for the tests of the cells engine, and each discount as a plain function of the rank."""

from __future__ import annotations

import math

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population

BINARY = {"good": "linear(0.1, 0.7)"}
GRADED = {"good": "graded(3=linear(0, 0.4), 1=power(0.1, 0.4, 3))"}


def design(scorers, measures, sizes, seed=7, **options):
    measures = tuple(map(Measure.parse, measures))
    return Design(Population.of(scorers), measures, tuple(sizes), seed=seed, **options)


def plain_discount(measure, n):
    text = str(measure.discount)
    if text == "log":
        return lambda r: 1 / math.log(1 + r)
    if text == "linear":
        return lambda r: n - r
    if text == "geometric(2)":
        return lambda r: 2.0**-r
    if "ones" in text:
        return lambda r: 1.0
    exponent = {"power(0.5)": 0.5, "power(2)": 2.0}.get(text, 1.0)
    return lambda r: r**-exponent
