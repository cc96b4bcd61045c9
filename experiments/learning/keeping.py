"""What the experiments about losses share: where their results go, and the real lists they read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[2] / "results" / "learning"


def keep(name: str, results: Mapping[str, Any]) -> None:
    """Write results/learning/NAME.json."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(path)


def data(folder: str) -> Path:
    """A folder of real lists, in the one that NDCG_ASYMPTOTICS_DATA names."""
    root = os.environ.get("NDCG_ASYMPTOTICS_DATA")
    if not root:
        sys.exit("NDCG_ASYMPTOTICS_DATA names no folder of real data")
    return Path(root) / folder
