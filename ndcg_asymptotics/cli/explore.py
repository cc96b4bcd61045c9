"""The command explore: a page on this machine on which theory is seen at work."""

from __future__ import annotations

import typer

from ndcg_asymptotics.cli.options import Output, option

app = typer.Typer()


@app.command()
def explore(
    *,
    port: int | None = option("Port of the page.", None, "PORT", shown="a free one"),
    browser: bool = option("Open the page in a browser.", True, name="--browser/--no-browser"),
    output: Output,
) -> None:
    """Open a page with sliders: two rankers, a measure, and what theory says of them at every list length.

    It listens on 127.0.0.1 only and ends with Ctrl-C. It needs Panel (the extra "app").

    Examples:

        ndcg-asymptotics explore
        ndcg-asymptotics explore --no-browser --port 5006
    """
    from ndcg_asymptotics import explorer

    explorer.explore(0 if port is None else port, browser=browser)
