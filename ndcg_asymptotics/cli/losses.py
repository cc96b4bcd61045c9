"""Commands about surrogate losses for learning to rank: decide, risk, search, train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import Options, TableOutput, option

app = typer.Typer()


@app.callback()
def losses() -> None:
    """Study surrogate losses for learning to rank: decide and search for consistency, and train rankers."""


def _numbers(text: str) -> list[float]:
    """Return the numbers between commas."""
    return [float(part) for part in text.split(",")]


_Problem = Annotated[Path, typer.Argument(metavar="FILE", help="TOML file with a distribution of labels.")]


@app.command()
def decide(
    *,
    problem: _Problem,
    output: TableOutput,
) -> None:
    """Decide which losses lead to the optimal order for a distribution of labels when they are minimised.

    The file has these fields, with one row of labels per label vector and one column per item:

        measure = "nDCG"
        gain = "exp2"
        labels = [[5, 4], [1, 3]]
        probabilities = [0.3, 0.7]
        losses = ["squared"]

    Without losses, one of every kind is decided.

    Example:

        ndcg-asymptotics losses decide problem.toml
    """
    from ndcg_asymptotics.learning import decide_losses

    output.show(decide_losses(problem), "losses decide")


@app.command()
def risk(
    *,
    problem: _Problem,
    scores: Any = option(
        "The scores of the items, in the order of the columns of the labels.",
        ...,
        "S,S,…",
        parser=_numbers,
    ),
    output: TableOutput,
) -> None:
    """Compare the regret of scores with their excess risk: expected loss above the least one.

    The file is that of `losses decide`. For losses that are strongly convex and consistent for the measure
    the regret has two bounds by the excess risk: its root times a constant, and, where every order that is
    not optimal loses some margin, a multiple of it (Ravikumar, Tewari and Yang 2011, Theorems 10 and 11).

    Example:

        ndcg-asymptotics losses risk problem.toml --scores "0.6, 0.4"
    """
    from ndcg_asymptotics.learning import excess_risk

    output.show(excess_risk(problem, scores), "losses risk")


class _Searched(Options):
    """What `losses search` takes."""

    measure: str = option("The measure, such as nDCG@10, DCG(zipf) or PD.", "nDCG", "SPEC")
    gain: str = options.EXP2_GAIN
    n: int = option("Number of items, from 2 to 8.", 3, "N", short="-n")
    grades: int = option("Number of grades; labels are 0 to this minus 1.", 5)
    vectors: int = option("Number of label vectors in a distribution.", 3)
    draws: int = option("Number of random distributions to try.", 1000)
    seed: int = option("Seed of the random distributions.", 0)


@app.command()
def search(
    *,
    loss: list[str] | None = option("A loss.", None, "SPEC", shown="one of every kind"),
    settings: _Searched,
    output: TableOutput,
) -> None:
    """Search for distributions of labels for which a loss is inconsistent.

    The worst example is printed as a file for `losses decide`.

    Example:

        ndcg-asymptotics losses search --loss squared --measure nDCG@2
    """
    from ndcg_asymptotics.learning import search_losses

    output.show(search_losses(loss or None, **settings.handed), "losses search")


class _Trained(Options):
    """What `losses train` takes."""

    validation: list[Path] | None = option(
        "SVMlight file on which the penalty is chosen.", shown="five-fold cross-validation"
    )
    test: list[Path] | None = option("SVMlight file to evaluate the ranker on.")
    measure: str = option("The measure, such as nDCG@10.", "nDCG", "SPEC")
    gain: str = options.EXP2_GAIN
    penalties: list[float] | None = option(
        "Strength of the penalty to try.", None, "STRENGTH", name="--penalty", shown="1e4, 1e3, …, 1e-6"
    )
    seed: int = option("Seed of the random folds of queries.", 0)
    out: Path | None = option(
        "Write the ranker (ranker.json) and, of test files, the scores and gains (test.run, test.qrels) into "
        "this folder.",
        None,
        "FOLDER",
    )


@app.command()
def train(
    *,
    data: list[Path] = option("SVMlight file to train on.", ..., name="--train"),
    loss: str = option('The loss, such as listnet or pairwise("logistic").', ..., "SPEC"),
    settings: _Trained,
    output: TableOutput,
) -> None:
    """Train a linear ranker on SVMlight files by minimising a loss.

    Example:

        ndcg-asymptotics losses train --train train.txt --test test.txt \\
            --loss listnet --measure nDCG@10
    """
    from ndcg_asymptotics.learning import train

    output.show(train(data, loss, **settings.handed), "losses train")
