"""Grow the lists of MovieLens, each user's films by time and in random order, beside i.i.d. theory.

`movielens.py DATA RESULTS`: DATA holds ``movielens_small/ratings.csv.gz`` (GroupLens, ml-latest-small),
and a table of means for each order is written into RESULTS. A user is a query, and a film rated at least 4 is
relevant. Films are scored by the mean rating of the other users (by that of all ratings if there is none), by
the number of other ratings, and at random.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd

from ndcg_asymptotics.growth.growing import grow
from ndcg_asymptotics.growth.outcome import Growth

MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))", "nDCG@0.2n")
RELEVANT = 4.0
LENGTH = 500  # films of a user; 44 users rated at least as many
GROUPS = 8


def ratings(data: Path) -> pd.DataFrame:
    """Return a row for each user and film: the rating, its time, and the mean and number of other ratings."""
    table = pd.read_csv(data / "movielens_small" / "ratings.csv.gz", dtype={"userId": str, "movieId": str})
    table.columns = ["query", "document", "label", "time"]
    of_film = table.groupby("document")["label"]
    table["popularity"] = of_film.transform("count") - 1
    others = of_film.transform("sum") - table["label"]
    table["others"] = (others / table["popularity"]).where(table["popularity"] > 0, table["label"].mean())
    return table


def growing(data: Path) -> dict[str, Growth]:
    """Return the growing lists for each order of arrival."""
    table = ratings(data)
    rated = table.groupby("query")["label"].transform("count")
    table = table[rated >= LENGTH]
    keys = table[["query", "document"]]
    runs = {name: keys.assign(score=table[name]) for name in ("others", "popularity")}
    common: dict[str, Any] = {
        "binary_at": RELEVANT,
        "random": True,
        "n": LENGTH,
        "groups": GROUPS,
    }
    labels, times = keys.assign(label=table["label"]), keys.assign(time=table["time"])
    return {
        "movielens-time": grow(runs, labels, MEASURES, order="time", times=times, **common),
        "movielens-random": grow(runs, labels, MEASURES, **common),
    }


if __name__ == "__main__":
    for name, found in growing(Path(sys.argv[1])).items():
        found.to_dataframe().to_csv(Path(sys.argv[2]) / f"{name}.csv", index=False)
