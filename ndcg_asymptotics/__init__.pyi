from . import analysis as analysis
from . import core as core
from . import engines as engines
from . import explorer as explorer
from . import learning as learning
from . import lists as lists
from . import measures as measures
from . import plots as plots
from . import populations as populations
from . import reports as reports
from . import results as results
from . import specs as specs
from . import studies as studies
from . import sweep as sweep
from . import theory as theory
from .analysis.check import check as check
from .analysis.orders.distinguish import distinguish as distinguish
from .analysis.planning.plan import plan as plan
from .analysis.runs.compare import compare as compare
from .analysis.runs.sampled import sampled as sampled
from .core.errors import InputError as InputError
from .explorer import explore as explore
from .lists import evaluate as evaluate
from .lists import fit as fit
from .lists import grow as grow
from .measures import Measure as Measure
from .plots.gallery import plot as plot
from .reports.page import report as report
from .results import merge as merge
from .results import open_results as open_results
from .studies import Study as Study
from .studies import decades as decades
from .sweep.running import run as run
from .theory.prediction import predict as predict

__all__: list[str]
__version__: str
