"""Text <-> object: the one grammar of discounts, cutoffs, measures and relevance curves.

A *spec* is a frozen dataclass with a text, as in `ir_measures`::

    measure  = "nDCG" [ "(" call ")" ] [ "@" cutoff ]
    cutoff   = k | c "n" | "n^" a | c "log(n)"
    call     = name [ "(" argument { "," argument } ")" ]
    argument = [ (name | number) "=" ] value
    value    = number | 'text' in double quotes | call

Parsing and printing are inverse: ``str(spec)`` is the canonical text (arguments by position,
shortest decimals that round-trip) and parses back to an equal object. Each family (discounts,
cutoffs, relevance) is an abstract subclass of `Spec`; a concrete subclass names itself with
``class Power(Discount, keyword="power")`` and is then known everywhere.
"""

from __future__ import annotations

import dataclasses
import json
import re
from abc import ABC
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NoReturn, Self, TypeVar

from ndcg_asymptotics.errors import InputError

_T = TypeVar("_T")

_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:nan|inf)\b)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SPACE = re.compile(r"\s*")


class SpecError(InputError):
    """A text that is no spec, or a spec whose parameters are out of range."""


def number_text(value: float) -> str:
    """Shortest text that reads back as the same number.

    >>> number_text(0.5), number_text(2.0), number_text(1e18)
    ('0.5', '2', '1e+18')
    """
    return repr(float(value) + 0.0).removesuffix(".0")  # + 0.0 turns -0 into 0


@dataclasses.dataclass(frozen=True)
class Call:
    """A parsed `name(arguments)` and where in the text its pieces stand."""

    name: str
    arguments: tuple[Argument, ...]
    scanner: Scanner
    position: int


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument of a call: ``key`` is None when it was given by position."""

    key: str | None
    value: float | str | Call
    position: int


class Scanner:
    """Reads one text from left to right; every complaint says where it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def fail(self, expected: str, position: int | None = None) -> NoReturn:
        """Raise a `SpecError` that says where in the text and what was expected."""
        at = self.position if position is None else position
        raise SpecError(f"{self.text!r}, at position {at + 1}: {expected}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Consume the pattern (and the space before it) if it comes next."""
        start = _SPACE.match(self.text, self.position)
        found = pattern.match(self.text, start.end() if start else self.position)
        if found is None:
            return None
        self.position = found.end()
        return found.group()

    def accept(self, literal: str) -> bool:
        """Consume the literal text if it comes next."""
        return self.match(re.compile(re.escape(literal))) is not None

    def expect(self, literal: str) -> None:
        """Consume the literal text or fail."""
        if not self.accept(literal):
            self.fail(f"expected {literal!r}, found {self.found()}")

    def found(self) -> str:
        """What stands at the current position, for messages."""
        rest = self.text[self.position :].lstrip()
        return repr(rest) if rest else "the end of the text"

    def number(self, what: str) -> float:
        """Consume a number or fail."""
        token = self.match(_NUMBER)
        if token is None:
            self.fail(f"expected {what}, found {self.found()}")
        return float(token)

    def end(self) -> None:
        """Fail unless the whole text has been read."""
        if self.text[self.position :].strip():
            self.fail(f"expected the end of the text, found {self.found()}")

    def call(self) -> Call:
        """Consume `name` or `name(arguments)`."""
        _skip = self.match(_SPACE)
        start = self.position
        name = self.match(_NAME)
        if name is None:
            self.fail(f"expected a name, found {self.found()}")
        arguments: list[Argument] = []
        if self.accept("("):
            while not self.accept(")"):
                if arguments:
                    self.expect(",")
                arguments.append(self._argument())
        return Call(name, tuple(arguments), self, start)

    def _argument(self) -> Argument:
        _skip = self.match(_SPACE)
        start = self.position
        for pattern in (_NUMBER, _NAME):
            key = self.match(pattern)
            if key is not None and self.accept("="):
                return Argument(key, self._value(), start)
            self.position = start
        return Argument(None, self._value(), start)

    def _value(self) -> float | str | Call:
        token = self.match(_NUMBER)
        if token is not None:
            return float(token)
        token = self.match(_STRING)
        if token is not None:
            text = json.loads(token)
            assert isinstance(text, str)
            return text
        if self.text[self.position :].lstrip()[:1] == '"':
            self.fail("the quotation is not closed")
        return self.call()


class Spec(ABC):
    """A frozen value with a canonical text.

    Direct subclasses are families (``family`` says what a member is called in messages);
    their subclasses are members, known by the ``keyword`` they are declared with.
    """

    family: ClassVar[str]
    keyword: ClassVar[str]
    members: ClassVar[dict[str, type[Spec]]]

    def __init_subclass__(
        cls, *, family: str | None = None, keyword: str | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        if family is not None:
            cls.family = family
            cls.members = {}
        if keyword is not None:
            cls.keyword = keyword
            cls.members[keyword] = cls

    @classmethod
    def parse(cls, text: str) -> Self:
        """The member of this family that ``text`` names.

        Raises
        ------
        SpecError
            Saying where in the text and what was expected.
        """
        return read(text, lambda scanner: cls.build(scanner.call()))

    @classmethod
    def build(cls, call: Call) -> Self:
        """The member of this family that a parsed call names."""
        member = cls.members.get(call.name)
        if member is None or not issubclass(member, cls):
            known = ", ".join(sorted(cls.members))
            call.scanner.fail(f"unknown {cls.family} {call.name!r}, expected one of: {known}", call.position)
        try:
            return member.from_call(call)
        except SpecError:
            raise
        except InputError as error:
            call.scanner.fail(str(error), call.position)

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Make this member from a parsed call; arguments are its fields, by position or name."""
        given = cls.bind(call, tuple(field.name for field in cls._fields()))
        for field in cls._fields():
            if field.name not in given and field.default is dataclasses.MISSING:
                call.scanner.fail(f"{cls.keyword} needs {field.name!r}", call.position)
        return cls(**given)

    @classmethod
    def bind(cls, call: Call, names: tuple[str, ...]) -> dict[str, Any]:
        """Arguments by name; positional ones take ``names`` in order."""
        given: dict[str, Any] = {}
        for index, argument in enumerate(call.arguments):
            if argument.key is None and index >= len(names):
                call.scanner.fail(
                    f"{cls.keyword} takes {len(names)} argument(s): {', '.join(names) or 'none'}",
                    argument.position,
                )
            name = names[index] if argument.key is None else argument.key
            if name not in names:
                call.scanner.fail(
                    f"{cls.keyword} has no parameter {name!r}, expected one of: {', '.join(names) or 'none'}",
                    argument.position,
                )
            if name in given:
                call.scanner.fail(f"{name!r} is given twice", argument.position)
            given[name] = cls.accept(name, argument, call.scanner)
        return given

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        """The value of one argument, checked against the kind of its field (a number unless str)."""
        kinds: dict[str, Any] = {field.name: field.type for field in cls._fields()}
        wants_text = kinds.get(name) == "str"
        if isinstance(argument.value, str) != wants_text or isinstance(argument.value, Call):
            wanted = "a text in double quotes" if wants_text else "a number"
            scanner.fail(f"{cls.keyword}: {name} must be {wanted}", argument.position)
        return argument.value

    @classmethod
    def _fields(cls) -> tuple[dataclasses.Field[Any], ...]:
        return tuple(f for f in dataclasses.fields(cls) if f.init)  # type: ignore[arg-type]

    @classmethod
    def signature(cls) -> str:
        """How a member is written, with the names of its parameters."""
        names = ", ".join(field.name for field in cls._fields())
        return f"{cls.keyword}({names})" if names else cls.keyword

    def arguments(self) -> tuple[str, ...]:
        """The canonical texts of the arguments."""
        values = (getattr(self, field.name) for field in self._fields())
        return tuple(json.dumps(v) if isinstance(v, str) else number_text(v) for v in values)

    def __str__(self) -> str:
        arguments = ", ".join(self.arguments())
        return f"{self.keyword}({arguments})" if arguments else self.keyword


def read(text: str, rule: Callable[[Scanner], _T]) -> _T:
    """Apply one grammar rule to the whole of ``text``."""
    scanner = Scanner(text)
    result = rule(scanner)
    scanner.end()
    return result


def require(condition: bool, message: str) -> None:
    """Raise `InputError` with the message unless the condition holds."""
    if not condition:
        raise InputError(message)


def listing(family: type[Spec]) -> Iterable[tuple[str, str]]:
    """Signature and first docstring line of every member of a family."""
    for _, member in sorted(family.members.items()):
        yield member.signature(), (member.__doc__ or "").strip().splitlines()[0]
