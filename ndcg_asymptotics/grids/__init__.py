"""Many studies at once: one per point of a grid of parameters, as simulation studies are designed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
