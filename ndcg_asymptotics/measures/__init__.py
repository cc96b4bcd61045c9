"""What NDCG is made of: discounts, cutoffs, the measure, the ideal list, sums of exponentials."""

from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount, discount
from ndcg_asymptotics.measures.measure import Measure

__all__ = ["Cutoff", "Discount", "Measure", "discount"]
