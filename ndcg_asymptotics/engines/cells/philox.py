"""Random variates that are functions of a key and a counter, not of what was drawn before.

The draw at a counter is always the same, in whatever order draws are made. The generator is
Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3").
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.engines.compiled import kernel

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLY_0, _MULTIPLY_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

ATTEMPT_BITS = np.uint64(12)
_SIX = np.uint64(6)
INVERSION = 20.0  # below this mean: inversion; above: transformed rejection
_NEAREST = 20.0  # from the mode: probabilities by products up to here, bounds of the normal law beyond
# relative; nearer to P(x)/P(mode) than this the logarithms of P decide, which are good to 1e-5
_MARGIN = 1e-4
_SMALL = 64  # (1-p)^n by squaring up to this n
_INVERSE = 1.0 / np.arange(1.0, 400.0)  # by inversion no count is larger

# log x! less Stirling's formula, for small x (0 stands alone)
_STIRLING = np.array(
    [0.0]
    + [math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi) for x in range(1, 16)]
)


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return four 32-bit words from a counter of four and a key of two, each held in 64 bits."""
    # round by round: LLVM makes no vector instructions of a loop within a loop
    c0, c1, c2, c3 = _round(0, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(1, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(2, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(3, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(4, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(5, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(6, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(7, c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _round(8, c0, c1, c2, c3, k0, k1)
    return _round(9, c0, c1, c2, c3, k0, k1)


@kernel(forceinline=True)
def _round(
    number: int, c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    p0, p1 = _MULTIPLY_0 * c0, _MULTIPLY_1 * c2
    k0, k1 = (k0 + np.uint64(number) * _WEYL_0) & _LOW, (k1 + np.uint64(number) * _WEYL_1) & _LOW
    return (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW, (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW


@kernel
def _uniform(a: np.uint64, b: np.uint64) -> float:
    """Return a number in (0, 1) from two 32-bit words; never 0 or 1."""
    # 26 bits of each, a whole number below 2^52, and a half
    return (float(a >> _SIX) * 67108864.0 + float(b >> _SIX) + 0.5) / 4503599627370496.0


@kernel
def _stirling_error(x: float) -> float:
    if x < 16.0:
        return float(_STIRLING[int(x)])
    y = 1.0 / (x * x)
    # the Stirling series; from x = 16 on the next term is about 1e-14
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / x


@kernel
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


@kernel
def log_probability(x: int, n: int, p: float) -> float:
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


@kernel
def _power(base: float, exponent: int) -> float:
    result = 1.0
    while exponent > 0:
        result *= base if exponent & 1 else 1.0  # no branch on it: bits are unpredictable
        base *= base
        exponent >>= 1
    return result


@kernel(forceinline=True)
def uniforms(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[float, float]:
    """Return two numbers in (0, 1)."""
    w0, w1, w2, w3 = philox(c0, c1, c2, c3, k0, k1)
    return _uniform(w0, w1), _uniform(w2, w3)


@kernel
def inverted(n: int, p: float, u: float) -> int:
    """Return the quantile of Bin(n, p) at u, for a mean below 20."""
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


# Names below are as in Hörmann's paper; an offset from the mean instead of a count.


@kernel(forceinline=True, error_model="numpy")
def _hat(mean: float, p: float) -> tuple[float, float, float]:
    """Return the standard deviation, a and b."""
    deviation = math.sqrt(mean * (1.0 - p))
    b = 1.15 + 2.53 * deviation  # constants of BTRS, fitted by Hörmann for n p >= 10, as those below
    return deviation, -0.0873 + 0.0248 * b + 0.01 * p, b


@kernel(forceinline=True, error_model="numpy")
def proposed(n: int, p: float, u: float, v: float) -> tuple[int, bool]:
    """Return a variate of the hat function, and whether it is accepted without comparing probabilities."""
    mean = n * p
    _, a, b = _hat(mean, p)
    whole = math.floor(mean)
    offset = mean - whole + 0.5
    u -= 0.5
    space = 0.5 - abs(u)
    x = whole + math.floor((2.0 * a / space + b) * u + offset)
    return x, (space >= 0.07) & (v <= 0.92 - 4.2 / b)


@kernel(error_model="numpy")
def accepted(n: int, p: float, u: float, v: float, x: int) -> bool:
    """Return whether a variate of the hat function is accepted: if it is below P(x)/P(mode).

    Most are decided without logarithms of P, near the mode by products, elsewhere by bounds around that of a
    normal variate (Kachitvichyanukul and Schmeiser 1988, "Binomial random variate generation", step 5.2).
    """
    if x < 0 or x > n:
        return False
    mean = n * p
    deviation, a, b = _hat(mean, p)
    variance = mean * (1.0 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    space = 0.5 - abs(u - 0.5)
    mode = math.floor(mean + p)
    height = v * alpha / (a / (space * space) + b)
    distance = float(abs(x - mode))
    if distance <= _NEAREST:
        ratio = _ratio(x, mode, n, mean, p)
        if abs(height - ratio) > _MARGIN * ratio:
            return height < ratio
    height = math.log(height)
    if _NEAREST < distance < variance / 2 - 1:
        normal = -0.5 * distance * distance / variance
        error = distance / variance * ((distance * (distance / 3 + 0.625) + 1 / 6) / variance + 0.5)
        if height < normal - error:
            return True
        if height > normal + error:
            return False
    return height <= log_probability(x, n, p) - log_probability(mode, n, p)


@kernel(error_model="numpy")
def _ratio(x: int, mode: int, n: int, mean: float, p: float) -> float:
    """Return P(x)/P(mode), for a few steps between them."""
    above, below, scale = 1.0, 1.0, 1.0 / mean
    odds = p / (1.0 - p) * scale  # so both products are near 1
    for i in range(min(x, mode) + 1, max(x, mode) + 1):
        above *= float(n - i + 1) * odds
        below *= float(i) * scale
    return above / below if x > mode else below / above


@kernel
def rejection(
    n: int,
    p: float,
    attempt: int,
    c0: np.uint64,
    c1: np.uint64,
    c2: np.uint64,
    c3: np.uint64,
    k0: np.uint64,
    k1: np.uint64,
) -> int:
    """Draw from Bin(n, p), p <= 1/2 and n p >= 20, from an attempt on; ``c3`` is the counter of the first."""
    while attempt < 4096:
        u, v = uniforms(c0, c1, c2, c3 + np.uint64(attempt), k0, k1)
        x, is_sure = proposed(n, p, u, v)
        if is_sure or accepted(n, p, u, v, x):
            return x
        attempt += 1
    return math.floor(n * p + p)  # practically impossible: an attempt fails with probability below 0.4


@kernel
def binomial(
    n: int, p: float, c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> int:
    """Draw from Bin(n, p) for 0 <= n <= 9e18 at a counter whose last word is below 2^20.

    By inversion where min(p, 1-p) n < 20, else by transformed rejection (BTRS, Hörmann 1993,
    "The generation of binomial random variates"). Drawn as whole numbers around the mean, which
    is a double: at n = 1e18 it may be off by 1e-7 standard deviations.
    """
    if n == 0 or p <= 0.0:
        return 0
    if p >= 1.0:
        return n
    smaller_p, c3 = min(p, 1.0 - p), c3 << ATTEMPT_BITS
    if n * smaller_p < INVERSION:
        x = inverted(n, smaller_p, uniforms(c0, c1, c2, c3, k0, k1)[0])
    else:
        x = rejection(n, smaller_p, 0, c0, c1, c2, c3, k0, k1)
    return n - x if p > 0.5 else x
