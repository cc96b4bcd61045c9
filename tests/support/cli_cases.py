"""A small study as the file that a user writes."""

from __future__ import annotations

import re
from pathlib import Path

TOML = """
title = "A study"
measures = ["nDCG", "nDCG@10"]
n = [10, 100, 1000]
replicates = 12
seed = 5
[scorers]
good = "linear(0.1, 0.7)"
SCORER = "random"
"""


def write_study(folder: Path, scorer: str = "other", **change: str) -> Path:
    text = TOML.replace("SCORER", scorer)
    for field, value in change.items():
        text = re.sub(rf"(?m)^{field} = .*$", f"{field} = {value}", text)
    file = folder / "study.toml"
    file.write_text(text)
    return file
