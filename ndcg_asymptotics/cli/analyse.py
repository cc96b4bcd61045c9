"""Commands that look at results: info, check, distinguish, figures, report."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

from ndcg_asymptotics.cli import options
from ndcg_asymptotics.cli.options import Options, Output, Results, TableOutput, option
from ndcg_asymptotics.core.defaults import FigureFormat

app = typer.Typer()


@app.command()
def info(
    *,
    results: Results,
    allow_custom: bool = options.CUSTOM,
    output: TableOutput,
) -> None:
    """Show what a folder of results holds: the study or grid, how much of it is complete, and the means.

    Every file is compared with its digest; damaged ones are named.

    Examples:

        ndcg-asymptotics info results/two
        ndcg-asymptotics info results/two --json

    Exit status 1: replicates are missing.
    """
    from ndcg_asymptotics.results import open_results

    contents = open_results(results, allow_custom=allow_custom)
    output.show(contents, contents.json_kind)
    raise typer.Exit(0 if contents.complete else 1)


@app.command()
def check(
    *,
    results: Results,
    alpha: float = option("Family-wise error rate: the probability of any false alarm.", 1e-4),
    perturb: float = option("Multiply every theoretical value by 1 + this, to see the check fail.", 0.0),
    std: Literal["few", "every"] = option(
        "Test standard deviations at three list lengths (few) or at every one.", "few", "few|every"
    ),
    allow_custom: bool = options.CUSTOM,
    output: TableOutput,
) -> None:
    """Compare simulated results with theory.

    Examples:

        ndcg-asymptotics check results/two
        ndcg-asymptotics check results/two -v
        ndcg-asymptotics check results/two --perturb 0.01   # must disagree

    Exit status 1: something disagrees, or replicates are missing.
    """
    from ndcg_asymptotics.checks.checking import check as check_results
    from ndcg_asymptotics.results import open_results

    opened = open_results(results, allow_custom=allow_custom)
    outcome = check_results(opened, alpha=alpha, perturb=perturb, std=std)
    output.show(outcome, outcome.json_kind)
    raise typer.Exit(0 if outcome.agrees and outcome.complete else 1)


@app.command()
def distinguish(
    *,
    results: Results,
    pair: tuple[str, str] | None = option(
        "Two scorers of the study.", None, "A B", shown="the pairs of the study"
    ),
    allow_custom: bool = options.CUSTOM,
    output: TableOutput,
) -> None:
    """Show how often a measure orders two scorers correctly, at a length n and at every length from n on.

    Examples:

        ndcg-asymptotics distinguish results/two
        ndcg-asymptotics distinguish results/two --pair good random -v
    """
    from ndcg_asymptotics.orders.distinguishing import distinguish as distinguish_results
    from ndcg_asymptotics.results import open_results

    outcome = distinguish_results(open_results(results, allow_custom=allow_custom), pair=pair)
    output.show(outcome, outcome.json_kind)


class _Saved(Options):
    """How figures are saved."""

    formats: list[FigureFormat] | None = options.FIGURE_FORMAT
    dpi: float = option("Resolution of PNG files, in dots per inch.", 200)
    width: float | None = option(
        "Width of each figure.", None, "INCHES", shown="one or two columns of a journal"
    )


@app.command()
def figures(
    *,
    results: Results,
    out: Path = option("Folder for the figures.", ..., "FOLDER"),
    measure: list[str] | None = option("A measure to draw.", None, "SPEC", shown="all"),
    scorer: list[str] | None = option("A scorer to draw.", None, "NAME", shown="all"),
    against: list[str] | None = option(
        "A parameter of a grid, such as k or b, against which NDCG and P(wrong order) are drawn.",
        None,
        "NAME",
        shown="all",
    ),
    n: list[int] | None = option(
        "A list length at which a grid is drawn against its parameters.",
        None,
        "N",
        short="-n",
        shown="the middle and the largest",
    ),
    saved: _Saved,
    allow_custom: bool = options.CUSTOM,
    output: Output,
) -> None:
    """Draw the figures of a study: an overview, one per measure and one per pair of scorers.

    A grid has curves, and gaps to the limits, at its points, and figures against its parameters.

    Examples:

        ndcg-asymptotics figures results/two --out figures
        ndcg-asymptotics figures results/two --out figures --figure-format pdf
    """
    from ndcg_asymptotics.plots import draw_all
    from ndcg_asymptotics.results import open_results

    paths = draw_all(
        open_results(results, allow_custom=allow_custom),
        out,
        measures=measure or None,
        scorers=scorer or None,
        against=against or None,
        n=n or None,
        **saved.handed,
    )
    for path in paths:
        print(path)


@app.command()
def report(
    *,
    results: Results,
    out: Path = option("File to write the page to.", ..., "FILE.html"),
    allow_custom: bool = options.CUSTOM,
    output: Output,
) -> None:
    """Write results as one HTML page: of a study, a grid, or rare orders.

    For the page of a comparison of runs: `compare --report FILE.html`.

    Example:

        ndcg-asymptotics report results/two --out report.html
    """
    from ndcg_asymptotics.reports.page import report as report_results
    from ndcg_asymptotics.results import open_results

    report_results(open_results(results, allow_custom=allow_custom), out)
    print(out)
