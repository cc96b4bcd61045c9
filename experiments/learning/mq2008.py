"""Compare each surrogate with its NDCG-consistent version on LETOR 4.0 MQ2008: NDCG@1 … 10, five folds.

For every fold the penalty is chosen on its validation part by NDCG@10, for which the consistent losses are
normalised; the five test parts together hold each of the 784 queries once. Differences are tested by
permuting the two rankers within queries, all ten cutoffs at once (by the largest |mean difference| in
standard deviations).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from keeping import data, keep
from numpy.typing import NDArray

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import Queries, read_svmlight, train
from ndcg_asymptotics.lists import evaluate

LOSSES = (
    "squared",
    "squared_consistent",
    "cosine",
    "cosine_consistent",
    "listnet",
    "listnet_consistent",
    "pnorm_normalised(1.25)",
    "order_preserving",
    'pairwise("squared_hinge")',
    'pairwise("logistic")',
    "linear_ndcg",
    "listmle",
    "approx_ndcg",
    "lambdarank",
)
# Buffoni et al. (2011): the preorder loss as it is, normalised by query, with weights 2^a - 2^b, and both;
# and the order-preserving loss with the gains, which is consistent for DCG
PREORDER = 'pairwise("squared_hinge")'
TUNED = (
    'pairwise("squared_hinge", "order", "mean")',
    'pairwise("squared_hinge", "gain")',
    'pairwise("squared_hinge", "gain", "mean")',
)
FOR_DCG = "order_preserving, DCG"
EVERY = (*LOSSES, *TUNED, FOR_DCG)
PAIRS = (
    ("squared_consistent", "squared"),
    ("cosine_consistent", "cosine"),
    ("listnet_consistent", "listnet"),
    ("pnorm_normalised(1.25)", "cosine_consistent"),
    ("order_preserving", PREORDER),
    (FOR_DCG, PREORDER),
    *((tuned, PREORDER) for tuned in TUNED),
)
CUTOFFS = range(1, 11)
PERMUTATIONS = 20_000


def main() -> None:
    """Train five folds, and write NDCG by query and the tests."""
    trained = {FOR_DCG: ("order_preserving", "DCG@10")}
    keep("mq2008", compared({text: trained.get(text, (text, "nDCG@10")) for text in EVERY}, PAIRS))


def compared(losses: Mapping[str, tuple[str, str]], pairs: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Return NDCG of rankers that five folds train, and tests of the differences of pairs.

    Parameters
    ----------
    losses : mapping of name to (loss, measure)
        The measure is that which the loss is a surrogate for and by which the penalty is chosen.
    pairs : sequence of (name, name)
    """
    folder = data("letor_mq2008")
    parts = [read_svmlight(folder / f"S{k}.txt.gz") for k in range(1, 6)]
    measures = [f"nDCG@{k}" for k in CUTOFFS]
    values: dict[str, list[NDArray[np.float64]]] = {name: [] for name in losses}
    penalties: dict[str, list[float]] = {name: [] for name in losses}
    with show_progress():
        for fold in tracked(range(5), "folds"):
            first, second, third, held, test = (parts[(fold + k) % 5] for k in range(5))
            training = joined([first, second, third])
            for name, (loss, measure) in tracked(losses.items(), "losses"):
                ranker = train(training, loss, validation=held, measure=measure).ranker
                penalties[name].append(ranker.penalty)
                values[name].append(evaluate(ranker.run(test), test.qrels(), measures).values)
    by_query = {name: np.vstack(found) for name, found in values.items()}
    tests = {f"{a} - {b}": permutation_test(by_query[a] - by_query[b]) for a, b in pairs}
    means = {name: found.mean(axis=0).tolist() for name, found in by_query.items()}
    errors = {t: (v.std(axis=0, ddof=1) / np.sqrt(len(v))).tolist() for t, v in by_query.items()}
    for name, mean in means.items():
        print(f"{name:28s}", *(f"{m:.4f}" for m in mean))
    for pair, tested in tests.items():
        print(f"{pair:60s}", tested)
    return {
        "losses": list(losses),
        "queries": sum(part.count for part in parts),
        "means": means,
        "errors": errors,
        "tests": tests,
        "penalties": penalties,
    }


def joined(parts: list[Queries]) -> Queries:
    """Return several sets of queries as one."""
    return Queries(
        np.vstack([p.features for p in parts]),
        np.concatenate([p.labels for p in parts]),
        np.concatenate([p.sizes for p in parts]),
        [n for p in parts for n in p.names],
        [d for p in parts for d in p.documents],
    )


def permutation_test(difference: NDArray[np.float64]) -> dict[str, object]:
    """Return mean differences, their standard errors, and p-values for all cutoffs together and each."""
    rng = np.random.default_rng(2008)
    scale = np.sqrt((difference**2).sum(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    seen = np.abs(difference.sum(axis=0)) / scale
    signs = rng.choice([-1.0, 1.0], (PERMUTATIONS, len(difference)))
    drawn = np.abs(signs @ difference) / scale
    p = (1 + (drawn.max(axis=1) >= seen.max()).sum()) / (1 + PERMUTATIONS)
    single = (1 + (drawn >= seen).sum(axis=0)) / (1 + PERMUTATIONS)
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(difference))
    return {
        "mean": difference.mean(axis=0).tolist(),
        "error": error.tolist(),
        "p": float(p),
        "p_by_cutoff": single.tolist(),
    }


if __name__ == "__main__":
    main()
