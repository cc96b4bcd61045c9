"""Random relevance curves and measures over the ranges that users have, and some beyond."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

EXPONENTS = (0.02, 0.2, 0.5, 0.7, 0.9, 0.98)  # a sum of exponentials takes seconds to find, and is kept


def pairs(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """(curve, measure) texts; the same for a seed whatever the count."""
    for rng in (np.random.default_rng((seed, i)) for i in range(count)):
        yield curve(rng), measure(rng)


def curve(rng: np.random.Generator) -> str:
    if rng.random() < 0.2:
        high, low = _family(rng, 0.5), _family(rng, 0.5)
        return f"graded({rng.choice([2, 3, 7])}={high}, 1={low})"
    return _family(rng, 1.0)


def _family(rng: np.random.Generator, most: float) -> str:
    """A curve with values up to ``most``; one in five starts or ends at 0 or at ``most`` exactly."""
    scale = most * 10 ** rng.uniform(-3, 0)
    a, b = scale * rng.random(), scale * rng.random()
    if rng.random() < 0.2:
        a, b = (a, most) if rng.random() < 0.5 else (a, 0.0)
    kind = rng.choice(["constant", "linear", "power", "cusp", "step", "piecewise", "logistic", "binormal"])
    if most < 1 and kind in ("logistic", "binormal"):
        kind = "linear"
    p = 10 ** rng.uniform(-3, np.log10(0.9))
    match kind:
        case "constant":
            return f"constant({scale:.6g})"
        case "linear":
            return f"linear({a:.6g}, {b:.6g})"
        case "power":
            return f"power({a:.6g}, {b:.6g}, {10 ** rng.uniform(-1, 1.3):.4g})"
        case "cusp":
            return f"cusp({a:.6g}, {b:.6g}, {10 ** rng.uniform(-1.3, 0.3):.4g})"
        case "step":
            return f"step({a:.6g}, {b:.6g}, {rng.uniform(0.05, 0.95):.4g})"
        case "piecewise":
            inner = np.sort(rng.uniform(0.02, 0.98, 3))
            depths, values = (0, *inner, 1), scale * rng.random(5)
            return f"piecewise({', '.join(f'{t:.4g}={v:.6g}' for t, v in zip(depths, values, strict=True))})"
        case "logistic":
            return f"logistic({p:.6g}, {rng.uniform(-40, 40):.4g})"
        case _:
            return f"binormal({p:.6g}, {rng.uniform(-1.5, 3):.4g})"


def measure(rng: np.random.Generator) -> str:
    power = f"power({rng.choice(EXPONENTS)})"
    discount = rng.choice(["log", "zipf", power, "linear"], p=[0.35, 0.25, 0.3, 0.1])
    a = rng.uniform(0.1, 0.95)
    cutoffs = ["", f"@{rng.uniform(0.01, 1):.4g}n", f"@n^{a:.3g}", f"@{rng.uniform(1, 50):.3g}log(n)"]
    return f"nDCG({discount}){rng.choice(cutoffs, p=[0.4, 0.3, 0.2, 0.1])}"


def certain_top(rng: np.random.Generator) -> tuple[str, str]:
    """A curve that is 0 or 1 at the top, and a measure of which the first ranks decide the limit."""
    top, levels = float(rng.integers(2)), (0.0, 1.0, rng.random(), 10 ** rng.uniform(-3, 0))
    bottom = float(rng.choice(levels))
    curves = [
        f"linear({bottom:.6g}, {top:g})",
        f"step({bottom:.6g}, {top:g}, {rng.uniform(0.05, 0.95):.4g})",
        f"power({bottom:.6g}, {top:g}, {10 ** rng.uniform(-1, 1.3):.4g})",
        f"cusp({bottom:.6g}, {top:g}, {10 ** rng.uniform(-1, 0.3):.4g})",
        f"piecewise(0={top:g}, {rng.uniform(0.02, 0.98):.4g}={rng.random():.6g}, 1={bottom:.6g})",
    ]
    summable = ["geometric(2)", "geometric(1.1)", "power(1.05)", "power(1.2)", "power(2)"]
    discount = str(rng.choice([*summable, "log", "zipf", "linear"]))
    cutoffs = ["@1", "@3", "@10", "@100", *[""] * (discount in summable)]
    return str(rng.choice(curves)), f"nDCG({discount}){rng.choice(cutoffs)}"
