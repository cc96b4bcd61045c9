from .outcome import Plan as Plan
from .planning import plan as plan
