from .outcome import Candidates as Candidates
from .outcome import Sampled as Sampled
from .sampling import sampled as sampled
from .sampling import sampled_candidates as sampled_candidates
