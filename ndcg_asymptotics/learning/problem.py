"""A distribution of label vectors, the orders that are best under it, and its file.

A problem file is TOML::

    measure = "nDCG"              # or nDCG@10, DCG(zipf), PD; nDCG by default
    gain = "exp2"                 # or "linear"
    labels = [[5, 4], [1, 3]]     # a row per label vector, a column per item
    probabilities = [0.3, 0.7]
    losses = ["squared"]          # every kind of loss by default
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, brief, floats
from ndcg_asymptotics.core.errors import InputError, blaming, naming, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.rows import Data, computed_value
from ndcg_asymptotics.core.text import toml_string
from ndcg_asymptotics.learning.labels import require_labels
from ndcg_asymptotics.learning.losses import Loss
from ndcg_asymptotics.learning.preferences import require_low_noise
from ndcg_asymptotics.learning.utilities import (
    MOST_ITEMS,
    PairwiseDisagreement,
    Utility,
    all_orders,
    require_every_label,
    utility_of,
)
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.toml import fields_of

_SUM_TOLERANCE = 1e-9  # probabilities in files are rounded decimals


@dataclass(frozen=True, eq=False)
class Problem:
    """A joint distribution of the labels of some items, and the utility of their order.

    Parameters
    ----------
    labels : (K, m)
        Label vectors, from 0 to 1000; NaN where an item was not judged (for pairwise disagreement).
    probabilities : (K,)
        The probabilities of the label vectors, adding up to 1.
    measure : Utility or str
        `nDCG@10`, `DCG(zipf)`, `PD`, …
    gain : {"exp2", "linear"}
        The gain of a label y: 2^y - 1, or y.

    Attributes
    ----------
    utility : Utility

    >>> problem = Problem([[5, 4], [1, 3]], [0.3, 0.7])
    >>> problem.optimal_order(), problem.regret([0, 1]).round(4)
    ((1, 0), array([0.1594]))

    Raises
    ------
    InputError
        For invalid labels or probabilities, or more than 8 items.
    """

    labels: Floats
    probabilities: Floats
    utility: Annotated[Utility, Data("measure", text=True)]

    def __init__(
        self,
        labels: ArrayLike | Sequence[ArrayLike],
        probabilities: ArrayLike,
        measure: Utility | str = "nDCG",
        gain: Gain = "exp2",
    ) -> None:
        object.__setattr__(self, "labels", _label_vectors(labels))
        object.__setattr__(self, "probabilities", _distribution(probabilities, len(self.labels)))
        object.__setattr__(self, "utility", utility_of(measure, gain))
        if not isinstance(self.utility, PairwiseDisagreement):
            require_every_label(self.labels)

    @computed_value(Data())
    def gain(self) -> Gain:
        """The gain of a label."""
        return self.utility.gain

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.labels.shape[1])

    def expected(self, orders: ArrayLike) -> Floats:
        """Return the expected utility of orders (P, m), which list the items, best first."""
        rows = np.atleast_2d(np.asarray(orders, np.int64))
        if rows.shape[1:] != (self.items,) or not (np.sort(rows) == np.arange(self.items)).all():
            raise InputError(
                f"must hold each of the items 0 … {self.items - 1} once, got {brief(orders)}", "order"
            )
        return self.utility.expected(rows, self.labels, self.probabilities)

    def regret(self, orders: ArrayLike) -> Floats:
        """Return by how much the expected utility of orders (P, m) falls short of the best one."""
        return np.asarray(self._values.max() - self.expected(orders))

    @property
    def rounding_error(self) -> float:
        """A bound of the rounding error of a regret; regrets up to this count as 0."""
        largest = float(np.abs(self._values).max())
        return 64 * (len(self.labels) + self.items) * float(np.finfo(float).eps) * largest

    def regrets(self) -> tuple[Integers, Floats]:
        """Return all orders (m!, m) and their regrets, with 0 for those within the rounding error."""
        values = self._values
        regrets = values.max() - values
        return all_orders(self.items), np.where(regrets <= self.rounding_error, 0.0, regrets)

    def optimal_order(self) -> tuple[int, ...]:
        """Return a best order by enumeration; of several, the one that standardisation gives, if any."""
        orders, regrets = self.regrets()
        try:
            sorted_order = self.standardised_order()
        except InputError:
            sorted_order = None
        if sorted_order is not None and self.regret([sorted_order])[0] <= self.rounding_error:
            return sorted_order
        return tuple(orders[int(np.argmin(regrets))].tolist())

    def standardised_order(self) -> tuple[int, ...]:
        """Return the items by decreasing E[r(Y)], where r is the standardisation.

        For NDCG this is Lemma 4 of Ravikumar et al. (2011).

        Raises
        ------
        InputError
            For pairwise disagreement, if the mean preferences are not low-noise; the message names three
            items.
        """
        targets = self.utility.standardised(self.labels)
        if isinstance(self.utility, PairwiseDisagreement):
            require_low_noise(np.tensordot(self.probabilities, self.utility.pairs(self.labels), 1))
        return tuple(np.argsort(-(self.probabilities @ targets), kind="stable").tolist())

    def to_toml(self) -> str:
        """Return the text of a problem file."""
        rows = ", ".join("[" + ", ".join(map(number_text, row)) + "]" for row in self.labels)
        chances = ", ".join(repr(float(p)) for p in self.probabilities)
        measure = toml_string(str(self.utility))
        lines = [f"measure = {measure}", f'gain = "{self.utility.gain}"', f"labels = [{rows}]"]
        return "\n".join([*lines, f"probabilities = [{chances}]", ""])

    @cached_property
    def _values(self) -> Floats:
        """The expected utility of every order."""
        return self.utility.expected(all_orders(self.items), self.labels, self.probabilities)


def _label_vectors(vectors: ArrayLike | Sequence[ArrayLike]) -> Floats:
    requirement = "label vectors of one length, one row for each"
    labels = floats(vectors, "labels", requirement)
    if labels.ndim != 2 or labels.size == 0:
        raise InputError(f"must be {requirement}, got {brief(vectors)}", "labels")
    most = f"all orders are tried for at most {MOST_ITEMS} items, got {labels.shape[1]}"
    require(labels.shape[1] <= MOST_ITEMS, most, "labels")
    return require_labels(labels)


def _distribution(probabilities: ArrayLike, count: int) -> Floats:
    requirement = f"{count} numbers >= 0 that add up to 1, one for each label vector"
    p = floats(probabilities, "probabilities", requirement)
    proper = p.shape == (count,) and bool(np.isfinite(p).all() and (p >= 0).all())
    if not proper or abs(p.sum() - 1) > _SUM_TOLERANCE:
        raise InputError(f"must be {requirement}, got {brief(probabilities)}", "probabilities")
    return np.asarray(p / p.sum())


_FIELDS = ("measure", "gain", "labels", "probabilities", "losses")


def load_problem(path: str | Path) -> tuple[Problem, tuple[Loss, ...] | None]:
    r"""Return the problem of a file, and the losses that the file names, None if it names none.

    Raises
    ------
    InputError
        For an invalid file; the message names the file and the field.
    OSError
        If the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "problem.toml"
    ...     _ = file.write_text("labels = [[5, 4], [1, 3]]\nprobabilities = [0.3, 0.7]")
    ...     load_problem(file)[0].optimal_order()
    (1, 0)
    """
    path = path_of(path, "path")
    fields = fields_of(path)
    with naming(str(path), fields=True):
        return _problem(fields), _losses(fields, path.parent)


def problem_and_losses(
    problem: Problem | str | Path, losses: Sequence[Loss | str] | Loss | str | None
) -> tuple[Problem, Sequence[Loss | str] | Loss | str | None]:
    """Return a problem, which a file may hold, and the given losses or else those that the file names."""
    if isinstance(problem, Problem):
        return problem, losses
    of_file, losses_of_file = load_problem(problem)
    return of_file, losses_of_file if losses is None else losses


def _problem(fields: dict[str, Any]) -> Problem:
    for name in fields:
        require(name in _FIELDS, f"unknown field {name!r}, expected one of: {', '.join(_FIELDS)}")
    for name in ("labels", "probabilities"):
        require(name in fields, f"{name} is missing")
    measure, gain = fields.get("measure", "nDCG"), fields.get("gain", "exp2")
    return Problem(fields["labels"], fields["probabilities"], measure, gain)


def _losses(fields: dict[str, Any], folder: Path) -> tuple[Loss, ...] | None:
    if "losses" not in fields:
        return None
    texts = fields["losses"]
    proper = isinstance(texts, list) and bool(texts) and all(isinstance(text, str) for text in texts)
    require(proper, f"must be a list of losses in quotes, got {brief(texts)}", "losses")
    with blaming("losses"):
        return tuple(Loss.parse(text, folder) for text in texts)
