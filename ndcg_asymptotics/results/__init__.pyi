from .damage.verify import Verification as Verification
from .damage.verify import verify as verify
from .growing import open_growth as open_growth
from .growing import save_growth as save_growth
from .merge import merge as merge
from .results import Results as Results
from .results import open_results as open_results
from .results import results_of as results_of
