"""Commands that draw nothing: predict, list."""

from __future__ import annotations

from typing import Annotated

import typer

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
    from ndcg_asymptotics.errors import require
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.theory.prediction import predict as predict_all
    from ndcg_asymptotics.theory.rare import predict_pair

    require(bool(scorer) != bool(pair), "give either --scorer, once or more, or --pair, two curves")
    sizes = [size(text) for text in n]
    found = predict_pair(*pair, measure, sizes) if pair else predict_all(scorer or [], measure, sizes)
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
