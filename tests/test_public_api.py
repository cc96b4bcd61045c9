"""The public API: its names, the arguments it accepts, and error messages that name the argument."""

from __future__ import annotations

import base64
import doctest
import importlib
import inspect
import operator
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from cases import refused
from cli_cases import COMMANDS, GROUPS
from robustness.wrong_types import parameters

import ndcg_asymptotics as na

SCORERS = {"good": "linear(0.1, 0.7)", "random": "random"}


own_discount = partial(na.measures.discount, name="own", largest=5000)
own_curve = partial(na.populations.curve, name="own")


def small(**changes: object) -> na.Study:
    fields = {"scorers": SCORERS, "measures": ["nDCG"], "n": [10, 100], "replicates": 20, "seed": 3}
    return na.Study(**fields | {"pairs": [("good", "random")]} | changes)


def test_dir_lists_the_public_names() -> None:
    assert dir(na) == na.__all__ == sorted(na.__all__)
    for name in na.__all__:
        assert getattr(na, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = na.nothing  # type: ignore[attr-defined]


PACKAGES = ["theory", "checks", "orders", "comparisons", "plans", "samples", "growth", "lists"]
PACKAGES += ["learning", "studies", "measures", "populations", "results"]
PUBLIC = [name for name in na.__all__ if not inspect.ismodule(getattr(na, name))]
PUBLIC += [f"{package}.{name}" for package in PACKAGES for name in getattr(na, package).__all__]
# what draws is shown by pictures, as in plots
PUBLIC = [name for name in PUBLIC if not operator.attrgetter(name)(na).__module__.endswith("figures")]


@pytest.mark.parametrize("package", ["", *PACKAGES, "plots", "reports", "sweep"])
def test_every_name_of_a_stub_exists(package: str) -> None:
    module = importlib.import_module(f"ndcg_asymptotics.{package}".rstrip("."))
    assert all(getattr(module, name) is not None for name in module.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_is_described_and_shown(name: str) -> None:
    """A docstring, and for functions a doctest (which the suite runs)."""
    thing = operator.attrgetter(name)(na)
    assert inspect.getdoc(thing)
    name = name.rpartition(".")[2]
    takes_files = {"plot", "fit", "read_csv", "read_qrels", "read_run", "load"}
    if inspect.isfunction(thing) and name not in takes_files:
        assert doctest.DocTestFinder().find(thing, name)[0].examples, name


ELSEWHERE = {
    "init": "studies.write_template",
    "info": "open_results",
    "figures": "plots.draw_all",
    "list": "cli.specs",
    "losses decide": "learning.decide_losses",
    "losses risk": "learning.excess_risk",
    "losses search": "learning.search_losses",
    "losses train": "learning.train",
}
"""The functions of commands that have another name; the others are in the package itself."""


def test_every_command_is_a_public_function() -> None:
    for command in COMMANDS.keys() - GROUPS:
        name = ELSEWHERE.get(command, command.replace("-", "_"))
        assert callable(operator.attrgetter(name)(na)), command
    page = (Path(__file__).parents[1] / "docs" / "commands" / "index.md").read_text(encoding="utf-8")
    assert [name for name in ELSEWHERE.values() if f"{name.removeprefix('learning.')}`" not in page] == []


PRINTED = {"quiet", "verbose", "table_format", "as_json", "help"}
"""Parameters of commands about what is printed."""

OTHERWISE = {
    "check": {"allow_custom"},  # of a folder, which open_results takes, as the next three
    "distinguish": {"allow_custom"},
    "figures": {"results", "allow_custom"},
    "report": {"results", "allow_custom"},
    "info": {"results"},
    "evaluate": {"by_query"},  # the attribute by_query
    "grow": {"out"},  # to_dataframe
    "losses train": {"data"},
    "sampled": {"runs", "run", "qrels"},  # samples.sampled_candidates
    "compare": {"by_query", "report", "fail_if_worse", "fail_unless_noninferior"},  # comparisons.gate
}
"""Options and arguments of commands that are not parameters of their functions."""


def test_options_are_parameters_of_the_functions() -> None:
    found = {}
    for name, command in COMMANDS.items():
        if name in GROUPS:
            continue
        function = operator.attrgetter(ELSEWHERE.get(name, name.replace("-", "_")))(na)
        known = parameters(function)
        options = {option.name for option in command.params} - PRINTED
        if "folder" in options:  # plots.draw_all draws what the function returns
            options -= {"folder", "figure_format"}
        found[name] = {option for option in options if not {option, f"{option}s", f"{option}es"} & known}
    assert {name: names for name, names in found.items() if names} == OTHERWISE


SMALL = """
scorers = {good = "linear(0.1, 0.7)", random = "random"}
measures = "nDCG"
n = [10, 100]
replicates = 20
pairs = [["good", "random"]]
"""


@pytest.mark.slow
def test_functions_take_the_files_and_folders_of_their_commands(tmp_path: Path) -> None:
    study, grid, out = tmp_path / "study.toml", tmp_path / "grid.toml", tmp_path / "out"
    study.write_text(SMALL)
    grid.write_text(SMALL.replace("0.7", "$p") + "[grid]\np = [0.6, 0.7]\n")
    assert na.run(str(study), out, jobs=1).replicates_complete == 20
    points = na.run(grid, tmp_path / "points", jobs=1)
    assert isinstance(points, na.results.GridResults)
    assert na.run(na.studies.load(study), jobs=1).data.equals(na.open_results(out).data)
    found = na.check(tmp_path / "points")
    assert isinstance(found, na.checks.GridCheck)
    assert found.agrees == na.check(points).agrees
    assert isinstance(na.check(out), na.checks.Check)
    assert na.open_results(out).complete
    assert na.distinguish(str(out)).pairs[0].pair == ("good", "random")
    drawn = [na.plots.draw_all(of, tmp_path / "figures", dpi=30) for of in (out, tmp_path / "points")]
    assert all(path.is_file() for paths in drawn for path in paths)
    for of, given, said in (
        (out, {"against": "p"}, "against: does not belong to a study, leave it out: only grids have param"),
        (points, {"scorers": "a"}, "scorers: does not belong to a grid"),
        (3, {}, "found: expected results, a comparison, a plan or a path, got 3"),
    ):
        refused(said, na.plots.draw_all, of, tmp_path / "figures", **given)
    _, ax = plt.subplots()
    assert na.plot(out, "nDCG", ax=ax) is ax
    opened = na.results.folder.open_study(out)
    assert len(na.plot(out).axes) == len(opened.plot().axes) == 2 * len(opened.study.measures)
    plt.close("all")
    problem = tmp_path / "problem.toml"
    problem.write_text('labels = [[5, 4], [1, 3]]\nprobabilities = [0.3, 0.7]\nlosses = ["squared"]')
    assert [str(row.loss) for row in na.learning.decide_losses(problem).losses] == ["squared"]
    assert na.learning.excess_risk(problem, [0.6, 0.4]).regret > 0


def test_importing_the_package_is_light() -> None:
    code = "import sys, ndcg_asymptotics; print([m for m in ('numpy', 'numba', 'scipy') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_texts_objects_and_arrays_are_accepted() -> None:
    by_text = small()
    by_object = small(
        scorers={"good": na.populations.Curve.parse("linear(0.1, 0.7)"), "random": "random"},
        measures=na.Measure("log"),
        n=np.array([10, 100]),
        coupling=na.populations.Coupling.parse("independent"),
    )
    assert by_object.design == by_text.design
    assert small(n=range(5, 8)).n == (5, 6, 7)
    assert str(na.Measure("zipf", 10)) == "nDCG(zipf)@10"
    assert na.theory.limit("linear(0.1, 0.7)", "nDCG").value == 1
    assert na.theory.expected_ndcg("linear(0.1, 0.7)", "nDCG", 10).value.shape == (1,)
    assert by_text.with_(seed=4).seed == 4


def step_of_one(x):
    return 0.5 if x < 3 else 0.1


WRITE = "must take a numpy array: write np.where for if"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: na.theory.limit(3, "nDCG"), "expected a relevance model .* got 3"),
        (lambda: na.theory.limit("constant(0.4)", 0.5), "expected a measure or its text, .*, got 0.5"),
        (lambda: na.Measure("log", 1.5), "expected a cutoff .* got 1.5"),
        (
            lambda: na.theory.expected_ndcg("linear(0.1, 0.7)", "nDCG", [10.5]),
            r"sizes: must be a whole .*10\.5",
        ),
        (lambda: na.lists.evaluate("a.run", "q", "nDCG"), "a.run: cannot be read"),
        (lambda: na.run(small(), jobs=0), "^jobs: must be a whole number >= 1, got 0$"),
        (lambda: na.run(small(), backend="mpi"), "^backend: must be one of loky, thr.*, got 'mpi'$"),
        (lambda: na.run(3), "study: expected a Study, or the path of a study file, got 3"),
        (lambda: na.decades(10, 5), "start must be at most stop"),
        (lambda: na.check(na.run(small(), jobs=1), alpha=2), "^alpha: must lie inside"),
        # a user's own functions, on the whole table of ranks and at all scores
        (lambda: own_discount(lambda r: np.where(r < 4000, 1 / r, 2.0)), r"D\(4000\) = 2 after 0.00025"),
        (lambda: own_discount(lambda r: np.where(r == 77, np.nan, 1 / r)), r"D\(77\) = nan"),
        (lambda: own_discount(lambda r: 1.0), "made shape"),
        (lambda: own_curve(lambda s: 1.5 * s), r"within \[0, 1\]"),
        (lambda: own_curve(lambda s: np.log(0 * s - 1)), "one finite number for each score"),
        (
            lambda: own_curve(lambda s: np.where(np.sin(1 / (1e-9 + s)) > 0, 0.2, 0.3)),
            "name its jumps and kinks",
        ),
        # what to write instead
        (lambda: own_curve(step_of_one), WRITE),
        (lambda: own_discount(step_of_one), WRITE),
        (lambda: own_curve(lambda s: 1 / 0), r"failed \(ZeroDivisionError: .*\)$"),  # no advice helps
        (lambda: small(scorers=["constant(0.4)"]), "at least one name to a relevance curve, such as {"),
        (lambda: small(scorers={"a": np.sqrt}), r"^scorers.a: .*populations.curve makes one of a function"),
        (lambda: small(measures=[np.sqrt]), "measures.discount makes a discount of a function"),
        (lambda: na.predict(np.sqrt, "nDCG", 10), "populations.curve makes one of a function"),
    ],
)
def test_errors_name_the_argument(call, said: str) -> None:
    assert "--" not in refused(said, call)


OWN = """
import numpy as np
import neighbour

def slow(rank):
    return neighbour.one(rank) / np.log(1.0 + rank)

def wave(score):
    return 0.3 + 0.2 * np.sin(6 * score)
"""

STUDY = """
measures = ['nDCG(custom("mine:slow", 1000))']
n = [10, 100]
replicates = 4
[scorers]
a = 'custom("mine:wave")'
"""


def write_own(folder: Path) -> None:
    """A study with a module beside it, which needs another one."""
    (folder / "mine.py").write_text(OWN)
    (folder / "neighbour.py").write_text("def one(rank):\n    return 1.0\n")
    (folder / "study.toml").write_text(STUDY)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_user_defined_functions_run_on_every_backend(backend: str) -> None:
    slope = 0.6
    study = small(
        scorers={"a": na.populations.curve(lambda s: 0.1 + slope * s, name="a")},
        measures=[na.measures.discount(lambda r: 1 / np.log1p(r), name="mine", largest=100)],
        pairs=[],
    )
    drawn = na.run(study, backend=backend, jobs=2).data["ndcg"].to_numpy()
    same = na.run(small(scorers={"a": "linear(0.1, 0.7)"}, pairs=[]), jobs=1).data["ndcg"].to_numpy()
    np.testing.assert_allclose(drawn, same, rtol=0, atol=1e-12)


def test_a_function_without_a_name_cannot_be_written_to_a_folder(tmp_path: Path) -> None:
    study = small(measures=[na.measures.discount(lambda r: 1 / r, largest=100)])
    refused(r"cannot be written to a file.*keep the study in memory", na.run, study, tmp_path / "out", jobs=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_a_module_beside_the_study_is_found_everywhere(tmp_path: Path, backend: str) -> None:
    (tmp_path / "study").mkdir()
    write_own(tmp_path / "study")
    study = na.studies.load(tmp_path / "study" / "study.toml", allow_custom=True)
    assert not {"mine", "neighbour"} & sys.modules.keys()
    with ExitStack() as stack:
        options: dict[str, Any] = {"jobs": 2}
        if backend == "dask":
            distributed = pytest.importorskip("distributed")
            cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
            options = {"scheduler": stack.enter_context(cluster).scheduler_address}
        assert na.run(study, tmp_path / "out", **options).complete
    # the copy beside the results is enough to look at them
    os.rename(tmp_path / "study", tmp_path / "elsewhere")
    assert na.check(na.open_results(tmp_path / "out", allow_custom=True)).agrees


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return ", "return 1.0 * "),  # the same values by another source
        ("1.0", "np.where(rank < 5000, 1.0, 0.5)"),
        ("0.1 + 0.6 * s", "0.1 + (0.6 - 1e-9) * s"),
    ],
)
def test_editing_a_function_starts_a_new_study(tmp_path: Path, old: str, new: str) -> None:
    source = (
        "import numpy as np\n\n\ndef slow(rank):\n    return 1.0 / rank\n\n\n"
        "def wave(s):\n    return 0.1 + 0.6 * s\n"
    )
    (tmp_path / "mine.py").write_text(source)
    (tmp_path / "study.toml").write_text(STUDY.replace("1000)", "10000)"))
    out = tmp_path / "out"
    na.run(na.studies.load(tmp_path / "study.toml", allow_custom=True), out, jobs=1)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert source.replace(old, new) != source
    (tmp_path / "mine.py").write_text(source.replace(old, new))
    edited = na.studies.load(tmp_path / "study.toml", allow_custom=True)
    for replicates in (4, 8):
        with pytest.raises(na.InputError, match=r"holds another study: custom\(.* was edited: its source"):
            na.run(edited, out, jobs=1, replicates=replicates)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert na.open_results(out, allow_custom=True).complete
    (tmp_path / "mine.py").write_text(source)
    assert na.run(na.studies.load(tmp_path / "study.toml", allow_custom=True), out, jobs=1).complete
    (out / "mine.py").write_text(source.replace(old, new))
    refused(r"damaged: mine.py is not what was written", na.open_results, out, allow_custom=True)


def test_a_fitted_curve_is_a_scorer_without_a_file() -> None:
    rng = np.random.default_rng(1)
    lists = [
        na.lists.RankedList(str(q), rng.random(50), (rng.random(50) < 0.3).astype(float)) for q in range(5)
    ]
    fitted = na.lists.fit_curves({"a": lists})["a"]
    study = small(scorers={"fitted": fitted.relevance, "random": "random"}, pairs=[("fitted", "random")])
    assert na.run(study, jobs=1).complete


def shown_in_a_notebook(value):
    """Return the plain text and the HTML that IPython makes of the last line of a cell."""
    formatter = pytest.importorskip("IPython.core.formatters").DisplayFormatter()
    found, _ = formatter.format(value)
    return found["text/plain"], found.get("text/html", "")


def test_a_notebook_shows_a_report_as_a_link():
    page = na.report(na.run(small(n=[10]), jobs=1))
    text, html = shown_in_a_notebook(page)
    assert len(text) < 100
    link = re.search(r'<a href="data:text/html;charset=utf-8;base64,([^"]+)" download="report.html">', html)
    assert link is not None
    assert base64.b64decode(link[1]).decode() == page


@pytest.mark.slow
def test_a_notebook_shows_tables_without_escape_codes(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    results = na.run(small(n=[10]), jobs=1)
    values = {
        "Theorem 3": na.theory.limit("linear(0.1, 0.7)", "nDCG(power(0.5))"),
        "error at most": na.theory.expected_ndcg("linear(0.1, 0.7)", "nDCG", [5, 10]),
        "0.17238": na.theory.ndcg_std("linear(0.1, 0.7)", "nDCG", [10]),
        "scorer good": results.study,
        "agrees": na.check(results),
        "mean": results,
        "power": na.plan("linear(0.1, 0.7)", "constant(0.4)", measures="nDCG@1", queries=20),
    }
    for word, value in values.items():
        text, html = shown_in_a_notebook(value)
        assert "\x1b" not in text + html, word
        assert html.startswith("<pre>")
        assert word in text + html
