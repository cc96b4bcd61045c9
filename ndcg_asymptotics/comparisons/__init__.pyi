from .collections_outcome import CollectionsComparison as CollectionsComparison
from .comparing import compare as compare
from .comparison import Comparison as Comparison
from .gates import Gate as Gate
from .gates import gate as gate
