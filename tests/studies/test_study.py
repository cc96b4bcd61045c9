from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import refused, write

from ndcg_asymptotics.populations import Empirical
from ndcg_asymptotics.studies import Study, decades, load
from ndcg_asymptotics.studies.canonical import canonical, differing_fields, files
from ndcg_asymptotics.studies.design import ITEMS_LIMIT
from ndcg_asymptotics.studies.toml import study_of

GOOD: dict[str, Any] = {
    "scorers": {"good": "linear(0.1, 0.7)", "random": "random"},
    "measures": ["nDCG", "nDCG(zipf)@0.2n"],
    "n": [10, 100],
    "replicates": 5,
}

CURVE = "depth,y=1\n0,0.8\n0.5,0.3\n1,0.1\n"


@pytest.mark.parametrize(
    ("start", "stop", "per_decade"), [(10, 1e6, 10), (1, 1e18, 3), (7, 1000, 4), (5, 5, 10), (1, 30, 50)]
)
def test_sizes_are_even_in_log_n_and_include_both_ends(start: int, stop: float, per_decade: int) -> None:
    n = decades(start, stop, per_decade)
    table = {"start": start, "stop": stop, "per_decade": per_decade}
    assert study_of(GOOD | {"n": table}, Path(), "").n == n
    assert (n[0], n[-1]) == (start, int(stop))
    assert all(a < b for a, b in itertools.pairwise(n))
    steps = np.log10(n[:-1]) * per_decade - math.log10(start) * per_decade
    off = np.abs(steps - np.round(steps))  # a whole number of steps, up to rounding n
    assert np.all(off <= per_decade / math.log(10) * 0.5 / np.array(n[:-1]) + 1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": [10, 5]}, ["n:", "increase", "5", "10"]),
        ({"n": [0, 10]}, ["n:", "from 1 to 9e+18", "0"]),
        ({"n": [1.5]}, ["n:", "whole number", "1.5"]),
        ({"n": []}, ["n: must be 1 to 1000000 list lengths"]),
        ({"n": {"start": 0, "stop": 10, "per_decade": 1}}, ["n.start", "1", "0"]),
        ({"n": {"start": 10, "per_decade": 5}}, ["n.stop", "missing"]),
        ({"replicates": 0}, ["replicates", "1", "0"]),
        ({"replicates": None}, ["replicates", "missing"]),
        ({"measures": []}, ["measures", "at least one"]),
        ({"measures": ["nDCG", "nDCG(log)"]}, ["measures", "'nDCG' is given twice"]),
        ({"scorers": {"a": "graded(1=constant(0.6), 2=constant(0.6))"}}, ["scorers.a", "1.2"]),
        ({"title": 3}, ["title", "text", "3"]),
        ({"scorers": {"": "constant(0.1)"}}, ["scorers", "name"]),
        ({"scorers": {"a": "random"}}, ["scorers", "random"]),
        ({"scorers": {"a": 'empirical("none.csv")'}}, ["scorers.a", "none.csv", "No such file"]),
        (
            {"scorers": {"a": "constant(0.3)", "b": "constant(0.4)"}},
            ["scorers", "a: P(Y=1) = 0.3", "b: P(Y=1) = 0.4"],
        ),
        ({"engine": "gpu"}, ["engine", "auto, items, every-n, cells", "gpu"]),
        ({"pairs": [["god", "random"]]}, ["pairs", "'god' is not a scorer, did you mean 'good'?"]),
        ({"pairs": [["good", "random"], ["good", "random"]]}, ["pairs", "twice"]),
        ({"bracket": 0.0}, ["bracket", "0"]),
        ({"replicate": 10}, ["unknown field 'replicate', did you mean 'replicates'?"]),
    ],
)
def test_a_bad_field_gives_an_error_of_one_line(change: dict[str, Any], words: list[str]) -> None:
    fields = {key: value for key, value in (GOOD | change).items() if value is not None}
    message = refused(r"^study\.toml: ", study_of, fields, Path(), "study.toml")
    assert not [word for word in words if word not in message], message


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    for content, said in (
        ("title = 'x'\nmeasures = [\n", r"study\.toml: not a TOML file: .*line 3, column 1"),
        ("title = 'x'\nn = = 3\n", "line 2, column 5"),
        ("[scorers]\na = linear(0.1, 0.7)\n", r'a text needs quotes: a = "linear\(0.1, 0.7\)"'),
        (b"\x1f\x8b\xff\xfe\x00", "UTF-8"),
        ("", r"study\.toml: scorers is missing"),
    ):
        refused(said, load, write(tmp_path, content, "study.toml"))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.toml")


def test_two_scorers_with_one_curve_make_a_pair() -> None:
    scorers = {"a": "linear(0.1, 0.7)", "b": "linear(0.1, 0.7)"}
    assert Study(**GOOD | {"scorers": scorers, "pairs": [["a", "b"]]}).pairs == (("a", "b"),)


def test_auto_is_items_up_to_a_length_and_cells_beyond() -> None:
    assert Study(**GOOD | {"n": [ITEMS_LIMIT]}).engine == "items"
    assert Study(**GOOD | {"n": [ITEMS_LIMIT + 1]}).engine == "cells"
    assert Study(**GOOD | {"n": [ITEMS_LIMIT + 1], "engine": "items"}).engine == "items"


def test_canonical_form_reads_back_as_itself() -> None:
    study = Study(**GOOD | {"coupling": " gaussian( 0.50 )", "pairs": [["random", "good"]], "title": "x"})
    again = Study(**json.loads(json.dumps(canonical(study))))
    assert canonical(again) == canonical(study)
    assert differing_fields(canonical(again), canonical(study)) == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seed": 1}, "seed (there 0, here 1)"),
        ({"n": [10, 101]}, "n (only there [100], only here [101])"),
        ({"measures": ["nDCG"]}, "measures"),
        ({"scorers": {"good": "linear(0.1, 0.7)", "random": "constant(0.4)", "x": "random"}}, "scorers"),
        ({"coupling": "gaussian(0.5)"}, 'coupling (there "independent", here "gaussian(0.5)")'),
        ({"pairs": [["good", "random"]]}, "pairs"),
        ({"engine": "cells"}, "engine"),
        ({"bracket": 0.01}, "bracket"),
    ],
)
def test_differences_name_the_fields_that_decide_results(change: dict[str, Any], field: str) -> None:
    found = differing_fields(canonical(Study(**GOOD | change)), canonical(Study(**GOOD)))
    assert len(found) == 1
    assert found[0].startswith(field)


def test_title_replicates_and_ways_to_write_decide_nothing() -> None:
    other = GOOD | {
        "title": "y",
        "replicates": 9,
        "measures": [" nDCG(log)", "nDCG( zipf )@.2 n"],
        "seed": 0.0,
    }
    assert differing_fields(canonical(Study(**other)), canonical(Study(**GOOD))) == []
    assert canonical(Study(**GOOD))["measures"] == ["nDCG(log)", "nDCG(zipf)@0.2n"]  # as in stored studies


def test_curve_files_are_relative_to_the_study_and_named_by_content(tmp_path: Path) -> None:
    def study(folder: str, curve: str = CURVE) -> Study:
        here = tmp_path / folder
        here.mkdir()
        (here / "c.csv").write_text(curve)
        scorers = {"fitted": 'empirical("c.csv")', "random": "random"}
        return study_of(GOOD | {"scorers": scorers}, here, "study.toml")

    a, b = study("a"), study("b")
    other = study("c", CURVE.replace("0,0.8\n0.5,0.3", "0,0.9\n0.5,0.25"))
    assert isinstance(a.scorers["fitted"], Empirical)
    assert differing_fields(canonical(a), canonical(b)) == []
    assert [text.split(" ")[0] for text in differing_fields(canonical(other), canonical(a))] == [
        "scorers.fitted"
    ]
    (content,) = files(a).values()
    assert content.decode() == CURVE
