"""Linear rankers, trained with any loss on queries in memory or in SVMlight files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief, floats, instance_of, random_generator, standard_error
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of, paths_of, read_file
from ndcg_asymptotics.core.progress import task, tracked
from ndcg_asymptotics.core.rows import Column, Data, computed_value, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.learning.linear import LinearScorer, Minimum
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.learning.queries import Queries, read_svmlight
from ndcg_asymptotics.learning.utilities import Discounted, Utility, utility_of
from ndcg_asymptotics.lists import Run, evaluate, write_qrels, write_run
from ndcg_asymptotics.lists.writing import write_output
from ndcg_asymptotics.measures.gains import Gain

PENALTIES = tuple(10.0**k for k in range(4, -7, -1))
"""The default penalties, for standardised features."""

LARGEST_PENALTY = 1e100
"""The greatest penalty: its square is a double."""

_FOLDS = 5
_AS_THEY_ARE = ("penalty", "folds", "iterations", "converged")  # fields of a ranker, in its file
_MAX_FILE_BYTES = 2**26  # 64 MB hold the weights of more features than `LARGEST_FEATURE`


@dataclass(frozen=True)
class Tried:
    """A penalty and what it achieves on queries that were not trained on.

    Attributes
    ----------
    penalty : float
    mean : float, or None
        The mean of the measure over these queries; None if there were none.
    error : float, or None
        Its standard error over queries; None for less than two queries.
    below, below_error : float, or None
        How far the mean is below that of the best penalty, and the standard error of this difference, which
        is over the same queries.
    """

    penalty: Annotated[float, Column("penalty", general("g"))]
    mean: Annotated[float | None, Column("mean", fixed(4))] = None
    error: Annotated[float | None, Column("±", fixed(4))] = None
    below: Annotated[float | None, Column("below the best", fixed(4))] = None
    below_error: Annotated[float | None, Column("±", fixed(4))] = None

    @property
    def near(self) -> bool:
        """Whether the penalty is within one standard error of the best."""
        return (self.below or 0.0) <= (self.below_error or 0.0)


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
    tried : tuple of Tried
        From the largest penalty to the smallest.
    folds : int
        The number of folds of the cross-validation; 0 with validation queries, or a single penalty.
    iterations : int
        The iterations for the chosen penalty; 0 for a quadratic loss, which has a closed form.
    converged : bool
    """

    weights: Floats
    intercept: float
    loss: Annotated[Loss, Data(text=True)]
    utility: Annotated[Utility, Data("measure", text=True)]
    penalty: float
    tried: tuple[Tried, ...]
    folds: int
    iterations: int
    converged: bool

    @computed_value(Data())
    def gain(self) -> Gain:
        """The gain of a label."""
        return self.utility.gain

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
        """Write the ranker and its training history as JSON, into a new folder if there is none.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        write_output(path_of(path, "path"), f"{json.dumps(self.as_dict(), indent=2)}\n".encode())

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Return a ranker that `save` wrote.

        Raises
        ------
        InputError
            If the file cannot be read or holds no ranker.
        """
        try:
            fields = json.loads(read_file(Path(path), _MAX_FILE_BYTES))
            return cls(
                weights=np.array(fields["weights"], np.float64),
                intercept=float(fields["intercept"]),
                loss=Loss.of(fields["loss"]),
                utility=utility_of(fields["measure"], fields["gain"]),
                tried=tuple(Tried(**row) for row in fields["tried"]),
                **{name: fields[name] for name in _AS_THEY_ARE},
            )
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: holds no ranker ({' '.join(str(error).split())})") from None

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table of the penalties tried, and the chosen one."""
        method = f"{self.folds}-fold cross-validation" if self.folds else "validation"
        yield Table.of(f"{self.loss}", Tried, self.tried, mean=f"{self.utility}, {method}")
        closed = self.loss.curvature is not None
        how = "in closed form" if closed else f"{self.iterations} iterations"
        yield Line(f"Penalty {self.penalty:g}, {how}{'' if self.converged else '; NOT converged'}.")
        if len(self.tried) > 1:
            yield Line(self._choice())

    def _choice(self) -> str:
        """Return how the penalty was chosen, and whether others do as well."""
        near = [row for row in self.tried if row.near]
        best = next(row for row in near if row.below == 0)
        best_penalty = f"The best penalty is {best.penalty:g}, {_with_error(best.mean, best.error)}"
        if len(near) == 1:
            return f"{best_penalty}; no other is within one standard error of it."
        return (
            f"{best_penalty}. {len(near)} of {len(self.tried)} penalties are within one standard error of "
            "it, so the choice among them is within noise; the largest is taken."
        )


def _trained(
    queries: Queries,
    loss: Loss,
    validation: Queries | None,
    utility: Discounted,
    penalties: Sequence[float],
    seed: int,
) -> Ranker:
    """Return the ranker with the largest penalty within one standard error of the best."""
    strengths = floats(penalties, "penalties").ravel()
    proper = strengths.size > 0 and bool(((strengths >= 0) & (strengths <= LARGEST_PENALTY)).all())
    require(proper, f"must be numbers from 0 to {LARGEST_PENALTY:g}, got {brief(penalties)}", "penalties")
    decreasing = sorted({*strengths.tolist()}, reverse=True)
    scorer, folds, label = LinearScorer(queries, loss, utility), 0, f"{loss}, penalties"
    if validation is None and len(decreasing) > 1:
        alone = "a single query leaves none to choose the penalty by: give validation queries or one penalty"
        require(queries.count > 1, alone)
        folds = min(_FOLDS, queries.count)
        tried = _cross_validated(queries, loss, utility, decreasing, folds, seed)
        minimum = [*_path(scorer, decreasing[: _chosen(tried) + 1], label)][-1]
    else:
        minima = [*_path(scorer, decreasing, label)]
        tried = tuple(map(Tried, decreasing))
        if validation is not None:
            scores = [scorer.scores(validation, minimum.weights) for minimum in minima]
            values = np.array([utility_values(validation, of_penalty, utility) for of_penalty in scores])
            tried = _compared(decreasing, values)
        minimum = minima[_chosen(tried)]
    weights, intercept = scorer.unscaled(minimum.weights)
    return Ranker(
        weights=weights,
        intercept=intercept,
        loss=loss,
        utility=utility,
        penalty=tried[_chosen(tried)].penalty,
        tried=tried,
        folds=folds,
        iterations=minimum.iterations,
        converged=minimum.converged,
    )


def _path(problem: LinearScorer, penalties: Sequence[float], label: str) -> Iterator[Minimum]:
    """Yield the minimum for each penalty, each from the one before it."""
    w: Floats | None = None
    for penalty in tracked(penalties, label):
        with task(f"penalty {penalty:g}, iterations") as bar:
            minimum = problem.minimise(penalty, w, bar.update)
        w = minimum.weights
        yield minimum


def _cross_validated(
    train: Queries, loss: Loss, utility: Discounted, penalties: Sequence[float], folds: int, seed: int
) -> tuple[Tried, ...]:
    """Return what the penalties achieve on each fold of the queries if the others are trained on."""
    values = np.empty((len(penalties), train.count))
    fold = random_generator(seed).permutation(train.count) % folds
    for number in range(folds):
        held_out = train.select(np.flatnonzero(fold == number))
        try:
            problem = LinearScorer(train.select(np.flatnonzero(fold != number)), loss, utility)
        except InputError as error:
            left = f"{folds - 1} of {folds} parts of the queries are too few to train on ({error})"
            raise InputError(f"{left}: give validation queries or one penalty") from None
        label = f"{loss}, fold {number + 1} of {folds}, penalties"
        for p, minimum in enumerate(_path(problem, penalties, label)):
            scores = problem.scores(held_out, minimum.weights)
            values[p, fold == number] = utility_values(held_out, scores, utility)
    return _compared(penalties, values)


def _compared(penalties: Sequence[float], values: Floats) -> tuple[Tried, ...]:
    """Return penalties with their values (penalties, queries), compared with those of the best."""
    best = values[np.argmax(values.mean(axis=1))]
    return tuple(
        Tried(penalty, *mean_and_error(row), *mean_and_error(best - row))
        for penalty, row in zip(penalties, values, strict=True)
    )


def _chosen(tried: Sequence[Tried]) -> int:
    """Return which penalty is the largest within one standard error of the best."""
    return next(at for at, row in enumerate(tried) if row.near)


def _with_error(mean: float | None, error: float | None) -> str:
    return f"{mean:.4f}" if error is None else f"{mean:.4f} ± {error:.4f}"


def utility_values(queries: Queries, scores: Floats, utility: Discounted) -> Floats:
    """Return DCG or NDCG of each query, (Q,); documents of equal score keep their order.

    >>> queries = Queries([[1.0], [2.0]], [1, 0], [2])  # one query of two documents
    >>> utility_values(queries, np.array([1.0, 2.0]), utility_of("nDCG(zipf)"))
    array([0.5])
    """
    queries, utility = instance_of(queries, Queries, "queries"), instance_of(utility, Discounted, "utility")
    scores = queries.batch.check_scores(scores)
    values = np.empty(queries.count)
    for block in queries.batch.blocks:
        order = np.argsort(-scores[block.items], axis=1, kind="stable")
        shares = utility.standardised(queries.labels[block.items])
        ranked = np.take_along_axis(shares, order, axis=1)
        values[block.lists] = ranked @ utility.weights(block.items.shape[1])
    return values


def mean_and_error(values: Floats) -> tuple[float, float | None]:
    """Return the mean of the values of queries and its standard error; None for a single query."""
    error = float(standard_error(values)) if values.size > 1 else None
    return float(values.mean()), error


@dataclass(frozen=True, repr=False)
class Trained(Report):
    """The outcome of `train`.

    Attributes
    ----------
    ranker : Ranker
    queries : int
        The number of training queries, including those of a validation split.
    training : float
        The mean of the measure on the training queries.
    test : float, or None
        The mean of the measure on the test queries, as `evaluate` gives it.
    test_error : float, or None
        Its standard error over queries.
    test_queries : int
        The number of test queries.
    """

    ranker: Annotated[Ranker, Data(inline=True)]
    queries: Annotated[int, Data("training_queries")]
    training: float
    test: float | None
    test_error: float | None
    test_queries: int

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the means, and the report of the ranker."""
        if self.test is not None:
            test = _with_error(self.test, self.test_error)
            yield Line(f"{self.ranker.utility}: {test} on the {self.test_queries} test queries.")
        yield Line(f"{self.ranker.utility}: {self.training:.4f} on the {self.queries} training queries.")
        yield from self.ranker.blocks()


def train(
    queries: Queries | Path | str | Sequence[Path | str],
    loss: Loss | str,
    *,
    validation: Queries | Path | str | Sequence[Path | str] = (),
    test: Queries | Path | str | Sequence[Path | str] = (),
    measure: Utility | str = "nDCG",
    gain: Gain = "exp2",
    penalties: Sequence[float] | None = None,
    seed: int = 0,
    out: Path | str | None = None,
) -> Trained:
    """Train a ranker and evaluate it; write it, and its run and the gains of the test queries.

    The mean loss of a linear scorer plus ``penalty/2 |weights|²`` is minimised (see `learning.linear`).
    Features are standardised (constant ones get the weight 0) and the intercept is not penalised. For a
    scale-invariant loss the intercept is 1 in standardised features, since only the size of the weights
    relative to it matters. The optimisation for each penalty starts at the solution for the one before it.

    The chosen penalty is the largest one whose mean of ``measure`` is within one standard error of the
    largest mean (the rule of Breiman et al. 1984, section 3.4.3, with the error of the difference, which is
    over the same queries). Means are over queries that were not trained on: the validation queries, or all
    queries by cross-validation with five folds of queries.

    Parameters
    ----------
    queries, validation, test : Queries, path, or several paths
        SVMlight files are read with `read_svmlight`. Without validation queries the penalty is chosen by
        cross-validation; a single penalty needs neither.
    loss : Loss or str
    measure : Utility or str
        DCG or NDCG: the measure that the loss is a surrogate for and by which the penalty is chosen.
    gain : {"exp2", "linear"}
    penalties : sequence of float, optional
        The penalties to try, at least 0.
    seed : int
        Of the random folds.
    out : path, optional
        The folder to write ``ranker.json`` into, which `Ranker.load` reads, and of test files the TREC files
        ``test.run`` and ``test.qrels`` with the scores and the gains, of which `evaluate` gives ``test``.

    Raises
    ------
    InputError
        If the loss is 0 for every query, every feature is constant, or too few queries are left to choose the
        penalty by; and as `read_svmlight` and `Loss.on`. Nothing is written in this case.

    >>> rng = np.random.default_rng(1)
    >>> features = rng.normal(size=(40, 2))
    >>> queries = Queries(features, (features[:, 0] > 0) * 1.0, np.full(8, 5))
    >>> trained = train(queries, "squared", test=queries, penalties=[0.01])
    >>> trained.test_queries, trained.test > 0.9
    (8, True)
    >>> bool(trained.ranker.weights[0] > abs(trained.ranker.weights[1])), trained.ranker.converged
    (True, True)
    """
    test_queries = _queries_of(test, "test", gain)
    folder = None if out is None else path_of(out, "out")
    if folder is not None:  # before the training
        require(folder.is_dir() or not folder.exists(), f"{folder}: is a file, expected a folder", "out")
    loss, utility = Loss.of(loss), utility_of(measure, gain)
    if not isinstance(utility, Discounted):
        raise InputError(f"must be DCG or NDCG, got {utility}", "measure")
    training = _queries_of(queries, "queries", gain)
    validating = _queries_of(validation, "validation", gain)
    if training is None:
        raise InputError("needs files or queries", "queries")
    width = max(q.features.shape[1] for q in (training, validating, test_queries) if q is not None)
    training = training.with_width(width)
    validating = None if validating is None else validating.with_width(width)
    try:
        strengths = PENALTIES if penalties is None else penalties
        ranker = _trained(training, loss, validating, utility, strengths, seed)
    except InputError as error:
        if error.argument == "penalties" or isinstance(queries, Queries):
            raise
        raise InputError(f"{', '.join(map(str, paths_of(queries, 'queries')))}: {error}") from None
    mean = error_of_mean = None
    if test_queries is not None:
        test_run = ranker.run(test_queries.with_width(width))
        evaluated = evaluate(test_run, test_queries.qrels(gain), utility.measure)
        mean, error_of_mean = mean_and_error(evaluated.values[:, 0])
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be written ({error.strerror})", "out") from None
        ranker.save(folder / "ranker.json")
        if test_queries is not None:
            write_run(test_run, folder / "test.run", loss.keyword)
            write_qrels(test_queries.qrels(gain), folder / "test.qrels")
    training_mean = float(utility_values(training, ranker.scores(training), utility).mean())
    test_count = 0 if test_queries is None else test_queries.count
    return Trained(ranker, training.count, training_mean, mean, error_of_mean, test_count)


def _queries_of(
    queries: Queries | Path | str | Sequence[Path | str], argument: str, gain: Gain
) -> Queries | None:
    """Return queries, which may be given by their files; None for no file."""
    if isinstance(queries, Queries):
        return queries
    paths = paths_of(queries, argument)
    return read_svmlight(*paths, gain=gain) if paths else None
