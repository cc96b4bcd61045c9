"""The command plan: which measure, how many documents and how many queries tell two rankers apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcg_asymptotics.cli.options import (
    Columns,
    Figures,
    GainLike,
    Level,
    Like,
    LowerIsBetter,
    Qrels,
    Relevant,
    Runs,
    SixMeasures,
    TableOutputOfMany,
    Values,
    parse_number,
    parse_whole,
)
from ndcg_asymptotics.core.errors import InputError, require

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.planning.requirements import RequirementOptions

_from_input = partial(typer.Option, rich_help_panel="Input")

app = typer.Typer()


@app.command()
def plan(
    *,
    a: Annotated[
        str | None, _from_input("--a", metavar="CURVE", help="Relevance curve of the first ranker.")
    ] = None,
    b: Annotated[
        str | None,
        _from_input("--b", metavar="CURVE", help="That of the second one, with equally distributed labels."),
    ] = None,
    n: Annotated[
        int | None,
        _from_input(
            "-n",
            "--n",
            metavar="N",
            parser=parse_number,
            help="Length of the lists of the curves.",
            show_default="1000",
        ),
    ] = None,
    run: Runs = None,
    qrels: Qrels = None,
    values: Values = None,
    lower_is_better: LowerIsBetter = None,
    columns: Columns = None,
    sd: Annotated[
        float | None,
        _from_input(
            help="In place of curves or runs: the standard deviation of the difference of two systems."
        ),
    ] = None,
    pilot: Annotated[
        int | None,
        _from_input(
            metavar="N",
            parser=parse_whole,
            help="Number of queries that --sd was estimated from, for intervals.",
            show_default="none: it is exact",
        ),
    ] = None,
    difference: Annotated[
        float | None, _from_input(help="With --sd: the difference of means that is to be detected.")
    ] = None,
    measure: SixMeasures = None,
    like: Like = None,
    gain: GainLike = None,
    relevant: Relevant = None,
    coupling: Annotated[
        str | None,
        _from_input(
            metavar="RHO",
            help="How much the rankers of the curves agree: the correlation, 0 to 1, of the depths of a "
            "document given its label, which `fit` estimates.",
            show_default="independent",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        _from_input(
            metavar="RATES",
            help="Error rates of a judge of the labels of the curves, 'fpr=0.01, fnr=0.2': the queries that "
            "its labels take, and whether they turn the order of the rankers.",
        ),
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=parse_whole,
            help="How many queries there are.",
            show_default="those of the runs, if there are any",
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option(help="Probability with which a single list must show the right order.")
    ] = 0.95,
    power: Annotated[float, typer.Option(help="Target power of the paired t test.")] = 0.8,
    level: Level = 0.95,
    systems: Annotated[
        int | None,
        typer.Option(
            metavar="M",
            parser=parse_whole,
            help="Also plan an analysis of variance of M systems, whose best and worst have the difference.",
            show_default=False,
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(help="Also plan for a confidence interval of the difference of this mean width."),
    ] = None,
    figures: Figures,
    output: TableOutputOfMany,
) -> None:
    """Plan an experiment: which measure tells two rankers apart, and how many documents and queries it takes.

    The rankers are given by their relevance curves, by two runs of a pilot or their values of any measures,
    or by a standard deviation alone.
    With --coupling the curves are those of rankers that agree, which need fewer queries.

    Examples:

        ndcg-asymptotics plan --a "linear(0.1, 0.5)" --b "linear(0.2, 0.4)"
        ndcg-asymptotics plan --a "linear(0.1, 0.5)" --b "linear(0.2, 0.4)" \\
            --coupling 0.7
        ndcg-asymptotics plan --run a.run --run b.run --qrels my.qrels
        ndcg-asymptotics plan --a "roc_power(0.4)" --b "roc_power(0.6)" \\
            --relevant 1 -n 1e6
        ndcg-asymptotics plan --values new.csv --values old.csv
        ndcg-asymptotics plan --sd 0.2 --queries 50 --measure nDCG@10
    """
    of_values = bool(values)
    sources = {
        "--a and --b": (a, b, n, relevant, coupling, judge),
        "--run twice and --qrels": (qrels, like, *(() if of_values else (run, columns))),
        "--values": (values, lower_is_better, *((run, columns) if of_values else ())),
        "--sd": (sd, pilot, difference),
    }
    require(
        relevant is None or run is None,
        "belongs to --a and --b. Runs come with their relevant items: leave it out, or state curves, such as "
        '--a "roc_power(0.4)" --b "roc_power(0.5)"',
        "relevant",
    )
    require(
        coupling is None or (run is None and sd is None),
        "belongs to --a and --b. Runs, and a standard deviation of differences, show how much rankers agree",
        "coupling",
    )
    given = [name for name, values in sources.items() if any(value is not None for value in values)]
    require(
        len(given) == 1,
        f"plan needs {', or '.join(sources)}"
        + (f", got values of {' and of '.join(given)}" if given else ""),
    )
    design: RequirementOptions = {
        "rate": rate,
        "power": power,
        "level": level,
        "queries": queries,
        "systems": systems,
        "width": width,
    }
    if values:
        from ndcg_asymptotics.analysis.planning.runs import plan_values

        require(gain is None, "--values have no labels, so leave it out", "gain")
        found = plan_values(
            values,
            values={
                "runs": [str(name) for name in run or ()],
                "measures": measure or (),
                "lower_is_better": lower_is_better or (),
                "columns": columns,
            },
            **design,
        )
    elif sd is not None:
        require(measure is None or len(measure) == 1, "--sd belongs to one measure", "measure")
        from ndcg_asymptotics.analysis.planning.known_sd import plan_for_sd

        found = plan_for_sd(sd, measure[0] if measure else None, difference=difference, pilot=pilot, **design)
    elif a is not None and b is not None:
        from ndcg_asymptotics.analysis.planning.curves import plan as plan_curves
        from ndcg_asymptotics.measures.measure import MEASURES

        length: dict[str, Any] = {} if n is None else {"n": n}
        found = plan_curves(
            a,
            b,
            measure or MEASURES,
            gain=gain or "linear",
            relevant=relevant,
            judge=judge,
            coupling="independent" if coupling is None else _number_or_text(coupling),
            **length,
            **design,
        )
    elif run and qrels is not None:
        from ndcg_asymptotics.analysis.planning.runs import plan_runs
        from ndcg_asymptotics.measures.measure import MEASURES

        found = plan_runs(
            run,
            qrels,
            measure or MEASURES,
            columns=columns,
            conventions={"like": like, "gain": gain},
            **design,
        )
    else:
        parts = {"--a": a, "--b": b, "--run": run, "--qrels": qrels, "--values": values, "--sd": sd}
        lacking = [name for name, value in parts.items() if name in given[0].split() and value is None]
        raise InputError(f"plan needs {given[0]}: add {' and '.join(lacking)}")
    output.show(found, "plan")
    if figures.out is not None:
        from ndcg_asymptotics.plots import draw_plan

        figures.save(draw_plan, found)


def _number_or_text(coupling: str) -> str | float:
    try:
        return float(coupling)
    except ValueError:
        return coupling
