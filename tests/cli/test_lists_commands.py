"""The commands about real ranked lists, as a user runs them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from cases import command, judged_runs, output, write

from ndcg_asymptotics.lists.writing import write_qrels, write_run

QUERIES, DOCUMENTS = 12, 40


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a good and a bad run, and judgements in which one query is missing from both runs."""
    folder = tmp_path_factory.mktemp("lists")
    runs, labels = judged_runs({"good": 0.5, "bad": 1.5}, QUERIES, DOCUMENTS, seed=3)
    shorter = {q: {d: s for d, s in docs.items() if int(d[1:]) % 5} for q, docs in runs["bad"].items()}
    write_run(runs["good"], folder / "good.run", "x")
    write_run(shorter, folder / "bad.run", "x")
    write_qrels(labels | {"lost": {"d01": 1.0}}, folder / "qrels")
    return folder


def options(files: Path, *runs: str) -> list[object]:
    named = [part for name in runs for part in ("--run", files / f"{name}.run")]
    return [*named, "--qrels", files / "qrels"]


def test_evaluate_one_run(files: Path) -> None:
    asked = "evaluate", *options(files, "good"), "--measure", "nDCG", "--measure", "nDCG@10"
    found = json.loads(output(*asked, "--json"))["runs"]["good"]
    assert found["mean"].keys() == {"nDCG", "nDCG@10"}
    assert (len(found["by_query"]), found["queries"], found["missing"]) == (QUERIES, QUERIES, ["lost"])
    said = output(*asked)
    assert f"{found['mean']['nDCG']:.4f}" in said
    lost = "1 of 13 judged queries is not in the run (lost): not counted; --missing zero counts them as 0."
    assert lost in said
    complete = json.loads(output(*asked, "--missing", "zero", "--json"))["runs"]["good"]
    assert complete["by_query"]["lost"]["nDCG"] == 0


@pytest.mark.slow
def test_runs_are_arguments_or_options(files: Path) -> None:
    runs = (files / "good.run", files / "bad.run")
    named, judged = options(files, "good", "bad"), ("--qrels", files / "qrels")
    asked = ("--measure", "nDCG", "--json")
    assert output("evaluate", *runs, *judged, *asked) == output("evaluate", *named, *asked)
    for end, said in (
        (("--measure", "nDCG", "nDCG@3"), "nDCG@3: cannot be read"),
        (("nothing.run", "--measure", "nDCG"), "nothing.run: cannot be read"),
    ):
        assert command("evaluate", *runs, *judged, *end).err.partition(": ")[2].startswith(said)
    assert "--run: is missing" in command("grow", *judged, "--measure", "nDCG").err
    assert "--qrels: is missing" in command("grow", *runs, "--measure", "nDCG").err


def test_warnings_are_one_line(files: Path, tmp_path: Path) -> None:
    qrels = write(tmp_path, (files / "qrels").read_text().replace("0 d01 0", "0 d01 -1"), "negative")
    ended = command("evaluate", "--run", files / "good.run", "--qrels", qrels, "--measure", "nDCG")
    assert ended.code == 0
    assert ended.err.startswith(f"ndcg-asymptotics: warning: {qrels}: ")
    assert "negative labels count as 0" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.slow
def test_grow_writes_a_table_and_figures(files: Path, tmp_path: Path) -> None:
    table, figures = tmp_path / "grown.csv", tmp_path / "figures"
    asked = [*options(files, "good", "bad"), "--measure", "nDCG", "--measure", "nDCG(zipf)", "--random"]
    wanted = ["--groups", 2, "--orders", 3, "--binary-at", 1, "--out", table, "--figures", figures]
    said = output("grow", *asked, *wanted)
    assert "nDCG, mean over 12 queries" in said
    assert "with a curve for each of 2 groups of queries it is off by" in " ".join(said.split())
    assert {path.name for path in figures.iterdir()} == {"overview.png", "nDCG.png", "nDCG-zipf.png"}
    rows = pd.read_csv(table)
    assert list(rows) == ["run", "measure", "n", "mean", "error"]
    document = json.loads(output("grow", *asked, *wanted[:6], "--json"))
    for row in document["rows"]:
        same = rows.query("run == @row['run'] and measure == @row['measure'] and n == @row['n']")
        assert same["mean"].item() == pytest.approx(row["mean"], rel=1e-14)  # as pandas before 3.1 reads it


@pytest.mark.slow
def test_compare(files: Path, tmp_path: Path) -> None:
    asked = ["compare", *options(files, "good", "bad"), "--measure", "nDCG", "--resamples", 499]
    figures = ("--figures", tmp_path, "--figure-format", "svg", "--figure-format", "png")
    warning, _, answer = output(*asked, *figures).partition("\n")
    assert warning.startswith("Warning: good has 40 documents per query in the median, bad 32: nDCG counts")
    assert answer.startswith("good is better than bad by 0.4234 nDCG (95% interval ")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".png"}
    said = output(*asked, "--correction", "holm", "-v")
    assert "Corrected p-values are Holm's, for 1 test." in said
    copy = write(tmp_path, (files / "good.run").read_text(), "copy.run")
    three = [asked[0], "--run", copy, *asked[1:]]
    said = output(*three)
    assert "Runs by nDCG" in said
    assert "good against bad" not in said
    said = output(*three, "--format", "latex", "--by-query", tmp_path / "values.csv")
    assert said.splitlines()[1] == r"\begin{tabular}{lll}"
    assert len((tmp_path / "values.csv").read_text().splitlines()) == 1 + 3 * QUERIES
    rows = pd.read_csv(io.StringIO(output(*three, "--format", "csv")))
    assert [*zip(rows["a"], rows["b"], strict=True)] == [("copy", "good"), ("copy", "bad"), ("good", "bad")]
    found = json.loads(output(*three, "--baseline", files / "bad.run", "--json"))
    assert [pair["pair"] for pair in found["pairs"]] == [["copy", "bad"], ["good", "bad"]]
    assert found["baseline"] == "bad"


def test_sampled_takes_several_numbers_of_negatives(tmp_path: Path) -> None:
    asked: list[object] = ["sampled", "--items", 40, "--measure", "nDCG(power(0.5))@10"]
    for name, ranks in (("good", (1, 4)), ("bad", (3, 20))):
        rows = "".join(f"u{user},{rank}\n" for user, rank in enumerate(ranks))
        asked += ["--ranks", write(tmp_path, "user,rank\n" + rows, f"{name}.csv")]
    said = output(*asked, "--negatives", "5,10", "--negatives", 20)
    assert all(f"{m} sampled negatives show the order" in said for m in (5, 10, 20))
    assert "nDCG(power(0.5))@10 " in said  # whole, in 80 columns
    said = output(*asked, "--negatives", 5)
    assert "40 items, 5 negatives sampled without replacement" in said
    assert "negatives  " not in said  # no column of equal numbers


def test_columns_of_evaluate_are_explained(files: Path) -> None:
    asked = ["evaluate", *options(files, "bad"), "--measure", "nDCG@10"]
    said = "Chance: the mean of a random"
    assert said in output(*asked, "--chance", "-v")
    assert said not in output(*asked, "-v")


def test_a_gate_says_in_one_line_why_it_fails_also_with_a_judge(files: Path) -> None:
    options = ("--measure", "nDCG", "--resamples", 199)
    common = ("--qrels", files / "qrels", *options, "--missing", "drop")  # both lack a query
    good, bad = files / "good.run", files / "bad.run"
    code, out, err = command("compare", bad, good, *common, "--fail-if-worse", "--json")
    assert code == 1
    found = json.loads(out)["gate"]
    assert (found["passed"], found["line"]) == (False, err.strip())
    noninferior, large = (("--fail-unless-noninferior", margin) for margin in (0.01, 0.6))
    judge = ("--judge", files / "qrels", "--measure", "nDCG@5")
    assert command("compare", bad, good, *common, *judge, *noninferior).code == 1
    assert command("compare", good, bad, *common, *judge, *noninferior).code == 1
    assert command("compare", good, bad, *common, *judge, *large).code == 0
    both = command("compare", good, bad, *common, "--fail-if-worse", *noninferior)
    assert (both.code, "either --fail-if-worse or" in both.err) == (2, True)


def test_a_gate_refuses_a_query_that_one_run_lacks(files: Path, tmp_path: Path) -> None:
    lines = (files / "good.run").read_text().splitlines(keepends=True)
    fewer = write(tmp_path, "".join(line for line in lines if not line.startswith("q03 ")), "fewer.run")
    common = ("--qrels", files / "qrels", "--measure", "nDCG", "--resamples", 199)
    asked = ("compare", fewer, files / "bad.run", *common)
    assert "11 queries" in output(*asked)
    said = "missing: fewer lacks 2 of 13 judged queries (lost, q03); drop leaves these out, zero counts them"
    assert said in command(*asked, "--fail-if-worse").err
    assert output(*asked, "--fail-if-worse", "--missing", "drop")
    # the query that both lack counts as 0 as well
    assert "13 queries" in output(*asked, "--fail-if-worse", "--missing", "zero")
    assert command(*asked, "--missing", "error").refused


def test_commands_that_are_refused(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path, "query,run,AP\n" + "".join(f"{q},a,0.{q}\n" for q in range(9)), "values")
    qrels, of_values = files / "qrels", ("compare", "--values", file)
    several = ("compare", "--collections", file)
    for arguments, said in (
        (("evaluate", "--measure", "nDCG"), "evaluate needs either runs and qrels, or lists"),
        (("evaluate", "--lists", qrels, "--columns", "x"), "'--columns': expected NAME"),
        (("evaluate", "--lists", qrels, "--measure", "nDCG"), "line 1: got"),
        (
            ("evaluate", "--run", qrels, "--qrels", qrels, "--measure", "nDCG"),
            "qrels: looks like relevance judgements, expected a run",
        ),
        (
            ("compare", files / "good.run", files / "bad.run"),
            "compare needs either runs and qrels, lists, values, or collections",
        ),
        (of_values, "--values: a comparison needs the values of at least two runs, got those of a alone"),
        ((*of_values, "--qrels", qrels), "--qrels: does not belong to a comparison of values"),
        ((*of_values, "--lower-is-better", "s"), "there is no s; there are AP"),
        ((*several, "--figures", "drawn"), "--figures: does not belong to a comparison of several"),
        ((*several, "--report", "page.html"), "--report: does not belong to a comparison of several"),
        ((*several, "--fail-if-worse"), "--fail-if-worse: does not belong to a comparison of several"),
        ((*several, "a.run"), "RUN: does not belong to a comparison of several collections"),
        (("plan", "--values", file), "a plan takes two runs, got 1"),
        (("plan", "--values", file, "--sd", 1), "got some of values and of sd"),
    ):
        ended = command(*arguments)
        assert ended.refused
        assert said in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["values"]
