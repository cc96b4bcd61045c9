"""Commands that look at results: check, distinguish, figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()

_Results = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def check(
    results: _Results,
    as_json: _Json = False,
    alpha: Annotated[float, typer.Option(help="Chance of any false alarm in the table of means.")] = 1e-4,
    perturb: Annotated[float, typer.Option(help="Multiply theory by 1 + this, to see the check fail.")] = 0.0,
    summary: Annotated[bool, typer.Option("--summary", help="One line per scorer and measure.")] = False,
) -> None:
    """Hold simulation against theory; exit status 1 if anything disagrees."""
    from ndcg_asymptotics.analysis.check import check as check_results
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store import open_results

    found = check_results(open_results(results), alpha=alpha, perturb=perturb)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.parts() if summary else found.long())
    raise typer.Exit(0 if found.agrees else 1)


@app.command()
def distinguish(
    results: _Results,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="One pair of the study.", show_default="all")
    ] = None,
    rare: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Results of the rare engine, to join these.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """How surely each measure tells the scorers of a pair apart, at n and from n on, and how fast."""
    from ndcg_asymptotics.analysis.distinguish import distinguish as distinguish_results
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store import open_results

    beside = open_results(rare) if rare else None
    found = distinguish_results(open_results(results), pair=pair, rare=beside)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found.parts())


@app.command()
def figures(
    results: _Results,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the SVG and PNG files go.")],
) -> None:
    """Draw a study: an overview, one figure per measure, one per pair."""
    from ndcg_asymptotics.plots import draw_all
    from ndcg_asymptotics.store import open_results

    for path in draw_all(open_results(results), out):
        print(path)
