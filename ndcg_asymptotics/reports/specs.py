"""A table of everything that has a spec, with its formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.core.tables import Column, Report, ReportBlock, Table
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.measures import Cutoff, Discount
from ndcg_asymptotics.measures.measure import FORMS
from ndcg_asymptotics.populations import Coupling, RocModel, Scorer
from ndcg_asymptotics.specs.spec import listing


@dataclass(frozen=True)
class SpecRow:
    """A spec, as a user writes it, with its formula."""

    kind: Annotated[str, Column("kind")]
    spec: Annotated[str, Column("spec", fold=True)]
    formula: Annotated[str, Column("formula", fold=True)]


@dataclass(frozen=True, repr=False)
class Specs(Report):
    """Everything that has a spec."""

    rows: tuple[SpecRow, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the table."""
        yield Table.of("", SpecRow, self.rows)


def specs() -> Specs:
    """Return the specs and formulas of measures, their discounts and cutoffs, curves, couplings and losses.

    >>> specs().rows[0].spec
    'nDCG(discount)@cutoff'
    """
    families = {
        "discount": Discount,
        "cutoff": Cutoff,
        "relevance": Scorer,
        "ROC": RocModel,
        "coupling": Coupling,
        "loss": Loss,
    }
    listed = [(kind, *row) for kind, family in families.items() for row in listing(family)]
    measures = [("measure", *row) for row in FORMS]
    return Specs(tuple(SpecRow(*row) for row in (*measures, *listed)))
