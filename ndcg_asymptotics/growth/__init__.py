"""Runs on lists that grow one document at a time, beside the theory of their fitted curves."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
