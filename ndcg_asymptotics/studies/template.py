"""A study file to begin with: every field, what it means and what it may be."""

from __future__ import annotations

from pathlib import Path

from ndcg_asymptotics.core.errors import require

TEMPLATE = """\
# A study for ndcg-asymptotics. Run it with
#     ndcg-asymptotics run study.toml --out results/study
# A spec is a text in quotes; `ndcg-asymptotics list` shows all of them.

title = "Two rankers"

# What NDCG is computed with: a discount in parentheses (log if there is none) and a cutoff after @
# (k, a share 0.2n, a power n^0.5, or 5log(n); the whole list if there is none).
measures = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG@10"]

# List lengths: a list such as [10, 100, 1000], or so many per decade.
n = { start = 10, stop = 1e4, per_decade = 5 }

# How many streams are drawn, and from which seed. More replicates may be added later.
replicates = 200
seed = 1

# Pairs of scorers whose order is counted, for `distinguish`.
pairs = [["good", "random"]]

# The engine: "items" draws every item (n to about 1e7), "every-n" knows NDCG at every n up to the largest,
# "cells" goes to n = 1e18 within a bracket. "auto" is items up to n = 1e7, then cells.
engine = "auto"

# The width of the bracket that the cells engine aims for.
# bracket = 1e-4

# End when every mean has this standard error; replicates is then the most there may be.
# precision = 1e-3

# How the scores of two scorers depend on each other given the label: "independent" or "gaussian(0.5)".
# coupling = "independent"

# Scorers by name, each a relevance curve: the probability of relevance at canonical score s in [0, 1].
# All need the same share of relevant items: prevalence= stands in for one of a curve's parameters.
[scorers]
good = "power(prevalence=0.3, top=0.8, exponent=2)"
random = "random"      # uninformative, with the labels of the others
# mine = 'custom("module:function")'         a function of the score in module.py beside this file
# fitted = 'empirical("curves/a.json")'      as `ndcg-asymptotics fit` writes it
"""


def write_template(file: Path | str) -> None:
    """Write a commented study file.

    Raises
    ------
    InputError
        If there is a file already.
    OSError
        If it cannot be written.
    """
    file = Path(file)
    require(not file.exists(), f"{file}: there is a file already")
    file.write_text(TEMPLATE, encoding="utf-8")
