"""Studies, as objects and as files, and the design that an engine simulates."""

import lazy_loader

# names are imported at first use: a study file needs pydantic, for which a prediction should not wait
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
