"""Two broken formulas are noticed (all of them: ``python -m robustness.mutations``, in `make soak`)."""

from __future__ import annotations

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
    "items: the square of the correlation, consistently": "tests/engines/test_items_steps.py",
}
CHOSEN = [next(m for m in MUTATIONS if m.name == name) for name in IN_THE_SUITE]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", CHOSEN, ids=lambda mutation: mutation.name)
def test_a_broken_formula_is_noticed(mutation: Mutation) -> None:
    with copy_of_the_package(mutation) as folder:
        found = caught(folder, mutation)
    assert found.startswith(IN_THE_SUITE[mutation.name])


@pytest.mark.slow
def test_the_package_as_it_is_passes() -> None:
    assert not false_alarms(CHOSEN[:1])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_mutation_applies_in_one_place(mutation: Mutation) -> None:
    text = (ROOT / "ndcg_asymptotics" / mutation.file).read_text(encoding="utf-8")
    assert mutated(mutation, text) != text
