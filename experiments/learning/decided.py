"""The claims of the papers, verdicts and worst regrets of every loss, for 3 and 4 items."""

from __future__ import annotations

from keeping import keep

from ndcg_asymptotics.core.progress import show_progress
from ndcg_asymptotics.learning import search_losses
from ndcg_asymptotics.learning.losses import losses_of

DRAWS = 1000


def main() -> None:
    """Search, and write the results."""
    found = {}
    with show_progress():
        for items, measure in ((3, "nDCG"), (4, "nDCG"), (4, "nDCG@2"), (3, "PD")):
            by_gain = losses_of('duchi(1, "gain")')
            losses = (*losses_of(None), *by_gain) if measure != "PD" else None
            search = search_losses(losses, measure=measure, n=items, draws=DRAWS, seed=1)
            print(search)
            found[f"{measure}, {items} items"] = search.as_dict()
    keep("decided", found)


if __name__ == "__main__":
    main()
