"""Rank the last film of every MovieLens user by three simple recommenders, for the command `sampled`.

`recommenders.py DATA RANKS`: DATA holds ``movielens_small/ratings.csv.gz`` (GroupLens, ml-latest-small), and
``popularity.csv``, ``neighbours.csv`` and ``factors.csv`` are written into RANKS, with the columns user and
rank. The film that a user rated last is held out, as by RecBole's ``LS``, and all other ratings are the
training data. All 9,724 films are ranked; those that the user rated before are at the bottom.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

NEIGHBOURS = 50  # similar films that count for a film
FACTORS = 16
SEED = 2020


def recommenders(seen: csr_array) -> dict[str, NDArray[np.float64]]:
    """Return the score of every user and film for each recommender, from a table of zeros and ones."""
    popularity = np.tile(np.asarray(seen.sum(axis=0), np.float64), (seen.shape[0], 1))
    unit = normalize(seen, axis=0)
    similarity = np.asarray((unit.T @ unit).todense())
    np.fill_diagonal(similarity, 0.0)
    least = np.partition(similarity, -NEIGHBOURS, axis=0)[-NEIGHBOURS]
    neighbours = seen @ np.where(similarity >= least, similarity, 0.0)
    model = TruncatedSVD(FACTORS, random_state=SEED)
    factors = model.fit_transform(seen) @ model.components_
    return {"popularity": popularity, "neighbours": neighbours, "factors": factors}


def ranks(data: Path) -> dict[str, pd.DataFrame]:
    """Return the rank of the held-out film of every user, for each recommender."""
    table = pd.read_csv(data / "movielens_small" / "ratings.csv.gz", dtype={"userId": str, "movieId": str})
    table = table.sort_values("timestamp", kind="stable")
    user, users = pd.factorize(table["userId"], sort=True)
    film, films = pd.factorize(table["movieId"], sort=True)
    last = ~pd.Series(user).duplicated(keep="last").to_numpy()
    held_out = np.empty(users.size, np.int64)
    held_out[user[last]] = film[last]
    shape = (users.size, films.size)
    seen = csr_array((np.ones((~last).sum()), (user[~last], film[~last])), shape)
    history = np.asarray(seen.todense()) > 0
    order_of_ties = np.random.default_rng(SEED).random(films.size)  # the same for all users and recommenders
    found = {}
    for name, scores in recommenders(seen).items():
        scores[history] = -np.inf
        mine = scores[np.arange(users.size), held_out][:, None]
        above = (scores > mine) | ((scores == mine) & (order_of_ties > order_of_ties[held_out][:, None]))
        found[name] = pd.DataFrame({"user": users, "rank": 1 + above.sum(axis=1)})
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, found in ranks(Path(sys.argv[1])).items():
        found.to_csv(folder / f"{name}.csv", index=False)
