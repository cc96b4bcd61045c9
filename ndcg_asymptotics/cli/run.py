"""Commands that simulate: init, run, merge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import Options, Output, option

if TYPE_CHECKING:
    from ndcg_asymptotics.sweep.grid import GridOutcome
    from ndcg_asymptotics.sweep.sweep import Outcome

app = typer.Typer()


@app.command()
def init(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The study file to write.")] = Path(
        "study.toml"
    ),
    output: Output,
) -> None:
    """Write a study file that explains every field, as a start for a study of your own.

    Example:

        ndcg-asymptotics init study.toml
    """
    from ndcg_asymptotics.studies.toml import write_template

    write_template(file)
    print(file)
    if not output.quiet:
        out = shlex.quote(f"results/{file.stem}")
        print(f"Next:\n  ndcg-asymptotics run {shlex.quote(str(file))} --out {out}", file=sys.stderr)


class _Swept(Options):
    """What `run` takes beside the study."""

    jobs: int | None = option("Number of processes or threads.", shown="one per core")
    backend: Literal["loky", "threading"] = option("Run in processes (loky) or in threads.", "loky")
    scheduler: str | None = option(
        "Run on the dask cluster whose scheduler has this address, such as tcp://host:8786.", None, "ADDRESS"
    )
    replicates: int | None = option(
        "Number of replicates, such as 500 or 1e4.", None, "COUNT", shown="as in the study"
    )
    first: int = option("Number of the first replicate, to run a study in parts and merge them.", 0)
    time_limit: float | None = option("Start no new block of replicates after this time.", None, "SECONDS")
    precision: float | None = option(
        "Stop as soon as the Monte Carlo standard error of every mean is at most this.",
        None,
        "ERROR",
        shown="as in the study",
    )


@app.command()
def run(
    *,
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")],
    out: Path = option("Folder for the results: a new one, or one to be continued.", ..., "FOLDER"),
    settings: _Swept,
    allow_custom: bool = options.CUSTOM,
    output: Output,
) -> None:
    """Simulate a study or a grid of studies. To continue after an interruption, give the same command again.

    Examples:

        ndcg-asymptotics run study.toml --out results/two
        ndcg-asymptotics run study.toml --out results/two --replicates 1e4
        ndcg-asymptotics run study.toml --out results/two --precision 1e-4

    Exit status 1: replicates are missing.
    """
    from ndcg_asymptotics.studies import load
    from ndcg_asymptotics.studies.grid import is_grid, load_grid
    from ndcg_asymptotics.sweep.grid import sweep_grid
    from ndcg_asymptotics.sweep.sweep import sweep

    outcome: Outcome | GridOutcome
    if is_grid(study):
        grid = load_grid(study, allow_custom=allow_custom)
        outcome = sweep_grid(grid, out, **settings.handed)
        _print_state(out, outcome, "points")
        for name, point in outcome.points.items():
            if point.precision and not point.precision.enough:
                print(f"{name}: {point.precision}")
        loaded = next(iter(grid.studies.values()))
    else:
        loaded = load(study, allow_custom=allow_custom)
        outcome = sweep(loaded, out, **settings.handed)
        _print_state(out, outcome, "replicates")
        if outcome.precision:
            print(outcome.precision)
    if outcome.complete == outcome.wanted and not output.quiet:
        command = "distinguish" if loaded.engine == "rare" else "check"
        folder = shlex.quote(str(out)) + " --allow-custom" * allow_custom
        print(f"Next:\n  ndcg-asymptotics {command} {folder}", file=sys.stderr)
    complete = 0 if outcome.complete >= outcome.wanted else 1
    raise typer.Exit(130 if outcome.stopped == "interrupted" else complete)


def _print_state(out: Path, outcome: Outcome | GridOutcome, unit: str) -> None:
    """Print how many replicates or points are complete, and why the sweep stopped before its end."""
    stopped = f"; stopped: {outcome.stopped}; the same command continues from here" if outcome.stopped else ""
    print(f"{out}: {outcome.complete} of {outcome.wanted} {unit} complete{stopped}")


@app.command()
def merge(
    *,
    parts: Annotated[
        list[Path], typer.Argument(metavar="FOLDER …", help="Folders with results of one study.")
    ],
    out: Path = option("Folder for the merged results.", ..., "FOLDER"),
    allow_custom: bool = options.CUSTOM,
    output: Output,
) -> None:
    """Merge the replicates of several runs of one study into one folder.

    Example:

        ndcg-asymptotics merge results/first results/second --out results/both

    Exit status 1: replicates are missing.
    """
    from ndcg_asymptotics.results.merge import merge as merge_results

    results = merge_results(parts, out, allow_custom=allow_custom)
    print(f"{out}: {results.replicates_complete} of {results.replicates_wanted} replicates complete")
    raise typer.Exit(0 if results.complete else 1)
