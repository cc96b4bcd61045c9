"""Real ranked lists: read from files, evaluated as trec_eval does, and turned into relevance curves."""

import lazy_loader

# what fits curves needs scipy, for which an evaluation should not wait: names are imported at first use
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
