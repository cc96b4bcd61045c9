"""Commands about theory, which simulate nothing: predict, list, explore."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import Output, TableOutput, option

app = typer.Typer()


@app.command()
def predict(
    *,
    measure: list[str] = options.MEASURES,
    n: list[int] = option("A list length, such as 1000 or 1e6.", ..., "N", short="-n"),
    scorer: list[str] = option("A relevance curve, such as linear(0.1, 0.7).", ..., "CURVE"),
    gain: str = options.GAIN,
    relevant: Any = options.RELEVANT,
    output: TableOutput,
) -> None:
    """Predict NDCG at a list length: its limit, the theorem, the exact mean and the pseudo-expectation.

    Examples:

        ndcg-asymptotics predict --scorer "linear(0.1, 0.7)" --measure nDCG -n 1e6
        ndcg-asymptotics predict --scorer "roc_power(0.4)" --relevant 1 \\
            --measure nDCG@10 -n 1e6
    """
    from ndcg_asymptotics.theory.prediction import predict as predict_all

    outcome = predict_all(scorer, measure, n, gain=gain, relevant=relevant)
    output.show(outcome, "predict")


@app.command("list")
def list_specs(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", help="measures, discounts, cutoffs, curves, couplings or losses; default: all."
        ),
    ] = None,
    *,
    output: TableOutput,
) -> None:
    """List every measure, discount, cutoff, relevance curve, coupling and loss with its formula.

    Examples:

        ndcg-asymptotics list discounts
        ndcg-asymptotics list --format csv
    """
    from ndcg_asymptotics.cli.listing import specs

    output.show(specs(kind), "list")


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

    explorer.explore(port or 0, browser=browser)  # 0: the system chooses a free port
