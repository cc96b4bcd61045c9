"""The experiment of Duchi et al. (2010) on MovieLens small: pairs of films, from 20,000 to 160,000 of them.

A training pair is two films that one user rated differently, with a_ij the difference of the stars, in
features from the other half of the ratings (see `movielens`). Users are cut into five parts: three to train,
one for the penalty, one to test, in turn. The error of a user is the share of the weight of 500 pairs that
are in the wrong order.
"""

from __future__ import annotations

import movielens
import numpy as np
from keeping import keep
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import Queries, train

LOSSES = ('pairwise("hinge", "gain")', 'pairwise("logistic", "gain")', 'duchi(1, "gain")')
PAIRS = (20_000, 40_000, 80_000, 160_000)
PENALTIES = (1.0, 1e-2, 1e-4)
TESTED, HELD = 500, 5_000  # pairs of a test user; pairs for the penalty


def main() -> None:
    """Train five folds for each number of pairs, and write the errors."""
    ratings, features, user = movielens.rated()
    users = np.unique(user)
    part = np.random.default_rng(5).permutation(users.size) % 5
    errors = {text: np.full((len(PAIRS), users.size), np.nan) for text in LOSSES}
    with show_progress():
        for fold in tracked(range(5), "folds"):
            rng = np.random.default_rng([5, fold])
            training, held, test = (
                users[np.isin((part - fold) % 5, wanted)] for wanted in ([0, 1, 2], [3], [4])
            )
            drawn = draw(ratings.stars, user, training, PAIRS[-1], rng)
            validation = queries(features, ratings.stars, draw(ratings.stars, user, held, HELD, rng))
            tested = {u: draw(ratings.stars, user, np.array([u]), TESTED, rng) for u in test}
            for row, count in enumerate(PAIRS):
                data = queries(features, ratings.stars, drawn[:count])
                for text in tracked(LOSSES, f"{count} pairs"):
                    trained = train(data, text, validation=validation, gain="linear", penalties=PENALTIES)
                    scores = features @ trained.ranker.weights
                    for u, pairs in tested.items():
                        errors[text][row, np.searchsorted(users, u)] = error(scores, ratings.stars, pairs)
    means = {text: np.nanmean(found, axis=1).tolist() for text, found in errors.items()}
    spread = {
        text: (np.nanstd(found, axis=1, ddof=1) / np.sqrt(np.isfinite(found).sum(axis=1))).tolist()
        for text, found in errors.items()
    }
    ours = errors[LOSSES[-1]]
    differences = {
        text: [
            [float(np.nanmean(d)), float(np.nanstd(d, ddof=1) / np.sqrt(np.isfinite(d).sum()))]
            for d in ours - found
        ]
        for text, found in errors.items()
    }
    for text in LOSSES:
        print(
            text,
            [f"{m:.4f}±{e:.4f}" for m, e in zip(means[text], spread[text], strict=True)],
            differences[text],
        )
    keep(
        "movielens_pairs",
        {
            "losses": LOSSES,
            "pairs": PAIRS,
            "users": int(users.size),
            "means": means,
            "errors": spread,
            "differences": differences,
        },
    )


def draw(
    stars: NDArray[np.float64],
    user: NDArray[np.int64],
    wanted: NDArray[np.int64],
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return pairs of ratings (count, 2) of one user with different stars, the user by any rating."""
    mine = np.flatnonzero(np.isin(user, wanted))
    mine = mine[np.argsort(user[mine], kind="stable")]
    start = np.searchsorted(user[mine], user[mine])
    size = np.searchsorted(user[mine], user[mine], side="right") - start
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < count and np.ptp(stars[mine]) > 0:  # a test user may give all films the same stars
        one = rng.integers(0, mine.size, 4 * count)
        other = start[one] + (rng.random(one.size) * size[one]).astype(np.int64)
        both = np.column_stack([mine[one], mine[other]])
        pairs = np.vstack([pairs, both[stars[both[:, 0]] != stars[both[:, 1]]]])
    return pairs[:count]


def queries(features: NDArray[np.float64], stars: NDArray[np.float64], pairs: NDArray[np.int64]) -> Queries:
    """Return every pair as a list of two films."""
    flat = pairs.reshape(-1)
    return Queries(features[flat], stars[flat], np.full(len(pairs), 2))


def error(scores: NDArray[np.float64], stars: NDArray[np.float64], pairs: NDArray[np.int64]) -> float:
    """Return the share of the weight of the pairs that the scores have in the wrong order."""
    if len(pairs) == 0:
        return np.nan
    first, second = pairs.T
    weight = stars[first] - stars[second]
    wrong = np.sign(scores[first] - scores[second]) != np.sign(weight)
    return float(np.abs(weight)[wrong].sum() / np.abs(weight).sum())


if __name__ == "__main__":
    main()
