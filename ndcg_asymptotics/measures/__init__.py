"""NDCG measures: discounts, cutoffs, and discounts as sums of exponentials."""

from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount, discount
from ndcg_asymptotics.measures.measure import Measure, Measures, measures_of

__all__ = ["Cutoff", "Discount", "Measure", "Measures", "discount", "measures_of"]
