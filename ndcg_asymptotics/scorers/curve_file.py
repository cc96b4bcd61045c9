"""The file of a relevance curve that was estimated from data, read and written in one place.

::

    {"format": "ndcg-asymptotics curve 1",
     "gains": [2, 1],                         decreasing
     "depth": [0.0, 0.01, …, 1.0],            increasing, from 0 to 1
     "probability": [[…], […]],               P(Y = gain | depth), one list per gain
     "band": {"level": 0.95, "low": …, "high": …},
     "source": {…}}                           where it came from

The band and the source are for readers; a scorer needs neither.
"""

from __future__ import annotations

import json
from typing import Any

from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.scorers.graded import check_grades
from ndcg_asymptotics.scorers.piecewise import PiecewiseLinear

FORMAT = "ndcg-asymptotics curve 1"


def encode(gains: Any, depth: Any, probability: Any, **further: Any) -> bytes:
    """The content of a curve file; gains, depths and probabilities are arrays or lists of numbers."""
    content = {"format": FORMAT, "gains": gains, "depth": depth, "probability": probability, **further}
    return (json.dumps(content, indent=1, default=lambda array: array.tolist()) + "\n").encode()


def decode(content: bytes) -> tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]]:
    """The gains and curves in the content of a curve file.

    Raises
    ------
    InputError
        Saying what is wrong with it.
    """
    try:
        table = json.loads(content)
        require(table["format"] == FORMAT, f"format must be {FORMAT!r}, got {table['format']!r}")
        gains = tuple(float(y) for y in table["gains"])
        depths = tuple(float(t) for t in table["depth"])
        rows = [tuple(float(v) for v in row) for row in table["probability"]]
        require(
            len(rows) == len(gains) and all(len(row) == len(depths) for row in rows),
            "probability must hold one row per gain and one number per depth",
        )
        curves = tuple(PiecewiseLinear(depths, row) for row in rows)
        check_grades(gains, curves)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"not a curve file ({error!r})") from None
    return gains, curves
