"""What earlier versions had and this one has not, by kind, and what to use instead."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "larger-corpus": "use `predict` of a ROC curve with --relevant, as irrelevant documents arrive",
    "order": "use `predict` for the means, or na.theory.order_in_expectation",
    "verify": "`info` compares every file with its digest",
}
"""The commands, by name."""

SPECS: Mapping[str, str] = {
    "confusion": "binary labels with errors are noisy(CURVE, fpr=…, fnr=…)",
    "favoured": "binary labels with errors are noisy(CURVE, fpr=…, fnr=…)",
    "mixture": "run a study for each relevance curve and average the means",
    "roc_custom": "ROC curves are roc_power, roc_binormal and roc_beta",
    "roc_empirical": "ROC curves are roc_power, roc_binormal and roc_beta",
}
"""The keywords of curves and of other specs."""

FIELDS: Mapping[str, str] = {
    "judge": "labels with errors are those of scorers noisy(CURVE, fpr=…, fnr=…), and `compare --judge` "
    "compares runs with labels of a judge",
}
"""The fields of a study file."""

FILES: Mapping[str, str] = {
    "curve as JSON": "`fit --out NAME.csv` writes curves as CSV, with the columns depth and y=GAIN",
}
"""The formats of files."""


def removed(name: str, replacements: Mapping[str, str]) -> str:
    """Return a sentence about a name of an earlier version; "" for any other name.

    >>> removed("verify", COMMANDS)
    "'verify' was removed in version 0.4: `info` compares every file with its digest"
    >>> removed("verfy", COMMANDS)
    ''
    """
    return f"{name!r} was removed in version 0.4: {replacements[name]}" if name in replacements else ""
