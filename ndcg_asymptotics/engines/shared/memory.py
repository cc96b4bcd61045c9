"""How much memory an engine may take."""

from __future__ import annotations

import os
from pathlib import Path

from ndcg_asymptotics.core.errors import require

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_GROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def available() -> int:
    """Bytes that this process may use: the machine's, or what a container or `ulimit -v` leaves of them."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in _GROUPS:
        try:
            limits.append(int(file.read_text()))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    if resource is not None:
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits += [soft] if soft != resource.RLIM_INFINITY else []
    return min(limits)


def require_memory(engine: str, n: int, needed: float, remedy: str) -> None:
    """Refuse lists that take more memory than there is."""
    there = available()
    require(
        needed <= there,
        f"{engine} engine: n = {n:g} takes {needed:.3g} bytes, here are {there:.3g}; {remedy}",
    )
