"""Large deviations of the wrong order: the tilted law, its cost, and the error exponent."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
