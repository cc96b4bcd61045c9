from .figures import growth_curves as growth_curves
from .figures import growth_figure as growth_figure
from .figures import growth_handles as growth_handles
from .growing import grow as grow
from .outcome import Growth as Growth
