"""The grammar of discounts, cutoffs, measures, relevance curves and couplings: from a text to a call.

::

    measure  = ("nDCG" | "DCG") [ "(" call ")" ] [ "@" cutoff ] | "RBP(" p ")" [ "@" cutoff ]
    cutoff   = k | c "n" | "n^" a | c "log(n)" | "n/log(n)"
    call     = name [ "(" argument { "," argument } ")" ]
    argument = [ (name | number) "=" ] value
    value    = number | 'text' in double quotes | call

as in `ir_measures`. The families of `specs.spec` decide what a call means.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn, TypeVar

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.removed import SPECS, removed

_T = TypeVar("_T")

NUMBER = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:nan|inf)\b)"
"""What a number matches."""

_NUMBER = re.compile(NUMBER)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SPACE = re.compile(r"\s*")

# bounds on texts that somebody else wrote, far above those of any study
_MOST_CHARACTERS = 10_000
_MOST_ARGUMENTS = 64  # of a call
_DEEPEST = 16  # nested calls
_SHOWN = 200  # characters of a text in a message
_MOST_SHOWN = 8  # numbers in a message


class SpecError(InputError):
    """A text that is not a spec, or a spec whose parameters are out of range."""


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    >>> number_text(0.5), number_text(2.0), number_text(1e18)
    ('0.5', '2', '1e+18')
    """
    try:
        return repr(float(value) + 0.0).removesuffix(".0")  # + 0.0 turns -0 into 0
    except OverflowError:
        raise InputError(f"must be at most 1.8e308, got {brief(value)}") from None


def short_text(spec: object) -> str:
    """Return the text of a spec for readers: without the last bits of sums such as 0.1 + 0.2.

    The canonical text, ``str(spec)``, has every bit.

    >>> short_text("step(0.30000000000000004, 0.7, 0.1234567890123456)"), short_text('custom("0.1")')
    ('step(0.3, 0.7, 0.1234567890123456)', 'custom("0.1")')
    """

    def short(token: re.Match[str]) -> str:
        # a number is the second alternative of the pattern, and a text in quotes stays
        rounded = f"{float(token[0]):.15g}" if token[1] else token[0]
        return rounded if len(rounded) <= len(token[0]) - 4 else token[0]

    return re.sub(rf"{_STRING.pattern}|({NUMBER})", short, str(spec))


def numbers_text(values: Sequence[float] | Floats) -> str:
    """Return numbers for a message: the first eight.

    >>> numbers_text([0.5, 2.0]), numbers_text(range(10)), numbers_text([])
    ('0.5, 2', '0, 1, 2, 3, 4, 5, 6, 7, …', 'none')
    """
    texts = ", ".join(map(number_text, values[:_MOST_SHOWN])) or "none"
    return texts + (", …" if len(values) > _MOST_SHOWN else "")


def fraction_text(value: float) -> str:
    """Return a number as a fraction if it is a simple one, else as a decimal.

    >>> fraction_text(0.5), fraction_text(2.0), fraction_text(0.37), fraction_text(2 / 3)
    ('1/2', '2', '0.37', '2/3')
    """
    near = Fraction(value).limit_denominator(12)
    return str(near) if abs(float(near) - value) <= 1e-12 * abs(value) else number_text(value)


@dataclasses.dataclass(frozen=True)
class Call:
    """A parsed ``name(arguments)`` with the positions of its pieces in the text."""

    name: str
    arguments: tuple[Argument, ...]
    scanner: Scanner
    position: int

    def keyed(self, key: str, usage: str) -> list[tuple[float, Call]]:
        """Return the arguments of ``name(number=call, …)``; ``key`` says what the numbers are."""
        calls = []
        for argument in self.arguments:
            if argument.key is None or not isinstance(argument.value, Call):
                self.scanner.fail(f"{self.name} takes {usage}", argument.position)
            try:
                calls.append((float(argument.key), argument.value))
            except ValueError:
                self.scanner.fail(f"expected a {key}, found {argument.key!r}", argument.position)
        return calls


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument of a call: ``key`` is None when it was given by position."""

    key: str | None
    value: Value
    position: int


Value = float | str | Call
"""The value of an argument."""


class Scanner:
    """A scanner that reads a text from left to right; every error names the position."""

    def __init__(self, text: str, folder: Path | None, allow_custom: bool) -> None:
        self.text = text
        self.folder = folder or Path()  # where names of files and modules in the text are looked for
        self.confined = folder is not None  # a text in a file, of a stranger perhaps, reads nothing elsewhere
        self.allow_custom = allow_custom  # whether functions that the text names may be imported
        self.position = 0
        self._depth = 0
        if len(text) > _MOST_CHARACTERS:
            self.fail(f"a text has at most {_MOST_CHARACTERS} characters, this one {len(text)}")

    def fail(self, problem: str, position: int | None = None) -> NoReturn:
        """Raise a `SpecError` that says where in the text and what was expected."""
        at = self.position if position is None else position
        raise SpecError(f"{brief(self.text, _SHOWN)}, at position {at + 1}: {problem}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise a `SpecError` that says what is wrong with the text as a whole."""
        raise SpecError(f"{brief(self.text, _SHOWN)}: {reason}")

    def check_inside(self, file: str, position: int) -> None:
        """Refuse a file outside of the folder in which the text lies, also behind a symbolic link."""
        if not self.confined:
            return
        try:
            inside = (self.folder / file).resolve().is_relative_to(self.folder.resolve())
        except (OSError, ValueError, RuntimeError) as error:
            self.fail(f"{brief(file, _SHOWN)} cannot be read ({error})", position)
        if not inside:
            self.fail(
                f"{brief(file, _SHOWN)} is outside of the folder {self.folder}; a study or results in a file "
                "read curve files in their own folder only",
                position,
            )

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Consume the pattern (and the space before it) if it comes next."""
        start = _SPACE.match(self.text, self.position)
        token = pattern.match(self.text, start.end() if start else self.position)
        if token is None:
            return None
        self.position = token.end()
        return token.group()

    def accept(self, literal: str) -> bool:
        """Consume the literal text if it comes next."""
        return self.match(re.compile(re.escape(literal))) is not None

    def expect(self, literal: str) -> None:
        """Consume the literal text or fail."""
        if not self.accept(literal):
            self.fail(f"expected {literal!r}, found {self.rest()}")

    def rest(self) -> str:
        """Return the rest of the text for an error message."""
        rest = self.text[self.position :].lstrip()
        return brief(rest, _SHOWN) if rest else "the end of the text"

    def end(self) -> None:
        """Fail unless the whole text has been read."""
        if self.text[self.position :].strip():
            self.fail(f"expected the end of the text, found {self.rest()}")

    def call(self) -> Call:
        """Consume ``name`` or ``name(arguments)``."""
        _skip = self.match(_SPACE)
        start = self.position
        name = self.match(_NAME)
        if name is None:
            self.fail(f"expected a name, found {self.rest()}")
        if replacement := removed(name, SPECS):  # whose arguments may not be of this grammar any more
            self.fail(replacement, start)
        arguments: tuple[Argument, ...] = ()
        if self.accept("("):
            arguments = self._arguments(name, start)
        return Call(name, arguments, self, start)

    def _argument(self) -> Argument:
        _skip = self.match(_SPACE)
        start = self.position
        for pattern in (_NUMBER, _NAME):
            key = self.match(pattern)
            if key is not None and self.accept("="):
                return Argument(key, self._value(), start)
            self.position = start
        return Argument(None, self._value(), start)

    def _value(self) -> Value:
        token = self.match(_NUMBER)
        if token is not None:
            return float(token)
        token = self.match(_STRING)
        if token is not None:
            return self._string(token)
        if self.text[self.position :].lstrip()[:1] == '"':
            self.fail("the quotation is not closed")
        return self.call()

    def _arguments(self, name: str, start: int) -> tuple[Argument, ...]:
        """Consume the arguments of a call, with commas between them, and the closing parenthesis."""
        self._depth += 1
        if self._depth > _DEEPEST:
            self.fail(f"at most {_DEEPEST} calls stand within one another", start)
        arguments: list[Argument] = []
        while not self.accept(")"):
            if arguments and not self.accept(","):
                self.fail(f"expected ',' or ')', found {self.rest()}")
            if len(arguments) == _MOST_ARGUMENTS:
                self.fail(f"{name} takes at most {_MOST_ARGUMENTS} arguments")
            arguments.append(self._argument())
        self._depth -= 1
        return tuple(arguments)

    def _string(self, token: str) -> str:
        """Return the content of a quoted text, written as in JSON."""
        at = self.position - len(token)
        try:
            text = json.loads(token)
            assert isinstance(text, str)
            text.encode()
        except ValueError as error:
            self.fail(f"no text as JSON writes it ({error})", at)
        return text


def parse_text(
    text: str, rule: Callable[[Scanner], _T], folder: Path | None = None, allow_custom: bool = True
) -> _T:
    """Apply one grammar rule to the whole of ``text``; names of files in it start at ``folder``.

    With a folder, curve files elsewhere are refused.
    """
    scanner = Scanner(text, folder, allow_custom)
    result = rule(scanner)
    scanner.end()
    return result
