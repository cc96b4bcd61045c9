"""Shared by the experiments about losses: writing results, and finding real lists."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[2] / "results" / "learning"


def keep(name: str, results: Mapping[str, Any]) -> None:
    """Write results to results/learning/NAME.json."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(path)


def data(folder: str) -> Path:
    """Return a folder of real lists, inside the one that NDCG_ASYMPTOTICS_DATA names."""
    root = os.environ.get("NDCG_ASYMPTOTICS_DATA")
    if not root:
        sys.exit("NDCG_ASYMPTOTICS_DATA names no folder of real data")
    return Path(root) / folder
