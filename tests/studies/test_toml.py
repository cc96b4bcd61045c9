"""The text of a study is a study file of the same study."""

from __future__ import annotations

from pathlib import Path

import cases
import pytest

from ndcg_asymptotics.studies import Study, decades, load
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.toml import study_text

ODD = {'a "b" \\ c': "linear(0.1, 0.7)", "$x$ \x1b[31m\u202e é": "constant(0.4)", "a.b": "constant(0.4)"}


@pytest.mark.parametrize(
    "study",
    [
        cases.study(),
        cases.study(ODD, pairs=[list(ODD)[:2]], title='"quotes" \n \x00 # [x]'),
        cases.study("graded(2=linear(0, 0.2), 1=linear(0.1, 0.3))", measures=["nDCG(zipf)@0.2n"]),
        cases.study(n=decades(10, 1e6, 7), coupling="gaussian(0.5)"),
        cases.study(n=[10**18], engine="cells", bracket=1e-3),
        cases.study(n=list(range(1, 30))),
        cases.study(measures={"steep": "nDCG(1/r)", "nDCG@10": "nDCG@10"}),
    ],
)
def test_a_written_file_reads_back(study: Study, tmp_path: Path) -> None:
    assert canonical(load(cases.write(tmp_path, study_text(study)))) == canonical(study)


def test_decades_are_written_as_such() -> None:
    assert "n = { start = 10, stop = 1000000, per_decade = 7 }" in study_text(
        cases.study(n=decades(10, 1e6, 7))
    )


@pytest.mark.parametrize("name", ["nDCG@5", "dcg", "a$b", "", "x" * 31])
def test_a_short_name_is_no_text_of_a_measure(name: str) -> None:
    measures = {name or " ": "nDCG(1/r)"}
    cases.refused("^measures: alias: must be 1 to 30 letters", cases.study, measures=measures)
