"""The vector units that numba compiles for, which decide the last bits of an engine's results."""

from __future__ import annotations

from functools import cache

from numba.core.registry import cpu_target

_VECTOR = ("sse", "avx", "fma", "neon", "sve", "vsx", "altivec")


@cache
def numba_cpu() -> str:
    """Return the processor and the instruction sets that numba compiles for.

    Sums are added up in as many lanes as a register has, and multiplied and added at once where the
    processor can: results of machines that differ here may differ by a few units in the last place.

    >>> numba_cpu() != ""
    True
    """
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    enabled = [name[1:] for name in features.split(",") if name[:1] == "+"]
    return " ".join([processor, *(name for name in enabled if name.startswith(_VECTOR))])
