"""Rankers that are trained with surrogate losses, and what they are trained on."""

from ndcg_asymptotics.learning.training.files import Trained, train_files
from ndcg_asymptotics.learning.training.queries import Queries
from ndcg_asymptotics.learning.training.ranker import Ranker, mean_utility, train_ranker
from ndcg_asymptotics.learning.training.readers import TwoReaders
from ndcg_asymptotics.learning.training.svmlight import read_svmlight

__all__ = [
    "Queries",
    "Ranker",
    "Trained",
    "TwoReaders",
    "mean_utility",
    "read_svmlight",
    "train_files",
    "train_ranker",
]
