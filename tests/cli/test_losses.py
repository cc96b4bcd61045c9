"""`losses decide`, `losses risk`, `losses search` and `losses train`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import command, output, write

PROBLEM = """
measure = "nDCG"
gain = "exp2"
labels = [[5, 4], [1, 3]]
probabilities = [0.3, 0.7]
losses = ["squared", "squared_consistent", "listnet"]
"""

QUERIES = """2 qid:1 1:0.9 2:0.1
0 qid:1 1:0.1 2:0.3
1 qid:2 1:0.6 2:0.5
0 qid:2 1:0.2 2:0.9
1 qid:3 1:0.8 2:0.2
0 qid:3 1:0.3 2:0.4
0 qid:4 1:0.1 2:0.5
2 qid:4 1:0.7 2:0.6
"""


def test_decide(tmp_path: Path) -> None:
    path = write(tmp_path, PROBLEM, "problem.toml")
    found = json.loads(output("losses", "decide", path, "--json"))
    assert found["optimal_order"] == [1, 0]
    squared = found["losses"][0]
    assert (squared["order"], squared["verdict"]) == ([0, 1], "inconsistent here")
    assert squared["regret"] == pytest.approx(0.15935, abs=5e-6)
    assert squared["margin"] == pytest.approx(0.6)  # E[G] = (10, 9.4)
    assert 0 < squared["residual"] < 1e-12
    assert squared["possible_regrets"] == [squared["regret"]] * 2
    assert [row["loss"] for row in found["losses"]] == ["squared", "squared_consistent", "listnet"]
    assert found["losses"][1]["verdict"] == "consistent here"
    said = output("losses", "decide", path)
    assert said.startswith("The best order by nDCG is 1 0, with the expected value")
    assert "0.1594" in said


def test_risk(tmp_path: Path) -> None:
    path = write(tmp_path, PROBLEM.replace("losses", "# losses"), "problem.toml")
    found = json.loads(output("losses", "risk", path, "--scores", "0.6, 0.4", "--json"))
    assert (found["order"], found["margin"]) == ([0, 1], pytest.approx(found["regret"]))
    assert found["regret"] == pytest.approx(0.15935, abs=5e-6)
    squared = next(row for row in found["losses"] if row["loss"] == "squared_consistent")
    assert found["regret"] < squared["bound"] < squared["margin_bound"]
    said = output("losses", "risk", path, "--scores", "0.6, 0.4")
    assert said.startswith("The order 0 1 has the regret 0.1594 by nDCG")
    assert max(map(len, said.splitlines()[1:13])) <= 80
    for scores, words in (
        ("0.6", "must be 2 numbers, got 1"),
        ("a,b", "to float: 'a'"),
    ):
        ended = command("losses", "risk", path, "--scores", scores)
        assert ended.refused
        assert "--scores" in ended.err
        assert words in ended.err


def test_train(tmp_path: Path) -> None:
    data = write(tmp_path, QUERIES, "queries.txt")
    out = tmp_path / "trained"
    options = ["--train", data, "--loss", 'pairwise("squared_hinge")', "--test", data, "--measure", "nDCG@2"]
    found = json.loads(output("losses", "train", *options, "--out", out, "--json"))
    assert found["test"] == 1
    assert json.loads((out / "ranker.json").read_text())["weights"] == found["weights"]
    assert "nDCG@2: 1.0000 ± 0.0000 on the 4 test queries." in output("losses", "train", *options)


@pytest.mark.parametrize(
    ("command_line", "said"),
    [
        (["decide", "none.toml"], "none.toml: No such file or directory"),
        (["search", "-n", "9"], "--n: must be a whole number from 2 to 8, got 9"),
        (["train", "--train", "bad.txt", "--loss", "squared"], "bad.txt, line 2: got '1 qid:1 x'"),
        (["train", "--train", "good.txt", "--loss", "squared", "--measure", "PD"], "--measure: must be DCG"),
        (
            ["train", "--train", "good.txt", "--loss", "squared", "--out", "good.txt"],
            "--out: good.txt: is a file",
        ),
        (["train", "--train", "good.txt", "--loss", "duchi", "--penalty", "-1", "--out", "out"], "[-1.0]"),
    ],
)
def test_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command_line: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "1 qid:1 1:2\n1 qid:1 x\n", "bad.txt")
    write(tmp_path, QUERIES, "good.txt")
    ended = command("losses", *command_line)
    assert ended.refused
    assert said in ended.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.txt", "good.txt"]
