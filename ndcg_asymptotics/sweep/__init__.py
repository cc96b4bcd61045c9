"""Runs the replicates of a study on cores and machines, and continues where a run stopped."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
