"""A hook of mkdocs that writes the tables of docs/json.md: the fields of what commands print as JSON.

The classes of rows declare their fields (`ndcg_asymptotics.core.rows`). Types are read off their annotations,
meanings off their docstrings. `MEANINGS` has those of fields whose name says all to a reader of the code, and
`MADE` the objects that commands put together without a class.
"""

from __future__ import annotations

import inspect
import itertools
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from ndcg_asymptotics.checks.convergence import Convergence
from ndcg_asymptotics.checks.limit_tests import LimitTest
from ndcg_asymptotics.checks.mean_tests import MeanTest
from ndcg_asymptotics.checks.outcome import Check
from ndcg_asymptotics.checks.std_tests import StdTest
from ndcg_asymptotics.comparisons.agreement import JudgeAgreement, ShareOfDocuments
from ndcg_asymptotics.comparisons.collections_outcome import (
    CollectionsComparison,
    CollectionsRow,
    MeasureOverCollections,
    PairOverCollections,
)
from ndcg_asymptotics.comparisons.compared import DiscriminativePower, MeasureComparison, PairComparison
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.comparisons.gates import Gate, GateRow
from ndcg_asymptotics.comparisons.judged import (
    JudgedComparison,
    JudgedMeasure,
    JudgedPair,
    Labelled,
    OfBoth,
    Quality,
)
from ndcg_asymptotics.comparisons.pairs import Ranking
from ndcg_asymptotics.comparisons.ranks import RankedRun
from ndcg_asymptotics.core.rows import Computed, Declared, declared
from ndcg_asymptotics.learning.decide import LossDecision
from ndcg_asymptotics.learning.excess import ExcessRisk, LossExcess
from ndcg_asymptotics.learning.ranker import Tried
from ndcg_asymptotics.orders.distinguishing import Distinction
from ndcg_asymptotics.orders.pair import Pair
from ndcg_asymptotics.orders.weighted import FittedExponent
from ndcg_asymptotics.plans.rows import PlanRow
from ndcg_asymptotics.results.record import SimulatedMean
from ndcg_asymptotics.samples.outcome import (
    CandidateRow,
    Candidates,
    PairRow,
    Sampled,
    SampledRow,
)
from ndcg_asymptotics.stats.rates import Decay, Rate
from ndcg_asymptotics.theory.prediction import Prediction

# what is printed, and by what
DOCUMENTS = {
    "info": "`info` of a study",
    "grid info": "`info` of a grid",
    "list": "`list`",
    "check": "`check` of a study",
    "grid check": "`check` of a grid",
    "distinguish": "`distinguish` of a study",
    "grid distinguish": "`distinguish` of a grid",
    "predict": "`predict`",
    "plan": "`plan`",
    "evaluate": "`evaluate`",
    "grow": "`grow`",
    "compare": "`compare` of runs or values",
    "compare collections": "`compare --collections`",
    "compare with a judge": "`compare --judge`",
    "sampled": "`sampled` of ranks among all items",
    "sampled candidates": "`sampled` of runs, which hold sampled candidates",
    "losses decide": "`losses decide`",
    "losses risk": "`losses risk`",
    "losses search": "`losses search`",
    "losses train": "`losses train`",
}
CLASSES: dict[str, type] = {
    "agreement": JudgeAgreement,
    "candidates mean": CandidateRow,
    "check": Check,
    "combined difference": OfBoth,
    "compare": Comparison,
    "compare collections": CollectionsComparison,
    "compare with a judge": JudgedComparison,
    "compared measure": MeasureComparison,
    "compared pair": PairComparison,
    "convergence": Convergence,
    "decay": Decay,
    "decided loss": LossDecision,
    "difference over collections": CollectionsRow,
    "distinguish": Distinction,
    "excess of a loss": LossExcess,
    "exponent": FittedExponent,
    "gate": Gate,
    "gate row": GateRow,
    "judge": Quality,
    "judged measure": JudgedMeasure,
    "judged pair": JudgedPair,
    "label rate": ShareOfDocuments,
    "labelled difference": Labelled,
    "limit test": LimitTest,
    "losses risk": ExcessRisk,
    "mean test": MeanTest,
    "measure over collections": MeasureOverCollections,
    "pair": Pair,
    "pair over collections": PairOverCollections,
    "planned measure": PlanRow,
    "power": DiscriminativePower,
    "prediction": Prediction,
    "ranked run": RankedRun,
    "ranking": Ranking,
    "sampled": Sampled,
    "sampled candidates": Candidates,
    "sampled mean": SampledRow,
    "sampled pair": PairRow,
    "simulated mean": SimulatedMean,
    "standard deviation test": StdTest,
    "tried penalty": Tried,
}
# numbers that may be infinite or missing, though they are floats
MAY_BE_NULL = {
    ("compared measure", "effect"),
    ("compared measure", "sd"),
    ("decided loss", "margin"),
    ("decided loss", "residual"),
    ("pair", "last_wrong"),
    ("prediction", "unit"),
}
MADE = """
compare
    gate | optional <gate> | with `--fail-if-worse` or `--fail-unless-noninferior`
compare with a judge
    gate | optional <gate> | as of `compare`
grid info
    complete | true or false | whether every point is complete
    points | list of <info of a point>
grid check
    alpha | number | family-wise error rate of all points
    agrees | true or false | whether nothing disagrees
    complete | true or false | whether every point is complete
    points | list of <check of a point>
grid distinguish
    complete | true or false | whether every point is complete
    points | list of <distinguish of a point>
rate
    n | whole number | list length
    rate, low, high | number or null | rate of the right order, with an interval for this n alone
    log10_wrong, relative_se | number or null | logarithm of 1 minus the rate, and its relative standard error
    reliable | true or false | whether there are enough wrong orders for these two
    effective_sample_size, largest_share, undecided | optional number | of weighted draws
evaluate
    runs | map of <evaluated run>
evaluated run
    run | text | name
    queries, judged | whole number | number of queries in the mean, and of judged queries
    mean | map of number or null | by measure
    by_query | map of map of number or null | by query and measure
    missing, unjudged, empty | list of text | queries without a list, judgements, relevant documents
    judged_share | optional map of number or null | share of the first k documents that are judged, by k
    chance | optional map of map of number or null | of a random order, and NDCG adjusted for it
    conventions | <conventions>
conventions
    gain, ties, ideal, empty, missing | text | values of these options
    discount | text or null | discount that a program uses in place of that of the measure
    short_lists_are_zero | true or false | whether a list with fewer than k documents has NDCG@k = 0
    ignore_identical_ids | true or false | whether documents with the name of their query are removed
grow
    settings | map of anything | options
    queries | whole number | number of queries
    left_out | list of text | queries with too few documents
    rows | list of <grown mean>
grown mean
    run, measure | text
    n | whole number | number of documents that have arrived
    mean, error | number or null | mean over the queries, and its standard error
    pooled, grouped | number or null | i.i.d. mean for one curve of all queries, and for one of each group
losses decide
    optimal_order | list of whole number | items, from 0, best first
    losses | list of <decided loss>
    left_out | optional list of list of text | losses that cannot be used, with the reason
losses search
    measure, gain | text
    n, grades, vectors, draws, seed | whole number | values of these options
    losses | list of <searched loss>
searched loss
    loss, claim | text | loss, and what is proved of it
    inconsistent, low, high | number | share of the distributions where it is inconsistent, with an interval
    ties, undecided | number | share that is inconsistent through ties, and that is undecided
    typical_regret, worst_regret | number | mean and highest regret
    worst_possible | number or null | supremum of the regret
    example | <example> or null | distribution with the highest regret, with the fields of a problem file
example
    measure, gain | text
    labels | list of list of number
    probabilities | list of number
losses train
    loss, measure, gain | text
    penalty | number | strength that was chosen
    tried | list of <tried penalty> | from the largest to the smallest
    folds | whole number | of the cross-validation; 0 with validation queries or a single penalty
    iterations | whole number
    converged | true or false
    intercept | number
    weights | list of number | of the features
    training, test | number or null | measure on the training and the test queries
    test_error | number or null | standard error of `test` over queries
    training_queries, test_queries | whole number
plan
    a, b | text | the two rankers
    source | text | what is known of them
    rate | number | probability with which a single list must show the right order
    power, level | number | target power of the paired t test, and confidence level of the intervals
    queries | whole number or null | how many queries there are
    answers | list of text | in words
    rows | list of <planned measure>
    remarks | list of text
    pilot | whole number or null | number of queries of the runs
predict
    rows | list of <prediction> | one for each scorer, measure and n
info
    title | text | title of the study
    folder | text or null | folder of the results
    replicates_wanted, replicates_complete | whole number | number of replicates
    complete | true or false | whether all of them are complete
    seed | whole number
    engine | text
    coupling | text | dependence of the scores of two scorers
    scorers | map of text | relevance curve of each scorer
    measures | list of text
    n | list of whole number | list lengths
    pairs | list of list of text | pairs of scorers whose order is counted
    versions | list of map of text | versions of the libraries that made the results
    means | list of <simulated mean> | at the largest n; none of the rare engine
list
    rows | list of <spec>
spec
    kind | text | "measure", "discount", "cutoff", "relevance", "ROC", "coupling" or "loss"
    spec, formula | text
"""
MEANINGS = """
study | title of the study
replicates | number of complete replicates
wanted | number of replicates that were requested
complete | whether all replicates are complete
alpha | family-wise error rate
detectable | smallest relative error that is detected with 99% power
detectable_std | the same of standard deviations
false_alarm | level of this test
n | list length
mcse | Monte Carlo standard error
z | simulated minus exact mean, in standard errors
expectation | exact mean
expectation_error | bound of its error
sd | standard deviation
sd_error | bound of its error
assumptions | assumptions of the theorem that are not met
explanation | of the verdict
reason | why a value is missing
interval | null where there is no variation
p | p-value
p_corrected | p-value, corrected for all pairs and measures
queries | number of queries
level | level of the intervals
power | target power
lower_is_better | whether lower values of the measure are better
text | in words
wins | queries for which the first run is better
losses | queries for which the first run is worse
ties | the rest
fpr | false positive rate
fnr | false negative rate
bias | difference by the judge minus that by humans, in the queries of humans
human | by labels of humans alone
machine | by labels of the judge alone
combined | by both
design | "nested" where the judge has judged more queries than humans
replacement | whether negatives are sampled with replacement
penalty | strength
q05 | quantile over the replicates
q95 | quantile over the replicates
distinguish.pairs | one for each pair and measure
simulated mean.mean | over the replicates
mean test.simulated | mean over the replicates
standard deviation test.simulated | over the replicates
mean test.limit_verdict | of the limit test
pair.pair | two scorers
pair.right_from | how that is known
pair.decay | how fast the rate of the wrong order falls
decay.first | exponent of n over the first half of the range
decay.second | exponent of n over the second half
decay.interval | 95% interval of second minus first
exponent.reason | what decides the exponent
power.significant | pairs told apart
power.corrected | pairs told apart after correction
power.queries | `queries` of the median pair
compare.baseline | the run that each other one is compared with, if not every pair
compare collections.over | about these collections, others like them, or both
measure over collections.overall | mean over the collections, one for each of `over`
difference over collections.mean_a | each collection counts the same
gate.new | the first run
prediction.rate | rate of the mean, with few relevant items
prediction.sd_method | how the standard deviation is computed, and its error
prediction.unit | F(k(n)) of DCG, in whose units the limit is
losses risk.scores | of the items
losses risk.left_out | losses whose least risk is not known or not attained, with the reason
losses risk.losses | excess of each loss
"""


class Field(NamedTuple):
    """A field of an object: its type as text, in which ``<name>`` is another object, and its meaning."""

    kind: str
    meaning: str


def objects() -> dict[str, dict[str, Field]]:
    """Return the fields of every object, by its name."""
    meanings = dict(line.split(" | ", 1) for line in MEANINGS.strip().splitlines())
    found: dict[str, dict[str, Field]] = {}
    for name, row in CLASSES.items():
        fields = {}
        for one in (one for one in declared(row) if one.data.json):
            kind = _kind(name, row, one)
            stated = _stated(row, one) or meanings.get(one.name) or _values(row, one)
            fields[one.name] = Field(kind, meanings.get(f"{name}.{one.name}", stated))
        found[name] = fields
    name = ""
    for line in MADE.strip().splitlines():
        if not line.startswith(" "):
            name = line
            found.setdefault(name, {})
            continue
        names, kind, *meaning = line.strip().split(" | ", 2)
        for field in names.split(", "):
            found[name][field] = Field(kind, "".join(meaning))
    for name in ("info", "check", "distinguish"):
        parameters = Field("map of number", "values of the parameters")
        found[f"{name} of a point"] = {"parameters": parameters, **found[name]}
    for name in DOCUMENTS:
        head = {"kind": Field("text", f'"{name}"'), "version": Field("whole number", "version of the fields")}
        found[name] = {**head, **found[name]}
    return found


def tables() -> str:
    """Return what stands in docs/json.md: a section for each document and for each of its objects."""
    known, shown, parts = objects(), set(), []

    def add(name: str, level: str, about: str) -> None:
        shown.add(name)
        rows = []
        for field, group in itertools.groupby(known[name].items(), lambda item: item[1]):
            names = ", ".join(f"`{key}`" for key, _ in group)
            rows.append(f"| {names} | {_linked(field.kind)} | {field.meaning} |")
        table = "\n".join(["| field | type | meaning |", "|---|---|---|", *rows])
        parts.append(f"{level} {name}\n\n{about}{table}\n")
        for field in known[name].values():
            for other in re.findall(r"<(.+?)>", field.kind):
                if other not in shown:
                    add(other, "###", "")

    for name, about in DOCUMENTS.items():
        add(name, "##", f"Printed by {about}.\n\n")
    return "\n".join(parts)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Insert the tables."""
    return markdown.replace("<!-- the fields -->", tables()) if page.file.src_uri == "json.md" else markdown


def _linked(kind: str) -> str:
    return re.sub(r"<(.+?)>", lambda found: f"[{found[1]}](#{found[1].replace(' ', '-')})", kind)


def _kind(name: str, row: type, one: Declared) -> str:
    """Return the type of a declared field as text."""
    null = _owner(row, one.path)[2] or (name, one.name) in MAY_BE_NULL
    kind = "text" if one.data.text else _words(_annotation(row, one), row)
    return kind if kind.endswith("null") or not null else f"{kind} or null"


def _values(row: type, one: Declared) -> str:
    """Return the values that a field may have, if they are stated."""
    values = get_args(annotation) if get_origin(annotation := _annotation(row, one)) is Literal else ()
    return ", ".join(f'"{value}"' for value in values)


def _annotation(row: type, one: Declared) -> Any:
    owner, last, _ = _owner(row, one.path)
    member = inspect.getattr_static(owner, last, None)
    if isinstance(member, Computed):
        return get_type_hints(member.func)["return"]
    if isinstance(member, property):
        return get_type_hints(member.fget)["return"]
    return get_type_hints(owner)[last]


def _owner(row: type, path: str) -> tuple[type, str, bool]:
    """Return the class that has the last part of a path, that part, and whether a part before may be None."""
    *before, last = path.split(".")
    null = False
    for name in before:
        kinds = get_args(get_type_hints(row)[name]) or (get_type_hints(row)[name],)
        null |= types.NoneType in kinds
        row = kinds[0]
    return row, last, null


def _words(annotation: Any, row: type) -> str:
    """Return an annotation in words."""
    names = {kind: name for name, kind in CLASSES.items()}
    origin, inner = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, TypeVar):  # of a generic base such as `PairOf[MeasureComparison]`
        bases = [base for kind in row.__mro__ for base in getattr(kind, "__orig_bases__", ())]
        return _words(
            next(arg for base in bases for arg in get_args(base) if not isinstance(arg, TypeVar)), row
        )
    if origin in (types.UnionType, Union):
        (first, *_) = (kind for kind in inner if kind is not types.NoneType)
        return _words(first, row) + (" or null" if types.NoneType in inner else "")
    if origin is Literal:
        return "text"
    if origin in (dict, Mapping):
        return f"map of {_words(inner[1], row)}"
    if origin in (tuple, list, Sequence):
        kinds = {_words(kind, row) for kind in inner if kind is not Ellipsis}
        return f"list of {kinds.pop() if len(kinds) == 1 else 'number'}"
    if annotation in names:
        return f"<{names[annotation]}>"
    if annotation is Rate:
        return "<rate>"
    plain = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    for kind, words in plain.items():
        if inspect.isclass(annotation) and issubclass(annotation, kind):
            return words
    if origin is np.ndarray or issubclass(annotation, tuple):  # a named tuple such as `Interval`
        return "list of number"
    raise TypeError(f"no words for {annotation} of {row.__name__}")


def _stated(row: type, one: Declared) -> str:
    """Return what the docstring of a class, or of a computed value, says of a field, or else nothing."""
    owner, last, _ = _owner(row, one.path)
    member = inspect.getattr_static(owner, last, None)
    found = {name: text for base in reversed(owner.__mro__) for name, text in _attributes(base)}
    text = found.get(last) or (member.__doc__ if isinstance(member, Computed) else "") or ""
    return re.sub(r"\bNone\b", "null", text).replace("``", "`").replace("|", r"\|")


def _attributes(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the section on attributes, or parameters, of a docstring."""
    section = r"^(?:Attributes|Parameters)\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}\n|\Z)"
    found = re.search(section, inspect.cleandoc(kind.__doc__ or ""), re.DOTALL | re.MULTILINE)
    for part in re.finditer(
        r"^(\S[^\n:]*?)(?: : [^\n]*)?\n((?:(?:    [^\n]*)?\n?)*)", found[1] if found else "", re.MULTILINE
    ):
        for name in part[1].split(", "):
            yield name, " ".join(part[2].split())


if __name__ == "__main__":
    print(tables())
