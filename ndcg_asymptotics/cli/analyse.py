"""Commands that look at results: check, distinguish, figures, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()

_Results = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Custom = Annotated[bool, typer.Option("--allow-custom", help="Run functions that came with the results.")]


@app.command()
def check(
    results: _Results,
    as_json: _Json = False,
    alpha: Annotated[float, typer.Option(help="Chance of any false alarm in the table of means.")] = 1e-4,
    perturb: Annotated[float, typer.Option(help="Multiply theory by 1 + this, to see the check fail.")] = 0.0,
    summary: Annotated[bool, typer.Option("--summary", help="One line per scorer and measure.")] = False,
    allow_custom: _Custom = False,
) -> None:
    """Hold simulation against theory; exit status 1 if anything disagrees.

    Of growing lists of real runs: where they part from i.i.d. theory, exit status 0.
    """
    from ndcg_asymptotics.analysis.check import Check
    from ndcg_asymptotics.analysis.check import check as check_results
    from ndcg_asymptotics.analysis.iid import departures
    from ndcg_asymptotics.grids import GridCheck, check_grid, open_grid
    from ndcg_asymptotics.grids.results import holds_grid
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store import open_results
    from ndcg_asymptotics.store.growing import holds_growth, open_growth

    if holds_growth(results):
        parted = departures(open_growth(results))
        if as_json:
            show_json(parted.as_dict())
        else:
            show(parted.statements() if summary else parted.parts())
        return
    found: Check | GridCheck
    if holds_grid(results):
        found = check_grid(open_grid(results, allow_custom=allow_custom), alpha=alpha, perturb=perturb)
    else:
        found = check_results(open_results(results, allow_custom=allow_custom), alpha=alpha, perturb=perturb)
    if as_json:
        show_json(found.as_dict())
    elif isinstance(found, GridCheck):
        show(found.parts())
    else:
        show(found.parts() if summary else found.long())
    raise typer.Exit(0 if found.agrees else 1)


@app.command()
def distinguish(
    results: _Results,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="One pair of the study.", show_default="all")
    ] = None,
    as_json: _Json = False,
    allow_custom: _Custom = False,
    summary: Annotated[bool, typer.Option("--summary", help="One line per pair and measure.")] = False,
) -> None:
    """How surely each measure tells the scorers of a pair apart, at n and from n on."""
    from ndcg_asymptotics.analysis.distinguish import distinguish as distinguish_results
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store import open_results

    found = distinguish_results(open_results(results, allow_custom=allow_custom), pair=pair)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.summary() if summary else found.parts())


@app.command()
def figures(
    results: _Results,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the SVG and PNG files go.")],
    allow_custom: _Custom = False,
) -> None:
    """Draw a study (an overview, one figure per measure, one per pair), a grid, growing lists, or curves."""
    from ndcg_asymptotics.grids import draw_grid, open_grid
    from ndcg_asymptotics.grids.results import holds_grid
    from ndcg_asymptotics.plots import draw_all, draw_curves, draw_growth, holds_curves
    from ndcg_asymptotics.store import open_results
    from ndcg_asymptotics.store.growing import holds_growth, open_growth

    if holds_growth(results):
        paths = draw_growth(open_growth(results), out)
    elif holds_curves(results):
        paths = draw_curves(results, out)
    elif holds_grid(results):
        paths = draw_grid(open_grid(results, allow_custom=allow_custom), out)
    else:
        paths = draw_all(open_results(results, allow_custom=allow_custom), out)
    for path in paths:
        print(path)


@app.command()
def verify(results: _Results, as_json: _Json = False) -> None:
    """Compare results with the checksums that were written with them; exit status 1 if any is damaged."""
    from ndcg_asymptotics.grids.results import holds_grid
    from ndcg_asymptotics.grids.verify import verify_grid
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store.verify import verify as verify_results

    found = verify_grid(results) if holds_grid(results) else verify_results(results)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.parts())
    raise typer.Exit(0 if found.sound else 1)
