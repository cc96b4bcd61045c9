from .listing import specs as specs
