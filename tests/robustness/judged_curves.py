"""Labels that a judge reports of lists with a share of relevant items: theory against oracles at random.

``python -m robustness.judged_curves [CASES [SEED]]``; exit status 1 if any disagrees. Curves rise, fall and
have steps, labels are binary or have up to three grades, with ``noisy`` and with ``confusion``. Each case is

- a list of up to 6 items, whose mean and standard deviation are compared with every sequence of true labels
  and every sequence of reported ones;
- a longer list, of which the items, cells and every-n engines draw 400 each;
- a limit, compared with the one to which exact means tend, and rejected where it is that of a judge with
  other error rates.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from oracles import naive
from oracles.deviations import Law, of_sequences
from oracles.discounts import DISCOUNTS
from oracles.means import sequence_law
from random_curves import random_curve
from random_pairs import FormulaAlone
from robustness.judged_counts import MOST, NAMES, Case, drawn, errors, judge_of

from ndcg_asymptotics.analysis.limit_tests import judge_limit
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory import expected_ndcg, ndcg_std

LISTS = 400
ENGINES = ("items", "cells", "every-n")
RELATIVE = 1e-10
"""Rounding of the oracle's variances, relative to the largest."""


class Labels(NamedTuple):
    """Relevance curves and a judge.

    Attributes
    ----------
    text : function of a factor
        The spec of the reported labels, false alarms being more frequent by the factor.
    gains : tuple
        Those of all labels, 0 last.
    law : function of n
        The law of the true labels of a list in rank order.
    rates : (labels, labels)
        In row i P(reported label | true label i).
    """

    text: Callable[[float], str]
    gains: tuple[float, ...]
    law: Callable[[int], Law]
    rates: np.ndarray


def binary(rng: np.random.Generator) -> Labels:
    """Draw a curve of the labels 0 and 1."""
    curve, value, breaks = random_curve(rng)
    fpr, fnr = judge_of(rng, 0.6)
    matrix = rng.random() < 0.3

    def text(off: float) -> str:
        a = fpr * off
        if matrix:
            return f"confusion({curve}, [[{1 - a!r}, {a!r}], [{fnr!r}, {1 - fnr!r}]])"
        return f"noisy({curve}, {a!r}, {fnr!r})"

    def law(n: int) -> Law:
        return {tuple(map(float, labels)): p for labels, p in sequence_law(value, breaks, n).items()}

    return Labels(text, (1.0, 0.0), law, np.array([[1 - fnr, fnr], [fpr, 1 - fpr]]))


def graded(rng: np.random.Generator) -> Labels:
    """Draw linear curves of two or three grades."""
    grades = int(rng.integers(2, 4))
    gains = (*np.cumsum(rng.choice([1.0, 2.0, 0.5], grades))[::-1].tolist(), 0.0)
    shares = rng.dirichlet(np.ones(grades + 1)).round(3).tolist()[:grades]
    ends = [(round(share * rng.random(), 6), round(share * rng.random(), 6)) for share in shares]
    ends[0] = 0.01, ends[0][1]
    curves = ", ".join(
        f"{y:g}=linear({low!r}, {high!r})" for y, (low, high) in zip(gains, ends, strict=False)
    )
    # rows and columns by increasing gain, as the spec has them; the diagonal has most
    rates = 0.7 * np.eye(grades + 1) + 0.3 * rng.dirichlet(np.ones(grades + 1), grades + 1)

    def text(off: float) -> str:
        told = rates.copy()
        told[0, 1:] *= off
        told[0, 0] = 1 - told[0, 1:].sum()
        rows = ", ".join(f"[{', '.join(map(repr, row))}]" for row in told.tolist())
        return f"confusion(graded({curves}), [{rows}])"

    def law(n: int) -> Law:
        of_gain = {y: (high, low - high) for y, (low, high) in zip(gains, ends, strict=False)}
        return {labels: float(p) for labels, p in naive.label_law(of_gain, n)}

    return Labels(text, gains, law, rates[::-1, ::-1])


def labels_of(rng: np.random.Generator) -> Labels:
    """Draw labels, three quarters of them binary."""
    return graded(rng) if rng.random() < 0.25 else binary(rng)


def reported(labels: Labels, n: int) -> Law:
    """Return the law of the reported labels in rank order, from all sequences of true and reported ones."""
    true = labels.law(n)
    chances = np.array(list(true.values()))
    at = np.array([[labels.gains.index(label) for label in sequence] for sequence in true])
    places = itertools.product(range(len(labels.gains)), repeat=n)
    return {
        tuple(labels.gains[j] for j in said): float(chances @ labels.rates[at, said].prod(axis=1))
        for said in places
    }


def enumerated(cases: int, seed: int, off: float = 1.0) -> Iterator[Case]:
    """Compare short lists; theory is told false alarms that are ``off`` times as frequent."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        labels = labels_of(rng)
        n = int(rng.integers(1, {2: 7, 3: 6, 4: 5}[len(labels.gains)]))
        name, k = str(rng.choice(NAMES)), int(rng.integers(1, n + 1))
        whole = rng.random() < 0.3 and name != "constant"
        measure = Measure(name, "" if whole else k, bool(rng.random() < 0.7))
        ranks = np.arange(1.0, n + 1)
        discounts = np.where(ranks <= (n if whole else k), DISCOUNTS[name](ranks, n), 0.0)
        mean, sd = of_sequences([reported(labels, n)], discounts, normalised=measure.normalised)
        text = labels.text(off)
        found, spread = expected_ndcg(text, measure, [n]), ndcg_std(text, measure, [n])
        largest = measure.largest(labels.gains[:-1], n)
        agrees = bool(abs(found.value[0] - mean) <= found.error[0] + RELATIVE * largest)
        value, error = spread.value[0], spread.error[0]
        agrees &= bool(abs(value**2 - sd**2) <= error * (2 * value + error) + RELATIVE * largest**2)
        yield Case(f"{text}, {measure}, n = {n}", agrees)


def simulated(cases: int, seed: int, off: float = 1.0, more: int = 10) -> Iterator[Case]:
    """Compare longer lists of each engine; theory is told false alarms that are ``off`` times as frequent.

    Where 400 lists do not agree, ``more`` times as many decide.
    """
    rng = np.random.default_rng(seed)
    for case in range(cases):
        labels = labels_of(rng)
        n = int(np.exp(rng.uniform(np.log(10), np.log(3000))))
        name = str(rng.choice(NAMES))
        cutoff = str(rng.choice(["0.5n" if name == "constant" else "", "10", "0.2n", "n^0.6", "1"]))
        measure = Measure(name, cutoff)
        told = labels.text(off)
        mean, sd = (f(told, measure, [n]).value[0] for f in (expected_ndcg, ndcg_std))
        for engine in ENGINES:
            # where gain is rare, 400 lists hold too little of it for the error of their variance to be known
            for lists in (range(LISTS), range(LISTS, more * LISTS)):
                values = drawn(engine, labels.text(1.0), measure, n, seed + case, lists)
                z, spread = errors(values, mean, sd)
                if agrees := bool(z <= MOST and spread <= MOST):
                    break
            yield Case(f"{engine}: {told}, {measure}, n = {n}: {z:.1f}, {spread:.1f}", agrees)


class Limited(NamedTuple):
    """A tested limit: whether it agreed, and whether that of a judge with other error rates was rejected.

    ``rejected`` is None where the two limits are closer than what the test detects.
    """

    what: str
    agrees: bool
    rejected: bool | None


def limits(cases: int, seed: int, off: float = 0.99) -> Iterator[Limited]:
    """Compare limits with those to which exact means tend, and those of ``off`` times the false alarms."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        labels = labels_of(rng)
        name = str(rng.choice(["power(0.3)", "power(0.5)", "power(0.7)", "log", "constant"]))
        cutoff = (
            str(rng.choice(["0.2n", "0.5n"])) if name in ("log", "constant") or rng.random() < 0.5 else ""
        )
        measure = Measure(name, cutoff)
        theory, wrong = (FormulaAlone(Relevance.parse(labels.text(factor)), measure) for factor in (1.0, off))
        row = judge_limit(theory, "a", 1.0)
        if not row.tested:
            continue
        true, told = theory.limit.value, wrong.limit.value
        assert true
        assert told
        assert row.tolerance is not None
        apart = abs(told - true) > 2 * row.tolerance
        rejected = judge_limit(theory, "a", told / true).verdict == "disagrees" if apart else None
        yield Limited(f"{labels.text(1.0)}, {measure}", row.verdict != "disagrees", rejected)


def main() -> int:
    """Print what disagrees; 1 if anything does."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    found = [*enumerated(cases, seed), *simulated(cases, seed)]
    tested = list(limits(cases, seed))
    wrong = [one.what for one in found if not one.agrees]
    wrong += [one.what for one in tested if not one.agrees]
    wrong += [f"not rejected: {one.what}" for one in tested if one.rejected is False]
    for what in wrong:
        print(what)
    apart = sum(one.rejected is not None for one in tested)
    print(
        f"{cases} short lists, {len(found) - cases} of engines, {len(tested)} limits: {len(wrong)} disagree; "
        f"{apart} limits with 1% fewer false alarms, further off than tests detect, were rejected"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
