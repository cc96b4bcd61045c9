"""Growing lists of real runs, and what i.i.d. theory says of them."""

from ndcg_asymptotics.lists.growing.experiment import grow, grow_files
from ndcg_asymptotics.lists.growing.growth import Growth
from ndcg_asymptotics.lists.growing.iid import Theory

__all__ = ["Growth", "Theory", "grow", "grow_files"]
