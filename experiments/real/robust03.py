"""Grow the lists of TREC 2003 Robust, of three runs and of random scores, beside i.i.d. theory.

`robust03.py DATA RESULTS`: DATA holds ``robust03`` with the runs and the judgements (examples/robust03
of trectools), and a table of means is written into RESULTS for each order of arrival: random, and that
of the judgements, which is by newspaper and date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ndcg_asymptotics.growth.growing import grow
from ndcg_asymptotics.growth.outcome import Growth

RUNS = ("pircRBa1", "THUIRr0301", "aplrob03a")
MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))", "nDCG@0.2n")
GROUPS = 8


def growing(data: Path) -> dict[str, Growth]:
    """Return the growing lists for each order of arrival."""
    folder = data / "robust03"
    options: dict[str, Any] = {"binary_at": 1, "random": True, "groups": GROUPS}
    return {
        f"robust03-{order}": grow(
            [folder / f"{run}.run.gz" for run in RUNS],
            folder / "qrels.txt.gz",
            MEASURES,
            order=order,
            **options,
        )
        for order in ("random", "file")
    }


if __name__ == "__main__":
    for name, found in growing(Path(sys.argv[1])).items():
        found.to_dataframe().to_csv(Path(sys.argv[2]) / f"{name}.csv", index=False)
