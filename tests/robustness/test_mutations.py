"""Four broken formulas are noticed (all of them: ``python -m robustness.mutations``, in `make soak`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robustness.mutations import (
    MUTATIONS,
    ROOT,
    Mutation,
    caught,
    copy_of_the_package,
    false_alarms,
    mutated,
)

IN_THE_SUITE = {
    "Theorem 8: ideal list not cut": "check: limit of nDCG@0.2n",
    "leading gap of the log discount: 1.1 of it": "check: limit of nDCG",
    "standard deviation that stays: at the list length": "check: limit of nDCG@10",
    "items: the square of the correlation, consistently": "tests/engines/test_items_steps.py",
}
CHOSEN = [mutation for mutation in MUTATIONS if mutation.name in IN_THE_SUITE]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", CHOSEN, ids=lambda mutation: mutation.name)
def test_a_broken_formula_is_noticed(mutation: Mutation) -> None:
    with copy_of_the_package(mutation) as folder:
        found = caught(folder, mutation)
    assert found.startswith(IN_THE_SUITE[mutation.name])


@pytest.mark.slow
def test_the_package_as_it_is_passes() -> None:
    """One `check` of the studies of all of them."""
    assert len(CHOSEN) == 4
    studies = [mutation.study for mutation in CHOSEN if mutation.study]
    (scorer,) = {scorer for scorer, *_ in studies}
    measures = [measure for _, *measures in studies for measure in measures]
    assert not false_alarms([replace(CHOSEN[0], study=(scorer, *measures))])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mutation_applies_in_one_place(mutation: Mutation) -> None:
    text = (ROOT / "ndcg_asymptotics" / mutation.file).read_text(encoding="utf-8")
    assert mutated(mutation, text) != text
