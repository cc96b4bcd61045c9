from .sweep import Outcome as Outcome
from .sweep import run as run
