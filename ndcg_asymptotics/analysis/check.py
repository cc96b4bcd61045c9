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
import os
from pathlib import Path
from typing import overload

from ndcg_asymptotics.analysis.check_outcome import Check, GridCheck
from ndcg_asymptotics.analysis.limit_tests import LimitTest, judge_limit
from ndcg_asymptotics.analysis.mean_tests import MeanTest, Simulated, judge_means
from ndcg_asymptotics.analysis.std_tests import StdSizes, StdTest, judge_std, std_sizes
from ndcg_asymptotics.core.arrays import brief, instance_of, is_number, require_fraction
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.results.opening import open_results, results_of


@overload
def check(results: Results, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few") -> Check: ...
@overload
def check(
    results: GridResults, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few"
) -> GridCheck: ...
@overload
def check(
    results: Results | GridResults | str | Path,
    *,
    alpha: float = 1e-4,
    perturb: float = 0.0,
    std: StdSizes = "few",
) -> Check | GridCheck: ...
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
        Family-wise error rate: the probability that any mean or standard deviation disagrees although theory
        is right.
    perturb : float
        Multiply every theoretical value by ``1 + perturb``, to see the check fail.
    std : {"few", "every"}
        Test standard deviations at the first, the middle and the last list length, or at every one.

    Raises
    ------
    InputError
        For fewer than two replicates, which have no standard error, and alpha outside (0, 1).

    >>> import ndcg_asymptotics as na
    >>> study = na.Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures="nDCG", n=[10, 100], replicates=50, pairs=[("good", "random")],
    ... )
    >>> found = check(na.run(study, jobs=1))
    >>> found.agrees, [row.verdict for row in found.limits]
    (True, ['agrees', 'agrees'])
    """
    opened = open_results(results) if isinstance(results, str | os.PathLike) else results
    if isinstance(opened, GridResults):
        return check_grid(opened, alpha=alpha, perturb=perturb, std=std)
    return _check_study(results_of(opened), alpha, perturb, std)


def _check_study(results: Results, alpha: float, perturb: float, std: StdSizes) -> Check:
    study, values, replicates = results.study, results.values, results.replicates_complete
    require(replicates >= 2, f"check needs at least 2 complete replicates, this study has {replicates}")
    require("ndcg" in values, f"the {study.engine} engine draws orders of pairs, not NDCG: use distinguish")
    require_fraction(alpha, "alpha")
    finite = is_number(perturb) and abs(perturb) <= 1e300  # of whole numbers, too
    require(finite, f"must be a finite number, got {brief(perturb)}", "perturb")
    factor, sizes = 1.0 + perturb, std_sizes(study.n, std)
    level = alpha / (len(study.scorers) * len(study.measures) * (len(study.n) + len(sizes)))
    detectable: dict[str, float] = {}
    detectable_std: dict[str, float] = {}
    means: list[MeanTest] = []
    limits: list[LimitTest] = []
    stds: list[StdTest] = []
    every = itertools.product(enumerate(study.scorers.items()), enumerate(study.measures))
    for (i, (name, scorer)), (j, measure) in tracked(list(every), "checks"):
        simulated = Simulated.of(scorer, measure, values, study.n, i, j)
        limits.append(judge_limit(scorer, measure, name, factor))
        below = detectable.get(str(measure), math.inf)
        tests, least = judge_means(simulated, limits[-1], factor, level, below)
        means += tests
        if least < math.inf:
            detectable[str(measure)] = least
        stds += [judge_std(simulated, n, name, factor, level) for n in sizes]
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
        detectable=detectable,
        detectable_std=detectable_std,
    )


def check_grid(
    results: GridResults, *, alpha: float = 1e-4, perturb: float = 0.0, std: StdSizes = "few"
) -> GridCheck:
    """Compare the results of a grid with theory; ``alpha`` is the family-wise error rate of all points.

    Every point has an equal share of ``alpha`` (Bonferroni), which needs no independence: points share
    their random numbers.

    Raises
    ------
    InputError
        As `check`, and if no point is complete.

    >>> import ndcg_asymptotics as na
    >>> from ndcg_asymptotics.studies.grid import grid_of
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10, 20], "replicates": 50}
    >>> results = na.run(grid_of({"p": [0.1, 0.3]}, fields), jobs=1)
    >>> check_grid(results).agrees, check_grid(results, perturb=0.5).agrees
    (True, False)
    """
    results = instance_of(results, GridResults, "results")
    require(len(results.points) > 0, "the grid has no complete point yet")
    require_fraction(alpha, "alpha")
    share = alpha / len(results.axes.points)
    found = {values: _check_study(point, share, perturb, std) for values, point in results.points.items()}
    return GridCheck(results.axes, alpha, results.complete, found)
