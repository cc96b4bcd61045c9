"""Section 4 of Wang et al. (2013) with learned rankers on real lists: NDCG of the first n documents.

*robust03*: the documents that any of four runs retrieved for a query, described by their ranks and scores in
the runs, arrive in random orders. *MovieLens*: the films of a user who rated at least 500, described by other
users' ratings, arrive in the order in which the user rated them. RankSVM and ListNet are trained on one half
of the queries or users and rank the other half, and the other way round; a random function ranks as well.
NDCG_n is averaged over the lists that have a document of positive gain among their first n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import films
import numpy as np
from keeping import data, keep
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import Queries, train
from ndcg_asymptotics.lists import read_qrels, read_run
from ndcg_asymptotics.measures import Measure

Floats = NDArray[np.float64]

MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(geometric(2))", "nDCG@0.2n")
RANKERS = {"RankSVM": 'pairwise("squared_hinge")', "ListNet": "listnet"}
RUNS = ("THUIRr0301", "aplrob03a", "pircRBa1", "rutcor03100")
ORDERS = 5  # random arrivals of every query
LONG = 500  # films of a MovieLens user


def robust03() -> Queries:
    """Return the queries, with the documents of all runs in the order of their names."""
    folder = data("robust03")
    qrels = read_qrels(folder / "qrels.txt.gz")
    runs = [read_run(folder / f"{name}.run.gz") for name in RUNS]
    features: list[Floats] = []
    labels: list[float] = []
    sizes, documents = [], []
    queries = sorted(qrels.keys() & set.intersection(*(set(run) for run in runs)))
    for query in queries:
        union = sorted(set().union(*(run[query] for run in runs)))
        features.append(np.hstack([of_run(run[query], union) for run in runs]))
        labels += [qrels[query].get(document, 0.0) for document in union]
        sizes.append(len(union))
        documents += union
    return Queries(np.vstack(features), np.array(labels), np.array(sizes), queries, documents)


def of_run(scores: Mapping[str, float], union: Sequence[str]) -> Floats:
    """Return features of documents in a run: retrieved or not, log rank, and the standardised score."""
    place = {name: rank for rank, name in enumerate(sorted(scores, key=lambda d: (-scores[d], d)), 1)}
    values = np.array(list(scores.values()))
    mean, deviation = values.mean(), values.std() or 1.0
    last = (values.min() - mean) / deviation
    return np.array(
        [
            [
                document in scores,
                -np.log(place.get(document, len(scores) + 1)),
                (scores[document] - mean) / deviation if document in scores else last,
            ]
            for document in union
        ]
    )


def movielens() -> Queries:
    """Return the users with long lists, films by time of rating; 4 stars and more have gains."""
    ratings = films.load()
    users = np.flatnonzero(np.bincount(ratings.user) >= LONG)
    count = int(ratings.film.max()) + 1
    kept = np.flatnonzero(np.isin(ratings.user, users))
    kept = kept[np.lexsort((ratings.time[kept], ratings.user[kept]))]
    chosen = ratings.select(kept)
    features = films.film_features(ratings, count, chosen.user, chosen.film, chosen.stars)
    labels = np.maximum(2 * chosen.stars - 7, 0)  # 4, 4.5, 5 stars: 1, 2, 3
    sizes = np.bincount(chosen.user)[users]
    return Queries(
        features, labels, sizes, [str(user) for user in users], [str(film) for film in chosen.film]
    )


def cross_fitted(queries: Queries, loss: str) -> Floats:
    """Return the scores of rankers that were trained on the other half of the queries."""
    scores = np.empty(queries.labels.size)
    for half in range(2):
        other, test = (np.arange(k, queries.count, 2) for k in (half, 1 - half))
        ranker = train(queries.select(other), loss, penalties=(1, 0.1, 0.01, 1e-3)).ranker
        scores[queries.batch.select(test)[1]] = ranker.scores(queries.select(test))
    return scores


def grown(
    queries: Queries, scores: Mapping[str, Floats], sizes: Sequence[int], orders: int
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return the mean NDCG of the first n documents and its standard error, by measure and ranker.

    ``orders`` random arrivals are averaged for every query; with 0 documents arrive in the given order.
    """
    ends = np.cumsum(queries.sizes)
    gains = np.exp2(queries.labels) - 1
    measures = [Measure.parse(text) for text in MEASURES]
    values = np.full((len(measures), len(scores), len(sizes), queries.count, max(orders, 1)), np.nan)
    spans = enumerate(zip(ends - queries.sizes, ends, strict=True))
    for query, (start, stop) in tracked(spans, "lists"):
        for arrival in range(max(orders, 1)):
            rng = np.random.default_rng([2013, query, arrival])
            came = start + (rng.permutation(stop - start) if orders else np.arange(stop - start))
            for k, n in enumerate(sizes):
                first = came[:n]
                if first.size < n or not gains[first].any():
                    continue
                for m, measure in enumerate(measures):
                    for r, score in enumerate(scores.values()):
                        values[m, r, k, query, arrival] = measure.evaluate(gains[first], score[first])
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for m, text in enumerate(MEASURES):
        found[text] = {}
        for r, name in enumerate(scores):
            rows = []
            for k in range(len(sizes)):
                here = values[m, r, k]
                means = [row[np.isfinite(row)].mean() for row in here if np.isfinite(row).any()]
                rows.append((float(np.mean(means)), float(np.std(means, ddof=1) / np.sqrt(len(means)))))
            found[text][name] = rows
    return found


def main() -> None:
    """Train, grow, and write the curves."""
    sizes = {
        "robust03": [10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500],
        "movielens": [10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500],
    }
    results = {}
    with show_progress():
        for name, load, orders in (("robust03", robust03, ORDERS), ("movielens", movielens, 0)):
            queries = load()
            scores = {ranker: cross_fitted(queries, loss) for ranker, loss in RANKERS.items()}
            scores["random"] = np.random.default_rng(4).random(queries.labels.size)
            enough = [n for n in sizes[name] if n <= queries.sizes.min()]
            curves = grown(queries, scores, enough, orders)
            results[name] = {"sizes": enough, "lists": queries.count, "curves": curves}
            for text, by_ranker in curves.items():
                for ranker, rows in by_ranker.items():
                    print(f"{name} {text:20s} {ranker:8s}", *(f"{mean:.3f}" for mean, _ in rows))
    keep("growing", {"measures": MEASURES, "data": results})


if __name__ == "__main__":
    main()
