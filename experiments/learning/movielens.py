"""Compare pairwise losses on MovieLens small with the loss that is consistent for preferences.

Half of every user's ratings, drawn at random, are the user's profile: they give the film's mean, its number
of ratings and the like, and ten factors of films and users. The other half is cut into lists of 20 films,
at most five a user, with a_ij the difference of the stars. Users are cut into five parts: three to train, one
for the penalty, one to test, in turn. Tests permute two losses within users.
"""

from __future__ import annotations

import films
import numpy as np
from keeping import keep
from mq2008 import permutation_test
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import Queries, train
from ndcg_asymptotics.learning.utilities import utility_of
from ndcg_asymptotics.lists import evaluate

LOSSES = (
    'duchi(20, "gain")',
    'pairwise("hinge", "gain")',
    'pairwise("squared_hinge", "gain")',
    'pairwise("logistic", "gain")',
    'margin("hinge")',
    'margin("logistic")',
    "squared",
    "listnet",
    "squared_consistent",
)
PAIRS = tuple((LOSSES[0], other) for other in LOSSES[1:6])
MEASURES = ("nDCG@1", "nDCG@5", "nDCG@10")
LENGTH, MOST_LISTS, RANK = 20, 5, 10


def rated() -> tuple[films.Ratings, NDArray[np.float64], NDArray[np.int64]]:
    """Return the ratings outside the profiles, in random order by user, their features and their users."""
    ratings = films.load()
    rng = np.random.default_rng(610)
    shuffled = rng.permutation(ratings.user.size)
    place = np.empty(ratings.user.size, np.int64)
    for user in range(int(ratings.user.max()) + 1):
        mine = shuffled[ratings.user[shuffled] == user]
        place[mine] = np.arange(mine.size)
    half = (-(-np.bincount(ratings.user) // 2))[ratings.user]
    rest = np.flatnonzero(place >= half)
    chosen = ratings.select(rest[np.lexsort((place[rest], ratings.user[rest]))])
    profile = ratings.select(np.flatnonzero(place < half))
    users, count = int(ratings.user.max()) + 1, int(ratings.film.max()) + 1
    left, right = films.factors(profile, users, count, RANK)
    own = np.full(chosen.user.size, np.nan)  # these films are not in the profile
    features = np.hstack(
        [
            films.film_features(profile, count, chosen.user, chosen.film, own),
            left[chosen.user] * right[chosen.film],
        ]
    )
    return chosen, features, chosen.user


def lists() -> tuple[Queries, NDArray[np.int64]]:
    """Return the lists of all users, and the user of each list."""
    ratings, features, user = rated()
    first = np.searchsorted(user, user)
    size = np.searchsorted(user, user, side="right") - first
    number = (np.arange(user.size) - first) // LENGTH
    kept = ((number + 1) * LENGTH <= size) & (number < MOST_LISTS)
    whose = user[kept][::LENGTH]
    names = [f"{u}.{n}" for u, n in zip(whose, number[kept][::LENGTH], strict=True)]
    return Queries(features[kept], ratings.stars[kept], np.full(whose.size, LENGTH), names), whose


def main() -> None:
    """Train five folds, and write the disagreement and NDCG of every loss."""
    everything, whose = lists()
    users = np.unique(whose)
    part = np.random.default_rng(5).permutation(users.size) % 5
    of_list = part[np.searchsorted(users, whose)]
    disagreement = utility_of("PD(gain)", "linear")
    found = {text: np.full((everything.count, 1 + len(MEASURES)), np.nan) for text in LOSSES}
    with show_progress():
        for fold in tracked(range(5), "folds"):
            split = [
                np.flatnonzero(np.isin((of_list - fold) % 5, wanted)) for wanted in ([0, 1, 2], [3], [4])
            ]
            training, held, test = (everything.select(chosen) for chosen in split)
            for text in tracked(LOSSES, "losses"):
                ranker = train(training, text, validation=held, gain="linear").ranker
                scores = ranker.scores(test).reshape(-1, LENGTH)
                labels = test.labels.reshape(-1, LENGTH)
                orders = np.argsort(-scores, axis=1)
                wrong = [
                    -disagreement.expected(order[None], y[None], np.ones(1))[0]
                    / (np.abs(y[:, None] - y).sum() / 2 or 1)
                    for order, y in zip(orders, labels, strict=True)
                ]
                ndcg = evaluate(ranker.run(test), test.qrels("linear"), MEASURES)
                row = {name: i for i, name in enumerate(ndcg.queries)}
                values = ndcg.values[[row[name] for name in test.names]]
                found[text][split[2]] = np.column_stack([wrong, values])
    by_user = {t: np.array([v[whose == u].mean(axis=0) for u in users]) for t, v in found.items()}
    means = {text: values.mean(axis=0).tolist() for text, values in by_user.items()}
    errors = {t: (v.std(axis=0, ddof=1) / np.sqrt(len(v))).tolist() for t, v in by_user.items()}
    tests = {f"{a} - {b}": permutation_test(by_user[a] - by_user[b]) for a, b in PAIRS}
    for text, mean in means.items():
        print(f"{text:36s}", *(f"{m:.4f}±{e:.4f}" for m, e in zip(mean, errors[text], strict=True)))
    for pair, tested in tests.items():
        print(pair, tested)
    keep(
        "movielens",
        {
            "losses": LOSSES,
            "columns": ["disagreement", *MEASURES],
            "users": int(users.size),
            "lists": everything.count,
            "means": means,
            "errors": errors,
            "tests": tests,
        },
    )


if __name__ == "__main__":
    main()
