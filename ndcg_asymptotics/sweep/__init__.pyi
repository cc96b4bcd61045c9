from .grid import run_grid as run_grid
from .running import run as run
from .sweep import Outcome as Outcome
