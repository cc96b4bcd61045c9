"""The commands that look at results, theory and real lists; `cli` adds them to the command line."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ndcg_asymptotics.errors import InputError

app = typer.Typer()

_Results = Annotated[Path, typer.Argument(metavar="DIR", help="A folder of results.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Measures = Annotated[
    list[str], typer.Option("--measure", metavar="SPEC", help="A measure; may be repeated.")
]


class Method(StrEnum):
    """How a curve is fitted to ranked lists."""

    isotonic = "isotonic"
    spline = "spline"


class Pool(StrEnum):
    """Which documents make up the lists that runs are compared on."""

    retrieved = "retrieved"
    judged = "judged"


@app.command()
def check(
    results: _Results,
    as_json: _Json = False,
    alpha: Annotated[float, typer.Option(help="Chance of any false alarm in the table of means.")] = 1e-4,
    perturb: Annotated[float, typer.Option(help="Multiply theory by 1 + this, to see the check fail.")] = 0.0,
    summary: Annotated[bool, typer.Option("--summary", help="One line per scorer and measure.")] = False,
) -> None:
    """Hold simulation against theory; exit status 1 if anything disagrees."""
    from ndcg_asymptotics import report
    from ndcg_asymptotics.check import check as check_results
    from ndcg_asymptotics.store import open_results

    found = open_results(results)
    if not math.isfinite(perturb):
        raise InputError(f"--perturb must be a finite number, got {perturb}")
    outcome = check_results(
        found.data,
        found.study.design(),
        title=found.study.title,
        complete=found.complete,
        alpha=alpha,
        perturb=perturb,
    )
    if as_json:
        _print_json(outcome.as_dict())
    else:
        report.show_check(outcome, report.console(), summary=summary)
    raise typer.Exit(0 if outcome.agrees else 1)


@app.command()
def distinguish(
    results: _Results,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="One pair of the study.", show_default="all")
    ] = None,
    as_json: _Json = False,
) -> None:
    """How surely each measure tells the scorers of a pair apart, at n and from n on."""
    from dataclasses import replace

    from ndcg_asymptotics import report
    from ndcg_asymptotics.distinguish import as_dict
    from ndcg_asymptotics.distinguish import distinguish as distinguish_results
    from ndcg_asymptotics.store import open_results

    found = open_results(results)
    design, data = found.study.design(), found.data
    if pair is not None:
        if pair not in design.pairs:
            known = "; ".join(" ".join(names) for names in design.pairs) or "none"
            raise InputError(f"--pair: {' '.join(pair)} is no pair of this study, expected one of: {known}")
        data = data.isel(pair=[design.pairs.index(pair)])
        design = replace(design, pairs=(pair,))
    pairs = distinguish_results(data, design)
    if as_json:
        _print_json({"study": found.study.title, "complete": found.complete, **as_dict(pairs)})
        return
    out = report.console()
    if not found.complete:
        out.print(f"INCOMPLETE: {found.replicates_complete} of {found.replicates_wanted} replicates.")
    report.show_distinguish(pairs, out)


@app.command()
def predict(
    scorer: Annotated[list[str], typer.Option(metavar="SPEC", help="A relevance curve; may be repeated.")],
    measure: _Measures,
    n: Annotated[list[str], typer.Option("-n", "--n", metavar="N", help="A list length; may be repeated.")],
    as_json: _Json = False,
) -> None:
    """What theory says: the limit, its theorem, the exact mean and the pseudo-expectation at n."""
    from ndcg_asymptotics import report
    from ndcg_asymptotics.measures import Measure
    from ndcg_asymptotics.prediction import predict as predict_one
    from ndcg_asymptotics.relevance import Relevance

    sizes = [_size(text) for text in n]
    scorers = [Relevance.parse(text) for text in scorer]
    measures = [Measure.parse(text) for text in measure]
    rows = [row for s in scorers for m in measures for row in predict_one(s, m, sizes)]
    if as_json:
        _print_json([row.as_dict() for row in rows])
    else:
        report.show_predictions(rows, report.console())


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


@app.command()
def evaluate(
    run: Annotated[Path, typer.Option(metavar="FILE", help="A TREC run.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="TREC relevance judgements.")],
    measure: _Measures,
    as_json: _Json = False,
) -> None:
    """NDCG of a TREC run, by query and on average, with trec_eval's conventions."""
    from ndcg_asymptotics import report
    from ndcg_asymptotics.lists import evaluate_files
    from ndcg_asymptotics.measures import Measure

    found = evaluate_files(run, qrels, [Measure.parse(text) for text in measure])
    names = [str(m) for m in found.measures]
    if as_json:
        by_query = {
            q: dict(zip(names, row, strict=True))
            for q, row in zip(found.queries, found.values.tolist(), strict=True)
        }
        _print_json({"mean": dict(zip(names, found.mean.tolist(), strict=True)), "queries": by_query})
    else:
        report.show_evaluation(found, report.console())


@app.command()
def fit(
    out: Annotated[
        Path, typer.Option(metavar="CURVE.json", help="The curve's file, or a folder for several.")
    ],
    run: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A TREC run; repeat for runs to be compared.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(metavar="FILE", help="TREC relevance judgements.")] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead: a CSV file with columns query, score, label."),
    ] = None,
    method: Annotated[
        Method, typer.Option(help="Monotone regression or a smoothing spline.")
    ] = Method.isotonic,
    pool: Annotated[
        Pool, typer.Option(help="Documents retrieved by any of the runs, or those and all judged ones.")
    ] = Pool.retrieved,
    binary_at: Annotated[
        float | None, typer.Option(metavar="LABEL", help="Count labels from this one on as 1.")
    ] = None,
    prevalence: Annotated[
        list[float] | None,
        typer.Option(metavar="P", help="Tilt to this label law: one per gain, highest first."),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of queries for the band.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Estimate relevance curves from ranked lists, for `empirical("file")` in a study."""
    from ndcg_asymptotics.lists import fit_csv, fit_files

    options: dict[str, Any] = {
        "method": method.value,
        "binary_at": binary_at,
        "prevalence": prevalence,
        "resamples": resamples,
        "seed": seed,
    }
    if csv is not None and not run and qrels is None:
        written = fit_csv(csv, out, **options)
    elif csv is None and run and qrels is not None:
        written = fit_files(run, qrels, out, pool=pool.value, **options)
    else:
        raise InputError("fit needs either --run and --qrels, or --csv")
    for path in written:
        print(path)


def _size(text: str) -> int:
    try:
        value = int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        value = math.nan
    if not (1 <= value <= 9e18 and value == int(value)):
        raise InputError(f"--n: a list length is a whole number from 1 to 9e18, got {text!r}")
    return int(value)


def _print_json(value: Any) -> None:
    print(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    """JSON has no infinity: a z with no standard error becomes null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
