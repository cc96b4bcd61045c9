"""Versions of libraries and vector units of the processor, which decide the last bits of a number."""

from __future__ import annotations

import platform
from collections.abc import Mapping
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


def differing_makers(versions: Mapping[str, str], *other_versions: Mapping[str, str]) -> list[str]:
    """Name the versions and vector units that differ from those here.

    >>> differing_makers({"numpy": "2.4"}, {"numpy": "2.3"}, {"numpy": "2.4"})
    ['numpy 2.3, here 2.4']
    """
    differences = [
        f"{name} {makers.get(name, 'unknown')}, here {versions[name]}"
        for makers in other_versions
        for name in versions
        if makers.get(name) != versions[name]
    ]
    return list(dict.fromkeys(differences))
