"""Commands that draw nothing: predict, list, required, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcg_asymptotics.cli.options import Format, Json, Quiet, Verbose, number

if TYPE_CHECKING:
    from ndcg_asymptotics.theory.prediction import Predictions
    from ndcg_asymptotics.theory.rare import PairPredictions

app = typer.Typer()


@app.command()
def predict(
    measure: Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")],
    n: Annotated[
        list[Any],
        typer.Option("-n", "--n", metavar="N", parser=number, help="A list length; may be repeated."),
    ],
    scorer: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="A relevance curve; may be repeated.")
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two curves: the probability of the wrong order."),
    ] = None,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Predict NDCG at n: the limit, its theorem, the exact mean and the pseudo-expectation.

    For a pair of curves, predict the probability that the worse one has the larger NDCG.

    Example:

        ndcg-asymptotics predict --scorer "linear(0.1, 0.7)" --measure nDCG --measure "nDCG@0.2n" -n 1e6
    """
    from ndcg_asymptotics.core.errors import require
    from ndcg_asymptotics.reports.terminal import show

    require(bool(scorer) != bool(pair), "give either --scorer, once or more, or --pair, two curves")
    found: Predictions | PairPredictions
    if pair:  # each needs libraries that the other does without
        from ndcg_asymptotics.theory.rare import predict_pair

        found = predict_pair(*pair, measure, n)
    else:
        from ndcg_asymptotics.theory.prediction import predict as predict_all

        found = predict_all(scorer or [], measure, n)
    show(found, form, data=found.as_dicts())


@app.command("list")
def list_specs(
    form: Format = "table", as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False
) -> None:
    """List every discount, cutoff, curve and coupling, with its formula."""
    from ndcg_asymptotics.reports.specs import specs
    from ndcg_asymptotics.reports.terminal import show

    found = specs()
    rows = [dict(zip(("kind", "spec", "formula"), row, strict=True)) for row in found.rows]
    show([found], form, data=rows)


@app.command()
def required(
    a: Annotated[str, typer.Option(metavar="CURVE", help="A relevance curve.")],
    b: Annotated[str, typer.Option(metavar="CURVE", help="Another with the same label law.")],
    measure: Annotated[list[str], typer.Option(metavar="SPEC", help="A measure; may be repeated.")],
    n: Annotated[
        Any, typer.Option("-n", "--n", metavar="N", parser=number, help="Length of the lists of a test.")
    ] = "1000",
    rate: Annotated[
        float, typer.Option(help="Probability with which one list is to show the right order.")
    ] = 0.95,
    power: Annotated[float, typer.Option(help="Power of the paired test.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the paired test.")] = 0.05,
    documents: Annotated[
        bool, typer.Option("--documents", help="Also the cheapest number of lists and judged depth.")
    ] = False,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compute how long a list, and how many lists, it takes to tell two rankers apart."""
    from dataclasses import asdict

    from ndcg_asymptotics.analysis.required import required as find
    from ndcg_asymptotics.analysis.verdict import cheapest_pool
    from ndcg_asymptotics.measures import Measure
    from ndcg_asymptotics.reports.terminal import show

    found = find(a, b, measure, n=n, rate=rate, power=power, alpha=alpha)
    rows = found.as_dicts()
    if documents:
        discounts = [Measure.of(text).discount for text in measure]
        pools = [cheapest_pool(a, b, d, n=found.rows[0].n, power=power, alpha=alpha) for d in discounts]
        rows = [row | {"cheapest": asdict(pool)} for row, pool in zip(rows, pools, strict=True)]
    show(found, form, data=rows)
    if documents and form == "table":
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
    n: Annotated[
        Any, typer.Option("-n", "--n", metavar="N", parser=number, help="Length of the lists.")
    ] = "1000",
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """List the measures by what it costs to tell two rankers apart, the cheapest first."""
    from ndcg_asymptotics.analysis.verdict import MEASURES
    from ndcg_asymptotics.analysis.verdict import verdict as judge
    from ndcg_asymptotics.reports.terminal import show

    found = judge(a, b, measure or MEASURES, n=n)
    show(found, form, data=found.as_dicts())
