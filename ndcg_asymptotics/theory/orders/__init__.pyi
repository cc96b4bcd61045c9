from .exponents import ErrorExponent as ErrorExponent
from .exponents import error_exponent as error_exponent
from .tilting import CELLS as CELLS
from .tilting import Side as Side
from .tilting import Tilt as Tilt
from .tilting import level_tilt as level_tilt
from .tilting import log_wrong_probability as log_wrong_probability
from .tilting import tilt as tilt
