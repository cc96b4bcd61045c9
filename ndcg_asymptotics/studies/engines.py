"""The engines a study may name. A new engine is a folder of `ndcg_asymptotics.engines` and a line here."""

from __future__ import annotations

from ndcg_asymptotics.core.errors import require

ENGINES = {
    "items": "ndcg_asymptotics.engines.items",
    "every-n": "ndcg_asymptotics.engines.every_n",
    "cells": "ndcg_asymptotics.engines.cells",
    "rare": "ndcg_asymptotics.engines.rare",
}
"""The module of each engine."""

ITEMS_LIMIT = 10**7
"""The longest list for which "auto" draws every item."""


def resolve(name: str, largest: int) -> str:
    """The engine for lists of up to ``largest`` items; "auto" is items as long as that is quick, then cells.

    >>> resolve("auto", 10**7), resolve("auto", 10**18), resolve("every-n", 10)
    ('items', 'cells', 'every-n')
    """
    known = ", ".join(("auto", *ENGINES))
    require(name in ("auto", *ENGINES), f"must be one of {known}, got {name!r}", "engine")
    return ("items" if largest <= ITEMS_LIMIT else "cells") if name == "auto" else name
