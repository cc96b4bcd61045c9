from .checking import check as check
from .outcome import Check as Check
from .outcome import GridCheck as GridCheck
