"""The notation of papers for discounts and cutoffs, such as 1/r, 2^-r, @n/5 and @sqrt(n)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ndcg_asymptotics.specs.scanner import number_text

# 2, 0.5, .5, 2. or 1/2, but not 1/0
_NUMBER = r"(\d+(?:\.\d*)?(?:/0*[1-9]\d*)?|\.\d+)"


def _minus(power: str) -> str:
    return rf"(?:\(-{power}\)|-{power})"


_DISCOUNTS: Mapping[str, str] = {
    rf"1/r|r\^{_minus('1')}": "zipf",
    r"1/sqrt\(r\)": "power(0.5)",
    rf"r\^{_minus(_NUMBER)}": "power({})",
    rf"1/r\^(?:\({_NUMBER}\)|{_NUMBER})": "power({})",
    rf"{_NUMBER}\^{_minus('r')}": "geometric({})",
    rf"1/{_NUMBER}\^r": "geometric({})",
    r"1/(?:log|ln)\((?:1\+r|r\+1)\)": "log",
}
"""Specs of discounts by regular expressions for their formulas."""
_BASE_2 = {r"1/log_?2\((?:1\+r|r\+1)\)": "log"}  # NDCG is the same with any base, DCG is not
_CUTOFFS: Mapping[str, str] = {
    rf"{_NUMBER}\*?n": "{}n",
    r"sqrt\(n\)": "n^0.5",
    rf"n\^(?:\({_NUMBER}\)|{_NUMBER})": "n^{}",
    rf"{_NUMBER}\*?(?:log|ln)\(?n\)?": "{}log(n)",
    r"(?:log|ln)\(?n\)?": "1log(n)",
    r"n": "1n",
    r"n/(?:log|ln)\(?n\)?": "n/log(n)",
}
"""Specs of cutoffs by regular expressions for their formulas."""
_MEASURE = re.compile(r"(\s*(?:n?dcg|rbp)\s*)(?:\(([^@]*)\))?\s*(?:@(.*))?", re.IGNORECASE)


def specs_of(text: str) -> str:
    """Return the text of a measure with specs in place of formulas, or the text unchanged.

    >>> specs_of("nDCG(1/r)@n/5"), specs_of("nDCG(r^-1/2)"), specs_of("DCG(2^{-r})@sqrt(n)")
    ('nDCG(zipf)@0.2n', 'nDCG(power(0.5))', 'DCG(geometric(2))@n^0.5')
    >>> specs_of("nDCG(power(0.5))@10")
    'nDCG(power(0.5))@10'
    """
    parts = _MEASURE.fullmatch(text)
    if parts is None:
        return text
    name, discount, cutoff = parts.groups()
    discounts = {**_DISCOUNTS, **_BASE_2} if name.strip().lower() == "ndcg" else _DISCOUNTS
    inside = "" if discount is None else f"({_spec(discount, discounts)})"
    return name + inside + ("" if cutoff is None else f"@{cutoff_spec(cutoff)}")


def cutoff_spec(formula: str) -> str:
    """Return the spec of a cutoff for its formula, or the text unchanged.

    >>> cutoff_spec("n/5"), cutoff_spec("2 * ln n"), cutoff_spec("10")
    ('0.2n', '2log(n)', '10')
    """
    return _spec(formula, _CUTOFFS)


def _spec(formula: str, specs: Mapping[str, str]) -> str:
    """Return the spec that a formula means, or the formula unchanged."""
    # exponents as in LaTeX, r^{-1}, and the minus sign U+2212
    tight = re.sub(r"\s", "", formula).replace("**", "^").translate(str.maketrans("{}−", "()-"))
    tight = re.sub(r"^n/(\d+)$", r"1/\1n", tight)  # n/5 as 1/5 n, which is in the table
    for pattern, spec in specs.items():
        if match := re.fullmatch(pattern, tight, re.IGNORECASE):
            numbers = (_quotient(number) for number in match.groups() if number)  # of one alternative
            return spec.format(*map(number_text, numbers))
    return formula


def _quotient(number: str) -> float:
    numerator, _, denominator = number.partition("/")
    return float(numerator) / float(denominator or 1)
