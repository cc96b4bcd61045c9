"""Runs of the replicates of a study on cores and machines, which can be continued."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
