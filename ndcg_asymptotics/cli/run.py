"""Commands that simulate: init, run, merge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ndcg_asymptotics.cli.options import Custom, Quiet, Verbose, whole_number
from ndcg_asymptotics.core.errors import InputError, require

if TYPE_CHECKING:
    from ndcg_asymptotics.studies import Study
    from ndcg_asymptotics.studies.grid import Grid

app = typer.Typer()


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="A new study file.")] = Path("study.toml"),
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write a study file with every field explained, to be edited and run."""
    from ndcg_asymptotics.studies.template import write_template

    write_template(file)
    print(file)
    if not quiet:
        out = shlex.quote(f"results/{file.stem}")
        print(f"Next:\n  ndcg-asymptotics run {shlex.quote(str(file))} --out {out}", file=sys.stderr)


@app.command()
def run(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the results, new or to be continued.")],
    jobs: Annotated[int | None, typer.Option(help="Processes or threads.", show_default="all cores")] = None,
    backend: Annotated[
        Literal["loky", "threading", "dask"], typer.Option(help="Processes, threads or a dask cluster.")
    ] = "loky",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="The dask scheduler.", show_default="a cluster for this run"),
    ] = None,
    replicates: Annotated[
        int | None,
        typer.Option(
            metavar="COUNT", parser=whole_number, help="How many, 1e4 say.", show_default="as the study says"
        ),
    ] = None,
    first: Annotated[int, typer.Option(help="The first replicate, for parts to be merged.")] = 0,
    only: Annotated[int | None, typer.Option(help="Replay this replicate alone.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Begin no block after this time.")
    ] = None,
    until_mcse: Annotated[
        float | None,
        typer.Option(
            metavar="ERROR",
            help="End when every mean has this standard error.",
            show_default="as the study says",
        ),
    ] = None,
    allow_custom: Custom = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Simulate a study; the same command again continues where it stopped.

    Examples:

        ndcg-asymptotics run study.toml --out results/two

        ndcg-asymptotics run study.toml --out results/two --replicates 1e4 --jobs 8
    """
    import math

    from ndcg_asymptotics.studies import load
    from ndcg_asymptotics.studies.grid import is_grid, load_grid
    from ndcg_asymptotics.sweep.sweep import sweep

    options: dict[str, Any] = {
        "replicates": replicates,
        "first": first,
        "jobs": jobs,
        "backend": backend,
        "scheduler": scheduler,
        "time_limit": math.inf if time_limit is None else time_limit,
        "precision": until_mcse,
    }
    if is_grid(study):
        require(only is None, "a grid has no single replicate: replay one of a point's study", "only")
        _run_grid(load_grid(study, allow_custom=allow_custom), out, options)
        return
    stated = load(study, allow_custom=allow_custom)
    if only is not None:
        _replay(stated, out, only)
        return
    outcome = sweep(stated, out, **options)
    stopped = f"; stopped: {outcome.stopped}; the same command continues from here" if outcome.stopped else ""
    print(f"{out}: {outcome.complete} of {outcome.wanted} replicates complete{stopped}")
    if outcome.precision:
        print(outcome.precision)
    if outcome.failures:
        failed = ", ".join(str(failure.replicate) for failure in outcome.failures[:10])
        print(
            f"{len(outcome.failures)} failed ({failed}{', …' if len(outcome.failures) > 10 else ''}); "
            f"replay one with --only {outcome.failures[0].replicate}"
        )
    if outcome.complete == outcome.wanted and not quiet:
        print(_next_steps(stated, out, allow_custom), file=sys.stderr)
    if outcome.stopped == "interrupted":
        raise typer.Exit(130)
    if outcome.complete < outcome.wanted:
        raise typer.Exit(1)


def _run_grid(grid: Grid, out: Path, options: dict[str, Any]) -> None:
    from ndcg_asymptotics.sweep.grid import sweep_grid

    outcome = sweep_grid(grid, out, **options)
    stopped = f"; stopped: {outcome.stopped}; the same command continues from here" if outcome.stopped else ""
    print(f"{out}: {outcome.complete} of {outcome.wanted} points complete{stopped}")
    for name, point in outcome.points.items():
        if point.precision and not point.precision.enough:
            print(f"{name}: {point.precision}")
    if outcome.stopped == "interrupted":
        raise typer.Exit(130)
    if outcome.complete < outcome.wanted:
        raise typer.Exit(1)


def _next_steps(study: Study, out: Path, allow_custom: bool) -> str:
    """Return the commands that complete results of the study are for."""
    from ndcg_asymptotics.engines import engine

    folder = shlex.quote(str(out)) + (" --allow-custom" if allow_custom else "")
    steps = []
    if study.pairs:
        steps.append((f"distinguish {folder}", "how reliably the scorers are ordered"))
    if "ndcg" in engine.load(study.engine).VARIABLES:
        steps.insert(0, (f"check {folder} --summary", "compare them with theory"))
        steps.append((f"report {folder} --out report.html", "all results as one page"))
    width = max(len(command) for command, _ in steps)
    return "Next:\n" + "\n".join(f"  ndcg-asymptotics {command:{width}}  # {what}" for command, what in steps)


def _replay(study: Study, out: Path, replicate: int) -> None:
    import traceback

    from ndcg_asymptotics.sweep.replay import replay

    try:
        result = replay(study, out, replicate)
    except (InputError, OSError):
        raise
    except Exception:  # the engine's own: where it happened is what a replay is for
        traceback.print_exc()
        print(f"replicate {replicate} (seed {study.seed}) failed")
        raise typer.Exit(1) from None
    said = "written" if result.written else result.apart or "the same as stored, bit for bit"
    print(
        f"replicate {replicate} (seed {study.seed}): {'NOT what is stored: ' if result.apart else ''}{said}"
    )
    if result.apart:
        for maker in result.makers:
            print(f"the stored ones were made with {maker}")
        raise typer.Exit(1)


@app.command()
def merge(
    parts: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of results of one study.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for all of them.")],
    allow_custom: Custom = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Merge the replicates of several runs of one study."""
    from ndcg_asymptotics.core.arrays import spans
    from ndcg_asymptotics.results.merge import merge as merge_results

    results = merge_results(parts, out, allow_custom=allow_custom)
    print(f"{out}: {results.replicates_complete} of {results.replicates_wanted} replicates complete")
    if not results.complete:
        print(f"missing: {spans(results.replicates[~results.done])}")
        raise typer.Exit(1)
