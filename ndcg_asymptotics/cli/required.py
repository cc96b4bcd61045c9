"""The command `required`."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def required(
    a: Annotated[str, typer.Option(metavar="CURVE", help="A relevance curve.")],
    b: Annotated[str, typer.Option(metavar="CURVE", help="Another with the same label law.")],
    measure: Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")],
    n: Annotated[
        str, typer.Option("-n", "--n", metavar="N", help="The length of the lists of a test.")
    ] = "1000",
    rate: Annotated[
        float, typer.Option(help="Chance with which one list is to show the right order.")
    ] = 0.95,
    power: Annotated[float, typer.Option(help="Power of the paired test.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the paired test.")] = 0.05,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How long a list, and how many lists, it takes to tell two rankers apart."""
    from ndcg_asymptotics.analysis.required import required as find
    from ndcg_asymptotics.cli.theory import size
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = find(a, b, measure, n=size(n), rate=rate, power=power, alpha=alpha)  # type: ignore[arg-type]
    if as_json:
        show_json(found.as_dicts())
    else:
        show(found.parts())
