"""The commands about real ranked lists, as a user runs them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import Run

QUERIES, DOCUMENTS = 12, 40


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a good and a bad run, and judgements in which one query is missing from both runs."""
    folder = tmp_path_factory.mktemp("lists")
    rng = np.random.default_rng(3)
    lines: dict[str, list[str]] = {"good.run": [], "bad.run": [], "qrels": ["lost 0 d1 1"], "lists.csv": []}
    lines["lists.csv"].append("query,document,score,label")
    for query in range(QUERIES):
        for document in range(DOCUMENTS):
            label = int(rng.random() < 0.1 + 0.02 * query)
            lines["qrels"].append(f"{query} 0 d{document} {label}")
            for name, noise in (("good.run", 0.5), ("bad.run", 1.5)):
                score = label + noise * rng.normal()
                if document % 5 or name == "good.run":
                    lines[name].append(f"{query} Q0 d{document} 0 {score} x")
            lines["lists.csv"].append(f"{query},d{document},{score},{label}")
    for name, content in lines.items():
        (folder / name).write_text("\n".join(content) + "\n")
    return folder


def options(files: Path, *runs: str) -> list[object]:
    named = [part for name in runs for part in ("--run", files / f"{name}.run")]
    return [*named, "--qrels", files / "qrels"]


def test_evaluate_one_run(files: Path, run: Run) -> None:
    measures = ["--measure", "nDCG", "--measure", "nDCG@10"]
    code, out, _ = run("evaluate", *options(files, "good"), *measures, "--json")
    assert code == 0
    found = json.loads(out)["runs"]["good"]
    assert found["mean"].keys() == {"nDCG", "nDCG@10"}
    assert (len(found["by_query"]), found["queries"], found["missing"]) == (QUERIES, QUERIES, ["lost"])
    code, out, _ = run("evaluate", *options(files, "good"), *measures)
    assert code == 0
    assert f"{found['mean']['nDCG']:.4f}" in out
    assert (
        "1 of 13 judged queries is not in the run (lost): not counted; --missing zero counts them as 0."
        in out
    )
    code, out, _ = run("evaluate", *options(files, "good"), *measures, "--missing", "zero", "--json")
    complete = json.loads(out)["runs"]["good"]
    expected = found["mean"]["nDCG"] * QUERIES / (QUERIES + 1)
    assert complete["mean"]["nDCG"] == pytest.approx(expected)
    assert complete["by_query"]["lost"]["nDCG"] == 0


@pytest.mark.slow
def test_runs_are_arguments_or_options(files: Path, run: Run, tmp_path: Path) -> None:
    runs = (files / "good.run", files / "bad.run")
    named, judged = options(files, "good", "bad"), ("--qrels", files / "qrels")
    asked = ("--measure", "nDCG", "--json")
    by_option, by_argument = (run("evaluate", *given, *asked) for given in (named, (*runs, *judged)))
    assert by_argument == by_option
    assert by_argument[0] == 0
    for end, said in (
        (("--measure", "nDCG", "nDCG@3"), "nDCG@3: cannot be read"),
        (("nothing.run", "--measure", "nDCG"), "nothing.run: cannot be read"),
    ):
        code, _, error = run("evaluate", *runs, *judged, *end)
        assert (code, error.partition(": ")[2].startswith(said)) == (2, True)
    grow = ("--measure", "nDCG")
    assert "--run: is missing" in run("grow", *judged, *grow)[2]
    assert "--qrels: is missing" in run("grow", *runs, *grow)[2]


def test_warnings_are_one_line(files: Path, run: Run, tmp_path: Path) -> None:
    qrels = tmp_path / "negative"
    qrels.write_text((files / "qrels").read_text().replace("0 d1 0", "0 d1 -1"))
    code, _, err = run("evaluate", "--run", files / "good.run", "--qrels", qrels, "--measure", "nDCG")
    assert code == 0
    assert err.startswith(f"ndcg-asymptotics: warning: {qrels}: ")
    assert "negative labels count as 0" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate", "--measure", "nDCG"), "evaluate needs either runs and qrels, or lists"),
        (
            ("evaluate", "--lists", "lists.csv", "--measure", "nDCG", "--columns", "x"),
            "'--columns': expected NAME",
        ),
        (("evaluate", "--lists", "qrels", "--measure", "nDCG"), "line 1: got"),
        (
            ("evaluate", "--run", "qrels", "--qrels", "qrels", "--measure", "nDCG"),
            "qrels: looks like relevance judgements, expected a run",
        ),
    ],
)
def test_bad_input_is_one_line(
    files: Path, arguments: tuple[object, ...], words: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(files)
    before = sorted(files.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert words in err
    assert sorted(files.iterdir()) == before


@pytest.mark.slow
def test_grow_writes_a_table_and_figures(files: Path, run: Run, tmp_path: Path) -> None:
    table, figures = tmp_path / "grown.csv", tmp_path / "figures"
    asked = [*options(files, "good", "bad"), "--measure", "nDCG", "--measure", "nDCG(zipf)", "--random"]
    wanted = ["--groups", 2, "--orders", 3, "--binary-at", 1, "--out", table, "--figures", figures]
    code, said, _ = run("grow", *asked, *wanted)
    assert code == 0
    assert "nDCG, mean over 12 queries" in said
    assert "with a curve for each of 2 groups of queries it is off by" in " ".join(said.split())
    assert {path.name for path in figures.iterdir()} == {"overview.png", "nDCG.png", "nDCG-zipf.png"}
    rows = pd.read_csv(table)
    assert list(rows) == ["run", "measure", "n", "mean", "error"]
    document = json.loads(run("grow", *asked, *wanted[:6], "--json")[1])
    for row in document["rows"]:
        (written,) = rows.query("run == @row['run'] and measure == @row['measure'] and n == @row['n']")[
            "mean"
        ]
        assert written == pytest.approx(row["mean"], rel=1e-14)  # as pandas before 3.1 reads it


@pytest.mark.slow
def test_compare(files: Path, run: Run, tmp_path: Path) -> None:
    asked = [
        "compare",
        files / "good.run",
        files / "bad.run",
        "--qrels",
        files / "qrels",
        "--measure",
        "nDCG",
    ]
    figures = ("--figures", tmp_path, "--figure-format", "svg", "--figure-format", "png")
    code, said, _ = run(*asked, "--resamples", 499, *figures)
    assert code == 0
    warning, _, answer = said.partition("\n")
    assert warning.startswith("Warning: good has 40 documents per query in the median, bad 32: nDCG counts")
    assert answer.startswith("good is better than bad by 0.3100 nDCG (95% interval ")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".png"}
    code, said, _ = run(*asked, "--resamples", 499, "--correction", "holm", "-v")
    assert code == 0
    assert "Corrected p-values are Holm's, for 1 test." in said
    (tmp_path / "copy.run").write_text((files / "good.run").read_text())
    three = [asked[0], tmp_path / "copy.run", *asked[1:], "--resamples", 499]
    code, said, _ = run(*three)
    assert code == 0
    assert "Runs by nDCG" in said
    assert "good against bad" not in said
    code, said, _ = run(*three, "--format", "latex", "--by-query", tmp_path / "values.csv")
    assert code == 0
    assert said.splitlines()[1] == r"\begin{tabular}{lll}"
    assert len((tmp_path / "values.csv").read_text().splitlines()) == 1 + 3 * QUERIES
    rows = pd.read_csv(io.StringIO(run(*three, "--format", "csv")[1]))
    assert [*zip(rows["a"], rows["b"], strict=True)] == [("copy", "good"), ("copy", "bad"), ("good", "bad")]
    code, said, _ = run(*three, "--baseline", files / "bad.run", "--json")
    found = json.loads(said)
    assert [pair["pair"] for pair in found["pairs"]] == [["copy", "bad"], ["good", "bad"]]
    assert found["baseline"] == "bad"


def test_sampled_takes_several_numbers_of_negatives(run: Run, tmp_path: Path) -> None:
    asked: list[object] = ["sampled", "--items", 40, "--measure", "nDCG(power(0.5))@10"]
    for name, ranks in (("good", (1, 4)), ("bad", (3, 20))):
        rows = "".join(f"u{user},{rank}\n" for user, rank in enumerate(ranks))
        (tmp_path / f"{name}.csv").write_text("user,rank\n" + rows)
        asked += ["--ranks", tmp_path / f"{name}.csv"]
    code, said, _ = run(*asked, "--negatives", "5,10", "--negatives", 20)
    assert code == 0
    assert all(f"{m} sampled negatives show the order" in said for m in (5, 10, 20))
    assert "nDCG(power(0.5))@10 " in said  # whole, in 80 columns
    code, said, _ = run(*asked, "--negatives", 5)
    assert code == 0
    assert "40 items, 5 negatives sampled without replacement" in said
    assert "negatives  " not in said  # no column of equal numbers


def test_columns_of_evaluate_are_explained(files: Path, run: Run) -> None:
    asked = ["evaluate", *options(files, "bad"), "--measure", "nDCG@10"]
    said = "Chance: the mean of a random"
    assert said in run(*asked, "--chance", "-v")[1]
    assert said not in run(*asked, "-v")[1]


def test_a_gate_says_in_one_line_why_it_fails_also_with_a_judge(files: Path, run: Run) -> None:
    options = ("--measure", "nDCG", "--resamples", 199)
    common = ("--qrels", files / "qrels", *options, "--missing", "drop")  # both lack a query
    good, bad = files / "good.run", files / "bad.run"
    code, out, err = run("compare", bad, good, *common, "--fail-if-worse", "--json")
    assert code == 1
    found = json.loads(out)["gate"]
    assert (found["passed"], found["line"]) == (False, err.strip())
    noninferior, large = (("--fail-unless-noninferior", margin) for margin in (0.01, 0.6))
    judge = ("--judge", files / "qrels", "--measure", "nDCG@5")
    assert run("compare", bad, good, *common, *judge, *noninferior)[0] == 1
    assert run("compare", good, bad, *common, *judge, *noninferior)[0] == 1
    assert run("compare", good, bad, *common, *judge, *large)[0] == 0
    code, _, err = run("compare", good, bad, *common, "--fail-if-worse", *noninferior)
    assert (code, "either --fail-if-worse or" in err) == (2, True)


def test_a_gate_refuses_a_query_that_one_run_lacks(files: Path, run: Run, tmp_path: Path) -> None:
    fewer = tmp_path / "fewer.run"
    lines = (files / "good.run").read_text().splitlines(keepends=True)
    fewer.write_text("".join(line for line in lines if not line.startswith("3 ")))
    common = ("--qrels", files / "qrels", "--measure", "nDCG", "--resamples", 199)
    command = ("compare", fewer, files / "bad.run", *common)
    code, out, _ = run(*command)
    assert code == 0
    assert "11 queries" in out
    code, _, err = run(*command, "--fail-if-worse")
    assert code == 2
    assert (
        "missing: fewer lacks 2 of 13 judged queries (3, lost); drop leaves these out, zero counts them as 0"
        in err
    )
    assert run(*command, "--fail-if-worse", "--missing", "drop")[0] == 0
    code, out, _ = run(*command, "--fail-if-worse", "--missing", "zero")
    assert (code, "13 queries" in out) == (0, True)  # the query that both lack counts as 0 as well
    assert run(*command, "--missing", "error")[0] == 2


def test_options_that_do_not_go_together_with_values(files: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("query,run,AP\n" + "".join(f"{q},a,0.{q}\n" for q in range(9)))
    one = ("compare", "--values", tmp_path / "one.csv")
    for wrong, said in (
        ((*one, "--qrels", files / "qrels"), "--qrels: does not belong to a comparison of values"),
        ((*one, "--lower-is-better", "s"), "there is no s; there are AP"),
        (one, "--values: a comparison needs the values of at least two runs, got those of a alone"),
        (
            ("compare", files / "good.run", files / "bad.run"),
            "compare needs either runs and qrels, lists, values, or collections",
        ),
        (("plan", "--values", tmp_path / "one.csv"), "a plan takes two runs, got 1"),
        (("plan", "--values", tmp_path / "one.csv", "--sd", 1), "got some of values and of sd"),
    ):
        code, _, err = run(*wrong)
        assert code == 2
        assert said in err


@pytest.mark.parametrize(
    "option",
    [("--figures", "drawn"), ("--report", "page.html"), ("--fail-if-worse",), ("a.run",)],
)
def test_what_several_collections_do_not_have(run: Run, tmp_path: Path, option: tuple[str, ...]) -> None:
    code, _, error = run("compare", "--collections", tmp_path / "table.csv", *option)
    assert code == 2
    name = option[0] if option[0].startswith("--") else "RUN"
    assert f"{name}: does not belong to a comparison of several collections" in error
