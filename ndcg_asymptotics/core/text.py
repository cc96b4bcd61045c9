"""Texts that others chose, made safe to show on a terminal, in TeX and in a figure; numbers with errors."""

from __future__ import annotations

import difflib
import json
import math
import unicodedata
from collections.abc import Iterable, Sequence

from rich import filesize

_JOINERS = "\u200c\u200d"  # the zero-width joiners, without which some scripts cannot be written

# below the first, decimals would show two digits or less; from the second on, digits that nobody reads
_SMALL, _LARGE = 1e-3, 1e6

_TEX_NAMES = {
    "\\": "backslash",
    "^": "asciicircum",
    "~": "asciitilde",
    "<": "less",
    ">": "greater",
    "|": "bar",
    '"': "quotedbl",
}
_TEX = (
    {character: f"\\{character}" for character in "{}$&#%_"}
    | {character: rf"\text{name}{{}}" for character, name in _TEX_NAMES.items()}
    | {"∞": r"$\infty$", "±": r"$\pm$"}
)


def visible(text: str) -> str:
    r"""Return the text with invisible characters that have an effect written out as escapes.

    Control characters would act on the terminal, and marks of direction would reverse the text after them.

    >>> print(visible("a\x1b[31mb\u202ec"))
    a\x1b[31mb\u202ec
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    """Return a character, or its escape if it is a control, a format mark, a surrogate or a separator."""
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
    return character.encode("unicode_escape").decode() if hidden else character


def in_tex(text: str) -> str:
    r"""Return the text with LaTeX's special characters escaped.

    >>> print(in_tex("50% of $x_1"))
    50\% of \$x\_1
    """
    return "".join(_TEX.get(character, character) for character in visible(text))


def in_figure(text: str) -> str:
    r"""Return the text as matplotlib draws it literally: a dollar sign begins no formula.

    >>> print(in_figure("$5"))
    \$5
    """
    return visible(text).replace("$", r"\$")


def needs_exponent(value: float) -> bool:
    """Return whether a number is so small or large that it is written with an exponent.

    >>> [needs_exponent(value) for value in (1e-4, -0.25, 1e6)]
    [True, False, True]
    """
    return not _SMALL <= abs(value) < _LARGE


def with_error(value: float, error: float, digits: int = 6) -> str:
    """Return a value with a bound of its error, to the digits that the error leaves, at most ``digits``.

    The error is that of the value as it is written, one digit rounded up. A value that may be 0 is written as
    what its size is below.

    >>> [with_error(0.85772525, error) for error in (0.02, 3.1e-4, 1e-9)]
    ['0.86 ±0.03', '0.8577 ±4e-4', '0.857725 ±3e-7']
    >>> with_error(1.23456e-7, 2e-10), with_error(1e-7, 3e-6), with_error(0.0, 0.0)
    ('1.235e-7 ±3e-10', 'below 4e-6', '0')
    """
    if not error < math.inf:
        return f"{value:.3g} ±∞"
    if abs(value) <= error:
        return f"below {_one_digit(abs(value) + error)}" if error else "0"
    last = _place(value) - digits + 1  # the power of ten of the last digit that is written
    if error:
        last = max(last, _place(error))
    # the error of the written value includes what rounding leaves out, and may need the next digit
    rounded = round(value, -last)
    error_written = error + abs(value - rounded)
    if error_written > 9 * 10.0**last:
        last += 1
        rounded = round(value, -last)
        error_written = error + abs(value - rounded)
    if needs_exponent(value):
        power = _place(rounded) if rounded else last
        text = f"{rounded / 10.0**power:.{max(power - last, 0)}f}e{power}"
    else:
        text = f"{rounded:.{max(-last, 0)}f}"
    return f"{text} ±{_one_digit(error_written)}" if error_written else text


def _place(x: float) -> int:
    """Return the power of ten of the first digit."""
    return math.floor(math.log10(abs(x)))


def _one_digit(x: float) -> str:
    """Return a positive number rounded up to one digit."""
    power = _place(x)
    # 5e-11 is 5.000000000000001 times 1e-11 in doubles, and must stay 5
    digit = math.ceil(x / 10.0**power * (1 - 1e-9))
    if digit == 10:
        power, digit = power + 1, 1
    rounded = digit * 10.0**power
    return f"{digit}e{power}" if needs_exponent(rounded) else f"{rounded:g}"


def shortened(text: str, width: int) -> str:
    """Return the text in at most ``width`` characters; that of a measure keeps its cutoff.

    >>> shortened("a long name", 7), shortened('nDCG(custom("mine:slow"))@10', 16)
    ('a long…', 'nDCG(custom(…@10')
    """
    if len(text) <= width:
        return text
    _, at, cutoff = text.rpartition(")@")
    end = f"@{cutoff}" if at and len(cutoff) < width // 2 else ""
    return f"{text[: width - 1 - len(end)]}…{end}"


def toml_string(text: str) -> str:
    r"""Return a text as a TOML basic string, in which invisible characters are escapes.

    >>> print(toml_string('a "b"\u200b'))
    "a \"b\"\U0000200b"
    """
    quoted = json.dumps(text, ensure_ascii=False)  # the escapes of JSON are among those of TOML
    return "".join(
        rf"\U{ord(c):08x}" if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in quoted
    )


def count_text(number: int) -> str:
    """Return a number of items as it is read: a large one has three digits.

    >>> count_text(3167), count_text(10**12)
    ('3,167', '1e+12')
    """
    return f"{number:,}" if number < 10**7 else f"{number:.3g}"


def bytes_text(number: float) -> str:
    """Return a number of bytes in a unit, such as 1.5 kB or 32.0 GB."""
    return filesize.decimal(round(number))


def listed(names: Sequence[str]) -> str:
    """Return names with "and" before the last one.

    >>> listed(["AP"]), listed(["AP", "RR", "P@5"])
    ('AP', 'AP, RR and P@5')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return a suggestion of the nearest known name for a message; empty where none is near.

    >>> did_you_mean("lgo", ["log", "zipf"]), did_you_mean("x", ["log", "zipf"])
    (", did you mean 'log'?", '')
    """
    by_folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(text.casefold(), by_folded, n=1, cutoff=0.6)
    return f", did you mean {by_folded[near[0]]!r}?" if near else ""
