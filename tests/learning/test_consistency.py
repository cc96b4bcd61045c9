"""Decisions: worked examples of the papers, minimisers against another optimiser, certificates, files."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from cases import refused, write
from oracles.ranking import LOSSES
from scipy.optimize import minimize

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning import Problem, decide_losses, load_problem
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses import Loss, losses_of
from ndcg_asymptotics.learning.utilities import ranks_of

SMOOTH = sorted(text for text in LOSSES if '"hinge"' not in text and "approx" not in text)
DUCHI = [[0, 1, 9], [0, 0, 2], [6, 0, 0]]


def verdict(problem: Problem, loss: str) -> tuple[tuple[int, ...], str]:
    decided = decide_losses(problem, loss).losses[0]
    return decided.order, decided.verdict


def random_problem(seed: int, items: int = 3, measure: str = "nDCG") -> Problem:
    rng = np.random.default_rng([seed, items])
    labels = rng.integers(0, 4, (3, items))
    return Problem(labels, rng.dirichlet(np.ones(3)), measure)


def searched(risk, start):
    """Minimise by a search that knows nothing of losses."""
    options = {"maxiter": 4000, "fatol": 1e-14, "xatol": 1e-9}
    return minimize(risk, start, method="Nelder-Mead", options=options)


def problem_of_preferences(weights) -> Problem:
    """Return label vectors of two judged items each, with the weights of preferring one to the other."""
    pairs = [(i, j, a) for i, row in enumerate(weights) for j, a in enumerate(row) if a]
    labels = [[{i: 1.0, j: 0.0}.get(k, np.nan) for k in range(len(weights))] for i, j, _ in pairs]
    return Problem(labels, np.array([a for _, _, a in pairs]) / np.sum(weights), "PD")


def test_the_example_of_ravikumar():
    """E[G] = (10, 9.4) puts item 1 first, E[G/||G||_D] item 2."""
    found = {str(d.loss): d for d in decide_losses(Problem([[5, 4], [1, 3]], [0.3, 0.7])).losses}
    assert found["squared"].order == (0, 1)
    assert found["squared"].verdict == "inconsistent here"
    # (E[G/||G||]_2 - E[G/||G||]_1) (D(1) - D(2)), log2 as in the paper
    regret = (0.753334 - 0.321567) * (1 - 1 / np.log2(3))
    assert found["squared"].regret == pytest.approx(regret, abs=1e-5)
    for loss in losses_of(None):
        if "consistent" in loss.claim and "inconsistent" not in loss.claim and "PD" not in loss.claim:
            assert found[str(loss)].verdict == "consistent here"


def test_proposition_7_cosine_and_listnet():
    """Each is wrong for one distribution, for which its consistent version is right."""
    for loss, labels, p in (
        ("cosine", [[0, 1], [4, 3]], [0.3, 0.7]),
        ("listnet", [[0, 1], [4, 2]], [0.6, 0.4]),
    ):
        given = Problem(labels, p)
        assert verdict(given, loss)[1] == "inconsistent here"
        assert verdict(given, f"{loss}_consistent")[1] == "consistent here"


def test_the_example_of_duchi():
    """Under low noise, the logistic edge loss still puts item 2 before item 1."""
    given = problem_of_preferences(DUCHI)
    assert given.optimal_order() == given.standardised_order() == (0, 1, 2)
    decided = decide_losses(given, 'pairwise("logistic")').losses[0]
    assert decided.order == (1, 0, 2)
    assert decided.verdict == "inconsistent here"
    assert decided.regret == pytest.approx(1 / 18)  # the weight 1 of 18
    scores = np.array(decided.scores)
    np.testing.assert_allclose(scores - scores[2], [0.5697, 0.8943, 0], atol=5e-5)
    # without the conflict between items 1 and 3 the loss is right
    calm = problem_of_preferences([[0, 1, 3], [0, 0, 2], [0, 0, 0]])
    assert verdict(calm, 'pairwise("logistic")') == ((0, 1, 2), "consistent here")
    for loss, phi in itertools.product(
        ("pairwise({})", 'margin({}, "order")'), ('"logistic"', '"squared_hinge"', '"exponential"')
    ):
        assert verdict(given, loss.format(phi))[1] == "inconsistent here"
    for consistent in ("duchi", "duchi(0.1)", "order_preserving", "squared_consistent"):
        assert verdict(given, consistent) == ((0, 1, 2), "consistent here")


@pytest.mark.slow
@pytest.mark.parametrize("text", SMOOTH)
def test_the_minimiser_has_the_least_expected_loss(text):
    """Compare with scipy from several starts, which uses neither links nor infima."""
    loss = Loss.parse(text)
    for seed in range(3):
        given = random_problem(seed)
        least = loss.minimiser(given.labels, given.probabilities, given.utility)
        if least.scores is None or not np.isfinite(least.scores).all():
            continue  # the infimum is not attained: there is no minimiser to compare
        batch = Batch.of(list(given.labels))
        function = loss.on(batch, given.utility)

        def risk(s, function=function, p=given.probabilities):
            return float(p @ function(np.tile(s, len(p)))[0])

        starts = np.random.default_rng(seed).normal(size=(3, given.items))
        best = min((searched(risk, s) for s in starts), key=lambda f: f.fun)
        # Nelder-Mead ends a little above the minimum, never below it
        assert risk(least.scores) <= best.fun + 1e-9
        ranks = np.argsort(np.argsort(-best.x))
        for i, j in np.argwhere(least.certain & (least.swap_cost > 1e-5)).tolist():
            assert ranks[i] < ranks[j]


def test_the_minimiser_of_listmle():
    """Compare with Nelder-Mead on the mean over all orders of items with equal labels."""
    loss = Loss.parse("listmle")
    for seed in range(4):
        given = random_problem(seed, 4)
        least = loss.minimiser(given.labels, given.probabilities, given.utility)
        orders = []
        for p, y in zip(given.probabilities, given.labels.tolist(), strict=True):
            of_labels = [o for o in itertools.permutations(range(4)) if sorted(y)[::-1] == [y[i] for i in o]]
            orders += [(p / len(of_labels), o) for o in of_labels] if len(set(y)) > 1 else []

        def risk(s, orders=orders):
            return sum(
                p * (np.log(np.exp(s[list(o[r:])] - s[o[r]]).sum())) for p, o in orders for r in range(len(o))
            )

        found = searched(risk, np.zeros(4))
        if least.scores is not None:
            assert risk(least.scores) <= found.fun + 1e-9
            np.testing.assert_allclose(
                np.exp(least.scores - least.scores[0]), np.exp(found.x - found.x[0]), rtol=1e-4
            )
        certain = np.argwhere(least.certain & (least.swap_cost > 1e-5)).tolist()
        assert all(found.x[i] > found.x[j] for i, j in certain)
        for i, j in certain[:1]:
            # the swap cost is that of the minimum where the two are tied
            tied = searched(
                lambda x, i=i, j=j, risk=risk: risk(np.array([x[i] if k == j else x[k] for k in range(4)])),
                found.x,
            )
            assert least.swap_cost[i, j] == pytest.approx(tied.fun - found.fun, abs=1e-6)


def test_approx_ndcg_approaches_the_best_expected_ndcg():
    """Scores in the best order that move apart approach the infimum; no scores go below it."""
    rng = np.random.default_rng(1)
    for seed in range(5):
        given = random_problem(seed, 4)
        best = float(given.expected([given.optimal_order()])[0])
        batch = Batch.of(list(given.labels))
        empty = float(given.probabilities @ (given.labels.max(axis=1) == 0))  # lists that have no loss

        def risk(s, given=given, batch=batch):
            values = Loss.parse("approx_ndcg").evaluate(np.tile(s, 3), batch)[0]
            return float(given.probabilities @ values)

        scores = np.empty(4)
        scores[list(given.optimal_order())] = [30.0, 20.0, 10.0, 0.0]
        assert risk(scores) == pytest.approx(1 - empty - best, abs=1e-12)
        for size in (0.01, 0.1, 1.0):
            assert risk(size * rng.normal(size=4)) >= 1 - empty - best - 1e-12
        decided = decide_losses(given, "approx_ndcg").losses[0]
        assert decided.verdict == "consistent here"
        assert decided.scores is None
    assert verdict(Problem([[5, 4], [1, 3]], [0.3, 0.7], "DCG"), "approx_ndcg")[1] == "inconsistent here"


@pytest.mark.slow
@pytest.mark.parametrize("text", ['pairwise("hinge")', 'pairwise("hinge", "gain")', 'linear_ndcg("hinge")'])
def test_the_orders_that_minimisers_of_the_hinge_have(text):
    """Compare with all whole scores from 0 to 2, in rational numbers.

    Of any scores, gaps between neighbours above 1 can be closed to 1 at no cost, and whole minimisers are
    enough, so these scores show every order that a minimiser of three items has.
    """
    several = 0
    for seed in range(12):
        given = random_problem(seed)
        totals: dict[tuple[int, ...], Fraction] = {}
        for s in itertools.product(range(3), repeat=3):
            totals[s] = Fraction(0)
            for p, y in zip(given.probabilities.tolist(), given.labels.astype(int).tolist(), strict=True):
                ideal = sum(rank * (2**v - 1) for rank, v in enumerate(sorted(y)))
                for i, j in itertools.permutations(range(3), 2):
                    if y[i] > y[j]:
                        weight = 1 if text == 'pairwise("hinge")' else 2 ** y[i] - 2 ** y[j]
                        weight = Fraction(weight, ideal if "linear" in text else 1)
                        totals[s] += Fraction(p) * weight * max(0, 1 - s[i] + s[j])
        best = min(totals.values())
        minima = [s for s, total in totals.items() if total == best]
        least = Loss.parse(text).minimiser(given.labels, given.probabilities, given.utility)
        for order in itertools.permutations(range(3)):
            shown = any(all(s[a] >= s[b] for a, b in itertools.pairwise(order)) for s in minima)
            assert least.admits(order) == shown
            several += shown
        assert all(s[i] > s[j] for s in minima for i, j in np.argwhere(least.certain).tolist())
    assert several > 12  # some problems have minimisers of different orders


def test_ties_count_unless_they_do_not_matter():
    symmetric = Problem([[1, 0, 2], [0, 1, 2]], [0.5, 0.5])
    for decided in decide_losses(symmetric).losses:
        assert decided.verdict == "consistent here"  # items 0 and 1 are exchangeable
    # E[G] ties where E[G/||G||] does not
    tied = Problem([[1, 0], [0, 2]], [0.75, 0.25])
    decided = decide_losses(tied, "squared").losses[0]
    assert decided.verdict == "inconsistent (ties)"  # 0.75 · 1 = 0.25 · 3
    assert decided.order == (1, 0)  # the wrong one
    assert decided.regret == decided.possible[1] > decided.possible[0] == 0
    assert decided.margin <= decided.residual
    # 0.05 + 0.25 = 3 · 0.1, but not of the doubles next to these numbers: too close to say
    close = Problem([[1, 0], [1, 0], [0, 2], [0, 0]], [0.05, 0.25, 0.1, 0.6])
    assert verdict(close, "squared")[1] == "undecided"
    nearly = Problem([[1, 0], [0, 2]], [0.75 - 1e-9, 0.25 + 1e-9])
    assert verdict(nearly, "squared")[1] == "inconsistent here"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_agree_with_regrets(seed):
    given = random_problem(seed, 4, ("nDCG", "DCG(zipf)", "nDCG@2", "PD(gain)")[seed % 4])
    decision = decide_losses(given)
    assert given.regret([decision.optimal_order])[0] <= given.rounding_error
    for decided in decision.losses:
        assert given.regret([decided.order])[0] == pytest.approx(decided.regret, abs=1e-12)
        assert decided.possible[0] <= decided.regret <= decided.possible[1]
        assert (decided.verdict == "consistent here") == (decided.possible[1] == 0)
        assert (decided.verdict == "inconsistent here") == (decided.possible[0] > 0)
        assert decided.wrong <= (decided.regret > 0)
        if decided.scores is not None and np.isfinite(decided.scores).all():
            s = np.array(decided.scores)
            above = s[:, None] > s[None, :]
            ranks = ranks_of(np.array(decided.order))
            certain = (
                Loss.of(decided.loss).minimiser(given.labels, given.probabilities, given.utility).certain
            )
            assert (above | ~certain).all()
            assert (ranks[:, None] < ranks[None, :])[certain].all()


def test_the_report_of_a_decision():
    shown = repr(decide_losses(problem_of_preferences(np.roll(np.eye(3), 1, axis=1))))
    assert "is 0 1 2, with the expected value" in shown
    assert "not low-noise at items 0, 1, 2" in shown
    assert "Left out: squared, cosine, listnet, linear_ndcg, listmle, approx_ndcg (labels: every " in shown
    assert "duchi" in shown
    assert shown.count("Left out") == 1


def test_a_problem_file(tmp_path):
    text = 'measure = "nDCG@1"\ngain = "linear"\nlabels = [[5, 4], [1, 3]]\nprobabilities = [0.3, 0.7]\n'
    problem, losses = load_problem(write(tmp_path, f'{text}losses = ["squared", \'pairwise("hinge")\']'))
    assert str(problem.utility) == "nDCG@1"
    assert problem.utility.gain == "linear"
    assert [str(loss) for loss in losses] == ["squared", 'pairwise("hinge")']
    again, nothing = load_problem(write(tmp_path, problem.to_toml()))
    assert nothing is None
    np.testing.assert_array_equal(again.labels, problem.labels)
    np.testing.assert_array_equal(again.probabilities, problem.probabilities)
    assert again.utility == problem.utility
    # a measure with quotes
    problem = Problem([[5, 4], [1, 3]], [0.3, 0.7], 'nDCG(custom("own_discount:steps"))')
    again, _ = load_problem(write(tmp_path, problem.to_toml()))
    assert again.utility == problem.utility


GOOD = "labels = [[1, 0], [0, 1]]\nprobabilities = [0.5, 0.5]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("labels = [[1, 0]]", "probabilities is missing"),
        ("labels = [[1, 0], [0]]\nprobabilities = [0.5, 0.5]", "labels: must be label vectors of one length"),
        ("labels = [[1, 2, 3, 4, 5, 6, 7, 8, 9]]\nprobabilities = [1]", "at most 8 items, got 9"),
        (GOOD.replace("0.5, 0.5", "0.5, 0.6"), "probabilities: must be 2 numbers >= 0 that add up to 1"),
        (GOOD + 'gain = "log"', "gain: must be one of linear, binary, exp2, .*, got 'log'"),
        (GOOD + 'losses = "squared"', "losses: must be a list of losses in quotes, got 'squared'"),
        (GOOD + 'losses = ["squar"]', "losses: .*unknown loss 'squar'"),
        (GOOD + "preferences = [[0, 1], [1, 0]]", "unknown field 'preferences', expected one of: measure"),
        ("labels = [[", "not a TOML file"),
    ],
)
def test_bad_problem_files(tmp_path, text, words):
    path = write(tmp_path, text)
    assert refused(words, load_problem, path).startswith(f"{path}: ")


def test_bad_orders_and_losses():
    given = Problem([[5, 4], [1, 3]], [0.3, 0.7])
    refused(r"^order: must hold each of the items 0 … 1 once, got \[0, 0\]", given.regret, [0, 0])
    with pytest.raises(InputError, match="lambdarank: it is a field of gradients that are not those of a"):
        decide_losses(given, "lambdarank")
    with pytest.raises(InputError, match=r'^bregman\("logistic"\): .*needs targets up to 1'):
        decide_losses(Problem([[1, 0]], [1], "nDCG(geometric(2))"), 'bregman("logistic")')
