"""The explorer: a page with sliders on which theory is seen at work.

`state` and `values` compute what the page shows and know nothing of widgets; `charts` and `page` show it.
"""

from __future__ import annotations

from types import ModuleType

from ndcg_asymptotics.core.errors import InputError, require


def explore(port: int = 0, *, browser: bool = True) -> None:
    """Serve the explorer on 127.0.0.1 until it is interrupted.

    Parameters
    ----------
    port : int
        0 for a free one.
    browser : bool
        Whether to open a browser.

    Raises
    ------
    InputError
        If Panel is not installed, or the port is taken.

    >>> explore(port=70_000)
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: port: must be 0 to 65535, got 70000
    """
    require(0 <= port < 2**16, f"must be 0 to 65535, got {port}", "port")
    from ndcg_asymptotics.explorer.workers import worker

    with worker() as submit:  # it computes what is shown at the start while Panel is imported
        _serving().serve(port, browser, submit)


def _serving() -> ModuleType:
    try:
        from ndcg_asymptotics.explorer import serving
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("panel", "bokeh"):
            raise
        message = "the explorer needs Panel, which is not installed: pip install panel"
        raise InputError(message) from None
    return serving
