"""The field ``relevant`` of a study: a fixed number of relevant items, or a law of that number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ndcg_asymptotics.core.arrays import brief, is_number, list_lengths, whole_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import RocModel, Scorer, with_relevant
from ndcg_asymptotics.populations.fixed_counts import MOST_RELEVANT, AtLeastOne
from ndcg_asymptotics.studies.gains import with_gain

Relevant = int | str | Mapping[float, float] | AtLeastOne
"""A number of relevant items, the probability of each number, or the number of items of each gain.

The text "at least 1 of 1000" is the law of the number in an i.i.d. list of 1000 items that has at least one.
"""

_AT_LEAST_ONE = re.compile(r"at least (?:1|one) of (\S+)")


def scorer_of(
    given: Scorer | RocModel | str, relevant: Relevant | None = None, gain: Gain = "linear"
) -> Scorer:
    """Return a scorer whose lists have a number of relevant items, and whose labels are replaced by gains.

    Parameters
    ----------
    given : Scorer, RocModel or text
        With ``relevant`` a relevance curve, a ROC curve or graded ones.
    relevant : int, text or mapping, optional
        As of a study.
    gain : {"linear", "binary", "exp2"}, text or mapping

    >>> str(scorer_of("roc_power(0.4)", relevant=2)), str(scorer_of("constant(0.2)"))
    ('relevant(2, roc_power(0.4))', 'constant(0.2)')
    """
    if relevant is not None:
        return with_gain(with_relevant(given, read_relevant(relevant)), gain)
    return with_gain(Scorer.of(given), gain)  # type: ignore[arg-type]


def read_relevant(given: object) -> int | Mapping[float, float] | AtLeastOne:
    """Return a study's field ``relevant``, in which numbers may be texts, as the keys of a TOML table are.

    Raises
    ------
    InputError
        Beginning with the name of the field.

    >>> read_relevant("2"), read_relevant({"1": 0.7, "2": 0.3})
    (2, {1: 0.7, 2: 0.3})
    >>> read_relevant("at least 1 of 1e3")
    AtLeastOne(n=1000)
    """
    if isinstance(given, AtLeastOne):
        return given
    if isinstance(given, str) and (least := _AT_LEAST_ONE.fullmatch(given.strip())):
        (n,) = list_lengths(_number(least[1]), "relevant")
        return AtLeastOne(n)
    if not isinstance(given, Mapping):
        return whole_number(_number(given), "relevant", 1, MOST_RELEVANT)
    require(len(given) > 0, "has no number of relevant items", "relevant")
    found = {_number(key): _number(value) for key, value in given.items()}
    for value in (x for pair in found.items() for x in pair):
        require(
            is_number(value) and value > 0,
            f"must be a table of positive numbers, got {brief(value)}",
            "relevant",
        )
    require(len(found) == len(given), "has a number twice", "relevant")
    return found


def _number(given: object) -> Any:
    """Return the number that a text stands for, or what was given."""
    try:
        return (int(given) if given.isdigit() else float(given)) if isinstance(given, str) else given
    except ValueError:
        return given
