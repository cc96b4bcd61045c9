"""Means E[D(1 + A); A < k] from the characteristic function of A, the number of items above one of a list.

A is a sum of independent binomials, so its characteristic function is a product. On a window of N whole
numbers from ``low`` on, which holds the law of A, a function of A is a sum over N frequencies, and so is its
mean::

    E[D(1 + A); A < k] = sum_f g_f E[exp(i w_f (A - low))],   w_f = 2 pi f / N,
    g_f = 1/N sum_{low <= a < k} D(1 + a) exp(-i w_f (a - low)).

The g_f depend neither on the depth nor on label counts. The product falls off like a Gaussian, so that some
forty frequencies are enough however long the list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Complex, Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.rules.quadrature import on_panels

_VANISHED = 40.0  # minus the logarithm of a characteristic function that is negligible


@dataclass(frozen=True)
class RankWindow:
    """The whole numbers ``low``, …, ``low + size - 1``; ``size`` is odd.

    Parameters
    ----------
    low, size : int
        With an even size there would be a frequency that is its own opposite.

    >>> window = RankWindow.holding(0, 2)
    >>> g = window.weights(Discount.parse("zipf"), 3, 2, window.frequencies(0.5).size)
    >>> toss = ((1 + np.exp(1j * window.frequencies(0.5))) / 2) ** 2  # of the heads of two coins
    >>> float((g @ toss).real.round(12))  # 1/4 + 1/2 · 1/2
    0.5
    """

    low: int
    size: int

    @classmethod
    def holding(cls, low: int, high: int) -> RankWindow:
        """Return a window with the numbers from ``low`` to ``high``."""
        return cls(low, high - low + 1 + (high - low) % 2)

    def frequencies(self, variance: float, refine: float = 1.0) -> Floats:
        """Return the w_f from 0 on at which ``|E exp(i w A)| <= exp(-2 variance sin^2(w / 2))`` matters.

        ``refine`` takes that many times as many, where they are needed for more than the law of A.
        """
        highest = (self.size - 1) // 2
        if 2 * variance > _VANISHED:
            last = 2 * math.asin(math.sqrt(_VANISHED / (2 * variance)))
            highest = min(highest, math.ceil(refine * self.size * last / (2 * math.pi)))
        return 2 * math.pi * np.arange(highest + 1) / self.size

    def weights(self, discount: Discount, n: int, k: int, count: int) -> Complex:
        """Return the g_f of the first ``count`` frequencies in lists of n; the real part of the sum is meant.

        The frequencies of opposite sign have the conjugate values, so those above 0 count twice.
        """
        stop = min(self.low + self.size, k)
        if stop <= self.low:
            return np.zeros(count, np.complex128)
        # a longer sum is an integral
        if self.size <= 2**13:
            ranks = 1.0 + np.arange(self.low, stop)
            sums = np.fft.rfft(discount(ranks, float(n)), self.size)[:count]
        else:
            sums = self._integrated(discount, n, stop, count)
        return np.asarray(np.where(np.arange(count) > 0, 2.0, 1.0) / self.size * sums)

    def _integrated(self, discount: Discount, n: int, stop: int, count: int) -> Complex:
        """Return the sums as integrals up to ``stop - 1/2``, with one term of Euler and Maclaurin.

        ``sum_(a < k) f(a) = int^(k - 1/2) f - f'(k - 1/2) / 24``; at the other end the law of A has vanished.
        """
        last = float(stop - self.low)
        edges = np.linspace(-0.5, last - 0.5, 25)
        x, dx = (part.ravel() for part in on_panels(edges[:-1], edges[1:]))
        x, dx = np.append(x, [last - 1.0, last]), np.append(dx, [1 / 24, -1 / 24])  # f' = f(k) - f(k - 1)
        turns = np.exp(-2j * math.pi / self.size * np.multiply.outer(np.arange(count), x))
        return np.asarray(turns @ (dx * discount(1.0 + self.low + x, float(n))))

    def turns(self, count: int) -> Complex:
        """Return ``exp(-i w_f low)``, which turn means of ``exp(i w_f A)`` into those that g_f multiply."""
        turned = np.array([f * self.low % self.size for f in range(count)], np.float64)  # exact in long lists
        return np.asarray(np.exp(-2j * math.pi / self.size * turned))
