"""MovieLens small as queries: each user is a query, and the films that the user rated are documents."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass

import numpy as np
from keeping import data
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_PRIOR_RATINGS = 5.0  # average ratings that are added to those of a film before taking its mean


@dataclass(frozen=True)
class Ratings:
    """Ratings: user, film, stars and time; users and films are numbered from 0."""

    user: Integers
    film: Integers
    stars: Floats
    time: Integers

    def select(self, kept: Integers) -> Ratings:
        """Return some of the ratings."""
        return Ratings(self.user[kept], self.film[kept], self.stars[kept], self.time[kept])


def load() -> Ratings:
    """Return all ratings, in the order of the file."""
    with gzip.open(data("movielens_small") / "ratings.csv.gz", "rt", encoding="utf-8") as lines:
        rows = [
            (int(r["userId"]), int(r["movieId"]), float(r["rating"]), int(r["timestamp"]))
            for r in csv.DictReader(lines)
        ]
    user, film, stars, time = (np.array(column) for column in zip(*rows, strict=True))
    return Ratings(
        np.unique(user, return_inverse=True)[1], np.unique(film, return_inverse=True)[1], stars, time
    )


def film_features(ratings: Ratings, films: int, user: Integers, film: Integers, own: Floats) -> Floats:
    """Return features of films from other users: mean, log count, shares of >= 4 and of <= 2 stars, (n, 4).

    ``own`` holds the stars that the user gave, which are subtracted, or NaN if they are not in ``ratings``.
    """
    average = float(ratings.stars.mean())
    inside = np.isfinite(own)
    columns = []
    count = np.bincount(ratings.film, minlength=films)[film] - inside.astype(float)
    for values, mine in (
        (ratings.stars - average, np.where(inside, own - average, 0.0)),
        ((ratings.stars >= 4).astype(float), np.where(inside, own >= 4, 0.0)),
        ((ratings.stars <= 2).astype(float), np.where(inside, own <= 2, 0.0)),
    ):
        total = np.bincount(ratings.film, values, films)[film] - mine
        columns.append((total + _PRIOR_RATINGS * values.mean()) / (count + _PRIOR_RATINGS))
    return np.column_stack([columns[0], np.log1p(count), columns[1], columns[2]])


def factors(ratings: Ratings, users: int, films: int, rank: int) -> tuple[Floats, Floats]:
    """Return user and film factors (users, rank), (films, rank), by a truncated SVD of centred ratings."""
    mean = np.bincount(ratings.user, ratings.stars, users) / np.maximum(
        np.bincount(ratings.user, minlength=users), 1
    )
    table = np.zeros((users, films))
    table[ratings.user, ratings.film] = ratings.stars - mean[ratings.user]
    left, size, right = np.linalg.svd(table, full_matrices=False)
    return left[:, :rank] * size[:rank], right[:rank].T
