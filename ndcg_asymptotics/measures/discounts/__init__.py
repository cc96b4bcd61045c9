"""Discounts: the weights D(r) of the ranks."""

from ndcg_asymptotics.measures.discounts.custom import Custom, discount
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.measures.discounts.standard import Constant, Geometric, Linear, Log, Power, Zipf

__all__ = ["Constant", "Custom", "Discount", "Geometric", "Linear", "Log", "Power", "Zipf", "discount"]
