"""The explorer: a page with sliders on which theory is seen at work.

`state` and `values` compute what the page shows and know nothing of widgets; `charts` and `page` show it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ndcg_asymptotics.core.errors import InputError


def explore(query: str = "") -> Any:
    """Return the explorer as a Panel object, which a notebook shows.

    Parameters
    ----------
    query : str
        What is chosen at the start, as the address of the page has it (`explorer.state`).

    Raises
    ------
    InputError
        If Panel is not installed, or the text is not a state of the explorer.

    >>> shown = explore("a=linear(0.1, 0.7)&b=constant(0.4)&measure=nDCG@10&n=1e6")  # the last line of a cell
    """
    return _serving().explore(query)


def serve(port: int = 0, *, show: bool = True) -> None:
    """Serve the explorer on 127.0.0.1 until it is interrupted.

    Parameters
    ----------
    port : int
        0 for a free one.
    show : bool
        Whether to open a browser.

    Raises
    ------
    InputError
        If Panel is not installed, or the port is taken.
    """
    _serving().serve(port, show=show)


def _serving() -> ModuleType:
    try:
        from ndcg_asymptotics.explorer import serving
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("panel", "bokeh"):
            raise
        said = "the explorer needs Panel, which is not installed: pip install panel"
        raise InputError(said) from None
    return serving
