"""The experiment of Ravikumar, Tewari and Yang (2011) on LETOR 4.0 MQ2008: the norms |G|, Z_1, Z_10 and Z.

Least squares and the cosine with gains divided by nothing or |G|, and by the ideal DCG of the first rank, of
the first ten and of all; and the normalised p-norm with q = log(m) + 2 for a list of m documents. Folds,
penalties and tests are those of `mq2008`.
"""

from __future__ import annotations

from keeping import keep
from mq2008 import compared

DEPTHS = {"Z_1": 1, "Z_10": 10, "Z": 1000}  # no list of MQ2008 has more than 121 documents
FAMILIES = {"least squares": ("squared", "pnorm(2, {})"), "cosine": ("cosine", "pnorm_normalised(2, {})")}
BY_LENGTH = 'pnorm_normalised("log", {})'


def main() -> None:
    """Train, and write NDCG by loss and norm."""
    losses, pairs = {}, []
    for family, (plain, normed) in FAMILIES.items():
        losses[family] = plain
        losses |= {f"{family}, {norm}": normed.format(depth) for norm, depth in DEPTHS.items()}
        pairs += [(f"{family}, {norm}", family) for norm in DEPTHS]
    losses |= {f"p-norm, {norm}": BY_LENGTH.format(depth) for norm, depth in DEPTHS.items()}
    pairs += [(f"p-norm, {norm}", f"cosine, {norm}") for norm in DEPTHS]
    keep("norms", compared({name: (loss, "nDCG@10") for name, loss in losses.items()}, pairs))


if __name__ == "__main__":
    main()
