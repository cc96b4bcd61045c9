"""Search random distributions of label vectors for those under which a loss is inconsistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ndcg_asymptotics.core.arrays import random_generator, whole_number
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.rows import Column, Data, computed_value, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.learning.decide import LossDecision, decide_losses
from ndcg_asymptotics.learning.labels import LARGEST_LABEL
from ndcg_asymptotics.learning.losses import Loss, losses_of
from ndcg_asymptotics.learning.problem import Problem
from ndcg_asymptotics.learning.regret import Worst, worst_regret
from ndcg_asymptotics.learning.utilities import MOST_ITEMS, Utility, utility_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.stats.rates import rate_of

_CHANGES_TRIED = 200  # on the worst example of a loss
_CONCENTRATION = 100.0  # of the Dirichlet law of changed probabilities: they move by about 0.05


@dataclass(frozen=True)
class LossSummary:
    """The outcome of the search for one loss.

    Attributes
    ----------
    loss : Loss
    claim : str
        What theory says of it.
    inconsistent, low, high : float
        The share of the distributions drawn for which the loss is inconsistent, and its 95% Wilson interval.
    tied : float
        The share of those where it is inconsistent through ties: only some of its minimisers sort optimally.
    undecided : float
        The share of those that are not decided.
    typical : float
        The mean regret over the distributions drawn, of the worst minimiser that is proved.
    worst : float
        The highest regret found, after improving on the worst distribution drawn.
    possible : float, or None
        The supremum over all distributions, if a linear program gives it.
    example : Problem, or None
        A problem with the regret ``worst``; None if no regret was positive.
    """

    loss: Annotated[Loss, Column("loss"), Data(text=True)]
    claim: str
    inconsistent: Annotated[float, Column("inconsistent", fixed(4))]
    low: float
    high: float
    tied: Annotated[float, Column("ties", fixed(4), later=3), Data("ties")]
    undecided: Annotated[float, Column("undecided", fixed(4), later=4)]
    typical: Annotated[float, Column("mean regret", general(".2g"), later=2), Data("typical_regret")]
    worst: Annotated[float, Column("worst found", general(".4g")), Data("worst_regret")]
    possible: Annotated[float | None, Column("supremum", general(".4g")), Data("worst_possible")]
    example: Annotated[Problem | None, Data(frame=False)]

    @computed_value(Column("95% interval", str, later=1, before="tied"))
    def interval(self) -> str:
        """The interval of the share, as a table shows it."""
        return f"[{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True, repr=False)
class Search(Report):
    """The outcome of `search_losses`."""

    utility: Annotated[Utility, Data("measure", text=True)]
    n: int
    grades: int
    vectors: int
    draws: int
    seed: int
    losses: tuple[LossSummary, ...]

    @computed_value(Data())
    def gain(self) -> Gain:
        """The gain of labels."""
        return self.utility.gain

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the answer, a table with a row for every loss, and the worst examples as problem files."""
        yield Line(self._answer())
        title = f"{self.utility}, {self.n} items, labels 0 … {self.grades - 1}, {self.draws} distributions "
        yield Table.of(f"{title}of {self.vectors} label vectors", LossSummary, self.losses)
        for f in self.losses:
            if f.example is not None:
                yield Line(f"# {f.loss}: regret {f.worst:.4g}", "bold")
                yield Line(f.example.to_toml())

    def _answer(self) -> str:
        """Return which losses are inconsistent, and how much the worst of them loses, in words."""
        inconsistent = [f for f in self.losses if f.example is not None]
        if not inconsistent:
            return "No loss was inconsistent."
        often = max(inconsistent, key=lambda f: f.inconsistent)
        worst = max(inconsistent, key=lambda f: f.worst)
        share, regret = f"{often.inconsistent:.1%} of the distributions", f"{worst.worst:.4g}"
        if len(self.losses) == 1:
            return f"{often.loss} is inconsistent for {share}; the largest regret found is {regret}."
        return (
            f"{len(inconsistent)} of {len(self.losses)} losses were inconsistent, most often {often.loss}, "
            f"for {share}; the largest regret found is {regret}, that of {worst.loss}."
        )


def search_losses(
    losses: Sequence[Loss | str] | Loss | str | None = None,
    *,
    measure: Utility | str = "nDCG",
    gain: Gain = "exp2",
    n: int = 3,
    grades: int = 5,
    vectors: int = 3,
    draws: int = 1000,
    seed: int = 0,
) -> Search:
    """Draw distributions, decide every loss for each, and search for the worst one.

    Labels are uniform on 0 … grades - 1, the probabilities of the label vectors uniform on the simplex. Then
    the worst example of each loss comes from the linear program of `worst_regret` if that applies, and
    otherwise from repeatedly changing a label or the probabilities.

    Parameters
    ----------
    losses : Loss or str, or a list of them, optional
        By default one of every kind.
    measure, gain
        As in `Problem`.
    n : int
        The number of items, 2 to 8.
    grades, vectors, draws : int
        At least 2, 1 to 100, and 1 to 100,000.
    seed : int

    Raises
    ------
    InputError
        For a number out of range, or as `decide_losses`.

    >>> summaries = search_losses(["squared", "squared_consistent"], n=2, draws=50).losses
    >>> [(str(f.loss), f.worst > 0) for f in summaries]
    [('squared', True), ('squared_consistent', False)]
    """
    grades = whole_number(grades, "grades", 2, int(LARGEST_LABEL))
    vectors, draws = whole_number(vectors, "vectors", 1, 100), whole_number(draws, "draws", 1, 100_000)
    n, seed = whole_number(n, "n", 2, MOST_ITEMS), whole_number(seed, "seed", 0, None)
    utility = utility_of(measure, gain)
    rng = random_generator(seed)
    labels = rng.integers(0, grades, (draws, vectors, n)).astype(np.float64)
    chances = rng.dirichlet(np.ones(vectors), draws)
    problems = [Problem(y, p, utility) for y, p in zip(labels, chances, strict=True)]
    tried = losses_of(losses)
    verdicts = [decide_losses(problem, tried).losses for problem in tracked(problems, "distributions")]
    summaries = [
        _summary(loss, utility, problems, decided, grades, seed)
        for loss, decided in tracked(zip(tried, zip(*verdicts, strict=True), strict=True), "losses")
    ]
    return Search(utility, n, grades, vectors, draws, seed, tuple(summaries))


def _summary(
    loss: Loss,
    utility: Utility,
    problems: Sequence[Problem],
    decided: Sequence[LossDecision],
    grades: int,
    seed: int,
) -> LossSummary:
    wrong = np.array([d.wrong for d in decided])
    tied = np.array([d.verdict == "inconsistent (ties)" for d in decided])
    unknown = np.array([d.verdict == "undecided" for d in decided])
    regrets = np.where(wrong, [d.regret for d in decided], 0.0)
    worst, example = float(regrets.max()), problems[int(regrets.argmax())]
    supremum: Worst | None = None
    with suppress(InputError):  # no listwise loss of DCG or NDCG, or too many label vectors
        supremum = worst_regret(loss, utility, items=example.items, grades=grades)
    if supremum:
        near = supremum.example
        worst, example = max((worst, example), (_regret(loss, near), near), key=lambda x: x[0])
    elif worst > 0:
        # a stream for each loss, whatever others are searched with it
        rng = np.random.default_rng([seed, *str(loss).encode()])
        worst, example = _improved(loss, worst, example, grades, rng)
    count = len(problems)
    share = rate_of(count, wrong)
    return LossSummary(
        loss=loss,
        claim=loss.claim,
        inconsistent=share.rate,
        low=share.low,
        high=share.high,
        tied=float(tied.mean()),
        undecided=float(unknown.mean()),
        typical=float(regrets.mean()),
        worst=worst,
        possible=supremum.regret if supremum else None,
        example=example if worst > 0 else None,
    )


def _regret(loss: Loss, problem: Problem) -> float:
    """Return the regret of a loss if it is inconsistent here, else 0."""
    decided = decide_losses(problem, loss).losses[0]
    return decided.regret if decided.wrong else 0.0


def _improved(
    loss: Loss, worst: float, example: Problem, grades: int, rng: np.random.Generator
) -> tuple[float, Problem]:
    """Change a label or the probabilities at random, and keep the changes that increase the regret."""
    for number in tracked(range(_CHANGES_TRIED), f"{loss}, changes"):
        labels, chances = example.labels.copy(), example.probabilities
        if number % 2:
            labels[tuple(rng.integers(0, labels.shape))] = float(rng.integers(0, grades))
        else:
            chances = rng.dirichlet(1e-3 + _CONCENTRATION * chances)
        changed = Problem(labels, chances, example.utility)
        regret = _regret(loss, changed)
        if regret > worst:
            worst, example = regret, changed
    return worst, example
