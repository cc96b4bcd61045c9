"""What of the processor decides the last bits: the vector units that numpy and numba use."""

from __future__ import annotations

from functools import cache

import numpy as np
from numba.core.registry import cpu_target

_VECTOR = ("sse", "avx", "fma", "neon", "sve", "vsx", "altivec")


@cache
def vector_units() -> dict[str, str]:
    """The instruction sets that numpy dispatches to and that numba compiles for.

    Sums are added up in as many lanes as a register has, and multiplied and added at once where the
    processor can: results of machines that differ here may differ by a few units in the last place.

    >>> sorted(vector_units())
    ['numba_cpu', 'numpy_cpu']
    """
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    enabled = [name[1:] for name in features.split(",") if name[:1] == "+"]
    vector = [name for name in enabled if name.startswith(_VECTOR)]
    return {
        "numpy_cpu": " ".join([*simd.get("baseline", []), *simd.get("found", [])]),
        "numba_cpu": " ".join([processor, *vector]),
    }
