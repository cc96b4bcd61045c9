"""Commands about what it takes to tell two rankers apart: required, verdict."""

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
    documents: Annotated[
        bool, typer.Option("--documents", help="Also the cheapest number of lists and judged depth.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How long a list, and how many lists, it takes to tell two rankers apart."""
    from dataclasses import asdict

    from ndcg_asymptotics.analysis.required import required as find
    from ndcg_asymptotics.analysis.verdict import cheapest_pool
    from ndcg_asymptotics.cli.theory import size
    from ndcg_asymptotics.measures import Measure
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = find(a, b, measure, n=size(n), rate=rate, power=power, alpha=alpha)  # type: ignore[arg-type]
    rows = found.as_dicts()
    if documents:
        discounts = [Measure.of(text).discount for text in measure]
        pools = [cheapest_pool(a, b, d, n=found.rows[0].n, power=power, alpha=alpha) for d in discounts]
        rows = [row | {"cheapest": asdict(pool)} for row, pool in zip(rows, pools, strict=True)]
    if as_json:
        show_json(rows)
        return
    show(found.parts())
    if documents:
        for discount, pool in zip(discounts, pools, strict=True):
            shown = f"{pool.documents:,} documents, {pool.lists:,} lists judged down to rank {pool.k}"
            print(f"Cheapest with the discount {discount}: {shown}.")


@app.command()
def verdict(
    a: Annotated[str, typer.Option(metavar="CURVE", help="A relevance curve.")],
    b: Annotated[str, typer.Option(metavar="CURVE", help="Another with the same label law.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A measure; may be repeated.", show_default="eight"),
    ] = None,
    n: Annotated[str, typer.Option("-n", "--n", metavar="N", help="The length of the lists.")] = "1000",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Which measure tells two rankers apart at least cost: one table, the cheapest first."""
    from ndcg_asymptotics.analysis.verdict import MEASURES
    from ndcg_asymptotics.analysis.verdict import verdict as judge
    from ndcg_asymptotics.cli.theory import size
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = judge(a, b, measure or MEASURES, n=size(n))
    if as_json:
        show_json(found.as_dicts())
    else:
        show(found.parts())
