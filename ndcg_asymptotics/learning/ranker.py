"""Linear rankers, trained with any loss on queries in memory or in SVMlight files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import read_file
from ndcg_asymptotics.core.progress import task, tracked
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.learning.linear import LinearScorer
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.learning.queries import Queries, read_svmlight
from ndcg_asymptotics.learning.utilities import Discounted, Utility, utility_of
from ndcg_asymptotics.lists import Run, evaluate, write_qrels, write_run
from ndcg_asymptotics.lists.writing import write_into_folder
from ndcg_asymptotics.measures.gains import Gain

PENALTIES = tuple(10.0**k for k in range(1, -7, -1))
"""The default penalties, for standardised features."""

_MAX_FILE_BYTES = 2**26  # 64 MB hold the weights of more features than `LARGEST_FEATURE`


@dataclass(frozen=True, repr=False)
class Ranker(Report):
    """A linear scorer ``s = intercept + <weights, features>``.

    Attributes
    ----------
    weights : (d,)
        0 for features that were constant in training.
    intercept : float
    loss : Loss
    utility : Utility
        The measure by which the penalty was chosen.
    penalty : float
    tried : tuple of (penalty, mean of the measure on the validation queries)
    iterations : int
        The iterations for the chosen penalty; 0 for a quadratic loss, which has a closed form.
    converged : bool
    """

    weights: Floats
    intercept: float
    loss: Loss
    utility: Utility
    penalty: float
    tried: tuple[tuple[float, float | None], ...]
    iterations: int
    converged: bool

    def scores(self, queries: Queries) -> Floats:
        """Return the scores of all documents, (n,).

        Raises
        ------
        InputError
            If the queries have another number of features.
        """
        width = queries.features.shape[1]
        require(
            width == self.weights.size, f"the ranker has {self.weights.size} features, the queries {width}"
        )
        return np.asarray(self.intercept + queries.features @ self.weights)

    def run(self, queries: Queries) -> Run:
        """Return the scores as a run, query -> document -> score, which `evaluate` takes."""
        return queries.run(self.scores(queries))

    def save(self, path: Path | str) -> None:
        """Write the ranker and its training history as JSON.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        write_into_folder(path, json.dumps(self.as_dict(), indent=2) + "\n")

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Return a ranker that `save` wrote.

        Raises
        ------
        InputError
            If the file cannot be read or holds no ranker.
        """
        try:
            given = json.loads(read_file(Path(path), _MAX_FILE_BYTES))
            return cls(
                np.array(given["weights"], np.float64), float(given["intercept"]), Loss.of(given["loss"]),
                utility_of(given["measure"], given["gain"]), given["penalty"],
                tuple((p, v) for p, v in given["tried"]), given["iterations"], given["converged"],
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: holds no ranker ({' '.join(str(error).split())})") from None

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON."""
        return {
            "loss": str(self.loss), "measure": str(self.utility), "gain": self.utility.gain,
            "penalty": self.penalty, "tried": [list(pair) for pair in self.tried],
            "iterations": self.iterations, "converged": self.converged,
            "intercept": self.intercept, "weights": self.weights.tolist(),
        }  # fmt: skip

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of the penalties tried, and the chosen one."""
        columns = Column("penalty", general("g")), Column(f"{self.utility}, validation", fixed(4))
        yield Table(f"{self.loss}", columns, self.tried)
        closed = self.loss.curvature is not None
        how = "in closed form" if closed else f"{self.iterations} iterations"
        yield Line(f"Penalty {self.penalty:g}, {how}{'' if self.converged else '; NOT converged'}.")


def train_ranker(
    train: Queries,
    loss: Loss | str,
    *,
    validation: Queries | None = None,
    measure: Utility | str = "nDCG",
    gain: Gain = "exp2",
    penalties: Sequence[float] = PENALTIES,
    seed: int = 0,
) -> Ranker:
    """Minimise the mean loss of a linear scorer plus ``penalty/2 |weights|²`` (see `learning.linear`).

    Features are standardised (constant ones get the weight 0) and the intercept is not penalised. For a
    scale-invariant loss the intercept is 1 in standardised features, since only the size of the weights
    relative to it matters. The chosen penalty is the one with the largest mean of ``measure`` on the
    validation queries. The optimisation for each penalty starts at the solution for the one before it.

    Parameters
    ----------
    train : Queries
    loss : Loss or str
    validation : Queries, optional
        By default a quarter of the training queries, drawn with ``seed`` and left out of training. With a
        single penalty no validation queries are needed or drawn.
    measure : Utility or str
        DCG or NDCG: the measure that the loss is a surrogate for and by which the penalty is chosen.
    gain : {"exp2", "linear"}
    penalties : sequence of float
        The penalties to try, at least 0.

    Raises
    ------
    InputError
        If the loss is 0 for every query or every feature is constant; and as `Loss.on`.

    >>> from ndcg_asymptotics.learning import TwoReaders
    >>> ranker = train_ranker(TwoReaders().draw(500), "squared_consistent", penalties=[0])
    >>> bool(ranker.weights[0] > ranker.weights[1]), ranker.converged
    (True, True)
    """
    loss, utility = Loss.of(loss), utility_of(measure, gain)
    if not isinstance(utility, Discounted):
        raise InputError(f"must be DCG or NDCG, got {utility}", "measure")
    strengths = sorted({float(p) for p in penalties}, reverse=True)
    require(
        bool(strengths) and strengths[-1] >= 0, f"must be numbers >= 0, got {list(penalties)}", "penalties"
    )
    if validation is None and len(strengths) > 1:
        needed = "a single query leaves none to choose the penalty by: give validation queries or one penalty"
        require(train.count > 1, needed)
        train, validation = train.split(0.75, seed)
    problem = LinearScorer(train, loss, utility)
    w: Floats | None = None
    tried: list[tuple[float, float | None]] = []
    best: tuple[float, Floats, float, int, bool] | None = None
    for penalty in tracked(strengths, f"{loss}, penalties"):
        with task(f"penalty {penalty:g}, iterations") as bar:
            w, iterations, converged = problem.minimise(penalty, w, bar.update)
        value = (
            None if validation is None else mean_utility(validation, problem.scores(validation, w), utility)
        )
        tried.append((penalty, value))
        if best is None or (value is not None and value > best[0]):
            best = value or 0.0, w, penalty, iterations, converged
    assert best is not None
    weights, intercept = problem.unscaled(best[1])
    return Ranker(weights, intercept, loss, utility, best[2], tuple(tried), best[3], best[4])


def mean_utility(queries: Queries, scores: Floats, utility: Discounted) -> float:
    """Return the mean of DCG or NDCG over queries; documents of equal score keep their order.

    >>> queries = Queries([[1.0], [2.0]], [1, 0], [2])  # one query of two documents
    >>> mean_utility(queries, np.array([1.0, 2.0]), utility_of("nDCG(zipf)"))
    0.5
    """
    total = 0.0
    for block in queries.batch.blocks:
        order = np.argsort(-scores[block.items], axis=1, kind="stable")
        value = utility.standardised(queries.labels[block.items])
        ranked = np.take_along_axis(value, order, axis=1)
        total += float((ranked @ utility.weights(block.items.shape[1])).sum())
    return total / queries.count


@dataclass(frozen=True, repr=False)
class Trained(Report):
    """The outcome of `train_files`.

    Attributes
    ----------
    ranker : Ranker
    queries : int
        The number of training queries, including those of a validation split.
    training : float
        The mean of the measure on the training queries.
    test : float, or None
        The mean of the measure on the test queries, as `evaluate` gives it.
    test_queries : int
        The number of test queries.
    """

    ranker: Ranker
    queries: int
    training: float
    test: float | None
    test_queries: int

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON."""
        means = {"training": self.training, "test": self.test}
        counts = {"training_queries": self.queries, "test_queries": self.test_queries}
        return self.ranker.as_dict() | means | counts

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the report of the ranker, and the means."""
        yield from self.ranker.blocks()
        yield Line(f"{self.ranker.utility}: {self.training:.4f} on the {self.queries} training queries.")
        if self.test is not None:
            yield Line(f"{self.ranker.utility}: {self.test:.4f} on the {self.test_queries} test queries.")


def train_files(
    train: Sequence[Path | str],
    loss: Loss | str,
    *,
    validation: Sequence[Path | str] = (),
    test: Sequence[Path | str] = (),
    measure: str = "nDCG",
    gain: Gain = "exp2",
    penalties: Sequence[float] | None = None,
    seed: int = 0,
    model: Path | str | None = None,
    run: Path | str | None = None,
    qrels: Path | str | None = None,
) -> Trained:
    """Train a ranker on SVMlight files; write it, and its run and the gains of the test queries.

    Parameters
    ----------
    train, validation, test : sequence of path
    loss, measure, gain, penalties, seed
        As in `train_ranker`.
    model, run, qrels : path, optional
        The files to write: the ranker (JSON), the test scores and the test gains (TREC). `evaluate` with
        the last two reproduces ``test``.

    Raises
    ------
    InputError
        As `read_svmlight` and `train_ranker`; nothing is written in this case.
    """
    require(bool(test) or (run is None and qrels is None), "needs test files", "run" if run else "qrels")
    for path in [Path(given) for given in (model, run, qrels) if given is not None]:  # before the training
        possible = path.parent.is_dir() and not path.is_dir()
        require(possible, f"{path}: cannot be written, it must be a file in a folder that exists")
    loss = Loss.of(loss)
    queries, held, tested = (read_svmlight(*paths) if paths else None for paths in (train, validation, test))
    assert queries is not None
    width = max(q.features.shape[1] for q in (queries, held, tested) if q is not None)
    queries, held, tested = (None if q is None else q.with_width(width) for q in (queries, held, tested))
    assert queries is not None
    chosen = PENALTIES if penalties is None else penalties
    try:
        ranker = train_ranker(
            queries, loss, validation=held, measure=measure, gain=gain, penalties=chosen, seed=seed
        )  # fmt: skip
    except InputError as error:
        if error.argument in ("measure", "penalties"):
            raise
        raise InputError(f"{', '.join(map(str, train))}: {error}") from None
    assert isinstance(ranker.utility, Discounted)
    mean = None
    if tested is not None:
        scored = ranker.run(tested)
        mean = float(evaluate(scored, tested.qrels(gain), ranker.utility.measure).mean[0])
        if run is not None:
            write_run(scored, run, ranker.loss.keyword)
        if qrels is not None:
            write_qrels(tested.qrels(gain), qrels)
    if model is not None:
        ranker.save(model)
    training = mean_utility(queries, ranker.scores(queries), ranker.utility)
    return Trained(ranker, queries.count, training, mean, 0 if tested is None else tested.count)
