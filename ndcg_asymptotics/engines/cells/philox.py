"""Random variates that are functions of a key and a counter, not of what was drawn before.

The draw at a counter is always the same, in whatever order draws are made. The generator is
Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3").
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLY_0, _MULTIPLY_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

_ATTEMPT_BITS = np.uint64(12)
_SIX = np.uint64(6)
_INVERSION = 20.0  # below this mean: inversion; above: transformed rejection
_NEAREST = 20.0  # from the mode, that the normal approximation is tried
_SMALL = 64  # (1-p)^n by squaring up to this n
_INVERSE = 1.0 / np.arange(1.0, 400.0)  # by inversion no count is larger

# log x! less Stirling's formula, for small x (0 stands alone)
_STIRLING = np.array(
    [0.0]
    + [math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi) for x in range(1, 16)]
)


@njit(cache=True)
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return four 32-bit words from a counter of four and a key of two, each held in 64 bits."""
    for _ in range(10):
        p0, p1 = _MULTIPLY_0 * c0, _MULTIPLY_1 * c2
        c0, c1, c2, c3 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW, (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _WEYL_0) & _LOW, (k1 + _WEYL_1) & _LOW
    return c0, c1, c2, c3


@njit(cache=True)
def _uniform(a: np.uint64, b: np.uint64) -> float:
    """Return a number in (0, 1) from two 32-bit words; never 0 or 1."""
    return (float(a >> _SIX) * 67108864.0 + float(b >> _SIX) + 0.5) / 4503599627370496.0


@njit(cache=True)
def _stirling_error(x: float) -> float:
    if x < 16.0:
        return float(_STIRLING[int(x)])
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / x


@njit(cache=True)
def _deviance(x: float, mean: float) -> float:
    """Return x log(x/mean) + mean - x, without cancellation where x is near the mean."""
    difference, total = x - mean, x + mean
    if abs(difference) >= 0.1 * total:
        return x * math.log(x / mean) - difference
    v = difference / total
    result, term = difference * v, 2.0 * x * v
    v *= v
    for j in range(1, 1000):
        term *= v
        following = result + term / (2 * j + 1)
        if following == result:
            break
        result = following
    return result


@njit(cache=True)
def log_binomial(x: int, n: int, p: float) -> float:
    """Return log P(Bin(n, p) = x), 0 < p < 1, by the saddle-point form (Loader 2000).

    Every term is small near the mode, so nothing cancels even at n = 1e18.
    """
    if x == 0:
        return n * math.log1p(-p)
    if x == n:
        return n * math.log(p)
    a, b, c = float(x), float(n - x), float(n)
    errors = _stirling_error(c) - _stirling_error(a) - _stirling_error(b)
    deviances = _deviance(a, c * p) + _deviance(b, c * (1.0 - p))
    return errors - deviances + 0.5 * math.log(c / (2 * math.pi * a * b))


@njit(cache=True)
def binomial(
    n: int, p: float, c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> int:
    """Draw from Bin(n, p) for 0 <= n <= 9e18 at a counter whose last word is below 2^20.

    By inversion where min(p, 1-p) n < 20, else by transformed rejection (BTRS, Hörmann 1993,
    "The generation of binomial random variates"). Drawn as whole numbers around the mean, which
    is a double: at n = 1e18 it may be off by 1e-7 standard deviations.

    Most of what is not accepted at once is decided by bounds of log P(x)/P(mode) around that of a normal
    variate (Kachitvichyanukul and Schmeiser 1988, "Binomial random variate generation", step 5.2).
    """
    if n == 0 or p <= 0.0:
        return 0
    if p >= 1.0:
        return n
    if p > 0.5:
        return n - _binomial(n, 1.0 - p, c0, c1, c2, c3, k0, k1)
    return _binomial(n, p, c0, c1, c2, c3, k0, k1)


@njit(cache=True)
def _power(base: float, exponent: int) -> float:
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@njit(cache=True)
def _binomial(
    n: int, p: float, c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> int:
    c3 = c3 << _ATTEMPT_BITS
    mean = n * p
    if mean < _INVERSION:
        w0, w1, _, _ = philox(c0, c1, c2, c3, k0, k1)
        u = _uniform(w0, w1)
        if n == 1:
            return 1 if u < p else 0
        odds = p / (1.0 - p)
        mass = _power(1.0 - p, n) if n <= _SMALL else math.exp(n * math.log1p(-p))
        x = 0
        while u > mass and x < n and x < len(_INVERSE):
            u -= mass
            mass *= odds * float(n - x) * _INVERSE[x]
            x += 1
        return x
    # names as in Hörmann's paper; an offset from the mean instead of a count
    variance = mean * (1.0 - p)
    deviation = math.sqrt(variance)
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * deviation
    sure = 0.92 - 4.2 / b
    whole = math.floor(mean)
    rest = mean - whole + 0.5
    mode, at_mode = math.floor(mean + p), 1.0
    for attempt in range(4096):
        w0, w1, w2, w3 = philox(c0, c1, c2, c3 + np.uint64(attempt), k0, k1)
        u, v = _uniform(w0, w1) - 0.5, _uniform(w2, w3)
        space = 0.5 - abs(u)
        x = whole + math.floor((2.0 * a / space + b) * u + rest)
        if space >= 0.07 and v <= sure:
            return x
        if x < 0 or x > n:
            continue
        height = math.log(v * alpha / (a / (space * space) + b))
        distance = float(abs(x - mode))
        if _NEAREST < distance < variance / 2 - 1:
            normal = -0.5 * distance * distance / variance
            error = distance / variance * ((distance * (distance / 3 + 0.625) + 1 / 6) / variance + 0.5)
            if height < normal - error:
                return x
            if height > normal + error:
                continue
        if at_mode > 0.0:
            at_mode = log_binomial(mode, n, p)
        if height <= log_binomial(x, n, p) - at_mode:
            return x
    return mode  # practically impossible: an attempt fails with probability below 0.4
