"""The depths of relevant documents in real runs, fitted so that the corpus can grow by irrelevant documents.

The model is that of lists with a fixed number of relevant documents. A document has an unknown depth x, the
expected number of irrelevant documents above it. In a corpus with s times as many irrelevant documents,
Poisson((s - 1) x) new ones are above it. Irrelevant documents have uniform depths. The relevant ones of a
query are independent of each other, and their distribution function is locally a power, ``x^kappa``.

So if n irrelevant and i relevant documents are above depth y, the deepest of them is at
``y Beta(n + i kappa, 1)``, and it is a relevant one with probability ``i kappa/(n + i kappa)``. A list that
is read from its end to its top is a draw from an urn in which relevant documents have the weight kappa, and j
steps past irrelevant documents multiply the depth by ``Beta(n - j + 1 + i kappa, j)``.

A pooled run holds only the top of a ranking, so the depths of all other documents are censored: they are
larger than that of the end of the list. The law above is conditional on which documents are in the list, so
they do not enter it, and neither does the scale of a query's depths, that is how hard it is.

Queries and depths differ in their exponent: ``kappa_q(n) = kappa_q (1 + n/c)^-beta``, where kappa_q is
lognormal and n is the number of irrelevant documents above. So documents deep in a list, where exponents are
smaller as a rule, do not decide what happens at the top. The four parameters are fitted by marginal maximum
likelihood with weak priors, and their error is that of Laplace's approximation, with queries as independent
units. Above the first few irrelevant documents a list does not show how the exponent goes on. There it is
drawn between that of the fit and 1, which is that of a bounded density.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, named_generator, tails
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.theory.sampled import RankedItems

_NODES = np.linspace(-3.0, 3.0, 33)  # of log kappa_q, in standard deviations from its mean
_LOG_NORMAL = -(_NODES**2) / 2
# means and standard deviations of the priors of log kappa, log tau, beta and log c: kappa between 0.05 and 5,
# standard deviations of log kappa_q between 0.2 and 1.4, and any drift that starts within a list
_PRIOR_MEAN = np.array([np.log(0.7), np.log(0.5), 0.5, np.log(10.0)])
_PRIOR_STD = np.array([1.2, 0.5, 0.5, 1.5])
_WIDEST = 2.5  # standard deviations of the priors that a fit may go to
_STEP = 1e-2  # of the second differences of the log likelihood, in standard deviations of the prior
_FEWEST = 30  # relevant documents below an irrelevant one, or above one, that a fit needs
_RATIO, _LEVELS = 1.7, 80  # of numbers of irrelevant documents, at which lists are cut into pieces
_UNRESOLVED = 1.0  # largest step, of log kappa, towards that of a bounded density at the top of a list
_MOST_ARRIVALS = 1e9  # at once between two documents; more put a document far below every cutoff
_PATHS_AT_ONCE = 8  # for each draw of the parameters


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of lists between relevant documents, from the top down within each query.

    A piece holds the irrelevant documents with ``start`` to ``stop - 1`` others above them. Its top is a
    relevant document if ``relevant``, and then it starts with that.

    Attributes
    ----------
    document : (P,)
        The lowest relevant document above the piece, or the one in it.
    query : (P,)
    position : (P,)
        The number of relevant documents that are not below the piece.
    start, stop : (P,)
    relevant : (P,)
    """

    document: Integers
    query: Integers
    position: Integers
    start: Integers
    stop: Integers
    relevant: Bools

    @cached_property
    def middle(self) -> Floats:
        """The mean number of irrelevant documents above each piece."""
        return np.asarray((self.start + self.stop) / 2)

    def drift(self, parameters: Floats) -> Floats:
        """Return (1 + n/c)^-beta for the mean number n of irrelevant documents above each piece."""
        return np.asarray((1 + self.middle / np.exp(parameters[3])) ** -parameters[2])

    @cached_property
    def kinds(self) -> tuple[Pieces, csr_array]:
        """Pieces that differ from each other, and how many of each a query has, (U, K)."""
        rows = np.stack((self.position, self.start, self.stop, self.relevant))
        _, first, kind = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        shape = (int(self.query.max(initial=-1)) + 1, first.size)
        counts = csr_array((np.ones(kind.size), (self.query, kind.ravel())), shape)
        return Pieces(*(getattr(self, field.name)[first] for field in fields(self))), counts


@dataclass(frozen=True, eq=False)
class RelevantDepths:
    """Numbers of irrelevant documents that a run has above each relevant one that it retrieved.

    Attributes
    ----------
    ranked : RankedItems
        The ranks of the relevant documents.
    irrelevant : (U,)
        The number of irrelevant documents that were retrieved for each query.
    """

    ranked: RankedItems
    irrelevant: Integers

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        found = np.bincount(self.ranked.user, minlength=self.irrelevant.size)
        return int((self.irrelevant + found).max())

    @cached_property
    def pieces(self) -> Pieces:
        """The lists, cut into pieces in which the exponent hardly changes."""
        query, above, position = self.ranked.user, self.ranked.above, self.ranked.position
        last = np.append(query[1:] != query[:-1], True)
        below = np.where(last, self.irrelevant[query], np.append(above[1:], 0))
        levels = np.unique(np.rint(_RATIO ** np.arange(_LEVELS)).astype(np.int64))
        first, end = np.searchsorted(levels, above, "right"), np.searchsorted(levels, below, "left")
        counts = np.maximum(end - first, 0) + 1
        document = np.repeat(np.arange(query.size), counts)
        place = np.arange(document.size) - np.repeat(np.cumsum(counts) - counts, counts)
        inner = levels[np.minimum(first[document] + place, levels.size - 1)]
        before = levels[np.minimum(first[document] + place - 1, levels.size - 1)]
        start = np.where(place == 0, above[document], before + 1)
        stop = np.where(place == counts[document] - 1, below[document], inner)
        return Pieces(document, query[document], position[document], start, stop, place == 0)

    def thinned(self, share: float, rng: np.random.Generator) -> RelevantDepths:
        """Return the run on a corpus that keeps each irrelevant document with a probability."""
        ranked, above = self.ranked, self.ranked.above.copy()
        left = np.empty_like(self.irrelevant)
        ends = np.searchsorted(ranked.user, np.arange(len(ranked.users) + 1))
        for query, count in enumerate(self.irrelevant.tolist()):
            kept = np.append(0, np.cumsum(rng.random(count) < share))
            part = slice(ends[query], ends[query + 1])
            above[part], left[query] = kept[above[part]], kept[-1]
        return RelevantDepths(replace(ranked, rank=above + ranked.position), left)


@dataclass(frozen=True, eq=False)
class DepthModel:
    """The fitted law of the depths of relevant documents, and the error of its parameters.

    Attributes
    ----------
    depths : RelevantDepths
    parameters : (4,)
        log kappa, log tau, beta and log c: the median of kappa_q, the standard deviation of its logarithm,
        and how the exponent falls with depth.
    factor : (4, 4)
        A root of the covariance of their errors.
    """

    depths: RelevantDepths
    parameters: Floats
    factor: Floats

    @property
    def kappa(self) -> float:
        """The exponent at the top of the list of a median query."""
        return float(np.exp(self.parameters[0]))

    @property
    def tau(self) -> float:
        """The standard deviation of log kappa_q over queries."""
        return float(np.exp(self.parameters[1]))

    def kappa_interval(self, level: float) -> tuple[float, float]:
        """Return a confidence interval of ``kappa``."""
        reach = NormalDist().inv_cdf(tails(level)[1]) * float(np.linalg.norm(self.factor[0]))
        return self.kappa * float(np.exp(-reach)), self.kappa * float(np.exp(reach))

    def grown(
        self, factors: Sequence[float], longest: int, draws: int, seed: int, name: str
    ) -> Iterator[tuple[Integers, Floats]]:
        """Yield the ranks of relevant documents in corpora with several times the irrelevant documents.

        Each draw has parameters within their error, exponents of the queries given their lists, depths of the
        documents, and new irrelevant documents, which arrive one corpus after another.

        Parameters
        ----------
        factors : (F,)
            Increasing, >= 1.
        longest : int
            The rank below which documents do not matter.
        draws : int
        seed : int
        name : str
            Of the run, from which the random generator is derived.

        Yields
        ------
        which : (K,)
            The documents that matter, as indices into those of ``depths.ranked``.
        ranks : (F, K, P)
        """
        for start in range(0, draws, _PATHS_AT_ONCE):
            rng = named_generator(seed, name, start // _PATHS_AT_ONCE)
            parameters = self.parameters + self.factor @ rng.standard_normal(4)
            yield self._path(factors, longest, parameters, min(_PATHS_AT_ONCE, draws - start), rng)

    def _path(
        self, factors: Sequence[float], longest: int, parameters: Floats, paths: int, rng: np.random.Generator
    ) -> tuple[Integers, Floats]:
        ranked, pieces = self.depths.ranked, self.depths.pieces
        log = _log_likelihood(self.depths, parameters)
        weights = np.exp(log - log.max(axis=1, keepdims=True))
        cumulative = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
        at = (rng.random((len(ranked.users), 1, paths)) > cumulative[:, :, None]).sum(axis=1)
        steps = _NODES[np.minimum(at, _NODES.size - 1)]
        kappa = np.exp(parameters[0] + np.exp(parameters[1]) * steps)[pieces.query]
        kappa = kappa * pieces.drift(parameters)[:, None]
        # what a list does not resolve: between the fitted exponent and that of a bounded density
        unresolved = _UNRESOLVED * rng.random() / (1 + pieces.middle)
        exponent = pieces.position[:, None] * kappa ** (1 - unresolved[:, None])
        length = (pieces.stop - pieces.start + 1.0)[:, None]
        ratio = rng.beta(pieces.start[:, None] + exponent, length)
        # depth = depth of the list's end times the product of the ratios from there up
        logs = np.cumsum(np.log(np.maximum(ratio, 1e-300))[::-1], axis=0)[::-1]
        ends = np.searchsorted(pieces.query, np.arange(len(ranked.users)), side="right")
        after = np.vstack((logs, np.zeros((1, paths))))[ends]
        tops = np.flatnonzero(pieces.relevant)
        end = rng.gamma((self.depths.irrelevant + 1.0)[:, None], size=(len(ranked.users), paths))
        depth = np.exp(logs[tops] - after[ranked.user]) * end[ranked.user]
        which = np.flatnonzero(ranked.rank <= longest)
        depth, query = depth[which], ranked.user[which]
        first = np.append(True, query[1:] != query[:-1])[: which.size]
        gap = np.maximum(depth - np.where(first[:, None], 0.0, np.roll(depth, 1, axis=0)), 0.0)
        starts = np.maximum.accumulate(np.where(first, np.arange(which.size), 0))
        ranks = np.empty((len(factors), which.size, paths))
        arrived, before = np.zeros(depth.shape), 1.0
        for k, factor in enumerate(factors):
            new = rng.poisson(np.minimum((factor - before) * gap, _MOST_ARRIVALS)).astype(np.float64)
            total = np.vstack((np.zeros((1, paths)), np.cumsum(new, axis=0)))
            arrived += total[1:] - total[starts]
            ranks[k], before = ranked.rank[which][:, None] + arrived, factor
        return which, ranks


def fit_depths(depths: RelevantDepths) -> DepthModel:
    """Fit the law of the depths of relevant documents.

    Raises
    ------
    InputError
        If too few relevant documents are in lists with irrelevant ones.
    """
    count = np.unique(depths.pieces.document[depths.pieces.stop > 0]).size
    needed = f"at least {_FEWEST} relevant documents below or just above an irrelevant one are needed"
    require(count >= _FEWEST, f"too few to fit the depths of relevant documents: {needed}, got {count}")

    def loss(scaled: Floats) -> float:
        parameters = _PRIOR_MEAN + _PRIOR_STD * scaled
        log = _log_likelihood(depths, parameters)
        top = log.max(axis=1)
        inside = np.log(np.exp(log - top[:, None]).sum(axis=1))
        return float((scaled**2).sum() / 2 - (top + inside).sum())

    found = np.asarray(minimize(loss, np.zeros(4), method="L-BFGS-B", bounds=[(-_WIDEST, _WIDEST)] * 4).x)
    unit = _STEP * np.eye(4)

    def mixed(a: Floats, b: Floats) -> float:
        """Return the mixed difference of the loss in two directions."""
        rise = loss(found + a + b) - loss(found + a - b) - loss(found - a + b) + loss(found - a - b)
        return rise / (4 * _STEP**2)

    curvature = np.array([[mixed(a, b) for b in unit] for a in unit])
    values, vectors = np.linalg.eigh(curvature)
    root = vectors / np.sqrt(np.maximum(values, 1.0))  # the data do not make the prior wider
    return DepthModel(depths, _PRIOR_MEAN + _PRIOR_STD * found, _PRIOR_STD[:, None] * root)


def _log_likelihood(depths: RelevantDepths, parameters: Floats) -> Floats:
    """Return the log likelihood (U, nodes) of each query's list and of its log kappa_q at the nodes."""
    kinds, counts = depths.pieces.kinds
    scale = kinds.position * kinds.drift(parameters)
    exponent = scale[:, None] * np.exp(parameters[0] + np.exp(parameters[1]) * _NODES)
    start, stop, relevant = kinds.start[:, None], kinds.stop[:, None], kinds.relevant[:, None]
    terms = gammaln(start + exponent) - gammaln(stop + 1 + exponent) + relevant * np.log(exponent)
    constant = gammaln(stop + 1.0) - gammaln(np.maximum(start + relevant, 1.0))
    found = np.zeros((len(depths.ranked.users), _NODES.size))
    found[: counts.shape[0]] = counts @ (terms + constant)
    return found + _LOG_NORMAL
