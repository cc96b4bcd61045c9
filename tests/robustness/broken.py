r"""Formulas of the theory and of the engines, each broken in one place; `mutations` tells what notices it.

The first line has the file and what is broken; a text that occurs once in the file follows, and what replaces
it; ``\n`` is the end of a line. ``check`` has a scorer and measures of a study, which `check` judges, or
``pytest`` has tests. The formulas of an engine run as plain Python, with the test of its steps that has the
name in brackets. Numbers one larger and comparisons that take or leave equality are among the random edits of
``python -m robustness.edits``.
"""

from __future__ import annotations

THEORY = r"""
theory/limits/limits.py: Theorem 1: 0.99 for 1
- return Limit(1.0, theorem, (_some_gain(relevance),), mode
+ return Limit(0.99, theorem, (_some_gain(relevance),), mode
check linear(0.1, 0.7) by nDCG

measures/asymptotics.py: Theorem 3: ideal list without 1/(1 - b)
- t**a / a)
+ t**a)
check linear(0.1, 0.7) by nDCG(power(0.5))

theory/limits/limits.py: Theorem 8: ideal list not cut
- ends = np.minimum(self.reached, c)\n
+ ends = np.minimum(self.reached, 1.0)\n
check linear(0.1, 0.7) by nDCG@0.2n

theory/limits/limits.py: Theorem 9: another profile
- weights = weights * asymptotics.profile(t) *
+ weights = weights * (1 + 0.3 * t) * asymptotics.profile(t) *
check linear(0.1, 0.7) by nDCG(power(0.3))@0.2n

theory/limits/limits.py: Theorems 5 and 7: 1/1.01 of the value at the top
- return Limit(relevance.mean_gain_at_top / labels.gains[0], theorem, assumptions)
+ return Limit(relevance.mean_gain_at_top / labels.gains[0] / 1.01, theorem, assumptions)
check linear(0.1, 0.7) by nDCG(zipf); nDCG@n^0.5

theory/limits/limits.py: Theorem 11: another best grade
- return Limit(relevance.mean_gain_at_top / labels.gains[0], theorem, assumptions)
+ return Limit(relevance.mean_gain_at_top / labels.gains[-1], theorem, assumptions)
check graded(3=linear(0.1, 0.3), 2=constant(0.3)) by nDCG@n^0.5

measures/asymptotics.py: linear discount: ideal list with a third for a half
- t - t**2 / 2
+ t - t**2 / 3
check linear(0.1, 0.7) by nDCG(linear)

theory/limits/limits.py: Theorem 6 with a certain top: 0.98 of the limit
- value = relevance.mean_gain_at_top / gains[0] if gains
+ value = 0.98 * relevance.mean_gain_at_top / gains[0] if gains
check linear(0, 1) by nDCG@10

theory/limits/leading_terms.py: leading gap of the log discount: 1.1 of it
- return Gap((first - value * ideal) /
+ return Gap(1.1 * (first - value * ideal) /
check linear(0.1, 0.7) by nDCG

theory/limits/leading_terms.py: leading gap of r^-b: 1.1 of it
- return Gap(constant * (top - value * most) /
+ return Gap(1.1 * constant * (top - value * most) /
check linear(0.1, 0.7) by nDCG(power(0.7))

theory/deviation/asymptotic.py: standard deviation that stays: at the list length
- squares = _weights(measure, terms, n) ** 2 *
+ squares = 1.05 * _weights(measure, terms, n) ** 2 *
check linear(0.1, 0.7) by nDCG@10

theory/deviation/asymptotic.py: standard deviation that stays: in the limit
- squares = _weights(measure, min(k, _RANKS), ENDLESS) ** 2
+ squares = 1.05 * _weights(measure, min(k, _RANKS), ENDLESS) ** 2
pytest tests/theory/limits/test_limits.py -k limiting_std

measures/discounts/standard.py: log discount: log(1.5 + r)
- return 1.0 / np.log1p(rank)\n
+ return 1.0 / np.log(1.5 + rank)\n
pytest tests/measures/test_discounts.py

measures/measure.py: ideal list: the grades in the wrong order
- prepend=0.0) @ np.asarray(gains, np.float64))
+ prepend=0.0) @ np.asarray(gains, np.float64)[::-1])
check graded(3=linear(0.1, 0.3), 1=constant(0.3)) by nDCG

theory/orders/exponents.py: error exponent: kappa without the lead
- pair.lead / (pair.lead + highest - lowest)
+ pair.lead / (highest - lowest)
pytest tests/theory/orders/test_exponents.py -k turn_over

theory/orders/tilting.py: probability of a wrong order: without the width of the tilted law
- return -cost + std**2 / 2 + float(log_ndtr(-std))
+ return -cost + float(log_ndtr(-std))
pytest tests/theory/orders/test_exponents.py -k is_an_integral

theory/deviation/counts.py: standard deviation: without what the first ranks change
- variance += off / by_ideal
+ variance += 0 * off
pytest tests/theory/deviation/test_counts.py -k first_ranks

theory/deviation/counts.py: standard deviation: the bends of the mean in the counts left out
- linear - of_variance - of_mean + second
+ linear - of_variance + second
pytest tests/theory/deviation/test_counts.py -k second_order

theory/limits/scaled_limits.py: few relevant items: the largest kappa of the grades
- kappa = min(top.exponent for top, _ in weighted)
+ kappa = max(top.exponent for top, _ in weighted)
pytest tests/theory/limits/test_scaled_limits.py -k different_exponents

theory/limits/scaled_limits.py: few relevant items: the discount's constant left out
- value=discount.constant * scaled.value
+ value=scaled.value
check relevant(1, roc_power(0.5)) by nDCG(clipped_log(2))

orders/wrong_order.py: wrong orders: a tie is none
- drawn[measure] = DrawnOrders(lists, (lists - first, lists - second), method)
+ drawn[measure] = DrawnOrders(lists, (second, first), method)
pytest tests/orders/test_wrong_orders.py -k rare_wrong

theory/orders/tilting.py: tilt: the push of the items below left out
- influence = weights.gain + push[:, None]
+ influence = weights.gain
pytest tests/theory/orders/test_rare.py
"""

ENGINES = {
    "tests/engines/test_items_steps.py": r"""
items/kernels.py [every_order]: shuffle: no item stays in its place
- j, next_spare = _below(i + 1, half, spare, next_spare)
+ j, next_spare = _below(i, half, spare, next_spare)

items/kernels.py [every_order]: items between uniform ones one place higher
- while uniform > before[i]:
+ while uniform >= max(before[i], 1):

items/rank_order.py [labels_have]: uniform items before each of several not added up
- before[items] = np.cumsum(rng.multinomial(uniform[piece], gaps)[:, :-1], axis=1)
+ before[items] = rng.multinomial(uniform[piece], gaps)[:, :-1]

items/rank_order.py [labels_have]: rejection from 0 on
- height = low + (high - low) * rng.random(pending.size)
+ height = high * rng.random(pending.size)

items/rank_order.py [labels_have]: rest of a density up to its upper bound
- low * (b - a), (mean - low) * (b - a)\n
+ low * (b - a), (high - low) * (b - a)\n

shared/inverse.py [correlation]: the square of the correlation
- normals *= math.sqrt(rho)\n
+ normals *= rho\n

items/orders.py [correlation]: the square of the correlation, consistently
- depth = coupled_normals(int(ends[-1]), rho, common, individual)
+ depth = coupled_normals(int(ends[-1]), rho**2, common, individual)

shared/inverse.py [correlation]: noise of another variance
- noise *= math.sqrt(1.0 - rho)
+ noise *= 1.0 - rho

items/engine.py [values_are]: ideal list without the cutoff
- ends = np.minimum(np.cumsum(counts, axis=-1), cutoffs[:, None])
+ ends = np.cumsum(counts, axis=-1)

items/engine.py [values_are]: order: the other sign
- np.sign(ndcg[:, a] - ndcg[:, b])
+ np.sign(ndcg[:, b] - ndcg[:, a])

items/lists.py [drawn_together]: lists drawn together: not sorted by depth
- keys.sort(axis=1)
+ keys.sort(axis=0)

items/lists.py [at_the_top]: at the top: labels of one scorer for both
- for gains, chances in (a.label_law(0.0), b.label_law(0.0))
+ for gains, chances in (a.label_law(0.0), a.label_law(0.0))
""",
    "tests/engines/test_every_n_steps.py": r"""
every_n/kernels.py [ndcg_of_its_labels]: ranks on arrival from 0 on
- i, above = position[n], 1\n
+ i, above = position[n], 0\n

every_n/kernels.py [ndcg_of_its_labels]: ideal list without the cutoff
- cumulative[i, min(ends[j], cut[n])]
+ cumulative[i, ends[j]]

every_n/kernels.py [ndcg_of_its_labels]: linear discount: items below do not move down
- ranked += below + gain * arrivals.rank[n]
+ ranked += gain * arrivals.rank[n]

every_n/kernels.py [without_loss]: compensated sums without the compensation
- out[t, 0], out[t, 1] = total + lost, size
+ out[t, 0], out[t, 1] = total, size

every_n/engine.py [summaries]: not less for less
- _last(sign >= 0, first)
+ _last(sign > 0, first)

every_n/pairs.py [ties]: differences below their error believed
- bound = 2.0 * method_of
+ bound = 0.0 * method_of

every_n/arrivals.py [laws_of_the_population]: coupled depths of another variance
- ndtr(coupled_normals(
+ ndtr(0.8 * coupled_normals(

every_n/arrivals.py [laws_of_the_population]: shares of grades not added up
- np.searchsorted(np.cumsum(design.population.masses), u
+ np.searchsorted(np.sort(design.population.masses), u

every_n/paths.py [ndcg_of_its_labels]: ranks left out whose discounts matter
- _NEGLIGIBLE = 1e-17
+ _NEGLIGIBLE = 1e-2

every_n/exponentials.py [ndcg_of_its_labels]: arrivals of a stretch one rank higher
- when - begin, left + 1, its_gain
+ when - begin, max(left, 1), its_gain

every_n/exponentials.py [ndcg_of_its_labels]: an arrival moves nothing down
- new = multiply_add(loss, _first_of(tile, low, i), own_term)
+ new = own_term

shared/grades.py [laws_of_the_population]: the gain 0 more probable by what others have
- np.maximum(0.0, 1.0 - np.sum(parts, axis=0))
+ np.maximum(0.0, 1.0 - np.max(parts, axis=0))
""",
    "tests/engines/test_every_n_studies.py": r"""
shared/inverse.py [distribution_function]: depths not of the cell of their share
- if inverse.ends[middle + 1] <= u[i]:
+ if inverse.ends[middle] <= u[i]:
""",
    "tests/engines/test_cells_steps.py": r"""
cells/ranks.py [few_relevant]: few relevant items: intervals not of what is left
- fraction = np.divide(ends - starts, below, out=np.ones_like(ends), where=below > 0)
+ fraction = ends - starts

cells/ranks.py [few_relevant]: few relevant items: gains in the order of the grades
- gains = np.repeat(model.gains, model.counts)[order]
+ gains = np.repeat(model.gains, model.counts)[np.sort(order)]

cells/ranks.py [few_relevant]: few relevant items: what is above at the last step only
- above[i] += arrivals[k] - left
+ above[i] = arrivals[k] - left

cells/brackets.py [least_greatest]: lower end of the bracket at the estimate
- math.floor(low * scale - slack)
+ math.floor(middle * scale - slack)

shared/tables.py [least_greatest]: greatest DCG of a cell, and the ideal list: every gain the largest
- result += gains[g] * (after - before)
+ result += gains[0] * (after - before)

cells/brackets.py [wide_cells]: narrow cells stay open, wide ones are closed
- if high - low > share * tolerance and
+ if high - low < share * tolerance and

cells/brackets.py [stand_where]: division of cells: p for 1 - p
- upper = whole[j] - whole[x + j] if fraction[i, g] > 0.5 else whole[x + j]
+ upper = whole[x + j]

cells/brackets.py [stand_where]: division of cells: the lower half does not begin below the upper
- above_halves[2 * i + 1, k] = above[i, k] + upper
+ above_halves[2 * i + 1, k] = above[i, k]

cells/streams.py [stand_where]: octaves taken for what is above them
- remaining = counts[slot : slot + 1].copy()
+ remaining = counts[slot + 1 : slot + 2].copy()

cells/streams.py [cells_have_the_masses]: cells not cut in the middle
- (index + 0.5) * step
+ (index + 0.4) * step

cells/philox.py [inversion]: inversion: one item less
- mass *= odds * float(n - x) *
+ mass *= odds * float(n - x - 1) *

cells/philox.py [few_steps]: rejection: probabilities of n - 1
- above *= float(n - i + 1) * odds
+ above *= float(n - i) * odds

cells/engine.py [ideal_dcg]: DCG in units of 1
- for measure in design.measures], 1.0, ideals)
+ for measure in design.measures], 1.0, 1.0)
""",
    "tests/engines/test_cells.py": r"""
cells/engine.py [order_is_that]: order: a lower end above the other one
- order[low_a > high_b] = 1
+ order[low_a > low_b] = 1
""",
    "tests/engines/test_cells_variates.py": r"""
cells/philox.py [binomial_law]: rejection: the hat's height squared
- height = v * alpha / (a / (space * space) + b)
+ height = (v * alpha / (a / (space * space) + b)) ** 2
""",
    "tests/engines/test_rare_steps.py": r"""
rare/leaves.py [one_by_one_have]: items one by one: drawn again and again
- left[y] -= 1\n
+ left[y] -= 0\n

rare/leaves.py [least_greatest]: least DCG of a leaf: relevant items first
- position = above + counts[last]\n
+ position = above\n

rare/leaves.py [masses_of_their]: halves of a leaf equally likely
- share = halves[leaves.cell[i], heap, y] if has_shares else 0.5
+ share = 0.5

rare/leaves.py [masses_of_their]: halves of a leaf taken for each other
- (2 * heap, 2 * heap + 1)
+ (2 * heap + 1, 2 * heap)

rare/leaves.py [masses_of_their]: a lower half with the mass of the upper one
- (1 - share) * leaves.mass[i, y]
+ share * leaves.mass[i, y]

rare/leaves.py [order_of_two]: order of items one by one: the other sign
- gap = one_by_one(table, a, rng) - one_by_one(table, b, rng)
+ gap = one_by_one(table, b, rng) - one_by_one(table, a, rng)

rare/plan.py [masses_of_their]: chances of the lower halves for the upper ones
- upper, lower = mean[:, ::2], mean[:, 1::2]
+ lower, upper = mean[:, ::2], mean[:, 1::2]

rare/draw.py [weighted_draws]: weights without the labels' ratio
- float(labels @ tilt.log_ratio)
+ 0.0 * float(labels @ tilt.log_ratio)

rare/draw.py [weighted_draws]: weights without the cells' ratio
- log_weight += float(np.sum(counts * side.log_ratio.T))
+ log_weight += 0.0 * float(np.sum(counts * side.log_ratio.T))

rare/draw.py [weighted_draws]: weights without the law of the last split
- return float(np.log(tilted[split] / (proposal[split] / proposal.sum())))
+ return 0.0

rare/draw.py [split_is_binomial]: law of the last split: another binomial coefficient
- (items - k) / (k + 1)
+ (items - k) / (k + 2)

rare/draw.py [weighted_draws]: the last split: items that join both sides
- downs[: last - first - split])
+ downs[: last - first])

rare/engine.py [goes_on]: later items with the tilted law of the labels
- multinomial_counts(rng, n - before, plan.tilt.law)
+ multinomial_counts(rng, n - before, plan.tilt.tilted_law)
""",
}
