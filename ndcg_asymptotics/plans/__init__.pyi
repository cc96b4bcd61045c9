from .figures import plan_figure as plan_figure
from .outcome import Plan as Plan
from .planning import plan as plan
