"""Figures of results and theory with matplotlib, which nothing else in the package imports.

Functions such as `ndcg_curves` and `wrong_order_rates` draw into the axes that they are given, which they
return. The context manager `style` applies the settings that they are made for, `save` writes PNG, SVG and
PDF files, and `draw_all` makes every figure of a study.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
