"""Commands about surrogate losses for learning to rank: decide, search, train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ndcg_asymptotics.cli.options import Format, Json, Quiet, Verbose, show_help_without_command

app = typer.Typer(invoke_without_command=True)


@app.callback()
def losses(ctx: typer.Context) -> None:
    """Surrogate losses for learning to rank: decided, searched, trained."""
    show_help_without_command(ctx)


_Measure = Annotated[str, typer.Option(metavar="SPEC", help="nDCG@10, DCG(zipf), AP, ERR, PD, …")]


_Gain = Annotated[Literal["exp2", "linear"], typer.Option(help="Gains 2^y - 1, or the labels themselves.")]


@app.command()
def decide(
    problem: Annotated[Path, typer.Argument(metavar="FILE", help="Label vectors and their probabilities.")],
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Decide which losses, when minimised, give the best order for a distribution of labels.

    FILE is TOML: measure = "nDCG", gain = "exp2", labels = [[5, 4], [1, 3]] (a row per label vector, a
    column per item), probabilities = [0.3, 0.7], losses = ["squared"] (all kinds if left out); or, in
    place of the first four, preferences = [[0, 1], [3, 0]].
    """
    from ndcg_asymptotics.learning import decide_losses, load_problem
    from ndcg_asymptotics.reports.terminal import show

    stated, losses = load_problem(problem)
    found = decide_losses(stated, losses)
    show(found, form)


@app.command()
def search(
    loss: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A loss; may be repeated.", show_default="all kinds"),
    ] = None,
    measure: _Measure = "nDCG",
    gain: _Gain = "exp2",
    items: Annotated[int, typer.Option(help="How many items, 2 to 8.")] = 3,
    grades: Annotated[int, typer.Option(help="Labels are 0 … grades - 1.")] = 5,
    vectors: Annotated[int, typer.Option(help="Label vectors per distribution.")] = 3,
    draws: Annotated[int, typer.Option(help="Number of distributions.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Search for distributions for which a loss is inconsistent; examples are printed as files for decide."""
    from ndcg_asymptotics.learning import search_losses
    from ndcg_asymptotics.reports.terminal import show

    found = search_losses(
        loss or None, measure=measure, gain=gain, items=items, grades=grades, vectors=vectors,
        draws=draws, seed=seed,
    )  # fmt: skip
    show(found, form)


@app.command()
def train(
    data: Annotated[list[Path], typer.Option("--train", metavar="FILE", help="SVMlight; may be repeated.")],
    loss: Annotated[str, typer.Option(metavar="SPEC", help='Such as listnet, or pairwise("squared_hinge").')],
    validation: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="To choose the penalty on.", show_default="a quarter of the queries"
        ),
    ] = None,
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="To evaluate the ranker on.")
    ] = None,
    measure: Annotated[str, typer.Option(metavar="SPEC", help="A measure such as nDCG@10.")] = "nDCG",
    gain: _Gain = "exp2",
    penalty: Annotated[
        list[float] | None,
        typer.Option(metavar="STRENGTH", help="May be repeated.", show_default="10, 1, …, 1e-6"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the split, where there are no validation files.")] = 0,
    model: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the ranker.")] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the test scores as a TREC run.")
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the test gains as TREC judgements.")
    ] = None,
    form: Format = "table",
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Train a linear ranker with a loss on SVMlight files."""
    from ndcg_asymptotics.learning import train_files
    from ndcg_asymptotics.reports.terminal import show

    found = train_files(
        data, loss, validation=validation or (), test=test or (), measure=measure, gain=gain,
        penalties=penalty, seed=seed, model=model, run=run, qrels=qrels,
    )  # fmt: skip
    show(found, form)
