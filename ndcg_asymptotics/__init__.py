"""A Monte Carlo asymptotics laboratory for NDCG and its discounts.

A *study* names scorers (by their relevance curves), measures (a discount and a cutoff) and list
lengths. An *engine* draws i.i.d. streams and returns NDCG along growing n. *Theory* gives the same
numbers without drawing: limits, the pseudo-expectation, the exact mean at finite n. *check*,
*distinguish* and *plots* hold the one against the other.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcg_asymptotics.cutoffs import Cutoff
    from ndcg_asymptotics.design import Design
    from ndcg_asymptotics.discounts import Discount
    from ndcg_asymptotics.errors import InputError
    from ndcg_asymptotics.measures import Measure
    from ndcg_asymptotics.population import Population
    from ndcg_asymptotics.relevance import Curve, Relevance
    from ndcg_asymptotics.store import open_results
    from ndcg_asymptotics.study import Study
    from ndcg_asymptotics.theory.expectation import expected_dcg, expected_ndcg
    from ndcg_asymptotics.theory.limits import limit, pseudo_expectation

_HOMES = {
    "Curve": "relevance",
    "Cutoff": "cutoffs",
    "Design": "design",
    "Discount": "discounts",
    "InputError": "errors",
    "Measure": "measures",
    "Population": "population",
    "Relevance": "relevance",
    "Study": "study",
    "expected_dcg": "theory.expectation",
    "expected_ndcg": "theory.expectation",
    "limit": "theory.limits",
    "open_results": "store",
    "pseudo_expectation": "theory.limits",
}

__version__ = "0.1.0"
__all__ = [
    "Curve",
    "Cutoff",
    "Design",
    "Discount",
    "InputError",
    "Measure",
    "Population",
    "Relevance",
    "Study",
    "expected_dcg",
    "expected_ndcg",
    "limit",
    "open_results",
    "pseudo_expectation",
]


def __getattr__(name: str) -> Any:
    # names are loaded when first used: `ndcg-asymptotics --help` must not wait for scipy and numba
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
