"""Versions of libraries and vector units of the processor, which decide the last bits of a number."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

import numpy as np

PACKAGE = "ndcg-asymptotics"


@cache  # every block of results records them
def versions_of(*libraries: str) -> dict[str, str]:
    """Return the versions of this package, Python and some libraries, and the vector units numpy uses.

    >>> sorted(versions_of("numpy"))
    ['ndcg_asymptotics', 'numpy', 'numpy_cpu', 'python']
    """
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return {
        "ndcg_asymptotics": version(PACKAGE),
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
        "numpy_cpu": " ".join([*simd.get("baseline", []), *simd.get("found", [])]),
    }
