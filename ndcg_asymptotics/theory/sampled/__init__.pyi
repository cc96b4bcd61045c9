from .candidates import CandidateRanks as CandidateRanks
from .corrected import bias_variance_estimate as bias_variance_estimate
from .moments import metric_of_ranks as metric_of_ranks
from .moments import sampled_moments as sampled_moments
