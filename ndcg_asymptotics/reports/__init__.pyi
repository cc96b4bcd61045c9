from .page import report as report
from .specs import specs as specs
