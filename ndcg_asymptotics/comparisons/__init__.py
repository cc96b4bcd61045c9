"""Which of several runs is better, from judged queries, values, a judge or collections."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
