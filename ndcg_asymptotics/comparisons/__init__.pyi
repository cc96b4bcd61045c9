from .collections_outcome import CollectionsComparison as CollectionsComparison
from .comparing import compare as compare
from .comparison import Comparison as Comparison
from .figures import comparison_figure as comparison_figure
from .gates import Gate as Gate
from .gates import gate as gate
from .judged_figures import judged_figure as judged_figure
