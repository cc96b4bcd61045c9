"""Judge groups of queries: means, and how often one run is ahead, on queries that were not fitted.

`groups.py DATA`: DATA holds ``robust03`` with ``qrels.txt.gz`` and runs (examples/robust03 of trectools has
17), and, if it is to be judged as well, ``npl`` with ``doc-text.trec``, ``query-text.trec`` and ``qrels``
(share/vaswani_npl of Terrier). NPL is ranked here by BM25, TF-IDF, latent semantic indexing and a language
model. Prints two tables.

The first compares the mean NDCG of each run in lists of 1000 documents, for three measures, with the exact
mean of the mixture: of the queries that it was fitted to, and of the other half of the queries. The second
compares the share of lists in which the better run of a pair is ahead with that of simulated lists. "the
queries themselves" are the real lists of the fitted queries in place of a mixture.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import ndcg_asymptotics as na
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import Column, Table, console, general, print_blocks
from ndcg_asymptotics.lists.coupling import fit_coupling
from ndcg_asymptotics.lists.groups import choose_groups, fit_groups, group_queries
from ndcg_asymptotics.lists.growing import GrowingLists, mean_paths
from ndcg_asymptotics.lists.pooling import Pooled, pool_runs
from ndcg_asymptotics.lists.reading import read
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.mean import expected_ndcg

MEASURES = ("nDCG", "nDCG(zipf)", "nDCG@0.2n")
LENGTH = 1000
GROUPS = ("1", "8", "4x2", "auto")
EACH = "query"  # of few runs alone: a hundred curves of 17 runs take too long
FEW = 4
FIRST = ("pircRBa1", "THUIRr0301", "aplrob03a", "rutcor03100")  # the runs of docs/query-groups.md
WITHIN = 0.8  # standard errors
PAIRS = 12
LISTS = 1000
ORDERS = 5
SEED = 1
ITSELF = "the queries themselves"


@dataclass(frozen=True)
class MeanRow:
    """How near the means of some runs are to those of a mixture."""

    runs: Annotated[str, Column("runs")]
    judged: Annotated[str, Column("queries")]
    by: Annotated[str, Column("groups")]
    values: Annotated[int, Column("values", general("d"))]
    within: Annotated[float, Column(f"within {WITHIN} standard errors", general(".0%"))]
    bias: Annotated[float, Column("mean difference", general("+.4f"))]
    worst: Annotated[float, Column("largest difference", general(".3f"))]


@dataclass(frozen=True)
class AheadRow:
    """How near the shares of lists in which the better run is ahead are to those of a mixture."""

    pairs: Annotated[str, Column("pairs")]
    judged: Annotated[str, Column("queries")]
    by: Annotated[str, Column("groups")]
    values: Annotated[int, Column("values", general("d"))]
    bias: Annotated[float, Column("mean difference", general("+.3f"))]
    size: Annotated[float, Column("root mean square", general(".3f"))]
    spread: Annotated[float, Column("standard deviation, model over real", general(".2f"))]


def robust(data: Path) -> dict[str, Any]:
    """Return the runs of TREC 2003 Robust by name."""
    files = sorted((data / "robust03").glob("*.run.gz"))
    return {path.name.removesuffix(".run.gz"): read(path, "score") for path in files}


def npl(data: Path) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Return four rankings of all documents of the NPL collection, and its judgements."""
    from scipy import sparse
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    folder = data / "npl"
    found = re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", (folder / "doc-text.trec").read_text(), re.S)
    asked = re.findall(
        r"<num>(\d+)</num><title>(.*?)</title>", (folder / "query-text.trec").read_text(), re.S
    )
    names, texts = [name for name, _ in found], [text for _, text in found]
    # words of three letters or more, cut to six: a stem that is good enough here
    counter = CountVectorizer(analyzer=lambda text: [w[:6] for w in re.findall("[a-z]{3,}", text.lower())])
    counts = counter.fit_transform(texts).tocsr().astype(float)
    queries = counter.transform([text for _, text in asked]).astype(float)
    number, words = counts.shape[0], np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    length = np.asarray(counts.sum(axis=1)).ravel()
    holding = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1 + (number - holding + 0.5) / (holding + 0.5))

    def with_values(values: Floats) -> Any:
        return sparse.csr_matrix((values, counts.indices, counts.indptr), counts.shape)

    saturation = counts.data + 1.2 * (0.25 + 0.75 * length[words] / length.mean())
    bm25 = queries @ with_values(2.2 * counts.data / saturation * idf[counts.indices]).T
    transformer = TfidfTransformer(sublinear_tf=True).fit(counts)
    documents, weighted = transformer.transform(counts), transformer.transform(queries)
    reduction = TruncatedSVD(150, random_state=SEED).fit(documents)
    reduced = reduction.transform(documents)
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True) + 1e-12
    prior = 200 * np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    language = (queries @ with_values(np.log1p(counts.data / prior[counts.indices])).T).toarray()
    language += np.asarray(queries.sum(axis=1)) * np.log(200 / (200 + length))
    scores = {
        "bm25": bm25.toarray(),
        "tfidf": (weighted @ documents.T).toarray(),
        "lsi": reduction.transform(weighted) @ reduced.T,
        "language": language,
    }
    runs = {
        run: {q: dict(zip(names, row.tolist(), strict=True)) for (q, _), row in zip(asked, rows, strict=True)}
        for run, rows in scores.items()
    }
    judgements: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels").read_text().splitlines():
        query, _, document, label = line.split()
        judgements.setdefault(query, {})[document] = float(label)
    return runs, judgements


def halves(count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the queries to fit and those to judge, both ways round."""
    order = np.random.default_rng(SEED).permutation(count).tolist()
    yield order[: count // 2], order[count // 2 :]
    yield order[count // 2 :], order[: count // 2]


def exact_means(documents: Pooled, by: str) -> Floats:
    """Return the exact means of the mixture, (runs, measures)."""
    mixtures = fit_groups(documents.lists(), by, resamples=1).values()
    found = [[expected_ndcg(of_run.relevance, m, LENGTH).value[0] for m in MEASURES] for of_run in mixtures]
    return np.array(found)


def simulated_gap(documents: Pooled, by: str, length: int) -> Floats:
    """Return NDCG of the first run minus that of the second in lists from the mixture."""
    lists = documents.lists()
    by = choose_groups(lists) if by == "auto" else by
    coupling = fit_coupling(lists, groups=group_queries(lists, by), resamples=2).text
    scorers = {name: fitted.relevance for name, fitted in fit_groups(lists, by, resamples=1).items()}
    study = na.Study(
        scorers=scorers, measures="nDCG", n=[length], replicates=LISTS, seed=SEED, coupling=coupling
    )
    a, b = na.run(study, jobs=1).data["ndcg"].transpose("scorer", ...).values
    return np.asarray(a - b).ravel()


def real(documents: Pooled, length: int, measures: tuple[str, ...]) -> Floats:
    """Return NDCG of real lists, (queries, orders, runs, measures)."""
    parsed = tuple(Measure.of(measure) for measure in measures)
    one = [GrowingLists(documents, length, 1, SEED + order) for order in range(ORDERS)]
    found = [mean_paths(arrivals, parsed, np.array([length]))[..., 0] for arrivals in one]
    return np.stack(found, axis=1)


def of_indices(documents: Pooled, indices: list[int]) -> Pooled:
    """Return the same runs on some of the queries."""
    return documents.of_queries(tuple(documents.queries[i] for i in sorted(indices)))


def long_enough(documents: Pooled, length: int) -> Pooled:
    """Return the queries with at least this number of documents."""
    return of_indices(documents, np.flatnonzero(documents.sizes >= length).tolist())


def mean_rows(
    documents: Pooled, classes: Mapping[str, list[int]], groups: tuple[str, ...] = GROUPS
) -> list[MeanRow]:
    """Return the first table; ``classes`` has the indices of runs by what they are called."""
    values = real(documents, LENGTH, MEASURES).mean(axis=1)
    found: dict[tuple[str, str], list[tuple[Floats, Floats]]] = {}

    def add(judged: str, by: str, means: Floats, queries: list[int]) -> None:
        error = values[queries].std(axis=0, ddof=1) / np.sqrt(len(queries))
        found.setdefault((judged, by), []).append((means - values[queries].mean(axis=0), error))

    everything = list(range(len(values)))
    for by in groups:
        add("fitted", by, exact_means(documents, by), everything)
    for fitted, others in halves(len(values)):
        add("other half", ITSELF, values[fitted].mean(axis=0), others)
        for by in groups:
            add("other half", by, exact_means(of_indices(documents, fitted), by), others)
    rows = []
    for name, runs in classes.items():
        for (judged, by), parts in found.items():
            difference, error = (np.array([part[i][runs] for part in parts]) for i in (0, 1))
            within = float(np.mean(np.abs(difference) <= WITHIN * error))
            worst = float(np.abs(difference).max())
            rows.append(MeanRow(name, judged, by, difference.size, within, float(difference.mean()), worst))
    return rows


def ahead_rows(name: str, pairs: list[Pooled], length: int) -> list[AheadRow]:
    """Return the second table for the log discount over the whole list."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for documents in pairs:
        values = real(documents, length, ("nDCG",))[..., 0]
        gap = values[..., 0] - values[..., 1]

        def add(judged: str, by: str, model: Floats, queries: Any, sign: float, gap: Floats = gap) -> None:
            difference = share(sign * model) - share(sign * gap[queries])
            found.setdefault((judged, by), []).append((difference, model.std() / gap[queries].std()))

        for by in GROUPS:
            add("fitted", by, simulated_gap(documents, by, length), slice(None), np.sign(gap.mean()))
        for fitted, others in halves(len(gap)):
            sign = np.sign(gap[fitted].mean())
            add("other half", ITSELF, gap[fitted], others, sign)
            for by in GROUPS:
                add("other half", by, simulated_gap(of_indices(documents, fitted), by, length), others, sign)
    return [
        AheadRow(
            name,
            judged,
            by,
            len(parts),
            float(np.mean([d for d, _ in parts])),
            float(np.sqrt(np.mean([d * d for d, _ in parts]))),
            float(np.mean([s for _, s in parts])),
        )
        for (judged, by), parts in found.items()
    ]


def share(gap: Floats) -> float:
    """Return the share of lists in which the first run is ahead; a tie counts as half."""
    return float(np.mean((gap > 0) + 0.5 * (gap == 0)))


def main(data: Path) -> None:
    """Print both tables."""
    runs, judgements = robust(data), read(data / "robust03" / "qrels.txt.gz", "label")
    binary = judgements.with_values((judgements.values >= 1).astype(float))
    documents = long_enough(pool_runs(runs, binary), LENGTH)
    classes = {
        "robust03, four runs": [i for i, run in enumerate(runs) if run in FIRST],
        "robust03, the others": [i for i, run in enumerate(runs) if run not in FIRST],
    }
    groups = (*GROUPS, EACH) if len(runs) <= FEW else GROUPS
    means = mean_rows(documents, {name: found for name, found in classes.items() if found}, groups)
    of_npl, judged = npl(data) if (data / "npl").is_dir() else ({}, {})
    if of_npl:
        everything = pool_runs(of_npl, judged)
        means += mean_rows(everything, {"NPL": list(range(len(of_npl)))}, (*GROUPS, EACH))
    print_blocks([Table.of("Means of mixtures and of real lists", MeanRow, means)], console())
    # runs with a few documents per query have no ranking of a thousand
    deep = [name for name, run in runs.items() if len(run) > 500 * len(run.queries)]
    every = list(combinations(deep, 2))
    chosen = [every[i] for i in np.random.default_rng(SEED).permutation(len(every))[:PAIRS]]
    robust_pairs = [pool_runs({name: runs[name] for name in pair}, binary) for pair in chosen]
    ahead = ahead_rows("robust03, n = 1000", [long_enough(pair, 1000) for pair in robust_pairs], 1000)
    if of_npl:
        both = [pool_runs({name: of_npl[name] for name in pair}, judged) for pair in combinations(of_npl, 2)]
        ahead += ahead_rows("NPL, n = 3000", both, 3000)
    print_blocks([Table.of("Lists in which the better run is ahead", AheadRow, ahead)], console())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
