"""Public functions with arguments of wrong types: each is answered, or refused in one line.

``python -m robustness.wrong_types``. Every parameter of every public function takes ten values of other
types, one at a time. A call may return, or raise an `InputError` of one line or an `OSError` of a path.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import ndcg_asymptotics as na
from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import LONGEST_MESSAGE

WRONG: tuple[object, ...] = (
    3,
    -0.5,
    math.nan,
    "no such",
    b"x",
    [],
    [None],
    {"a": 1},
    object(),
    np.zeros((2, 2)),
)
"""Values of which at most some are right for a parameter."""

PACKAGES = (
    *("", "theory", "analysis", "lists", "learning", "studies"),
    *("measures", "populations", "results", "sweep", "plots"),
)

LISTS = {f"q{q}": {f"d{d}": float((3 * d + q) % 7) for d in range(5)} for q in range(12)}
OTHERS = {query: {d: -score for d, score in documents.items()} for query, documents in LISTS.items()}
LABELS: dict[str, dict[str, float]] = {
    query: {d: int(d == "d2") + int(d == "d4") for d in documents} for query, documents in LISTS.items()
}
STUDY: dict[str, Any] = {
    "scorers": {"good": "linear(0.1, 0.7)", "random": "random"},
    "measures": ["nDCG", "nDCG@2"],
    "n": [5, 20],
    "replicates": 3,
    "pairs": [("good", "random")],
}
TOML = """
measures = ["nDCG"]
n = [5, 20]
replicates = 3
scorers = {good = "linear(0.1, TOP)", random = "random"}
"""
EXCEPTIONS = {"explore"}
"""Functions without a call here: one opens a browser."""

Call = tuple[Callable[..., Any], dict[str, Any]]


def calls(place: Path) -> dict[str, Call]:
    """Return a right call of every public function, and of the classes that a user makes values of."""
    study, grid, problem = place / "study.toml", place / "grid.toml", place / "problem.toml"
    study.write_text(TOML.replace("TOP", "0.7"))
    grid.write_text(TOML.replace("TOP", "$top") + "[grid]\ntop = [0.6, 0.7]\n")
    problem.write_text('labels = [[5, 4], [1, 3]]\nprobabilities = [0.3, 0.7]\nlosses = ["squared"]')
    svm = place / "train.txt"
    svm.write_text("".join(f"{i % 2} qid:{i // 4} 1:{i * i % 7} 2:{i % 3}\n" for i in range(24)))
    run, qrels, table = place / "a.run", place / "qrels", place / "lists.csv"
    na.lists.write_run(LISTS, run, "a")
    na.lists.write_qrels(LABELS, qrels)
    table.write_text("query,score,label\n1,0.5,1\n1,0.2,0\n")
    runs = {"a": LISTS, "b": OTHERS}
    both: dict[str, Any] = {"a": "linear(0.1, 0.7)", "b": "constant(0.4)"}
    results = na.run(na.Study(**STUDY), jobs=1)
    folder, points = place / "results", place / "points"
    na.run(na.Study(**STUDY), folder, jobs=1)
    of_grid = na.run(grid, points, jobs=1)
    growth = na.grow(LISTS, LABELS, "nDCG", orders=2)
    comparison = na.compare(runs, LABELS, ["nDCG", "nDCG@1"], resamples=99)
    planned = na.plan(**both, measures=["nDCG", "nDCG@2"], n=20)
    distinction = na.distinguish(results)
    curves = {"a": na.lists.fit_curves({"a": na.lists.read_csv(table)})["a"].relevance}
    queries = na.learning.read_svmlight(svm)
    collections = {
        f"c{c}": {name: [(q * c + len(name)) % 7 / 7 for q in range(9)] for name in ("a", "bb")}
        for c in range(3)
    }
    by_humans = {query: LABELS[query] for query in [*LABELS][:7]}
    by_judge = na.compare(runs, by_humans, judge=LABELS, resamples=99)
    one_relevant = {query: {"d2": 1} for query in LISTS}
    figure, ax = plt.subplots()
    results.data  # noqa: B018
    conventions = {"gain": "linear", "ties": "trec", "ideal": "judged", "empty": "zero", "missing": "drop"}
    fields: dict[str, Any] = {
        "labels": [[5, 4], [1, 3]],
        "probabilities": [0.3, 0.7],
        "measure": "nDCG",
        "gain": "exp2",
    }
    curve, choice = na.populations.Curve.parse("linear(0.1, 0.7)"), na.plots.Choice()
    lists, theory, learning, plots = na.lists, na.theory, na.learning, na.plots
    sizes = {"sizes": [5, 20]}
    return {
        "Measure": (na.Measure, {"discount": "log", "cutoff": 10, "normalised": True}),
        "Study": (
            na.Study,
            {**STUDY, "title": "t", "seed": 1, "engine": "items", "gain": "linear"}
            | {"coupling": "independent", "relevant": None, "bracket": 1e-4, "precision": None},
        ),
        "check": (na.check, {"results": results, "alpha": 1e-4, "perturb": 0.0, "std": "few"}),
        "compare": (
            na.compare,
            {"runs": runs, "qrels": LABELS, "measures": "nDCG", "columns": None}
            | {"judge": None, "unjudged": "zero", "lower_is_better": (), "resamples": 99, "seed": 1}
            | {"level": 0.9, "power": 0.8, "correction": "maxt", **conventions},
        ),
        "compare values": (
            na.compare,
            {"values": {"a": [0.1 * q for q in range(9)], "b": [0.5] * 9}}
            | {"measures": "AP", "lower_is_better": ()},
        ),
        "compare collections": (na.compare, {"collections": collections, "over": "both"}),
        "decades": (na.decades, {"start": 10, "stop": 100, "per_decade": 3}),
        "distinguish": (
            na.distinguish,
            {"results": results, "pair": ("good", "random"), "rare": None} | {"exponents": True},
        ),
        "evaluate": (
            na.evaluate,
            {"runs": LISTS, "qrels": LABELS, "measures": "nDCG", "columns": None}
            | {"chance": False, "unjudged": "zero", **conventions},
        ),
        "evaluate lists": (na.evaluate, {"lists": table, "feature": None, "weights": None}),
        "fit": (
            na.fit,
            {"runs": run, "qrels": qrels, "out": place / "curve.json", "pool": "retrieved"}
            | {"method": "isotonic", "prevalence": None, "binary_at": 1},
        ),
        "grow": (
            na.grow,
            {"runs": LISTS, "qrels": LABELS, "measures": "nDCG", "order": "random"}
            | {"times": None, "orders": 2, "n": None, "pool": "retrieved", "gain": "linear"}
            | {"binary_at": None, "random": False, "seed": 1},
        ),
        "merge": (na.merge, {"parts": [folder], "out": place / "merged", "allow_custom": False}),
        "open_results": (na.open_results, {"folder": folder, "allow_custom": False}),
        "plan": (
            na.plan,
            {**both, "measures": ["nDCG"], "n": 20, "power": 0.8, "level": 0.95, "rate": 0.9}
            | {"queries": 20, "relevant": None},
        ),
        "plan runs": (na.plan, {"runs": runs, "qrels": LABELS, "measures": "nDCG"}),
        "plan sd": (na.plan, {"sd": 0.2, "difference": 0.1, "pilot": 20, "measures": None}),
        "plot": (
            na.plot,
            {"results": results, "measure": "nDCG", "ax": ax, "title": "t", "choice": choice}
            | {"names": True},
        ),
        "predict": (
            na.predict,
            {"scorers": "linear(0.1, 0.7)", "measures": "nDCG", "n": 20, "gain": "linear"}
            | {"relevant": None},
        ),
        "report": (na.report, {"reported": comparison, "out": None, "alpha": 1e-4}),
        "run": (
            na.run,
            {"study": na.Study(**STUDY), "out": None, "jobs": 1, "backend": "loky"}
            | {"replicates": 3, "first": 0, "time_limit": 60.0, "precision": None},
        ),
        "sampled": (
            na.sampled,
            {"ranks": {"a": {"u": 3}, "b": {"u": 9}}, "measures": "nDCG", "items": 20, "negatives": 5}
            | {"replacement": False, "level": 0.9, "columns": None},
        ),
        "analysis.sampled_candidates": (
            na.analysis.sampled_candidates,
            {
                "runs": runs,
                "qrels": one_relevant,
                "measures": "nDCG",
                "items": 9,
                "level": 0.9,
                "columns": None,
            },
        ),
        "theory.difference_std": (theory.difference_std, {**both, "measure": "nDCG", **sizes}),
        "theory.effect_sizes": (theory.effect_sizes, {**both, "n": 20, "measures": ["nDCG"]}),
        "theory.rank_law": (
            theory.rank_law,
            {"scorer": "relevant(1, roc_power(0.4))", "n": 20, "ranks": [1, 2]},
        ),
        "theory.expected_ndcg": (
            theory.expected_ndcg,
            {"scorer": "constant(0.4)", "measure": "nDCG", **sizes} | {"beside": ()},
        ),
        "theory.first_moment": (theory.first_moment, {**both, "measure": "nDCG"}),
        "theory.leading_gap": (theory.leading_gap, {"scorer": "linear(0.1, 0.7)", "measure": "nDCG"}),
        "theory.limit": (theory.limit, {"scorer": "linear(0.1, 0.7)", "measure": "nDCG"}),
        "theory.ndcg_std": (theory.ndcg_std, {"scorer": "constant(0.4)", "measure": "nDCG", **sizes}),
        "theory.order_in_expectation": (
            theory.order_in_expectation,
            {**both, "measures": "nDCG", **sizes} | {"gain": "linear", "relevant": None},
        ),
        "theory.pseudo_expectation": (
            theory.pseudo_expectation,
            {"scorer": "constant(0.4)"} | {"measure": "nDCG", "n": 20},
        ),
        "analysis.check_grid": (
            na.analysis.check_grid,
            {"results": of_grid, "alpha": 1e-4, "perturb": 0.0} | {"std": "few"},
        ),
        "analysis.gate": (na.analysis.gate, {"comparison": comparison, "margin": 0.1}),
        "analysis.predict_pair": (
            na.analysis.predict_pair,
            {**both, "measures": "nDCG", "n": 20} | {"gain": "linear"},
        ),
        "lists.MeasureScale": (lists.MeasureScale, {"lower_is_better": False, "bounds": (0.0, 1.0)}),
        "lists.fit_curves": (
            lists.fit_curves,
            {"lists": {"a": lists.read_csv(table)}, "method": "isotonic"} | {"prevalence": None},
        ),
        "lists.pool_runs": (lists.pool_runs, {"runs": runs, "qrels": LABELS, "documents": "retrieved"}),
        "lists.ranked_tables": (
            lists.ranked_tables,
            {"tables": {"a": {"u": 3}}, "items": 20} | {"columns": None},
        ),
        "lists.read_csv": (lists.read_csv, {"path": table}),
        "lists.read_qrels": (lists.read_qrels, {"path": qrels}),
        "lists.read_run": (lists.read_run, {"path": run}),
        "lists.read_values": (
            lists.read_values,
            {"given": {"a": [0.1, 0.2], "b": [0.3, 0.4]}, "runs": None}
            | {"measures": "AP", "lower_is_better": (), "missing": None, "columns": None},
        ),
        "lists.write_qrels": (lists.write_qrels, {"qrels": LABELS, "path": place / "w.qrels"}),
        "lists.write_run": (lists.write_run, {"run": LISTS, "path": place / "w.run", "tag": "t"}),
        "learning.Batch": (learning.Batch, {"labels": np.ones(3), "sizes": np.array([2, 1])}),
        "learning.Problem": (learning.Problem, fields),
        "learning.Queries": (
            learning.Queries,
            {"features": [[0.1], [0.7]], "labels": [0, 2], "sizes": [2]}
            | {"names": ["q"], "documents": ["a", "b"]},
        ),
        "learning.decide_losses": (learning.decide_losses, {"problem": problem, "losses": "squared"}),
        "learning.excess_risk": (
            learning.excess_risk,
            {"problem": problem, "scores": [0.6, 0.4]} | {"losses": "squared"},
        ),
        "learning.load_problem": (learning.load_problem, {"path": problem}),
        "learning.read_svmlight": (_of_one(learning.read_svmlight), {"path": svm}),
        "learning.search_losses": (
            learning.search_losses,
            {"losses": "squared", "measure": "nDCG"}
            | {"gain": "exp2", "n": 3, "grades": 3, "vectors": 2, "draws": 2, "seed": 1},
        ),
        "learning.train": (
            learning.train,
            {"queries": svm, "loss": "squared", "validation": (), "test": ()}
            | {"measure": "nDCG", "gain": "exp2", "penalties": [0.1], "seed": 1, "out": None},
        ),
        "learning.train_ranker": (
            learning.train_ranker,
            {"train": queries, "loss": "squared"}
            | {"validation": None, "measure": "nDCG", "gain": "exp2", "seed": 1}
            | {"penalties": [0.1, 1.0]},
        ),
        "learning.utility_values": (
            learning.utility_values,
            {"queries": queries, "scores": np.ones(24)} | {"utility": learning.Problem(**fields).utility},
        ),
        "learning.worst_regret": (
            learning.worst_regret,
            {"loss": learning.Loss.of("squared"), "items": 2}
            | {"utility": learning.Problem(**fields).utility, "grades": 2},
        ),
        "studies.load": (na.studies.load, {"path": study, "allow_custom": False}),
        "studies.load_grid": (na.studies.load_grid, {"path": grid, "allow_custom": False}),
        "studies.write_template": (na.studies.write_template, {"file": place / "template.toml"}),
        "measures.discount": (
            na.measures.discount,
            {"function": lambda r: 1 / r, "name": "d", "largest": 100} | {"like": "zipf", "limit": None},
        ),
        "measures.measures_of": (na.measures.measures_of, {"given": "nDCG"}),
        "populations.ConstantCurve": (na.populations.ConstantCurve, {"p": 0.4}),
        "populations.FixedCounts": (na.populations.FixedCounts, {"counts": (1,), "source": curve}),
        "populations.Gaussian": (na.populations.Gaussian, {"rho": 0.5}),
        "populations.Graded": (na.populations.Graded, {"by_gain": ((1.0, curve),)}),
        "populations.Noisy": (na.populations.Noisy, {"curve": curve, "fpr": 0.1, "fnr": 0.1}),
        "populations.PiecewiseLinear": (
            na.populations.PiecewiseLinear,
            {"depths": (0.0, 1.0)} | {"values": (0.1, 0.7)},
        ),
        "populations.Polynomial": (na.populations.Polynomial, {"coefficients": (0.1, 0.3)}),
        "populations.Population": (
            na.populations.Population,
            {"scorers": {"a": curve}} | {"coupling": na.populations.Independent()},
        ),
        "populations.PowerCurve": (na.populations.PowerCurve, {"bottom": 0.1, "top": 0.7, "exponent": 2.0}),
        "populations.RocBeta": (na.populations.RocBeta, {"a": 2.0, "b": 1.0}),
        "populations.curve": (
            na.populations.curve,
            {"function": lambda s: 0.2 + 0.5 * s, "name": "c"} | {"breaks": ()},
        ),
        "populations.with_relevant": (
            na.populations.with_relevant,
            {"scorer": "linear(0.1, 0.7)"} | {"relevant": 2, "folder": None, "allow_custom": True},
        ),
        "results.open_results": (na.results.open_results, {"folder": points, "allow_custom": False}),
        "results.verify": (na.results.verify, {"folder": folder}),
        "sweep.run_grid": (
            na.sweep.run_grid,
            {"grid": na.studies.load_grid(grid), "folder": None, "jobs": 1},
        ),
        "plots.Choice": (
            plots.Choice,
            {"scorers": ["good"], "labels": {}, "colors": {}, "band": (0.1, 0.9)} | {"spec": False},
        ),
        "plots.comparison_figure": (
            plots.comparison_figure,
            {"comparison": comparison, "width": 4.0} | {"pair": comparison.pairs[0]},
        ),
        "plots.curve_handles": (
            plots.curve_handles,
            {"results": results, "measures": ["nDCG"]} | {"choice": choice, "names": True},
        ),
        "plots.draw_all": (
            plots.draw_all,
            {"found": planned, "out": place / "f", "width": None, "dpi": 30}
            | {"formats": ("png",), "choice": None},
        ),
        "plots.draw_all results": (
            plots.draw_all,
            {"found": results, "out": place / "f", "measures": "nDCG@2"}
            | {"scorers": ["good"], "against": None, "spec": False, "dpi": 30},
        ),
        "plots.enlarge": (plots.enlarge, {"results": results, "measure": "nDCG", "ax": ax, "choice": choice}),
        "plots.figure_legend": (plots.figure_legend, {"figure": figure, "handles": []}),
        "plots.fitted_curves": (plots.fitted_curves, {"curves": curves, "ax": ax}),
        "plots.fitted_figure": (plots.fitted_figure, {"curves": curves, "width": 4.0}),
        "plots.holds_curves": (plots.holds_curves, {"place": place}),
        "plots.judged_figure": (
            plots.judged_figure,
            {"comparison": by_judge, "pair": by_judge.pairs[0], "width": 4.0},
        ),
        "plots.length_axis": (plots.length_axis, {"ax": ax, "sizes": [5, 20], "most": 8}),
        "plots.line_styles": (plots.line_styles, {"count": 3}),
        "plots.margin_labels": (plots.margin_labels, {"ax": ax, "labels": [(0.5, "a", "red")]}),
        "plots.measure_figure": (
            plots.measure_figure,
            {"results": results, "measure": "nDCG", "width": 4.0} | {"choice": choice},
        ),
        "plots.measure_style": (plots.measure_style, {"measure": "nDCG"}),
        "plots.note": (plots.note, {"figure": figure, "text": "t"}),
        "plots.order_error_exponents": (
            plots.order_error_exponents,
            {"ax": ax, "pairs": distinction.pairs} | {"study": results.study, "choice": choice},
        ),
        "plots.order_figure": (
            plots.order_figure,
            {"results": results, "pairs": distinction.pairs} | {"width": 4.0, "choice": choice},
        ),
        "plots.order_handles": (plots.order_handles, {"pairs": distinction.pairs, "choice": choice}),
        "plots.outer_labels": (plots.outer_labels, {"axes": [ax]}),
        "plots.overview_figure": (
            plots.overview_figure,
            {"results": results, "measures": ["nDCG"]} | {"width": 4.0, "choice": choice},
        ),
        "plots.pair_figures": (
            plots.pair_figures,
            {"results": results, "measures": ["nDCG"], "width": 4.0} | {"choice": choice},
        ),
        "plots.panels": (plots.panels, {"count": 2, "columns": 2, "height": 2.3, "width": None}),
        "plots.plan_figure": (plots.plan_figure, {"plan": planned, "width": 4.0}),
        "plots.power_figure": (plots.power_figure, {"comparison": comparison, "width": 4.0}),
        "plots.save": (
            plots.save,
            {"figure": figure, "folder": place / "f", "name": "n", "dpi": 30}
            | {"formats": ("png",), "dark": False},
        ),
        "plots.style": (_entered(plots.style), {"file": None}),
        "plots.growth_curves": (
            plots.growth_curves,
            {"growth": growth, "measure": "nDCG", "ax": ax} | {"choice": choice},
        ),
        "plots.growth_figure": (
            plots.growth_figure,
            {"growth": growth, "measures": ["nDCG"], "width": 4.0} | {"choice": choice},
        ),
        "plots.growth_handles": (plots.growth_handles, {"growth": growth}),
        "plots.titles": (plots.titles, {"ax": ax, "title": "t", "remark": "r"}),
        "plots.wrong_order_rates": (
            plots.wrong_order_rates,
            {"ax": ax, "pairs": distinction.pairs} | {"from_n": False, "choice": choice},
        ),
    }


def _entered(manager: Callable[..., Any]) -> Callable[..., None]:
    """Return a function that enters a context manager."""

    def enter(**arguments: Any) -> None:
        with manager(**arguments):
            pass

    return enter


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of one path from one of any number."""

    def of_one(path: Any) -> Any:
        return function(path)

    return of_one


def public_functions() -> set[str]:
    """Return the names of all public functions."""
    found: dict[int, str] = {}
    for package in PACKAGES:
        module = getattr(na, package) if package else na
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                found.setdefault(id(thing), f"{package}.{name}".lstrip("."))
    return {*found.values()} - EXCEPTIONS


def try_wrong(name: str, call: Call, parameter: str, value: Any) -> str:
    """Call a function with a wrong value of a parameter; return the outcome.

    Raises
    ------
    AssertionError
        If it raised something else than an `InputError` of one line, or an `OSError` of a path.
    """
    function, arguments = call
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**arguments | {parameter: value})
    except na.InputError as error:
        said = str(error)
        assert "\n" not in said, (name, parameter, said)
        assert len(said) <= LONGEST_MESSAGE, (name, parameter, said)
        return "refused"
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            return "refused"
        what = f"{name}({parameter}={brief(value)}) raised {type(error).__name__}: {error}"
        raise AssertionError(what) from error
    finally:
        plt.close("all")
    return "answered"


def wrong_calls(made: dict[str, Call]) -> Iterator[tuple[str, Call, str, Any]]:
    """Yield every parameter of every call with every wrong value."""
    for name, call in made.items():
        for parameter in call[1]:
            for value in WRONG:
                yield name, call, parameter, value


@contextmanager
def working_in(place: Path) -> Iterator[None]:
    """Work in a folder: a wrong value may be the name of a file to write."""
    before = Path.cwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)


def main() -> None:
    """Print the outcomes, and the calls that raised something else."""
    mpl.use("Agg")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place, working_in(Path(place)):
        made = calls(Path(place))
        for name, (function, arguments) in made.items():
            function(**arguments)
            counts[f"right call of {name}"] = 0
        for name, call, parameter, value in wrong_calls(made):
            try:
                counts[try_wrong(name, call, parameter, value)] += 1
            except AssertionError as error:
                counts["raised"] += 1
                print(error)
    functions = len({name.split()[0] for name in made})
    print(
        f"{functions} functions, {counts.total()} calls: {counts['refused']} refused in one line, "
        f"{counts['answered']} answered, {counts['raised']} raised something else"
    )
    if counts["raised"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
