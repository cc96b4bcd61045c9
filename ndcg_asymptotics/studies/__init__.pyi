from .design import Design as Design
from .grid import Grid as Grid
from .grid import load_grid as load_grid
from .study import Study as Study
from .study import decades as decades
from .toml import load as load
from .toml import write_template as write_template
