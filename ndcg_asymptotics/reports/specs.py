"""A table of everything that has a spec, with its formula."""

from __future__ import annotations

from ndcg_asymptotics.core.tables import Column, Table
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.measures import Cutoff, Discount
from ndcg_asymptotics.measures.measure import MEASURES
from ndcg_asymptotics.populations import Coupling, RocModel, Scorer
from ndcg_asymptotics.specs.spec import listing


def specs() -> Table:
    """Return the specs and formulas of measures, their discounts and cutoffs, curves, couplings and losses.

    >>> specs().rows[0][:2]
    ('measure', 'nDCG(discount)@cutoff')
    """
    families = {
        "discount": Discount,
        "cutoff": Cutoff,
        "relevance": Scorer,
        "ROC": RocModel,
        "coupling": Coupling,
        "loss": Loss,
    }
    rows = tuple(
        (kind, signature, formula)
        for kind, family in families.items()
        for signature, formula in listing(family)
    )
    rows = (*(("measure", *row) for row in MEASURES), *rows)
    return Table("", (Column("kind"), Column("spec", fold=True), Column("formula", fold=True)), rows)
