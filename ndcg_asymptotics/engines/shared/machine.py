"""The machine: the vector units that numba compiles for, and the memory that an engine may use."""

from __future__ import annotations

import os
import resource
from functools import cache
from pathlib import Path

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.text import bytes_text

_GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

_VECTOR = ("sse", "avx", "fma", "neon", "sve", "vsx", "altivec")


@cache
def numba_cpu() -> str:
    """Return the processor and the instruction sets that numba compiles for.

    Sums are added up in as many lanes as a register has, and multiplied and added at once where the
    processor can: results of machines that differ here may differ by a few units in the last place.

    >>> numba_cpu() != ""
    True
    """
    from numba.core.registry import cpu_target  # here, as results are read without it

    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    enabled = [name[1:] for name in features.split(",") if name[:1] == "+"]
    return " ".join([processor, *(name for name in enabled if name.startswith(_VECTOR))])


def available() -> int:
    """Return the bytes that this process may use: the machine's, or a limit by a container or `ulimit -v`."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in _GROUPS:
        try:
            limits.append(int(file.read_text()))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    limits += [soft] if soft != resource.RLIM_INFINITY else []
    return min(limits)


def require_memory(engine: str, n: int, size: float, remedy: str) -> None:
    """Refuse lists that take more memory than there is."""
    limit = available()
    require(
        size <= limit,
        f"{engine} engine: n = {n:g} takes {bytes_text(size)}, {bytes_text(limit)} are available; {remedy}",
    )
