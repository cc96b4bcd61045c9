"""Commands about theory, which simulate nothing: predict, list, required, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcg_asymptotics.cli.options import (
    CurveA,
    CurveB,
    EightMeasures,
    Format,
    Gain,
    Json,
    ListLength,
    Measures,
    Quiet,
    Relevant,
    Verbose,
    number,
)

if TYPE_CHECKING:
    from ndcg_asymptotics.theory.prediction import Predictions
    from ndcg_asymptotics.theory.rare import PairPredictions

app = typer.Typer()


@app.command()
def predict(
    measure: Measures,
    n: Annotated[
        list[Any],
        typer.Option(
            "-n",
            "--n",
            metavar="N",
            parser=number,
            help="A list length, such as 1000 or 1e6. May be repeated.",
        ),
    ],
    scorer: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A relevance curve, such as linear(0.1, 0.7). May be repeated."),
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two relevance curves, for the probability of the wrong order."),
    ] = None,
    gain: Gain = "linear",
    relevant: Relevant = None,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Predict NDCG at a list length: its limit, the theorem, the exact mean and the pseudo-expectation.

    For a pair of curves, predict the probability that the worse one has the larger NDCG.

    Example:

        ndcg-asymptotics predict --scorer "linear(0.1, 0.7)" --measure nDCG --measure "nDCG@0.2n" -n 1e6

        ndcg-asymptotics predict --scorer "roc_power(0.4)" --relevant 1 --measure nDCG@10 -n 1e6
    """
    from ndcg_asymptotics.core.errors import require
    from ndcg_asymptotics.reports.terminal import show

    require(bool(scorer) != bool(pair), "give either --scorer, once or more, or --pair, two curves")
    require(
        not (pair and relevant),
        "is for --scorer; wrong orders of lists with few relevant items are not rare",
        "--relevant",
    )
    found: Predictions | PairPredictions
    if pair:  # imported here, since each of the two needs libraries that the other does without
        from ndcg_asymptotics.theory.rare import predict_pair

        found = predict_pair(*pair, measure, n, gain=gain)
    else:
        from ndcg_asymptotics.theory.prediction import predict as predict_all

        found = predict_all(scorer or [], measure, n, gain=gain, relevant=relevant)
    show(found, form, data=found.as_dicts())


@app.command("list")
def list_specs(
    form: Format = "table", as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False
) -> None:
    """List every measure, discount, cutoff, relevance curve, coupling and loss with its formula."""
    from ndcg_asymptotics.reports.specs import specs
    from ndcg_asymptotics.reports.terminal import show

    found = specs()
    rows = [dict(zip(("kind", "spec", "formula"), row, strict=True)) for row in found.rows]
    show([found], form, data=rows)


@app.command()
def required(
    a: CurveA,
    b: CurveB,
    measure: Measures,
    n: ListLength = "1000",
    rate: Annotated[
        float, typer.Option(help="Probability with which a single list must show the right order.")
    ] = 0.95,
    power: Annotated[float, typer.Option(help="Target power of the paired t test.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Significance level of the paired t test.")] = 0.05,
    documents: Annotated[
        bool,
        typer.Option(
            "--documents",
            help="Also print which number of lists and which judging depth need the fewest judgements.",
        ),
    ] = False,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compute how long a list must be, and how many lists are needed, to tell two rankers apart."""
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
    a: CurveA,
    b: CurveB,
    measure: EightMeasures = None,
    n: ListLength = "1000",
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Rank measures by how many judgements they need to tell two rankers apart, the cheapest first."""
    from ndcg_asymptotics.analysis.verdict import MEASURES
    from ndcg_asymptotics.analysis.verdict import verdict as judge
    from ndcg_asymptotics.reports.terminal import show

    found = judge(a, b, measure or MEASURES, n=n)
    show(found, form, data=found.as_dicts())
