"""Commands that draw nothing: predict, list, required, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ndcg_asymptotics.theory.prediction import Predictions
    from ndcg_asymptotics.theory.rare import PairPredictions

app = typer.Typer()


@app.command()
def predict(
    measure: Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")],
    n: Annotated[list[str], typer.Option("-n", "--n", metavar="N", help="A list length; may be repeated.")],
    scorer: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="A relevance curve; may be repeated.")
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two curves: how unlikely the wrong order is."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What theory says: the limit, its theorem, the exact mean and the pseudo-expectation at n.

    Of a pair: what the wrong order costs at n, how fast that grows, and about how unlikely it is.

    Example:

        ndcg-asymptotics predict --scorer "linear(0.1, 0.7)" --measure nDCG --measure "nDCG@0.2n" -n 1e6
    """
    from ndcg_asymptotics.core.errors import require
    from ndcg_asymptotics.reports.terminal import show, show_json

    require(bool(scorer) != bool(pair), "give either --scorer, once or more, or --pair, two curves")
    sizes = [size(text) for text in n]
    found: Predictions | PairPredictions
    if pair:  # each needs libraries that the other does without
        from ndcg_asymptotics.theory.rare import predict_pair

        found = predict_pair(*pair, measure, sizes)
    else:
        from ndcg_asymptotics.theory.prediction import predict as predict_all

        found = predict_all(scorer or [], measure, sizes)
    if as_json:
        show_json(found.as_dicts())
    else:
        show(found)


def size(text: str) -> int | float | str:
    """The number a text means, or the text; which numbers are list lengths is not decided here."""
    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text


@app.command("list")
def list_specs(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Every discount, cutoff, curve and coupling, with its formula."""
    from ndcg_asymptotics.reports.specs import specs
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = specs()
    if as_json:
        show_json([dict(zip(("kind", "spec", "formula"), row, strict=True)) for row in found.rows])
    else:
        show([found])


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
    from ndcg_asymptotics.reports.terminal import show, show_json

    found = judge(a, b, measure or MEASURES, n=size(n))
    if as_json:
        show_json(found.as_dicts())
    else:
        show(found.parts())
