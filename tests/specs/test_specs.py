"""The grammar: parse and print are inverse, every complaint says where and what was expected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Constant, Discount
from ndcg_asymptotics.populations import ConstantCurve, Coupling, Graded, Polynomial, Scorer
from ndcg_asymptotics.specs.scanner import SpecError
from ndcg_asymptotics.specs.spec import listing

gain = st.floats(min_value=1e-30, max_value=1e30)
unit = st.floats(min_value=0, max_value=1)
polynomials = st.builds(lambda c0, c1: Polynomial((c0 / 2, c1 / 2)), unit, unit)
graded = st.builds(
    lambda gains, parts: Graded(
        tuple((g, ConstantCurve(p / 3)) for g, p in zip(sorted(gains), parts, strict=True))
    ),
    st.sets(gain, min_size=3, max_size=3),
    st.tuples(unit, unit, unit),
)


def number(field):
    """Anything in the range of a parameter; one without a range is a rank or a probability."""
    if field.type == "int":
        return st.integers(1, 2**53)
    if field.name == "prevalence":
        return st.floats(1e-6, 1 - 1e-6)  # steep curves of others are refused
    return st.floats(*field.metadata["within"].ends) if "within" in field.metadata else unit


def members(family):
    """The members of a family all of whose parameters are numbers."""
    parameters = {member: getattr(member, "__dataclass_fields__", {}) for member in family.members.values()}
    return st.one_of(
        st.builds(member, **{name: number(field) for name, field in fields.items()})
        for member, fields in parameters.items()
        if {field.type for field in fields.values()} <= {"int", "float"}
    )


discounts = members(Discount).filter(lambda discount: discount != Constant())  # which needs a cutoff


@given(
    st.one_of(
        st.tuples(st.just(Discount), members(Discount)),
        st.tuples(st.just(Cutoff), members(Cutoff)),
        st.tuples(st.just(Coupling), members(Coupling)),
        st.tuples(st.just(Measure), st.builds(Measure, discounts, members(Cutoff))),
        st.tuples(st.just(Scorer), members(Scorer) | polynomials | graded),
    )
)
def test_specs_round_trip(of):
    family, spec = of
    again = family.parse(str(spec))
    assert again == spec
    assert hash(again) == hash(spec)
    assert str(again) == str(spec)


@pytest.mark.parametrize(
    ("family", "written", "canonical"),
    [
        (Measure, "nDCG", "nDCG"),
        (Measure, "  nDCG ( power( b = .50 ) ) @ 0.20 * n ", "nDCG(power(0.5))@0.2n"),
        (Measure, "nDCG@10", "nDCG@10"),
        (Measure, "nDCG@1e3", "nDCG@1000"),
        (Measure, "nDCG(geometric(2.0))@n^0.5", "nDCG(geometric(2))@n^0.5"),
        (Measure, "nDCG(zipf)@5*log(n)", "nDCG(zipf)@5log(n)"),
        (Measure, "nDCG@log(n)", "nDCG@1log(n)"),
        (Measure, "nDCG@n", "nDCG@1n"),
        (Measure, "nDCG @ n/log(n) ", "nDCG@n/log(n)"),
        (Measure, "nDCG@n^ .5", "nDCG@n^0.5"),
        (Scorer, "linear(top=0.7, bottom=0.1)", "linear(0.1, 0.7)"),
        (Scorer, "linear(0.1, prevalence=0.4)", "linear(0.1, 0.7)"),
        (Scorer, "linear(top=0.7, prevalence=0.4)", "linear(0.1, 0.7)"),
        (Scorer, "graded(1=constant(.2),2=constant(.1))", "graded(2=constant(0.1), 1=constant(0.2))"),
        (Scorer, "polynomial(prevalence=0.4, -0.6)", "polynomial(0.7, -0.6)"),
        (Scorer, "random", "random"),
        (Discount, 'custom("numpy:reciprocal", 100)', 'custom("numpy:reciprocal", 100)'),
    ],
)
def test_canonical_texts(family, written, canonical):
    assert str(family.parse(written)) == canonical
    assert family.parse(canonical) == family.parse(written)


@pytest.mark.parametrize(
    ("family", "text", "position", "said"),
    [
        (Measure, "", 1, "expected 'nDCG', 'DCG' or 'RBP', such as nDCG@10, found the end of the text"),
        (Measure, "nDCG(", 6, "expected a name, found the end of the text"),
        (
            Measure,
            "nDCG(lag)",
            6,
            "unknown discount 'lag', did you mean 'log'\\? expected one of: clipped_log",
        ),
        (Measure, "nDCG(power)", 6, "power needs 'b'"),
        (Measure, "nDCG(geometric(1))", 6, r"1 < base <= 1e\+06, got 1"),
        (Measure, "nDCG(power(1, 2))", 15, r"power takes 1 argument\(s\): b"),
        (Measure, "nDCG(power(c=1))", 12, "power has no parameter 'c', expected one of: b"),
        (Measure, "nDCG(power(b=1, b=2))", 17, "'b' is given twice"),
        (Measure, "nDCG(power(1 2))", 13, r"expected ',' or '\)', found '2"),
        (Measure, "nDCG(custom(3))", 13, "custom: target must be a text in double quotes"),
        (Measure, "nDCG(log)x", 10, "expected the end of the text, found 'x'"),
        (Measure, "nDCG@", 6, "expected a cutoff: 10, 0.2n"),
        (Measure, "nDCG@0", 6, "from 1 to 9.2e18, got 0"),
        (Measure, "nDCG@2.5", 6, "a whole number .* got 2.5"),
        (Measure, "nDCG@n^1", 6, "0 < a < 1, got 1"),
        (Scorer, "lineal(0, 1)", 1, "model 'lineal', did you mean 'linear'\\? expected one of: bino"),
        (Scorer, "linear(0, 1.5)", 1, r"within \[0, 1\], this one spans \[0, 1.5\]"),
        (Scorer, "polynomial(c=1)", 12, "polynomial takes c0, c1, … by position"),
        (Scorer, "graded(1, 2)", 8, "graded takes gain=curve"),
        (Scorer, "graded(0=constant(0.1))", 1, "distinct and positive .* got 0"),
        (Coupling, "gaussian(1.5)", 1, "0 <= rho <= 1, got 1.5"),
        (Coupling, "clayton(1)", 1, "unknown coupling 'clayton', expected one of: gaussian, independent"),
    ],
)
def test_complaints_say_where_and_what(family, text, position, said):
    with pytest.raises(SpecError, match=said) as error:
        family.parse(text)
    message = str(error.value)
    assert message.startswith(f"{text!r}, at position {position}: ")
    assert "\n" not in message
    assert isinstance(error.value, InputError)
    assert isinstance(error.value, ValueError)


@given(st.text(alphabet='nDCG@()=,.0123456789lopweragzif^*+-" ', max_size=30))
def test_any_text_parses_or_complains_in_one_line(text):
    for family in (Measure, Discount, Cutoff, Scorer):
        try:
            family.parse(text)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_listing_has_every_member():
    signatures = dict(listing(Discount))
    assert {"log", "zipf", "linear", "power(b)", "geometric(base)"} <= set(signatures)
    assert signatures["power(b)"].startswith("D(r) = r^-b")
