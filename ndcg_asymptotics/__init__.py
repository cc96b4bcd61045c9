"""A Monte Carlo asymptotics laboratory for NDCG and its discounts.

A `Study` names scorers (by their relevance curves), measures (a discount and a cutoff) and list lengths.
`run` draws i.i.d. lists and returns NDCG along growing n; `predict` computes the same numbers exactly,
without drawing. `check`, `distinguish`, `plot` and `report` compare the two.

Everything else is in the rooms, from the bottom up; each knows only those below it:

    core                           arrays, errors, files, text, tables, progress
    specs, measures, populations   what has a text: discounts, cutoffs, measures; relevance curves
    studies                        studies as objects and as files, grids of them; the design of an engine
    theory, engines                the same numbers without drawing and with; numba is in engines only
    lists, results, sweep          real ranked lists; folders of results; replicates in parallel
    learning                       losses for learning to rank: consistency, training
    analysis, plots, reports       results against theory; figures; tables
    cli                            the command line

For example ``na.theory.limit``, ``na.lists.evaluate_files``, ``na.learning.train_ranker``.
"""

import lazy_loader

# names are imported at first use: `import ndcg_asymptotics` and `--help` do not wait for scipy and numba
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.2.0"
