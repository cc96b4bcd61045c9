from .grid import run_grid as run_grid
from .sweep import Outcome as Outcome
from .sweep import run as run
