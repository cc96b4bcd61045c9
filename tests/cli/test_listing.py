"""The tables of specs: a block of each kind, and one kind alone."""

from __future__ import annotations

from cases import refused

from ndcg_asymptotics.cli.listing import KINDS, specs
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.measures import Discount


def test_each_kind_has_a_block() -> None:
    tables = [block for block in specs().blocks() if isinstance(block, Table)]
    titles = ["Measures", "Discounts", "Cutoffs", "Relevance curves", "ROC curves", "Couplings", "Losses"]
    assert [table.title for table in tables] == titles
    assert sum(len(table.rows) for table in tables) == len(specs().rows)


def test_a_kind_is_listed_alone() -> None:
    rows = [row for kind in KINDS for row in specs(kind).rows]
    assert rows == list(specs().rows)
    assert [row.spec.partition("(")[0] for row in specs("discounts").rows] == sorted(Discount.members)
    refused(r"kind: expected one of measures, .*, losses, got 'Losses'", specs, "Losses")
