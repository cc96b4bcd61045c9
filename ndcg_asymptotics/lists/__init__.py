"""Real ranked lists: read from files, evaluated as in trec_eval, and fitted by relevance curves."""

import lazy_loader

# names are imported at first use: fitting needs scipy, for which an evaluation should not wait
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
