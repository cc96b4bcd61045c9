"""NDCG and DCG: a discount and a cutoff, with a canonical text, and the value for given scores and labels.

``NDCG_n = DCG_n / IDCG_n``, ``DCG_n = sum_{r <= k(n)} y_(r) D(r)`` over labels in ranked order,
IDCG_n the same over labels in decreasing order; the cutoff cuts both. With the log discount DCG is in
natural logarithms, ``D(r) = 1/log(1+r)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, as_list, brief, floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.measures.cutoffs import Cutoff, scan
from ndcg_asymptotics.measures.discounts import Discount, Log, RankBiased
from ndcg_asymptotics.measures.notation import specs_of
from ndcg_asymptotics.measures.other_names import remedy, translated
from ndcg_asymptotics.measures.ranked import Ties, ideal_order, ranked_labels
from ndcg_asymptotics.specs.scanner import Scanner, parse_text
from ndcg_asymptotics.specs.spec import Portable

_NAME = re.compile(r"(?:n?dcg|rbp)(?![A-Za-z_0-9])", re.IGNORECASE)
_NAMES = ("nDCG", "DCG", "RBP")
_ALIAS = re.compile(r"[\w+.-](?:[\w+. -]{0,28}[\w+.-])?")
_ONE_TEXT = (
    "a measure has one cutoff, and each measure is a text of its own: --measure nDCG@10 --measure nDCG@20, "
    'or measures=["nDCG@10", "nDCG@20"]'
)
_SEVERAL = re.compile(r"[^,\s]+\s*(,|\s(?=\s*(n?dcg|rbp)\b))", re.IGNORECASE)  # a cutoff, and more
_GLUED = re.compile(r"[A-Za-z]+[@_ -]?(\d+)")  # the letters of a measure and its cutoff
_FORMULA = re.compile(r"[^()=\",]*[/^*+]")  # the beginning of a formula that `notation` does not know
_DISCOUNT_FORMULAS = (
    "expected a discount such as zipf or power(0.5), or its formula 1/r, r^-0.5, 2^-r or 1/log(1+r); "
    'any other function of r is custom("module:function", LARGEST_N)'
)
_LETTERS = re.compile(r"[^A-Za-z].*", re.DOTALL)  # what follows the letters that a text begins with

FORMS = (
    ("nDCG(discount)@cutoff", "DCG divided by that of the ideal order of the same labels."),
    ("DCG(discount)@cutoff", "sum_r y_(r) D(r) over the ranks r <= k, y_(r) the gain at rank r."),
    ("RBP(p)@cutoff", "Rank-biased precision, which is DCG(rbp(p))."),
)
"""The texts of measures and their formulas; discount and cutoff may be left out."""
MEASURES = ("nDCG@10", "nDCG", "nDCG@0.2n", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(geometric(2))")
"""The measures by which scorers and runs are compared by default."""


@dataclass(frozen=True, init=False)
class Measure:
    """NDCG or DCG with a discount and a cutoff.

    Parameters
    ----------
    discount : Discount or str
    cutoff : Cutoff, str or int
        The empty text is the whole list.
    normalised : bool
        Whether DCG is divided by that of the ideal list: NDCG, else DCG.
    alias : str
        A short name for tables and figures, in place of the text. Equal measures may have different ones.

    >>> str(Measure.parse("nDCG@10")), str(Measure.parse("nDCG( power( .5 ) )@0.2n")), str(Measure("zipf"))
    ('nDCG@10', 'nDCG(power(0.5))@0.2n', 'nDCG(zipf)')
    >>> str(Measure.parse("DCG@10")), str(Measure.parse("DCG(rbp(0.8))")), str(Measure.parse("RBP(p=0.8)@10"))
    ('DCG@10', 'RBP(0.8)', 'RBP(0.8)@10')
    """

    discount: Discount
    cutoff: Cutoff
    normalised: bool
    alias: str = field(compare=False)

    def __init__(
        self,
        discount: Discount | str = "log",
        cutoff: Cutoff | str | int = "",
        normalised: bool = True,
        alias: str = "",
    ) -> None:
        require(isinstance(normalised, bool), f"must be True or False, got {brief(normalised)}", "normalised")
        object.__setattr__(self, "normalised", normalised)
        plain = isinstance(alias, str) and (not alias or (_ALIAS.fullmatch(alias) and not _NAME.match(alias)))
        requirement = (
            "must be 1 to 30 letters, digits, spaces and _+-., and must not begin with nDCG, DCG or RBP"
        )
        require(bool(plain), f"{requirement}, got {brief(alias)}", "alias")
        object.__setattr__(self, "alias", alias)
        if isinstance(discount, str) and (_NAME.match(discount) or "@" in discount):
            raise InputError(
                f"must be a discount, got {brief(discount)}; "
                'the text of a measure is read by Measure.parse("nDCG@10")',
                "discount",
            )
        object.__setattr__(self, "discount", Discount.of(discount))
        object.__setattr__(self, "cutoff", Cutoff.of(cutoff))
        require(
            not self.discount.needs_cutoff or not self.cutoff.whole,
            f"{self.discount} needs a cutoff, such as {self.name}({self.discount})@10: "
            "without one every order of a list has the same value",
        )

    @classmethod
    def of(cls, measure: Self | Discount | str) -> Self:
        """Return the measure itself, the one of a text, or that of a discount over the whole list."""
        if isinstance(measure, cls):
            return measure
        if isinstance(measure, Discount):
            return cls(measure)
        if not isinstance(measure, str):
            advice = f"; {Discount.FROM_FUNCTION} makes a discount of a function" if callable(measure) else ""
            raise InputError(
                f"expected a measure or its text, such as 'nDCG@10', got {brief(measure)}{advice}"
            )
        return cls.parse(measure)

    @classmethod
    def parse(cls, text: str, folder: Path | None = None, *, allow_custom: bool = True) -> Self:
        """Read `nDCG`, `nDCG(zipf)@0.2n`, `DCG@10`, `RBP(0.8)`, …; the discount is log unless named.

        The notation of papers is understood, such as `nDCG(1/r)@n/5`, and names of other programs where they
        mean the same, such as `ndcg_cut_10`.

        The module of a user-defined discount is searched for in ``folder`` first, and imported only if
        ``allow_custom``.

        Raises
        ------
        SpecError
            If the text is not a measure; the message says where and what was expected.
        """
        return parse_text(translated(specs_of(text)), cls._scan, folder, allow_custom)

    @classmethod
    def _scan(cls, scanner: Scanner) -> Self:
        start = scanner.position
        name = scanner.match(_NAME)
        if name is None:
            letters, glued = _LETTERS.sub("", scanner.text), _GLUED.fullmatch(scanner.text)
            near = did_you_mean(letters, _NAMES)
            if near and glued:  # nDCG10, ndgc@10
                near = did_you_mean(f"{letters}@{glued[1]}", [f"{right}@{glued[1]}" for right in _NAMES])
            message = f"expected 'nDCG', 'DCG' or 'RBP', such as nDCG@10, found {scanner.rest()}{near}"
            if advice := remedy(scanner.text):
                scanner.refuse(advice)
            scanner.fail(message)
        discount: Discount | str = "log"
        if name.lower() == "rbp":
            scanner.position = start
            discount = Discount.build(replace(scanner.call(), name="rbp"))
        elif scanner.accept("("):
            inside = scanner.position
            if scanner.match(_FORMULA):
                scanner.fail(_DISCOUNT_FORMULAS, inside)
            discount = Discount.build(scanner.call())
            scanner.expect(")")
        cutoff: Cutoff | str = ""
        if scanner.accept("@"):
            if _SEVERAL.match(scanner.text, scanner.position):
                scanner.fail(_ONE_TEXT)
            cutoff = scan(scanner)
        if scanner.rest().startswith("',") or _NAME.match(scanner.rest().lstrip("'")):
            scanner.fail(_ONE_TEXT)
        return cls(discount, cutoff, name.lower() == "ndcg")

    def __str__(self) -> str:
        return self.alias or self.text

    @property
    def text(self) -> str:
        """The canonical text, which `parse` reads."""
        # the log discount is that of nDCG@10 in papers and in other programs
        return self.stored.replace("(log)", "", 1) if isinstance(self.discount, Log) else self.stored

    @property
    def stored(self) -> str:
        """The text in stored results, in keys and in the names of random streams, which names ``log`` too.

        >>> Measure.parse("nDCG@10").stored
        'nDCG(log)@10'
        """
        cutoff = f"@{self.cutoff}" if str(self.cutoff) else ""
        if self.name == "RBP":
            return f"RBP({', '.join(self.discount.arguments())}){cutoff}"
        return f"{self.name}({self.discount}){cutoff}"

    @property
    def name(self) -> str:
        """nDCG, DCG, or RBP for DCG with the discount ``rbp``."""
        if self.normalised:
            return "nDCG"
        return "RBP" if isinstance(self.discount, RankBiased) else "DCG"

    @property
    def depends_on_n(self) -> bool:
        """Whether the weight of a rank is a function of the list length."""
        return self.discount.depends_on_n or self.cutoff.depends_on_n

    @property
    def tex(self) -> str:
        """Discount and cutoff as formulas between dollar signs; empty where the discount has none.

        >>> print(Measure.parse("nDCG(power(0.5))@0.2n").tex)
        $r^{-1/2}$, $k = n/5$
        """
        if not self.discount.tex:
            return ""
        return f"${self.discount.tex}$" + (f", $k = {self.cutoff.tex}$" if self.cutoff.tex else "")

    def portable(self) -> Portable:
        """Return the text, files and digests with which another process finds this measure."""
        return replace(self.discount.portable(), text=self.stored)

    def ideal(self, counts: ArrayLike, gains: ArrayLike, n: int) -> Floats:
        """Return IDCG_n, which is ``sum_j y_j (F(e_j) - F(e_{j-1}))`` with e_j the last rank of gain y_j.

        Parameters
        ----------
        counts : (..., J) whole numbers
            How many of the n items have each positive gain.
        gains : (J,)
            The gains, in decreasing order.
        n : int
            The list length.

        >>> Measure.parse("nDCG(zipf)@2").ideal([1, 3], [2.0, 1.0], 10)
        array(2.5)
        """
        ends = np.minimum(np.cumsum(np.asarray(counts, np.float64), axis=-1), self.cutoff(n))
        sums = self.discount.cumulative(ends, float(n))
        return np.asarray(np.diff(sums, axis=-1, prepend=0.0) @ np.asarray(gains, np.float64))

    def normaliser(self, counts: ArrayLike, gains: ArrayLike, n: int) -> Floats:
        """Return what DCG_n is divided by: `ideal` for NDCG, 1 for DCG.

        >>> for text in ("nDCG(zipf)@2", "DCG(zipf)@2"):
        ...     print(Measure.parse(text).normaliser([1, 3], [2.0, 1.0], 10))
        2.5
        1.0
        """
        ideal = self.ideal(counts, gains, n)
        return ideal if self.normalised else np.ones_like(ideal)

    def unit(self, n: int) -> float:
        """Return the size that values have in a list of n items: 1 for NDCG, F(k(n)) for DCG.

        DCG_n / F(k(n)) is the mean gain of the ranks that count, weighted by the discount. Where F(k(n)) is 0
        (the discount n - r in a list of one item), so is every value, and the unit is 1.

        >>> [Measure.parse(text).unit(10) for text in ("nDCG(zipf)@2", "DCG(zipf)@2")]
        [1.0, 1.5]
        >>> Measure.parse("DCG(linear)").unit(1)
        1.0
        """
        if self.normalised:
            return 1.0
        return float(self.discount.cumulative(float(self.cutoff(n)), float(n))) or 1.0

    def largest(self, gains: Sequence[float], n: int) -> float:
        """Return the largest value in a list of n items: 1 for NDCG, y_1 F(k(n)) for DCG.

        >>> [Measure.parse(text).largest([3.0, 1.0], 10) for text in ("nDCG(zipf)@2", "DCG(zipf)@2")]
        [1.0, 4.5]
        """
        return 1.0 if self.normalised else gains[0] * self.unit(n)

    def evaluate(
        self,
        y_true: Any,
        y_score: Any,
        *,
        ties: Ties = "expected",
        ideal_labels: Any = None,
        empty: float = 0.0,
    ) -> Any:
        """Return NDCG, or DCG, of one list of given labels (gains) and scores, or of each of many lists.

        Parameters
        ----------
        y_true, y_score : (n,), or (lists, n), or sequences of lists whose lengths differ
            Labels >= 0, which are the gains; finite scores, higher is better.
        ties : {"expected", "stable"}
            Whether NDCG is the expectation over the orders of items with equal scores (as in
            scikit-learn), or such items keep their order.
        ideal_labels : (m,), or as many lists, optional
            The labels of the ideal list of NDCG, if they are not ``y_true``, for instance because a run did
            not retrieve some relevant documents. They may be more than n unless the discount or the cutoff
            depends on n.
        empty : float
            NDCG if every label is 0.

        Returns
        -------
        float, or (lists,)

        Raises
        ------
        InputError
            For NaN or infinite scores, negative labels, or shapes that differ.

        >>> round(Measure.parse("nDCG").evaluate([0, 1, 1], [3.0, 2.0, 1.0]), 6)
        0.693426
        >>> Measure.parse("DCG(zipf)").evaluate([[0, 1, 1], [1, 0]], [[3.0, 2.0, 1.0], [2.0, 1.0]]).round(6)
        array([0.833333, 1.      ])
        """
        y_true, y_score = _array_of(y_true), _array_of(y_score)
        if not _are_lists(y_true):
            best = y_true if ideal_labels is None else ideal_labels
            return float(self._values(y_true, y_score, best, ties, empty))
        if isinstance(y_true, np.ndarray) and y_true.dtype != object and ideal_labels is None:
            return self._values(y_true, y_score, y_true, ties, empty)
        ideals = y_true if ideal_labels is None else ideal_labels
        counts = len(y_true), len(y_score), len(ideals)
        numbers = f"{counts[0]} of y_true, {counts[1]} of y_score and {counts[2]} of ideal_labels"
        require(len({*counts}) == 1, f"there must be as many lists of each, got {numbers}")
        groups: dict[tuple[int, ...], list[int]] = {}  # lists of one length are computed together
        for index, arrays in enumerate(zip(y_true, y_score, ideals, strict=True)):
            groups.setdefault(tuple(map(len, arrays)), []).append(index)
        result = np.empty(len(y_true))
        for group in groups.values():
            labels, scores, best = ([lists[index] for index in group] for lists in (y_true, y_score, ideals))
            result[group] = self._values(labels, scores, best, ties, empty)
        return result

    def _values(
        self, y_true: ArrayLike, y_score: ArrayLike, ideal_labels: ArrayLike, ties: Ties, empty: float
    ) -> Floats:
        """Return the value of a list, or of lists of one length as rows."""
        y, s = floats(y_true, "y_true"), floats(y_score, "y_score")
        best = y if ideal_labels is y_true else floats(ideal_labels, "ideal_labels")
        require(
            1 <= s.ndim <= 2 and s.shape == y.shape and s.size > 0,
            f"y_true and y_score must be lists of one length >= 1, got {y.shape} and {s.shape}",
        )
        require(bool(np.isfinite(s).all()), "y_score must be finite, got NaN or infinity")
        for values in (y,) if best is y else (y, best):
            proper = values.min(initial=0.0) >= 0 and values.max(initial=0.0) < np.inf
            require(bool(proper), "labels must be finite and >= 0: evaluate takes y_true, then y_score")
        n, available = s.shape[-1], best.shape[-1]
        k, k_ideal = min(self.cutoff(n), n), min(self._ideal_cutoff(n, available), available)
        weights = self.discount(np.arange(1.0, max(k, k_ideal) + 1), float(n))
        dcg = np.asarray(ranked_labels(s, y, k, ties)[..., :k] @ weights[:k])
        largest = ideal_order(best, k_ideal)
        ideal = np.asarray(largest @ weights[: largest.shape[-1]]) if self.normalised else np.ones(dcg.shape)
        result = np.full(dcg.shape, float(empty))
        np.divide(dcg, ideal, out=result, where=ideal > 0)
        return result

    def _ideal_cutoff(self, n: int, available: int) -> int:
        """Return the cutoff of the ideal list; it may exceed n if the measure does not depend on n."""
        return self.cutoff(n if self.depends_on_n else max(n, available))


def _array_of(values: Any) -> Any:
    """Return a frame, a series or a tensor as an array, and anything else as it is."""
    return np.asarray(values) if hasattr(values, "__array__") else values


def _are_lists(labels: Any) -> bool:
    """Return whether labels are those of many lists."""
    if isinstance(labels, np.ndarray) and labels.dtype != object:
        return labels.ndim > 1
    return hasattr(labels, "__len__") and len(labels) > 0 and np.ndim(next(iter(labels))) > 0


Measures = Sequence[Measure | Discount | str] | Measure | Discount | str
"""One measure or several, as values or texts."""


def measures_of(measures: Measures) -> tuple[Measure, ...]:
    """Return the measures of a measure, a discount, a text, or several of them; one given twice counts once.

    Raises
    ------
    InputError
        If there is none, or one is not a measure.

    >>> [str(measure) for measure in measures_of(["nDCG@10", "nDCG(zipf)"])]
    ['nDCG@10', 'nDCG(zipf)']
    """
    values = as_list(measures, "measures", (str, Measure, Discount))
    require(len(values) > 0, "must hold at least one measure", "measures")
    return tuple(dict.fromkeys(map(Measure.of, values)))
