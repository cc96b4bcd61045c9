"""A search for counterexamples to theorems of ours, each held to something that does not know it.

`python -m robustness.counterexamples [TRIES [NAME ...]]`; exit status 1 if a statement is contradicted or
hardly tested. A name is that of a statement; docs/findings.md lists them. Limits with a share of relevant
items have a search of their own, tests/theory/limits/test_limit_scan.py.
"""

from __future__ import annotations

import sys

from robustness import few_items, level_pairs, order_statements, value_statements
from robustness.statements import STATEMENTS

MODULES = order_statements, level_pairs, value_statements, few_items


def main() -> int:
    """Print a line per statement and per counterexample; 1 if there is any, or a statement hardly tested."""
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    bad = 0
    for name in sys.argv[2:] or STATEMENTS:
        found = list(STATEMENTS[name].search(tries))
        broken = [one.of for one in found if one.contradicts()]
        tested = sum(one.agrees(0.0) is not None for one in found)
        print(f"{name}: {tries} tries, {tested} tested, {len(broken)} contradicted", flush=True)
        for of in broken:
            print(f"  {of}")
        bad += len(broken) + (tested < tries / 4)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
