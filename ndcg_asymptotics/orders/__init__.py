"""Which of two scorers is ahead: rates of the right order, P(wrong order) at n, and in the long run."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
