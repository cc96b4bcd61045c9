"""What earlier versions had and this one has not, by kind, and what to use instead."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "larger-corpus": "use `predict` of a ROC curve with --relevant, as irrelevant documents arrive",
    "order": "use `predict` for the means, or na.theory.order_in_expectation",
    "verify": "`info` compares every file with its digest",
}
"""The commands, by name."""

OPTIONS: Mapping[str, str] = {
    "check --full": "use --verbose",
    "compare --full": "`--format csv` has every pair",
    "compare --margin": "write --fail-unless-noninferior D",
    "compare --no-theory": "leave it out, longer lists are not predicted",
    "compare --theory": "use `fit` and `predict`",
    "distinguish --full": "use --verbose",
    "figures --dark": "draw into axes of your own: na.plot(results, measure, ax)",
    "figures --spec": "leave it out, titles are formulas",
    "figures --style": "draw into axes of your own: na.plot(results, measure, ax)",
    "fit --by": "`grow --groups` groups queries by their share of relevant documents",
    "fit --method": "leave it out, curves are fitted by monotone regression",
    "fit --prevalence": "leave it out, runs of the same items have the same prevalence",
    "fit --resamples": "leave it out, curves have no bands",
    "fit --seed": "leave it out, curves have no bands",
    "grow --by": "use --groups, the number of groups of queries",
    "plan --coupling": "scorers of a study have a coupling, and `distinguish` says how often each is ahead",
    "plan --interval-width": "use --difference, the difference that a paired t test is to detect",
    "plan --judge": "`compare --judge` compares runs with labels of a judge",
    "plan --systems": "leave it out, a plan is for two rankers",
    "run --only": "use --first INDEX --replicates 1 --out OTHER, which simulates one replicate",
    "sampled --figures": "leave it out, `--format csv` has the values of a figure",
    "sampled --gain": "leave it out, one relevant item has the gain 1",
}
"""The options, after their command."""

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
