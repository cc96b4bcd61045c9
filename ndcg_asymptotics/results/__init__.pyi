from .grid import GridResults as GridResults
from .merge import merge as merge
from .opening import open_results as open_results
from .record import Results as Results
