"""Tables of everything that has a spec, with its formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.rows import Column
from ndcg_asymptotics.core.tables import Report, ReportBlock, Table
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.measures import Cutoff, Discount
from ndcg_asymptotics.measures.measure import FORMS
from ndcg_asymptotics.populations import Coupling, RocModel, Scorer
from ndcg_asymptotics.specs.spec import Spec, listing


@dataclass(frozen=True)
class SpecRow:
    """A spec, as a user writes it, with its formula."""

    kind: Annotated[str, Column("kind")]
    spec: Annotated[str, Column("spec", fold=True)]
    formula: Annotated[str, Column("formula", fold=True)]


@dataclass(frozen=True, repr=False)
class Specs(Report):
    """Everything that has a spec, or all of one kind."""

    rows: tuple[SpecRow, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of each kind."""
        for kind in dict.fromkeys(row.kind for row in self.rows):
            rows = [row for row in self.rows if row.kind == kind]
            yield Table.of(_TITLES[kind], SpecRow, rows, "spec", "formula")


_FAMILIES: dict[str, tuple[str, type[Spec]]] = {
    "discount": ("Discounts", Discount),
    "cutoff": ("Cutoffs", Cutoff),
    "relevance": ("Relevance curves", Scorer),
    "ROC": ("ROC curves", RocModel),
    "coupling": ("Couplings", Coupling),
    "loss": ("Losses", Loss),
}
_TITLES = {"measure": "Measures"} | {kind: title for kind, (title, _) in _FAMILIES.items()}
KINDS = {
    "measures": ("measure",),
    "discounts": ("discount",),
    "cutoffs": ("cutoff",),
    "curves": ("relevance", "ROC"),
    "couplings": ("coupling",),
    "losses": ("loss",),
}
"""What can be listed alone, with the kinds of rows that belong to it."""


def specs(kind: str | None = None) -> Specs:
    """Return the specs and formulas of measures, their discounts and cutoffs, curves, couplings and losses.

    Parameters
    ----------
    kind : {"measures", "discounts", "cutoffs", "curves", "couplings", "losses"}, optional
        What is listed; everything by default.

    Raises
    ------
    InputError
        For another kind.

    >>> specs().rows[0].spec
    'nDCG(discount)@cutoff'
    >>> [row.spec for row in specs("couplings").rows]
    ['gaussian(rho)', 'independent']
    """
    is_kind = kind is None or kind in KINDS
    require(is_kind, f"expected one of {', '.join(KINDS)}, got {brief(kind)}", "kind")
    rows = [SpecRow("measure", *row) for row in FORMS]
    rows += [SpecRow(name, *row) for name, (_, family) in _FAMILIES.items() for row in listing(family)]
    return Specs(tuple(row for row in rows if kind is None or row.kind in KINDS[kind]))
