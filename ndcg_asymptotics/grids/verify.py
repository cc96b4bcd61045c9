"""Is what a grid wrote still what it wrote?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.grids.results import FILE, POINTS, axes_in
from ndcg_asymptotics.results.damage.verify import Verification, verify
from ndcg_asymptotics.results.layout import Damage, holds_results


def verify_grid(folder: str | Path) -> Verification:
    """`verify` every point of a grid, as one: places begin with the folder of the point."""
    folder = Path(folder)
    found = Verification(str(folder), 0, 0, (), checksums=True)
    try:
        axes_in(folder)
    except InputError:
        found = replace(found, damages=(Damage(FILE, "is not what was written"),))
    for place in sorted((folder / POINTS).iterdir()) if (folder / POINTS).is_dir() else []:
        if not holds_results(place):
            continue
        point = verify(place)
        damages = [replace(d, place=f"{POINTS}/{place.name}/{d.place}") for d in point.damages]
        found = replace(
            found,
            complete=found.complete + point.complete,
            wanted=found.wanted + point.wanted,
            damages=(*found.damages, *damages),
        )
    return found
