from .check import GridCheck as GridCheck
from .check import check_grid as check_grid
from .figures import draw_grid as draw_grid
from .grid import Grid as Grid
from .grid import load_grid as load_grid
from .results import GridResults as GridResults
from .results import open_grid as open_grid
from .run import run_grid as run_grid
