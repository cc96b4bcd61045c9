"""Commands to begin with: init, info."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="A new study file.")] = Path("study.toml"),
) -> None:
    """Write a study file with every field explained, to be edited and run."""
    from ndcg_asymptotics.cli.shared import quiet
    from ndcg_asymptotics.studies.template import write_template

    write_template(file)
    print(file)
    if not quiet():
        print(f"Next:\n  ndcg-asymptotics run {file} --out results/{file.stem}", file=sys.stderr)


@app.command()
def info(
    results: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What is in a folder of results: the study, how much of it is complete, and the means."""
    from ndcg_asymptotics.reports.terminal import show, show_json
    from ndcg_asymptotics.store import open_results

    found = open_results(results)
    if as_json:
        show_json(found.as_dict())
    else:
        show(found)
