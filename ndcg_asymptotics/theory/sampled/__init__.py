"""Exact moments of metrics of sampled ranks, and what sampled ranks say about the full metric."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
