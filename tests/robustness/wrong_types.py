"""Public functions with arguments of wrong types: each is answered, or refused in one line.

``python -m robustness.wrong_types``. Every parameter of every public function takes twelve values of other
types, one at a time. A call may return, or raise an `InputError` of one line or an `OSError` of a path.
"""

from __future__ import annotations

import inspect
import math
import operator
import sys
import tempfile
import typing
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir
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
    "\ud800",
    10**400,
    [],
    [None],
    {"a": 1},
    object(),
    np.zeros((2, 2)),
)
"""Values of which at most some are right for a parameter."""

PACKAGES = (
    *("", "theory", "checks", "orders", "comparisons", "plans", "samples", "growth", "lists"),
    *("learning", "studies", "measures", "populations", "results", "sweep"),
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
    na.run(grid, points, jobs=1)
    comparison = na.compare(runs, LABELS, ["nDCG", "nDCG@1"], resamples=99)
    queries = na.learning.read_svmlight(svm)
    collections = {
        f"c{c}": {name: [(q * c + len(name)) % 7 / 7 for q in range(9)] for name in ("a", "bb")}
        for c in range(3)
    }
    one_relevant = {query: {"d2": 1} for query in LISTS}
    _, ax = plt.subplots()
    results.data  # noqa: B018
    conventions = {"gain": "linear", "ties": "trec", "ideal": "judged", "empty": "zero", "missing": "drop"}
    problems: dict[str, Any] = {"labels": [[5, 4], [1, 3]], "probabilities": [0.3, 0.7]}
    utility = na.learning.Problem(**problems).utility
    regret = {"loss": na.learning.Loss.of("squared"), "grades": 2}
    curve, own, sizes = na.populations.Curve.parse("linear(0.1, 0.7)"), "linear(0.1, 0.7)", {"sizes": [5, 20]}
    one = {"scorer": own, "measure": "nDCG"}
    given: dict[str, dict[str, Any]] = {
        "Measure": {"discount": "log", "cutoff": 10},
        "Study": STUDY,
        "check": {"results": results},
        "compare": {"runs": runs, "qrels": LABELS, "measures": "nDCG", "resamples": 99, **conventions},
        "compare values": {"values": {"a": [0.1 * q for q in range(9)], "b": [0.5] * 9}, "measures": "AP"},
        "compare collections": {"collections": collections, "over": "both"},
        "decades": {"start": 10, "stop": 100, "per_decade": 3},
        "distinguish": {"results": results, "pair": ("good", "random")},
        "evaluate": {"runs": LISTS, "qrels": LABELS, "measures": "nDCG", **conventions},
        "evaluate lists": {"lists": table},
        "fit": {"runs": run, "qrels": qrels, "out": place / "curve.csv", "binary_at": 1},
        "grow": {"runs": LISTS, "qrels": LABELS, "measures": "nDCG", "orders": 2},
        "merge": {"parts": [folder], "out": place / "merged"},
        "open_results": {"folder": folder},
        "plan": {**both, "measures": ["nDCG"], "n": 20, "queries": 20},
        "plan runs": {"runs": runs, "qrels": LABELS, "measures": "nDCG"},
        "plan sd": {"sd": 0.2, "difference": 0.1, "pilot": 20},
        "plot": {"results": results, "measure": "nDCG", "ax": ax, "title": "t"},
        "predict": {"scorers": own, "measures": "nDCG", "n": 20},
        "report": {"reported": comparison},
        "run": {"study": na.Study(**STUDY), "jobs": 1, "replicates": 3},
        "sampled": {"ranks": {"a": {"u": 3}, "b": {"u": 9}}, "items": 20, "negatives": 5},
        "samples.sampled_candidates": {"runs": runs, "qrels": one_relevant, "items": 9},
        "theory.difference_std": {**both, "measure": "nDCG", **sizes},
        "theory.effect_sizes": {**both, "n": 20, "measures": ["nDCG"]},
        "theory.expected_ndcg": {**one, **sizes},
        "theory.first_moment": both,
        "theory.leading_gap": one,
        "theory.limit": one,
        "theory.ndcg_std": {**one, **sizes},
        "theory.order_in_expectation": {**both, "measure": "nDCG", **sizes},
        "theory.pseudo_expectation": {**one, "n": 20},
        "comparisons.gate": {"comparison": comparison, "margin": 0.1},
        "orders.predict_pair": {**both, "measures": "nDCG", "n": 20},
        "lists.MeasureScale": {"bounds": (0.0, 1.0)},
        "lists.fit_curves": {"lists": {"a": na.lists.read_csv(table)}},
        "lists.pool_runs": {"runs": runs, "qrels": LABELS},
        "lists.ranked_tables": {"tables": {"a": {"u": 3}}, "items": 20},
        "lists.read_csv": {"path": table},
        "lists.read_qrels": {"path": qrels},
        "lists.read_run": {"path": run},
        "lists.read_values": {"given": {"a": [0.1, 0.2], "b": [0.3, 0.4]}, "measures": "AP"},
        "lists.write_qrels": {"qrels": LABELS, "path": place / "w.qrels"},
        "lists.write_run": {"run": LISTS, "path": place / "w.run", "tag": "t"},
        "learning.Batch": {"labels": np.ones(3), "sizes": np.array([2, 1])},
        "learning.Problem": problems,
        "learning.Queries": {"features": [[0.1], [0.7]], "labels": [0, 2], "sizes": [2]},
        "learning.decide_losses": {"problem": problem, "losses": "squared"},
        "learning.excess_risk": {"problem": problem, "scores": [0.6, 0.4], "losses": "squared"},
        "learning.load_problem": {"path": problem},
        "learning.read_svmlight": {"path": svm},
        "learning.search_losses": {"losses": "squared", "vectors": 2, "draws": 2},
        "learning.train": {"queries": svm, "loss": "squared", "penalties": [0.1]},
        "learning.utility_values": {"queries": queries, "scores": np.ones(24), "utility": utility},
        "learning.worst_regret": {**regret, "items": 2, "utility": utility},
        "studies.load": {"path": study},
        "studies.load_grid": {"path": grid},
        "studies.write_template": {"file": place / "template.toml"},
        "measures.discount": {"function": lambda r: 1 / r, "name": "d", "largest": 100, "like": "zipf"},
        "measures.measures_of": {"measures": "nDCG"},
        "populations.ConstantCurve": {"p": 0.4},
        "populations.FixedCounts": {"counts": (1,), "source": curve},
        "populations.Gaussian": {"rho": 0.5},
        "populations.Graded": {"by_gain": ((1.0, curve),)},
        "populations.Noisy": {"curve": curve, "fpr": 0.1, "fnr": 0.1},
        "populations.PiecewiseLinear": {"depths": (0.0, 1.0), "values": (0.1, 0.7)},
        "populations.Polynomial": {"coefficients": (0.1, 0.3)},
        "populations.Population": {"scorers": {"a": curve}, "coupling": na.populations.Independent()},
        "populations.PowerCurve": {"bottom": 0.1, "top": 0.7, "exponent": 2.0},
        "populations.RocBeta": {"a": 2.0, "b": 1.0},
        "populations.curve": {"function": lambda s: 0.2 + 0.5 * s, "name": "c"},
        "populations.with_relevant": {"scorer": own, "relevant": 2},
        "open_results grid": {"folder": points},
    }
    return {name: (_called(name.split()[0]), arguments) for name, arguments in given.items()}


def _called(name: str) -> Callable[..., Any]:
    """Return a public function; one of any number of paths takes one."""
    function: Callable[..., Any] = operator.attrgetter(name)(na)

    def of_one(path: Any) -> Any:
        return function(path)

    return of_one if name == "learning.read_svmlight" else function


def parameters(function: Callable[..., Any]) -> set[str]:
    """Return the names of the parameters of a function, with those that ``**options`` stands for."""
    found = inspect.signature(function).parameters
    names = {name for name, one in found.items() if one.kind is not one.VAR_KEYWORD}
    for name in found.keys() - names:
        (options,) = typing.get_args(typing.get_type_hints(function)[name])
        names |= {*typing.get_type_hints(options)}
    return names


def public_functions() -> set[str]:
    """Return the names of all public functions but those that draw."""
    found: dict[int, str] = {}
    for package in PACKAGES:
        module = getattr(na, package) if package else na
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and not thing.__module__.endswith("figures"):
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
        for parameter in sorted(parameters(call[0])):
            for value in WRONG:
                yield name, call, parameter, value


def main() -> None:
    """Print the outcomes, and the calls that raised something else."""
    mpl.use("Agg")
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place, chdir(Path(place)):
        made = calls(Path(place))
        for function, arguments in made.values():
            function(**arguments)
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
