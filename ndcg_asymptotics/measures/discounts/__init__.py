"""Discounts: the weights D(r) of the ranks."""

from ndcg_asymptotics.measures.discounts.custom import Custom, discount
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.measures.discounts.standard import (
    ClippedLog,
    Constant,
    Geometric,
    Linear,
    Log,
    Power,
    RankBiased,
    Zipf,
)

__all__ = [
    "ClippedLog",
    "Constant",
    "Custom",
    "Discount",
    "Geometric",
    "Linear",
    "Log",
    "Power",
    "RankBiased",
    "Zipf",
    "discount",
]
