"""Wrong input of commands about results and theory."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import Run

PAIR = ("--a", "linear(0.2, 0.6)", "--b", "linear(0.45, 0.35)")
LINEAR = ("--scorer", "linear(0.1, 0.7)")


PLANS = [
    ((), "plan needs either two curves, a and b, or two runs and qrels, or values, or sd"),
    (("--run", "x"), "plan needs two runs and qrels: add qrels"),
    (("constant(0.5)", "linear(0, 1)"), "add qrels; relevance curves are stated as a and b"),
    (
        ("--run", "x", "--run", "y", "--qrels", "z", "--relevant", 1),
        "--relevant: does not belong to a plan of two runs and qrels, leave it out: runs come with",
    ),
    (("--a", "constant(0.5)", "--sd", 0.1), "got some of two curves, a and b and of sd"),
    (("--sd", 0.1, "--queries", 9, "--measure", "nDCG", "--measure", "nDCG@2"), "sd belongs to one"),
    ((*PAIR, "--queries", 1), "--queries: must be a whole number from 2 to 1e+18, got 1"),
    (("--sd", 0.2, "--difference", 1e-300), "--difference: must be "),
    (("--sd", 0.2, "--queries", 1e19), "--queries: must be "),
    (("--sd", "nan", "--difference", 1), "--sd: must be "),
    ((*PAIR, "--power", 0.01), "--power: must lie between alpha = 0.05 and 1"),
]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("predict", "--scorer", "liner(1, 2)", "--measure", "nDCG", "--n", 10),
            "unknown relevance model 'liner'",
        ),
        (
            ("predict", "--scorer", "roc_power(0.4)", "--measure", "nDCG", "--n", 10, "--relevant", "1=x"),
            "Invalid value for '--relevant': must be a table of positive numbers, got 'x'",
        ),
        (
            ("predict", *LINEAR, "--measure", "nDCG", "--n", "1e19"),
            "--n: must be a whole number from 1 to 9e+18",
        ),
        (("fit", "--out", "curve.csv"), "fit needs either runs and qrels, or lists"),
        (
            ("plan", "--sd", 0.2, "--figure-format", "gif"),
            "'--figure-format': 'gif' is not one of 'svg', 'png', 'pdf'",
        ),
        (
            ("figures", "nowhere", "--out", "figures", "--figure-format", "svg,pdf"),
            "'svg,pdf' is not one of",
        ),
        *((("plan", *words), said) for words, said in PLANS),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[object, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert words in err
    assert list(tmp_path.iterdir()) == []
