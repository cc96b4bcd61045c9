"""How much memory an engine may take."""

from __future__ import annotations

import os

from ndcg_asymptotics.errors import require


def require_memory(engine: str, n: int, needed: float, remedy: str) -> None:
    """Refuse lists that take more memory than the machine has."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    require(
        needed <= there,
        f"{engine} engine: n = {n:g} takes {needed:.3g} bytes, here are {there:.3g}; {remedy}",
    )
