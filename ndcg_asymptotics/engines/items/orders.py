"""The rank orders of all scorers, for several replicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.engines.items import copula, rank_order
from ndcg_asymptotics.engines.items.kernels import Codes
from ndcg_asymptotics.populations import Gaussian
from ndcg_asymptotics.studies.design import Design


def rank_orders(design: Design, replicates: Sequence[int], labels: Integers) -> Iterator[Iterable[Codes]]:
    """Yield for each replicate and scorer the codes of its items in rank order, in blocks."""
    coupling, models = design.population.coupling, design.models.items()
    if isinstance(coupling, Gaussian):
        for replicate, counts in zip(replicates, labels, strict=True):
            for name, scorer in models:
                common = design.generator(replicate, "coupling")
                own = design.generator(replicate, "scorer", name)
                yield copula.correlated_blocks(scorer, counts, coupling.rho, common, own)
        return
    scorers = [(name, rank_order.slices(scorer, design.sizes[-1])) for name, scorer in models]
    for replicate, counts in zip(replicates, labels, strict=True):
        for name, slices in scorers:
            yield rank_order.independent_blocks(slices, counts, design.generator(replicate, "scorer", name))
