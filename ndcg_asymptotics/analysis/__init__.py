"""Analysis of results: tests against theory, the order of scorers, sample sizes, comparisons of runs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
