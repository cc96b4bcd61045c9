from .folder import open_results as open_results
from .grid import GridResults as GridResults
from .grid import open_grid as open_grid
from .merge import merge as merge
from .opening import open_any as open_any
from .record import Results as Results
from .verify import Verification as Verification
from .verify import verify as verify
