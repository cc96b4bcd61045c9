"""The base class of discounts: D(r), the weight of rank r = 1, 2, …, and F(k) = D(1) + … + D(k).

A concrete discount is one frozen class whose body is its formula. The rest of the package uses only the
members of the base class. A discount may depend on the list length, ``D_n(r) = sum_i a_i(n) B_i(r)``:
`Discount.basis` returns the B_i, which do not depend on n, and `Discount.coefficients` the a_i(n). Affine
discounts have the basis 1, r, every other discount itself.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures.asymptotics import Asymptotics
from ndcg_asymptotics.specs.sliders import Adjustable


class Discount(Adjustable, family="discount"):
    """The weights of the ranks.

    Attributes
    ----------
    asymptotics
        How D falls, which decides the theorems that apply.
    depends_on_n
        Whether D depends on n; then ``n`` must be given wherever it is a parameter.
    affine
        Whether D_n(r) = a(n) + b(n) r.
    needs_cutoff
        Whether a measure needs a cutoff, since every order of the whole list has the same value.
    regular
        Whether D varies regularly, which means that D(2r)/D(r) has a positive limit. Then D changes little
        between ranks r and r + sqrt(r) for large r.
    known_to
        The last rank at which F is known.
    conjecture
        The limit of NDCG that the author of a discount expects: a number, a function of (relevance,
        cutoff), or None.
    color, marker
        Those of its curves in all figures.
    cut_colors
        The colours of its measures with a cutoff, by the growth of the cutoff, where they are not shades of
        ``color``.
    """

    FROM_FUNCTION = "ndcg_asymptotics.measures.discount"

    depends_on_n: ClassVar[bool] = False
    affine: ClassVar[bool] = False
    needs_cutoff: ClassVar[bool] = False
    regular: ClassVar[bool] = False
    conjecture: Any = None
    color: ClassVar[str] = "#999933"
    marker: ClassVar[str] = "X"
    cut_colors: ClassVar[Mapping[str, str]] = {}

    @property
    @abstractmethod
    def asymptotics(self) -> Asymptotics: ...

    @property
    def constant(self) -> float | None:
        """The limit of ``D(r) log r``, ``r^b D(r)`` or D(r), by its asymptotics; None where not known."""
        return 1.0

    @property
    def tex(self) -> str:
        """D(r) in TeX, without dollar signs; empty where there is no formula."""
        return ""

    @property
    def shade(self) -> float:
        """How much its parameter darkens ``color`` or, below 0, lightens it; 0 for the most common value."""
        return 0.0

    @property
    def known_to(self) -> float:
        return LARGEST_N

    @abstractmethod
    def at(self, rank: Floats, n: Floats | float) -> Floats:
        """Return D(r) for an array of ranks, which may be real numbers >= 1."""

    @abstractmethod
    def sum_to(self, k: Floats, n: float) -> Floats:
        """Return F(k) for an array of whole numbers k >= 1."""

    def __call__(self, rank: ArrayLike, n: Floats | float = math.nan) -> Floats:
        """Return D(r) in lists of n items, one length or one for each rank.

        >>> Discount.parse("zipf")([1, 2, 4])
        array([1.  , 0.5 , 0.25])
        """
        return self.at(self._checked(rank, n), n)

    def cumulative(self, k: ArrayLike, n: float = math.nan) -> Floats:
        """Return F(k), the sum of D(r) for r <= k; F(0) = 0.

        >>> Discount.parse("power(0.5)").cumulative([0, 1, 10**18])
        array([0.e+00, 1.e+00, 2.e+09])
        """
        k = self._checked(k, n)
        return np.where(k < 1, 0.0, self.sum_to(np.maximum(k, 1.0), n))

    @property
    def total(self) -> float:
        """F(infinity), infinite unless the discount is summable."""
        return math.inf

    def _checked(self, rank: ArrayLike, n: Floats | float) -> Floats:
        # tested first, as building the message takes longer than D
        if self.depends_on_n and np.isnan(n).any():
            raise InputError(f"{self} needs the list length n")
        return np.asarray(rank, dtype=np.float64)

    def basis(self) -> tuple[Callable[[ArrayLike], Floats], ...]:
        """Return the functions B_i of D_n(r) = sum_i a_i(n) B_i(r)."""
        return (self,)

    def coefficients(self, n: int) -> tuple[float, ...]:
        """Return the coefficients a_i(n) of D_n(r) = sum_i a_i(n) B_i(r)."""
        return (1.0,)

    def exact_exponentials(self) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Return rates and weights if D(r) = sum_m w_m exp(-rate_m r) with finitely many terms."""
        return None
