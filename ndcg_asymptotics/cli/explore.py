"""The command explore: a page on this machine on which theory is seen at work."""

from __future__ import annotations

from typing import Annotated

import typer

from ndcg_asymptotics.cli.options import Output, parse_whole

app = typer.Typer()


@app.command()
def explore(
    *,
    port: Annotated[
        int | None,
        typer.Option(metavar="PORT", parser=parse_whole, help="Port of the page.", show_default="a free one"),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    output: Output,
) -> None:
    """Open a page with sliders: two rankers, a measure, and what theory says of them at every list length.

    It listens on 127.0.0.1 only and ends with Ctrl-C. It needs Panel (the extra "app").

    Examples:

        ndcg-asymptotics explore
        ndcg-asymptotics explore --no-browser --port 5006
    """
    from ndcg_asymptotics.explorer import serve

    serve(0 if port is None else port, show=browser)
