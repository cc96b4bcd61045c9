"""From SVMlight files to a ranker, its run and its measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock
from ndcg_asymptotics.learning.gains import Gain
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.learning.training.queries import Queries
from ndcg_asymptotics.learning.training.ranker import PENALTIES, Ranker, mean_utility, train_ranker
from ndcg_asymptotics.learning.training.svmlight import read_svmlight
from ndcg_asymptotics.learning.utilities import Discounted
from ndcg_asymptotics.lists import evaluate, write_qrels, write_run


@dataclass(frozen=True, repr=False)
class Trained(Report):
    """The outcome of `train_files`.

    Attributes
    ----------
    ranker : Ranker
    queries : int
        How many there were to train with, those of a validation split among them.
    training : float
        The mean of the measure on them.
    test : float, or None
        The mean of the measure on the test queries, as `evaluate` gives it.
    test_queries : int
    """

    ranker: Ranker
    queries: int
    training: float
    test: float | None
    test_queries: int

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        means = {"training": self.training, "test": self.test}
        counts = {"training_queries": self.queries, "test_queries": self.test_queries}
        return self.ranker.as_dict() | means | counts

    def blocks(self) -> Iterator[ReportBlock]:
        """What the ranker says of itself, and the means."""
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
    """`train_ranker` for SVMlight files; writes the ranker, its run and the gains of the test queries.

    Parameters
    ----------
    train, validation, test : sequence of path
    model, run, qrels : path, optional
        Where the ranker (JSON), the test scores and the test gains (TREC) go. `evaluate` with the last two
        gives ``test`` again, for a measure without gain.

    Raises
    ------
    InputError
        As `read_svmlight` and `train_ranker`. Nothing is written then.
    """
    require(bool(test) or (run is None and qrels is None), "needs test files", "run" if run else "qrels")
    for path in (model, run, qrels):
        _can_be_written(path)
    loss = Loss.of(loss)
    queries, held, tested = (_read(paths) for paths in (train, validation, test))
    assert queries is not None
    width = max(q.features.shape[1] for q in (queries, held, tested) if q is not None)
    queries, held, tested = (None if q is None else q.widened(width) for q in (queries, held, tested))
    assert queries is not None
    chosen = PENALTIES if penalties is None else penalties
    try:
        ranker = train_ranker(
            queries, loss, validation=held, measure=measure, gain=gain, penalties=chosen, seed=seed
        )  # fmt: skip
    except InputError as error:
        raise error if error.argument in ("measure", "penalties") else _named(error, train) from None
    assert isinstance(ranker.utility, Discounted)
    mean = None
    if tested is not None:
        scored = ranker.run(tested)
        mean = (
            float(evaluate(scored, tested.qrels(gain), ranker.utility.measure).mean[0])
            if ranker.utility.normalised
            else mean_utility(tested, ranker.scores(tested), ranker.utility)
        )
        if run is not None:
            write_run(scored, run, ranker.loss.keyword)
        if qrels is not None:
            write_qrels(tested.qrels(gain), qrels)
    if model is not None:
        ranker.save(model)
    training = mean_utility(queries, ranker.scores(queries), ranker.utility)
    return Trained(ranker, queries.count, training, mean, 0 if tested is None else tested.count)


def _read(paths: Sequence[Path | str]) -> Queries | None:
    return read_svmlight(*paths) if paths else None


def _can_be_written(path: Path | str | None) -> None:
    """Refuse what would fail after the training only."""
    if path is not None:
        possible = Path(path).parent.is_dir() and not Path(path).is_dir()
        require(possible, f"{path}: cannot be written, it must be a file in a folder that exists")


def _named(error: InputError, paths: Sequence[Path | str]) -> InputError:
    return InputError(f"{', '.join(map(str, paths))}: {error}")
