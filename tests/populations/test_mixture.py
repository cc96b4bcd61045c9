"""Mixtures: texts, files, populations by group, and averages over the groups."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases import results_of

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines.engine import draw, load_engine
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Mixture, Population, Relevance, Scorer, mixture
from ndcg_asymptotics.populations.curve_file import CURVE, GROUPS, encode
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.theory.extrapolation import extrapolated_limit
from ndcg_asymptotics.theory.fluctuations.asymptotic import limiting_std

EASY, HARD = "linear(0.2, 0.8)", "linear(0, 0.1)"
TEXT = f"mixture(0.25={EASY}, 0.75={HARD})"


def test_texts_and_objects():
    parsed = Scorer.parse(TEXT)
    assert parsed == mixture([(0.25, EASY), (0.75, Relevance.parse(HARD))])
    assert str(parsed) == TEXT
    assert parsed.masses == pytest.approx((0.25 * 0.5 + 0.75 * 0.05,), abs=1e-15)
    assert parsed.mean_gain([0.0, 1.0]) == pytest.approx([0.25 * 0.8 + 0.75 * 0.1, 0.25 * 0.2])
    graded = Scorer.parse("mixture(0.5=graded(2=constant(0.1), 1=constant(0.2)), 0.5=constant(0.3))")
    assert graded.gains == (2.0, 1.0)
    assert graded.masses == pytest.approx((0.05, 0.25))
    same = mixture([(0.5, EASY), (0.5, EASY)])
    assert Scorer.parse(str(same)) == same


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mixture()", "must be positive and add up to 1, got none"),
        (f"mixture(0.5={EASY})", "add up to 1, got 0.5"),
        (f"mixture(-0.5={EASY}, 1.5={HARD})", "must be positive"),
        (f"mixture({EASY}, {HARD})", "mixture takes weight=model"),
        (f"mixture(a={EASY})", "expected a weight, found 'a'"),
        (f"mixture(1={TEXT})", "a group is a relevance curve"),
        ("mixture(1=random)", "a group is a relevance curve"),
        ('mixture("nowhere.json")', "mixture: nowhere.json: cannot be read"),
    ],
)
def test_bad_mixtures(text, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        Scorer.parse(text)


def test_groups_must_be_pairs():
    for given in (3, [3], [("half", EASY)]):
        with pytest.raises(InputError, match=r"^groups: expected pairs of a weight and a relevance curve"):
            mixture(given)
    with pytest.raises(InputError, match="a mixture has no relevance curve of its own"):
        _ = Scorer.parse(TEXT).model


def group(weight: float, *rows: list[float], gains: tuple[float, ...] = (1.0,)) -> dict[str, object]:
    return {"weight": weight, "gains": gains, "depth": [0.0, 1.0], "probability": list(rows)}


def test_a_file_of_groups(tmp_path):
    two = [group(0.25, [0.8, 0.2]), group(0.75, [0.1, 0.0], [0.2, 0.3], gains=(2.0, 1.0))]
    (tmp_path / "groups.json").write_bytes(encode(GROUPS, groups=two))
    found = Scorer.parse('mixture("groups.json")', tmp_path)
    assert isinstance(found, Mixture)
    assert str(found) == 'mixture("groups.json")'
    assert found.groups[0][1].masses == pytest.approx((0.5,))
    assert found.groups[1][1].gains == (2.0, 1.0)
    portable = found.portable()
    assert list(portable.files.values()) == [(tmp_path / "groups.json").read_bytes()]
    with pytest.raises(InputError, match=r'got .*mixture 1.* \(that is mixture\("file"\)\)'):
        Scorer.parse('empirical("groups.json")', tmp_path)
    (tmp_path / "one.json").write_bytes(encode(CURVE, gains=[1], depth=[0, 1], probability=[[0.5, 0.5]]))
    with pytest.raises(InputError, match=r'\(that is empirical\("file"\)\)'):
        Scorer.parse('mixture("one.json")', tmp_path)
    (tmp_path / "bad.json").write_text(json.dumps({"format": GROUPS, "groups": [{}]}))
    with pytest.raises(InputError, match="not a curve file"):
        Scorer.parse('mixture("bad.json")', tmp_path)


def test_a_population_is_one_of_each_group():
    population = Population.of(
        {"a": TEXT, "b": "mixture(0.25=constant(0.5), 0.75=constant(0.05))", "c": "random"}
    )
    assert [weight for weight, _ in population.groups] == [0.25, 0.75]
    first, second = (part for _, part in population.groups)
    assert [*first.masses, *second.masses] == pytest.approx([0.5, 0.05])
    assert str(first.scorers["c"]) == "constant(0.5)"
    assert str(population.scorers["c"]) == "mixture(0.25=constant(0.5), 0.75=constant(0.05))"
    plain = Population.of({"a": EASY})
    assert plain.groups == ((1.0, plain),)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (EASY, "a is a mixture, so the others must be: b"),
        (f"mixture(0.75={HARD}, 0.25={EASY})", "share their groups, the weights differ .*`fit` of all"),
        (f"mixture(0.5={EASY}, 0.25={HARD}, 0.25={HARD})", "share their groups, the weights differ"),
        (f"mixture(0.25={EASY}, 0.75=constant(0.1))", r"group 2 of 2: the scorers .* share their labels"),
    ],
)
def test_groups_that_do_not_fit_together(other, said):
    with pytest.raises(InputError, match=said):
        Population.of({"a": TEXT, "b": other})


MEASURES = tuple(map(Measure.parse, ("nDCG", "nDCG(power(0.5))@0.2n", "nDCG(geometric(2))", "nDCG(zipf)")))


def test_theory_is_the_average_over_the_groups():
    sizes, weights = [5, 100], np.array([0.25, 0.75])
    for measure in MEASURES:
        parts = [na.theory.expected_ndcg(model, measure, sizes) for model in (EASY, HARD)]
        found = na.theory.expected_ndcg(TEXT, measure, sizes)
        np.testing.assert_allclose(found.value, weights @ [part.value for part in parts], rtol=1e-14)
        assert (found.error >= weights @ [part.error for part in parts] - 1e-18).all()
        limits = [na.theory.limit(model, measure).value for model in (EASY, HARD)]
        if None not in limits:
            assert na.theory.limit(TEXT, measure).value == pytest.approx(weights @ limits, abs=1e-15)
        pseudo = [na.theory.pseudo_expectation(model, measure, 1000) for model in (EASY, HARD)]
        assert na.theory.pseudo_expectation(TEXT, measure, 1000) == pytest.approx(weights @ pseudo, abs=1e-14)
    assert na.theory.pseudo_expectation(TEXT, "nDCG", 5) is None  # 5 * 0.05 < 1 in the second group
    path = extrapolated_limit(TEXT, MEASURES[1])
    assert abs(path.limit - na.theory.limit(TEXT, MEASURES[1]).value) <= path.error


def test_the_leading_gap_of_a_mixture_is_the_average() -> None:
    for measure in ("nDCG", "nDCG(zipf)", "nDCG(power(0.7))"):
        parts = [na.theory.leading_gap(model, measure) for model in (EASY, HARD)]
        found = na.theory.leading_gap(TEXT, measure)
        assert found.coefficient == pytest.approx(0.25 * parts[0].coefficient + 0.75 * parts[1].coefficient)
        limit = na.theory.limit(TEXT, measure).value
        seen, error = extrapolated_limit(TEXT, measure).coefficient(limit, found.exponent)
        assert abs(seen - found.coefficient) <= error < 0.01 * abs(found.coefficient)
    assert na.theory.leading_gap(TEXT, "nDCG(linear)") is None


def test_the_limiting_std_has_two_parts():
    # 2^-r and constant curves: uniform on [0, 1] has variance 1/12; ybar = 0 and 1 have none
    halves = Scorer.parse("mixture(0.5=constant(0.5), 0.25=constant(0), 0.25=constant(1))")
    found = limiting_std(halves, Measure.parse("nDCG(geometric(2))"))
    assert found**2 == pytest.approx(0.5 / 12 + 0.5 * 0.25, abs=1e-9)


def test_replicates_are_of_groups_by_their_weights():
    population = Population.of({"a": TEXT, "b": "random"})
    design = Design(population, MEASURES, (50,), seed=7)
    drawn = [design.drawn(replicate).population.masses[0] for replicate in range(4000)]
    share = np.mean(np.isclose(drawn, 0.5))
    # standard error 0.0068; five of them: 6e-7
    assert abs(share - 0.25) < 5 * 0.0068
    assert abs(share - 0.2) > 5 * 0.0068
    assert (
        design.drawn(3).population.masses
        == Design(population, (), (9, 10), seed=7).drawn(3).population.masses
    )


@pytest.mark.parametrize("engine", ["items", "every-n", "cells"])
def test_a_replicate_is_that_of_its_group(engine):
    population = Population.of({"a": TEXT, "b": "random"})
    design = Design(population, MEASURES, (20, 200), seed=3, pairs=(("a", "b"),))
    module = load_engine(engine)
    for replicate in range(3):
        of_group = design.drawn(replicate)
        expected = module.simulate(
            Design(of_group.population, MEASURES, (20, 200), 3, (("a", "b"),)), replicate
        )
        found = draw(module, design, replicate)
        assert all(np.array_equal(found[name], values) for name, values in expected.items())


@pytest.mark.slow
def test_simulation_agrees_with_theory_and_not_with_the_pooled_curve():
    study = na.Study(
        scorers={"a": TEXT, "b": "random"}, measures=MEASURES[:2], n=[10, 300], replicates=600, seed=2
    )
    results = na.run(study, jobs=1)
    assert na.check(results).agrees
    # the pooled curve, the same label law on the whole, is another thing
    pooled = study.with_(scorers={"a": "linear(0.05, 0.275)", "b": "random"})
    assert pooled.population.masses == pytest.approx(study.population.masses)

    assert not na.check(results_of(pooled, results.data)).agrees


def test_a_study_with_a_mixture_is_kept_and_continued(tmp_path):
    two = [group(0.25, [0.8, 0.2]), group(0.75, [0.1, 0.0])]
    (tmp_path / "groups.json").write_bytes(encode(GROUPS, groups=two))
    (tmp_path / "study.toml").write_text(
        'measures = ["nDCG"]\nn = [10, 100]\nreplicates = 4\n[scorers]\na = \'mixture("groups.json")\'\n'
    )
    study = na.studies.load(tmp_path / "study.toml")
    na.run(study, tmp_path / "out", jobs=1)
    (tmp_path / "groups.json").unlink()
    again = na.open_results(tmp_path / "out")
    more = na.run(again.study.with_(replicates=6), tmp_path / "out", jobs=1)
    assert more.replicates_complete == 6
    assert more.data.sel(replicate=slice(0, 3)).equals(again.data)
