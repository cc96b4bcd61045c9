from .growing import grow as grow
from .outcome import Growth as Growth
