"""Monte Carlo simulation and exact theory of NDCG and its discounts on growing ranked lists.

A `Study` names scorers (by their relevance curves), measures (a discount and a cutoff) and list lengths.
`run` draws i.i.d. lists and returns NDCG at every list length. `predict` computes the mean, the standard
deviation and the limit without simulation. `check`, `distinguish`, `plot` and `report` compare the two.
`evaluate`, `compare`, `plan`, `fit`, `grow` and `sampled` are about real ranked lists: they
take files, frames, dictionaries and the objects of other programs. The command of the same name calls each.

All other names are in subpackages, each of which imports only those before it:

    core, stats                    arrays, errors, files, tables, progress; tests and intervals
    specs, measures, populations   texts of specs; discounts, cutoffs and measures; relevance curves
    studies                        studies, their files, grids of studies
    theory, engines                exact and asymptotic values; simulation (numba is used here only)
    lists, results, sweep          real ranked lists; folders of results; parallel runs
    checks, orders                 simulation against theory; which scorer is ahead
    samples, growth                sampled candidates; lists that grow
    comparisons, plans             which run is better; how many queries and documents
    learning                       losses for learning to rank: consistency, training
    plots, reports                 figures; pages
    explorer                       a page with sliders, on which theory is seen at work
    cli                            the command line

For example ``na.theory.limit``, ``na.lists.fit_curves``, ``na.learning.train``.
"""

import lazy_loader

# names are imported at first use, so that `import ndcg_asymptotics` and `--help` do not load scipy and numba
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.4.0"
