from .running import run as run
from .sweep import Outcome as Outcome
