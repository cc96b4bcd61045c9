"""Losses that see the labels of a list through one target per item."""

from ndcg_asymptotics.learning.losses.listwise.bregman import Bregman
from ndcg_asymptotics.learning.losses.listwise.cosine import Cosine
from ndcg_asymptotics.learning.losses.listwise.cosine_consistent import CosineConsistent
from ndcg_asymptotics.learning.losses.listwise.listnet import ListNet
from ndcg_asymptotics.learning.losses.listwise.listnet_consistent import ListNetConsistent
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.listwise.pnorm import PNorm
from ndcg_asymptotics.learning.losses.listwise.pnorm_normalised import PNormNormalised
from ndcg_asymptotics.learning.losses.listwise.squared import Squared
from ndcg_asymptotics.learning.losses.listwise.squared_consistent import SquaredConsistent

__all__ = [
    "Bregman",
    "Cosine",
    "CosineConsistent",
    "ListNet",
    "ListNetConsistent",
    "Listwise",
    "PNorm",
    "PNormNormalised",
    "Squared",
    "SquaredConsistent",
]
