"""The state of the explorer: its query string, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from cases import refused

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer.state import Shape, State, families
from ndcg_asymptotics.measures.discounts import Discount, Log
from ndcg_asymptotics.plots import measure_style
from ndcg_asymptotics.studies.toml import load, study_text

POINTS = "a=piecewise(0=0.7,0.2=0.5,0.5=0.1,1=0.5)&b=piecewise(0=0.7,0.2=0.5,1=0.1)"
FEW = "relevant=2&a=roc_power(0.4)&b=roc_power(0.6)"


@pytest.mark.parametrize(
    "query",
    [
        "",
        POINTS,
        "n=1000000000000000000",
        "measure=nDCG(geometric(2))",
        "measure=nDCG@n^0.5",
        "a=power(prevalence=0.1,top=0.7,exponent=8)&b=constant(0.1)&measure=nDCG(power(0.35))@0.2n&n=50",
        "relevant=3&a=roc_binormal(1.2)&b=roc_beta(0.4,1)&measure=nDCG(zipf)@10&n=1e6",
    ],
)
def test_a_query_gives_the_state_that_it_was_written_from(query: str) -> None:
    state = State.from_query(query)
    assert State.from_query(state.query) == state
    a, b = state.scorers
    assert a.gains == b.gains == (1.0,)


@pytest.mark.parametrize("family", [family for family in families(None) if family != "piecewise"])
def test_curves_have_the_chosen_share(family: str) -> None:
    state = State(a=Shape.usual(family), share=0.35)
    assert state.scorers[0].masses[0] == pytest.approx(0.35, abs=1e-11)
    assert State.from_query(state.query).scorers == state.scorers


@pytest.mark.parametrize("family", families(1))
def test_roc_curves_have_a_number_of_relevant_items(family: str) -> None:
    state = State(a=Shape.usual(family), b=Shape("roc_power", (0.6,)), relevant=2)
    assert State.from_query(state.query).scorers == state.scorers
    assert state.scorers[0].least_n == 2


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('a=empirical("/etc/passwd")', "the explorer has the curves linear, power"),
        ('measure=nDCG(custom("os:getcwd",10))', "measure: the explorer takes no discount of a module"),
        ("measure=nDCG(constant)", "constant needs a cutoff, such as nDCG(constant)@10"),
        ("measure=DCG", "measure: the explorer shows NDCG, got DCG"),
        ("a=linear(0.1,0.5)&b=constant(0.4)", "must have the same share of relevant items, got 0.3 and 0.4"),
        ("a=linear(0.1", "expected"),
        ("relevant=0.5", "relevant: must be a whole number, got '0.5'"),
        ("relevant=1000", "relevant: must be 1 to 100, got 1000"),
        ("n=5", "n: must be 10 to 1e18, got 5"),
        ("n=inf", "n: expected a number, got 'inf'"),
        ("n=1e400", "n: expected a number"),
        ("queries=1", "the address has no field 'queries'"),
        ("relevnat=1", "the address has no field 'relevnat', did you mean 'relevant'?"),
        ("a=" + "x" * 5000, "the address has more than 4000 characters"),
    ],
)
def test_what_is_no_state_is_refused_in_one_line(query: str, said: str) -> None:
    assert said in refused(".", lambda: State.from_query(query).scorers)


def test_a_discount_is_drawn_and_offered_as_its_class_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Discount, "members", dict(Discount.members))

    @dataclass(frozen=True)
    class Mine(Log, keyword="mine"):
        color: ClassVar[str] = "#123456"
        marker: ClassVar[str] = ">"

    @dataclass(frozen=True)
    class Unlimited(Log, keyword="unlimited"):
        b: float

    line = measure_style("nDCG(mine)")
    assert (line.color, line.marker) == ("#123456", ">")
    assert State.from_query("measure=nDCG(mine)").measured.discount == Mine()
    with pytest.raises(InputError, match=r"the explorer has the discounts log, .*, mine, got unlimited"):
        State.from_query("measure=nDCG(unlimited(2))")


def test_no_file_is_opened_and_no_module_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*arguments: object, **options: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr("importlib.import_module", opened)
    module = 'custom("antigravity:x")'
    for query in (
        'a=empirical("x")',
        'a=graded(1=empirical("x"))',
        f"b={module}",
        f"measure=nDCG({module})",
        f"relevant=1&b=roc_{module}",
    ):
        refused("the explorer (has|takes)|ROC curves are", State.from_query, query)


def test_points_keep_their_mean() -> None:
    state = State.from_query(POINTS)
    assert state.share == pytest.approx(0.36)
    other = State(a=state.a, share=0.4)
    refused("^Ranker A: its points have the mean 0.36, got the share 0.4", lambda: other.scorers)


def test_a_curve_that_leaves_the_unit_interval_names_its_ranker() -> None:
    state = State(b=Shape("linear", (0.9,)))
    refused("^Ranker B: linear: prevalence must be 0.45 to 0.95 where", lambda: state.scorers)


@pytest.mark.parametrize("query", ["", POINTS, FEW])
def test_the_study_file_is_read_again(query: str, tmp_path) -> None:
    study = State.from_query(query).study()
    file = tmp_path / "study.toml"
    file.write_text(study_text(study))
    again = load(file)
    assert (again.design, again.replicates) == (study.design, study.replicates)
