"""Print constraints.txt anew: python scripts/constraints.py REPORT, the report of `pip install --report`."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def pinned(report: str) -> str:
    """Return a line ``name==version`` for each package of a report that was not named directly.

    >>> about = {"metadata": {"name": "numpy", "version": "2.4.6"}, "is_direct": False}
    >>> pinned(json.dumps({"install": [about, about | {"is_direct": True}]}))
    'numpy==2.4.6'
    """
    packages = [package for package in json.loads(report)["install"] if not package["is_direct"]]
    return "\n".join(sorted("{name}=={version}".format_map(package["metadata"]) for package in packages))


if __name__ == "__main__":
    first_line = Path("constraints.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    print(first_line, pinned(Path(sys.argv[1]).read_text(encoding="utf-8")), sep="\n")
