"""Labels of judgements as gains, and whether judgements are of the collection of a run."""

from __future__ import annotations

import warnings

import numpy as np

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.lists.names import Names, look_alikes, text_column
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures.gains import Gain, label_gains, negative_labels_in

_FIRST = 1000  # documents of a run, one of which is judged in most


def without_negatives(labels: Records, gain: Gain = "linear", *, refuse: str = "") -> Records:
    """Return labels with 0 in place of negative ones; a warning says how many the gain does not name.

    Parameters
    ----------
    labels : Records
    gain : Gain
    refuse : str
        The argument that does not allow negative labels without a gain, if there is one.

    Raises
    ------
    InputError
        In place of a warning, about that argument.
    """
    if not (labels.values < 0).any():
        return labels
    source = f"{labels.source}: " if labels.source else ""
    if ((labels.values < 0) & (labels.values != np.rint(labels.values))).any():
        raise InputError(f"{source}{labels.values.min():g} is no label; are the run and the qrels swapped?")
    if negative := unnamed_negatives(labels, gain):
        if refuse:
            table = f"a table such as --gain '{labels.values.min():g}=0, 0=0, 1=1' says that they count as 0"
            number = "1 negative label has" if negative == 1 else f"{negative:,} negative labels have"
            raise InputError(f"{source}{number} no gain; {table}", refuse)
        count_text = "1 negative label counts" if negative == 1 else f"{negative:,} negative labels count"
        warnings.warn(f"{source}{count_text} as 0", InputWarning, stacklevel=3)
    return labels.with_values(np.maximum(labels.values, 0.0))


def unnamed_negatives(labels: Records, gain: Gain) -> int:
    """Return the number of negative labels that a table of gains does not name."""
    negative = labels.values[labels.values < 0]
    return int(np.count_nonzero(~np.isin(negative, negative_labels_in(gain))))


def gains_of(labels: Records, gain: Gain) -> Records:
    """Return the gains of labels as records."""
    return labels.with_values(label_gains(labels.values, gain))


def require_judged(scores: Records, labels: Records) -> None:
    """Refuse a run none of whose documents has a judgement: its names are of another collection.

    Raises
    ------
    InputError
        That shows a document of each.
    """
    # most runs have a judged document among the first
    for part in (np.arange(min(len(scores), _FIRST)), np.arange(len(scores))):
        if (labels.find(scores.only(part)) >= 0).any():
            return
    (query, *_) = sorted({*scores.queries} & {*labels.queries})
    examples = [
        records.names[records.document[records.row == records.queries.index(query)][0]]
        for records in (scores, labels)
    ]
    twins = twins_text(scores.names, labels.names)
    raise InputError(
        f"no document of the run is judged: for query {query} the run has {brief(examples[0])}, the "
        f"judgements have {brief(examples[1])}{twins or '; are they of the same collection?'}"
    )


def warn_of_twins(scores: Records, labels: Records) -> None:
    """Warn of judged documents and queries that a run has in another Unicode form (`names.look_alikes`)."""
    names = {"document": (scores.names, labels.names)}
    names["query"] = text_column(scores.queries).names, text_column(labels.queries).names
    for kind, (mine, theirs) in names.items():
        if pairs := look_alikes(mine, theirs):
            plural = {"query": "queries"}.get(kind, f"{kind}s")
            number = f"1 judged {kind} is" if len(pairs) == 1 else f"{len(pairs):,} judged {plural} are"
            source = f"{scores.source}: " if scores.source else ""
            message = f"{source}{number} not found in the run{twins_text(mine, theirs)}"
            warnings.warn(message, InputWarning, stacklevel=3)


def twins_text(names: Names, their_names: Names) -> str:
    """Return that some names differ although they look equal, with an example; the empty text if none do."""
    return "".join(
        f"; {name!a} and {their_name!a} look equal and differ in Unicode characters: normalise both"
        for name, their_name in look_alikes(names, their_names)[:1]
    )
