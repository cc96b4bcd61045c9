"""Discounts, one class in one file each."""

from ndcg_asymptotics.measures.discounts.custom import Custom, discount
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.measures.discounts.geometric import Geometric
from ndcg_asymptotics.measures.discounts.linear import Linear
from ndcg_asymptotics.measures.discounts.log import Log
from ndcg_asymptotics.measures.discounts.power import Power, Zipf

__all__ = ["Custom", "Discount", "Geometric", "Linear", "Log", "Power", "Zipf", "discount"]
