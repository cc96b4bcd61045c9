"""How many queries and how long lists it takes to tell two rankers apart."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
