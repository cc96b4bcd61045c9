"""The glossary: the meanings of terms, which docs/glossary.md, the help of commands and reports show."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A term with its meaning.

    Attributes
    ----------
    meaning : str
        Whole sentences of plain text.
    headings : tuple of str
        Headings of tables and labels of charts for what the term means.
    page : str
        The page of the documentation that says more, with an anchor.
    """

    name: str
    meaning: str
    headings: tuple[str, ...] = ()
    page: str = ""

    @property
    def anchor(self) -> str:
        """The anchor of the term in docs/glossary.md, as GitHub and mkdocs make it of the heading.

        >>> term("Monte Carlo standard error").anchor
        'monte-carlo-standard-error'
        """
        return re.sub(r"[^\w\- ]", "", self.name.lower()).replace(" ", "-")


TERMS = (
    Term(
        "bet",
        "A test by betting multiplies a capital by 1 + λ(x - m) at every replicate x, where m is the exact "
        "mean. If m is right, the capital exceeds 1/α with probability at most α, whatever the law of x in "
        "[0, 1] is.",
    ),
    Term(
        "canonical score",
        "The score of an item after a monotone transformation that makes the scores of all items uniform on "
        "[0, 1]. NDCG depends on the order only, so it stays the same.",
    ),
    Term(
        "combined estimate",
        "The difference of two runs by the labels of humans and of a judge together: that of the judge over "
        "all its queries, corrected by the queries that humans judged. In tables: “both”. Its worth is the "
        "number of queries judged by humans whose mean has the same variance.",
        ("worth",),
        "judges.md",
    ),
    Term(
        "coupling",
        "The dependence, given the label, of the scores that two scorers give to the same item: "
        "independent, comonotone, or a Gaussian copula with a correlation.",
    ),
    Term(
        "critical distance",
        "The smallest Kolmogorov-Smirnov distance that the test of a law rejects.",
        ("critical distance",),
    ),
    Term(
        "cutoff",
        "The number of ranks k that a measure looks at. It may depend on the list length n: 10, 0.2n, n^0.5.",
    ),
    Term(
        "DCG",
        "Discounted cumulative gain: the sum of the gains of the items in a list, each times the discount "
        "of its rank, down to the cutoff.",
        page="dcg.md",
    ),
    Term(
        "detectable error",
        "The smallest relative error of a theoretical value that the comparison would have reported with "
        "99% power (for a limit: with certainty). A verdict “agrees” does not exclude smaller errors.",
        ("detectable error",),
        "check.md",
    ),
    Term(
        "discount",
        "The weight D(r) of rank r, which does not increase with r: 1/log2(1 + r) in the usual NDCG.",
    ),
    Term(
        "effective sample size",
        "How many equally weighted draws would estimate a probability as precisely as the draws at hand, "
        "whose importance weights w differ: (Σw)²/Σw². An estimate with less than 20 is called not "
        "reliable.",
        ("effective sample size",),
        "rare-orders.md",
    ),
    Term(
        "error exponent",
        "The number e in P(wrong order at n) = exp(-n^(e + o(1))).",
        ("error exponent",),
        "rates.md",
    ),
    Term(
        "exact mean",
        "The expectation of NDCG in a list of n items, which theory computes without simulation and without "
        "passing to a limit.",
        ("exact mean", "expectation"),
        "theory.md",
    ),
    Term(
        "excess risk",
        "The expected surrogate loss of scores minus the least one that any scores have.",
        ("excess risk",),
        "learning/index.md",
    ),
    Term(
        "extrapolated limit",
        "The limit to which exact means up to n = 1e18 tend. It uses no formula of the theorem that it is "
        "compared with.",
        ("extrapolated limit",),
        "check.md",
    ),
    Term(
        "false positive rate",
        "The share of the irrelevant items that labels with errors call relevant. The false negative rate is "
        "the share of the relevant items that they call irrelevant.",
        page="judges.md",
    ),
    Term(
        "family-wise error rate",
        "The probability that any of all tests together raises a false alarm. Bonferroni’s correction gives "
        "each test an equal share of it.",
    ),
    Term(
        "gain",
        "What an item with a label adds to DCG before discounting: the label itself (linear), or 2^label - "
        "1 (exp2).",
    ),
    Term(
        "gap",
        "The exact mean at n minus the limit. The leading gap is its leading term as n grows.",
        ("gap at 1e6", "gap at 1e18", "leading gap"),
        "theory.md",
    ),
    Term(
        "ideal list",
        "The items in the order of their labels, best first, whose DCG divides that of a ranked list.",
    ),
    Term(
        "judge",
        "Somebody, or a program such as a language model, who labels items and may err: at random, or in "
        "favour of a ranker.",
        page="judges.md",
    ),
    Term(
        "law",
        "The whole distribution of NDCG at n, which the Kolmogorov-Smirnov test compares with the one on "
        "long lists.",
        ("law",),
        "fluctuations.md",
    ),
    Term(
        "limit",
        "The number to which NDCG tends as the list grows, by the theorem that the report names.",
        ("limit",),
        "theory.md",
    ),
    Term(
        "Monte Carlo standard error",
        "The standard deviation of a simulated mean: that of the replicates, divided by the square root of "
        "their number (MCSE). A mean is usually within two of them of its expectation.",
        ("MCSE", "std. error", "standard error"),
    ),
    Term(
        "NDCG",
        "DCG divided by that of the ideal list, so that the best order has 1. A list without relevant items "
        "has 0.",
    ),
    Term(
        "pseudo-expectation",
        "The approximation of Wang et al. (2013, Definition 5) to the mean of NDCG at n: sums over ranks "
        "become integrals, and the random ideal list becomes a typical one. The exact mean has no such "
        "error.",
        ("pseudo-expectation",),
        "theory.md",
    ),
    Term(
        "regret",
        "The expected value of the best order of some items under a measure, minus that of a given order.",
        ("regret",),
        "learning/index.md",
    ),
    Term(
        "relevance curve",
        "The probability that an item is relevant (or its expected gain), as a function of its canonical "
        "score.",
        ("relevance curve",),
    ),
    Term(
        "replicate",
        "One simulated stream of items, along which NDCG is computed at every list length. All measures of "
        "a replicate see the same items.",
    ),
    Term(
        "right order",
        "The scorer with the larger exact mean at the longest list has the larger value. A tie is not a "
        "right order.",
        ("right",),
    ),
    Term(
        "ROC curve",
        "For lists with a fixed number of relevant items: the share of relevant items among the ranks above "
        "a depth, against that of the irrelevant ones.",
        page="few.md",
    ),
    Term("scorer", "A way of ranking items; theory needs to know its relevance curve only.", ("scorer",)),
    Term(
        "settled",
        "The order of two scorers is settled from n on if the right one stays ahead, at every list length "
        "of the study from n to the longest one, in 99% of the replicates by the lower end of the 95% "
        "interval, and if the longest list has at least 10 n items.",
        ("settled from n",),
    ),
    Term(
        "study",
        "A file that names scorers, measures, list lengths, a number of replicates and a seed, which "
        "together decide every simulated number.",
        page="howto/study-file.md",
    ),
    Term(
        "unexplained distance",
        "The part of a Kolmogorov-Smirnov distance that the known error of the law of long lists cannot "
        "explain. It is 0 if the error explains all of it.",
        ("unexplained distance",),
        "check.md",
    ),
    Term(
        "z",
        "The simulated mean minus the exact one, in Monte Carlo standard errors.",
        ("z", "largest |z|"),
    ),
)
"""All terms, in alphabetical order."""

_BY_NAME = {known.name: known for known in TERMS}
_BY_HEADING = {heading: known for known in TERMS for heading in known.headings}


def term(name: str) -> Term:
    """Return the term of this name.

    >>> term("cutoff").meaning[:36]
    'The number of ranks k that a measure'
    """
    return _BY_NAME[name]


def behind(heading: str) -> Term | None:
    """Return the term that a heading of a table stands for, if the glossary has it.

    >>> behind("MCSE").name, behind("wins")
    ('Monte Carlo standard error', None)
    """
    return _BY_HEADING.get(heading)


def page() -> str:
    """Return docs/glossary.md; `python -m ndcg_asymptotics.reports.glossary` prints it."""
    parts = [
        "# Glossary\n\nThe words that tables, reports and the help of commands use. This page is made from "
        "`ndcg_asymptotics/reports/glossary.py`, as they are.\n"
    ]
    for known in TERMS:
        name = known.page.removesuffix(".md").removesuffix("/index")
        more = f" More: [{name}]({known.page})." if known.page else ""
        shown = [f"“{heading}”" for heading in known.headings if heading != known.name]
        heading = f" In tables: {', '.join(shown)}." if shown else ""
        text = known.meaning + heading + more
        folded = textwrap.fill(text, 150, break_long_words=False, break_on_hyphens=False)
        parts.append(f"## {known.name}\n\n{folded}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
