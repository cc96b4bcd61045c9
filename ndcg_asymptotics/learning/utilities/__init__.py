"""What an order of items is worth: DCG and NDCG, AP, ERR, pairwise disagreement."""

from __future__ import annotations

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning.gains import Gain
from ndcg_asymptotics.learning.utilities.average_precision import AveragePrecision
from ndcg_asymptotics.learning.utilities.disagreement import PairwiseDisagreement
from ndcg_asymptotics.learning.utilities.discounted import Discounted
from ndcg_asymptotics.learning.utilities.reciprocal_rank import ExpectedReciprocalRank
from ndcg_asymptotics.learning.utilities.utility import MOST_ITEMS, Utility, all_orders, judged, ranks_of
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.cutoffs import scan
from ndcg_asymptotics.specs.scanner import Scanner, read

__all__ = [
    "MOST_ITEMS",
    "Discounted",
    "PairwiseDisagreement",
    "Utility",
    "all_orders",
    "judged",
    "ranks_of",
    "utility_of",
]

_ALLOWED = "a measure such as nDCG@10 or DCG(zipf), AP, ERR, PD or PD(gain)"


def utility_of(given: Utility | Measure | str, gain: Gain = "exp2") -> Utility:
    """A utility from its text: `nDCG@10`, `DCG(zipf)`, `AP`, `ERR`, `PD`, `PD(gain)`.

    >>> str(utility_of("nDCG@10")), str(utility_of("DCG(zipf)")), str(utility_of("PD(gain)"))
    ('nDCG(log)@10', 'DCG(zipf)', 'PD(gain)')

    Raises
    ------
    InputError
        Saying what was expected.
    """
    if isinstance(given, Utility):
        return given
    if isinstance(given, Measure):
        return Discounted(gain, given)
    if not isinstance(given, str):
        raise InputError(f"must be {_ALLOWED}, got {brief(given)}", "measure")
    text = "".join(given.split())
    match text:
        case "AP":
            return AveragePrecision(gain)
        case "ERR":
            return ExpectedReciprocalRank(gain)
        case "PD":
            return PairwiseDisagreement(gain)
        case "PD(gain)":
            return PairwiseDisagreement(gain, "gain")
    if text.startswith("nDCG"):
        return Discounted(gain, Measure.parse(given))
    if text.startswith("DCG"):
        return Discounted(gain, read(given, _dcg), normalised=False)
    raise InputError(f"must be {_ALLOWED}, got {brief(given)}", "measure")


def _dcg(scanner: Scanner) -> Measure:
    scanner.expect("DCG")
    discount: Discount | str = "log"
    if scanner.accept("("):
        discount = Discount.build(scanner.call())
        scanner.expect(")")
    return Measure(discount, scan(scanner) if scanner.accept("@") else "")
