"""Comparison of simulation with theory, for a study or a grid of studies.

Two questions are asked of the simulation, with one family-wise error rate for all tests (Bonferroni):

- Is the simulated mean the exact mean? For every scorer, measure and n (`mean_tests`).
- Is the simulated standard deviation the exact one? At three list lengths, or at every n (`std_tests`).

One question is asked of the theorems, without any simulation: is the limit that they state the one to which
exact means up to n = 1e18 tend (`limit_tests`)?
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import TypedDict, Unpack, overload

from ndcg_asymptotics.checks.convergence import Convergence, convergence_of
from ndcg_asymptotics.checks.limit_tests import LimitTest, check_limit
from ndcg_asymptotics.checks.mean_tests import MeanTest, Simulated, check_means
from ndcg_asymptotics.checks.outcome import Check, GridCheck
from ndcg_asymptotics.checks.std_tests import StdSizes, StdTest, check_std, std_sizes
from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.results.opening import opened


class _Options(TypedDict, total=False):
    alpha: float
    perturb: float
    std: StdSizes


@overload
def check(results: Results, **options: Unpack[_Options]) -> Check: ...
@overload
def check(results: GridResults, **options: Unpack[_Options]) -> GridCheck: ...
@overload
def check(results: Results | GridResults | str | Path, **options: Unpack[_Options]) -> Check | GridCheck: ...
def check(
    results: Results | GridResults | str | Path,
    *,
    alpha: float = 1e-4,
    perturb: float = 0.0,
    std: StdSizes = "few",
) -> Check | GridCheck:
    """Compare results with theory.

    Parameters
    ----------
    results : Results, GridResults, or the path of their folder
    alpha : float
        Family-wise error rate: the probability that any mean or standard deviation, of all points of a grid,
        disagrees although theory is right.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.
    std : {"few", "every"}
        Test standard deviations at the first, the middle and the last list length, or at every one.

    Raises
    ------
    InputError
        For fewer than two replicates, which have no standard error, and alpha outside (0, 1). Points of a
        grid with fewer replicates are left out.

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures="nDCG", n=[10, 100], replicates=50, pairs=[("good", "random")],
    ... )
    >>> outcome = check(na.run(study, jobs=1))
    >>> outcome.agrees, [row.verdict for row in outcome.limits]
    (True, ['agrees', 'agrees'])
    """
    results = opened(results)
    if isinstance(results, Results):
        return _check_study(results, alpha, perturb, std)
    require_fraction(alpha, "alpha")
    # an equal share for every point (Bonferroni) needs no independence: points share their random numbers
    share, points = alpha / len(results.axes.points), results.with_replicates(2)
    checks = {values: _check_study(point, share, perturb, std) for values, point in points.items()}
    return GridCheck(results.axes, checks, alpha)


def _check_study(results: Results, alpha: float, perturb: float, std: StdSizes) -> Check:
    study, values, replicates = results.study, results.values, results.replicates_complete
    require(replicates >= 2, f"check needs at least 2 complete replicates, this study has {replicates}")
    require("ndcg" in values, f"the {study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    require_fraction(alpha, "alpha")
    finite = is_number(perturb) and abs(perturb) <= 1e300  # of whole numbers, too
    require(finite, f"must be a finite number, got {brief(perturb)}", "perturb")
    factor, sizes = 1.0 + perturb, std_sizes(study.n, std)
    alpha_each = alpha / (len(study.scorers) * len(study.measures) * (len(study.n) + len(sizes)))
    detectable: dict[str, float] = {}
    detectable_std: dict[str, float] = {}
    means: list[MeanTest] = []
    limits: list[LimitTest] = []
    stds: list[StdTest] = []
    speeds: list[Convergence | None] = []
    for (name, scorer), measure in tracked(
        itertools.product(study.scorers.items(), study.measures), "checks"
    ):
        simulated = Simulated.of(results, name, measure)
        limits.append(check_limit(scorer, measure, name, factor))
        below = detectable.get(str(measure), math.inf)
        tests, least = check_means(simulated, limits[-1], factor, alpha_each, below)
        means += tests
        if least < math.inf:
            detectable[str(measure)] = least
        speeds.append(convergence_of(simulated, name, factor))
        stds += [check_std(simulated, n, name, factor, alpha_each) for n in sizes]
        errors = [test.detectable for test in stds if test.measure == str(measure) and test.detectable]
        if errors:
            detectable_std[str(measure)] = min(errors)
    return Check(
        study.title,
        replicates,
        results.replicates_wanted,
        alpha,
        rows=means,
        limits=limits,
        stds=stds,
        convergence=[speed for speed in speeds if speed is not None],
        detectable=detectable,
        detectable_std=detectable_std,
    )
