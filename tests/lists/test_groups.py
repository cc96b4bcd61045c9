"""Groups of queries, their mixture of curves, and the coupling of two runs."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import RankedList, fit_curves
from ndcg_asymptotics.lists.coupling import fit_coupling
from ndcg_asymptotics.lists.groups import choose_groups, described_share, fit_groups, group_queries
from ndcg_asymptotics.populations import Mixture, Relevance


def queries(shares: list[float], n: int = 60, seed: int = 1) -> list[RankedList]:
    """Return a list for each share of relevant items, ranked a little better than at random."""
    rng = np.random.default_rng(seed)
    lists = []
    for query, share in enumerate(shares):
        labels = (rng.random(n) < share).astype(float)
        lists.append(RankedList(str(query), labels + rng.normal(0, 1, n), labels))
    return lists


def test_groups_have_similar_prevalence_and_size():
    lists = queries([0.5, 0.05, 0.3, 0.1, 0.4, 0.2, 0.6])
    share = np.array([ranked.labels.mean() for ranked in lists])
    for count in (1, 2, 3, 7):
        group = group_queries({"a": lists}, count)
        sizes = np.bincount(group)
        assert (len(sizes), sizes.max() - sizes.min() <= 1) == (count, True)
        ends = [(share[group == g].min(), share[group == g].max()) for g in range(count)]
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ends))
    assert sorted(group_queries({"a": lists}, "query").tolist()) == list(range(7))
    for bad in (0, 8, 2.5, "queries", True, "4x2", "2x0", "x2", "²"):
        with pytest.raises(InputError, match=r"^by: must be 'auto', 'query', a number of groups from 1 to 7"):
            group_queries({"a": lists}, bad)
    with pytest.raises(
        InputError, match=r"^by: parts by which run wins need two runs or more, got '2x2' for"
    ):
        group_queries({"a": lists}, "2x2")


def test_each_group_has_the_curve_of_its_queries():
    lists = {"a": queries([0.5, 0.05, 0.3, 0.1]), "b": queries([0.5, 0.05, 0.3, 0.1])[::1]}
    fitted = fit_groups(lists, 2, resamples=3)
    group = group_queries(lists, 2)
    for g, of_group in enumerate(fitted["a"].groups):
        members = [lists["a"][i] for i in np.flatnonzero(group == g)]
        alone = fit_curves({"a": members}, resamples=1)["a"]
        assert of_group.queries == tuple(ranked.query for ranked in members)
        assert np.array_equal(of_group.curve.probability, alone.probability)
        assert of_group.weight == 0.5
    mixture = fitted["a"].relevance
    pooled = np.mean([ranked.labels.mean() for ranked in lists["a"]])
    assert mixture.masses == pytest.approx((pooled,), abs=1e-12)
    # the file of groups reads back as the same mixture
    table = json.loads(fitted["a"].encode({"run": "x"}))
    assert [entry["weight"] for entry in table["groups"]] == [0.5, 0.5]
    assert Mixture.decode(fitted["a"].encode({}), "x.json") == mixture


def test_queries_without_relevant_items_are_a_group_of_their_own():
    fitted = fit_groups({"a": queries([0.3, 0.0, 0.2])}, "query", resamples=2)["a"]
    mixture = fitted.relevance
    assert mixture.groups[0][1].masses == (0.0,)
    # such lists have NDCG 0
    alone = [na.theory.expected_ndcg(model, "nDCG", 50).value[0] for _, model in mixture.groups]
    assert alone[0] == 0
    assert na.theory.expected_ndcg(mixture, "nDCG", 50).value[0] == pytest.approx(np.mean(alone))


def coupled(rho: float, count: int = 150, n: int = 80, seed: int = 5) -> dict[str, list[RankedList]]:
    """Return two runs whose depths have a Gaussian copula given the label."""
    rng = np.random.default_rng(seed)
    curve = na.populations.Curve.parse("linear(0, 0.6)")
    lists: dict[str, list[RankedList]] = {"a": [], "b": []}
    for query in range(count):
        labels = (rng.random(n) < curve.mass).astype(float)
        common = rng.normal(size=n)
        for found in lists.values():
            normal = np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=n)
            u = stats.norm.cdf(normal)
            # by inversion: m(t) = 0.6 (1 - t), so G1 = 2t - t^2 and G0 = (0.4t + 0.3t^2) / 0.7
            relevant, other = 1 - np.sqrt(1 - u), (-0.4 + np.sqrt(0.16 + 0.84 * u)) / 0.6
            depth = np.where(labels > 0, relevant, other)
            found.append(RankedList(str(query), -depth, labels))
    return lists


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.95])
def test_the_coupling_is_recovered(rho):
    found = fit_coupling(coupled(rho), resamples=60).pairs[0]
    # 3600 relevant documents: standard error of a correlation about (1 - rho^2) / 60; five of them
    error = 5 * (1 - rho**2) / 60 + 0.01  # 0.01: ranks among 80 replace depths
    assert abs(found.rho - rho) < error
    assert abs(found.rho - (rho + 0.3 if rho < 0.5 else rho - 0.3)) > error
    assert found.low < found.rho < found.high


def test_spearman_agrees_with_scipy_within_a_stratum():
    lists = coupled(0.5, count=1, n=200)
    relevant = lists["a"][0].labels > 0
    depth = [stats.rankdata(-lists[name][0].scores)[relevant] for name in ("a", "b")]
    found = fit_coupling(lists, resamples=2).pairs[0]
    assert found.spearman == pytest.approx(stats.spearmanr(*depth).statistic, abs=1e-12)
    assert found.rho == pytest.approx(2 * np.sin(np.pi * found.spearman / 6))


def test_differing_queries_are_not_coupled_within_groups():
    """Runs that are independent given label and query look coupled when pooled, but not within groups."""
    rng = np.random.default_rng(2)
    lists: dict[str, list[RankedList]] = {"a": [], "b": []}
    for query in range(200):
        labels = np.zeros(50)
        labels[:10] = 1
        for ranked in lists.values():
            hard = query % 2  # the relevant ones are on top, or anywhere
            ranked.append(RankedList(str(query), rng.random(50) + (0 if hard else 2) * labels, labels))
    pooled = fit_coupling(lists, resamples=20).pairs[0]
    groups = np.arange(200) % 2
    within = fit_coupling(lists, groups=groups, resamples=20).pairs[0]
    assert pooled.low > 0.3
    assert abs(within.rho) < 5 / np.sqrt(2000)  # five standard errors


def test_couplings_that_cannot_be_fitted():
    with pytest.raises(InputError, match="a coupling needs two runs or more, got 1"):
        fit_coupling({"a": queries([0.5])})
    few = [RankedList("q", np.arange(5.0), np.array([1.0, 0, 0, 0, 1]))]
    with pytest.raises(InputError, match="at least 3 relevant documents, the lists have 2"):
        fit_coupling({"a": few, "b": few})


@pytest.mark.slow
def test_the_coupling_affects_the_order_of_two_runs():
    """Without the coupling, fitted curves predict a different rate of the right order."""
    both = coupled(0.95, count=200, n=100)
    fitted = fit_curves(both, resamples=1)
    study = na.Study(
        scorers={name: curve.relevance for name, curve in fitted.items()},
        measures="nDCG",
        n=[100],
        replicates=400,
        seed=1,
        pairs=[("a", "b")],
    )
    std = {}
    for text in ("independent", fit_coupling(both, resamples=2).text):
        data = na.run(study.with_(coupling=text), jobs=1).data["ndcg"]
        std[text] = float((data.sel(scorer="a") - data.sel(scorer="b")).std())
    measure = na.Measure("log")
    ndcg = [[measure.evaluate(one.labels, one.scores) for one in of_run] for of_run in both.values()]
    real = np.std(np.subtract(*ndcg))
    independent, together = std.values()
    # the standard deviation of 200 differences is known to 5%, that of 400 to 3.5%; four of both
    assert abs(together / real - 1) < 0.25
    assert independent / real > 1.5


def test_the_error_for_differing_label_laws_names_the_remedy(tmp_path):
    for name, share in (("a", [0.3, 0.2]), ("b", [0.5, 0.1])):
        curve = fit_curves({name: queries(share)}, resamples=1)[name]
        (tmp_path / f"{name}.json").write_bytes(curve.encode({}))
    scorers = {name: Relevance.parse(f'empirical("{name}.json")', tmp_path) for name in "ab"}
    with pytest.raises(
        InputError, match=r"these differ: a: .* \(one `fit` of all their runs makes them agree: ndcg-"
    ):
        na.Study(scorers=scorers, measures="nDCG", n=[10], replicates=2)


def crossed(
    gain: float, shares: list[float], wins: tuple[int, ...] = (1, 1, -2), n: int = 100, seed: int = 1
) -> dict[str, list[RankedList]]:
    """Return two runs that differ by how far scores of relevant items are moved: by 1.5 ± gain wins."""
    rng = np.random.default_rng(seed)
    lists: dict[str, list[RankedList]] = {"a": [], "b": []}
    for query, share in enumerate(shares):
        labels = (rng.random(n) < share).astype(float)
        lead = gain * wins[query % len(wins)]
        for name, sign in (("a", 1), ("b", -1)):
            scores = (1.5 + sign * lead) * labels + rng.normal(size=n)
            lists[name].append(RankedList(str(query), scores, labels))
    return lists


def test_parts_are_cut_by_which_run_wins_within_strata():
    shares = [0.1 if query < 30 else 0.5 for query in range(60)]
    lists = crossed(0.7, shares)
    group = group_queries(lists, "2x3")
    assert np.bincount(group).tolist() == [10] * 6
    assert set(group[:30]) == {0, 1, 2}
    # a third of the queries of each stratum is lost by a: one part
    lost = np.arange(60) % 3 == 2
    for stratum in (0, 1):
        of_parts = [lost[group == 3 * stratum + part].mean() for part in range(3)]
        assert sorted(of_parts) == [0.0, 0.0, 1.0]
    assert group_queries(lists, "2x1").tolist() == group_queries(lists, 2).tolist()
    # all of the effect, but for the chance of few relevant documents
    assert described_share(lists, group) > 0.9
    assert described_share(lists, group_queries(lists, 2)) < 0.2


def test_the_rule_finds_strata_and_parts_that_are_there_and_no_others():
    even, uneven = [0.3] * 60, [0.05, 0.6] * 30
    chosen = {
        (gain, kind): choose_groups(crossed(gain, shares, (1, 1, -1, -1)))
        for gain in (0.0, 0.7)
        for kind, shares in (("even", even), ("uneven", uneven))
    }
    assert [chosen[0.0, law] for law in ("even", "uneven")] == ["1x1", "2x1"]
    assert [chosen[0.7, law] for law in ("even", "uneven")] == ["1x2", "2x2"]
    alone = {"a": crossed(0.0, uneven)["a"]}
    assert choose_groups(alone) == "2x1"  # nothing to win
    none = [RankedList(str(i), np.arange(5.0), np.zeros(5)) for i in range(4)]
    assert choose_groups({"a": none, "b": none}) == "1x1"
    one = queries([0.4])
    assert choose_groups({"a": one, "b": one}) == "1x1"


@pytest.mark.slow
def test_only_parts_predict_how_often_a_run_that_loses_some_queries_is_ahead():
    """The share of lists in which a is ahead, of 400 lists of 100 items."""
    lists = crossed(0.5, [0.3] * 150)
    measure = na.Measure("log")
    ndcg = [[measure.evaluate(one.labels, one.scores) for one in of_run] for of_run in lists.values()]
    real = float(np.mean(np.subtract(*ndcg) > 0))
    ahead = {}
    for by in ("1x1", "1x3"):
        scorers = {name: fitted.relevance for name, fitted in fit_groups(lists, by, resamples=1).items()}
        study = na.Study(scorers=scorers, measures="nDCG", n=[100], replicates=400, seed=1)
        data = na.run(study, jobs=1).data["ndcg"]
        ahead[by] = float((data.sel(scorer="a") > data.sel(scorer="b")).mean())
    # four standard errors of both shares, of 400 lists and of 150 queries whose two kinds are fixed in number
    error = 4 * np.sqrt(0.25 / 400 + 0.06 / 150)
    assert abs(ahead["1x3"] - real) < error
    assert abs(ahead["1x1"] - real) > error


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("2x2", "# 2 groups by share of relevant documents, each cut into 2 by which run wins;\n# 9"),
        ("auto", "# all queries in one group, each cut into 2 by which run wins;\n# 9"),
        (2, "# 2 groups by share of relevant documents;\n# 0%"),
        ("query", "# a group for each query;\n# 100%"),
    ],
)
def test_the_study_says_what_the_groups_describe(tmp_path, by, said):
    lists = crossed(0.7, [0.3] * 24, (1, 1, -1, -1))
    labels = {one.query: {f"d{i}": y for i, y in enumerate(one.labels.tolist())} for one in lists["a"]}
    na.lists.write_qrels(labels, tmp_path / "my.qrels")
    runs = [tmp_path / "a.run", tmp_path / "b'\"\n1.run"]  # names are written as TOML, and into a comment
    for path, of_run in zip(runs, lists.values(), strict=True):
        scores = {one.query: {f"d{i}": x for i, x in enumerate(one.scores.tolist())} for one in of_run}
        na.lists.write_run(scores, path, "mine")
    na.lists.fit(runs, tmp_path / "my.qrels", out=tmp_path / "out", by=by, resamples=2)
    assert said in (tmp_path / "out" / "study.toml").read_text()
    assert list(na.studies.load(tmp_path / "out" / "study.toml").scorers) == ["a", "b'\"\n1"]
