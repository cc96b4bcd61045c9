"""Programs that search for faults for minutes: ``python -m robustness.NAME`` in the folder tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "support"))
