"""Specs: frozen values with a canonical text.

Parsing and printing are inverse: ``str(spec)`` is the canonical text (arguments by position,
shortest decimals that round-trip) and parses back to an equal object. Each family (discounts,
cutoffs, relevance, couplings) is an abstract subclass of `Spec`; a concrete subclass names itself with
``class Power(Discount, keyword="power")`` and is then known everywhere.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.specs.ranges import check_ranges
from ndcg_asymptotics.specs.scanner import Argument, Call, Scanner, SpecError, number_text, parse_text


@dataclasses.dataclass(frozen=True)
class Portable:
    """The text of a spec with the files it refers to, from which another process makes an equal spec.

    Attributes
    ----------
    text : str
    files : mapping of name to content
        The files that must be in the folder in which the text is read.
    digests : mapping of text to digest
        Digests of objects that the text alone does not determine, such as a user's own function.
    """

    text: str
    files: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    digests: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Spec(ABC):
    """A frozen value with a canonical text.

    Direct subclasses are families (``family`` says what a member is called in messages);
    their subclasses are members, known by the ``keyword`` they are declared with. A field may state the range
    of its parameter (`specs.ranges`).
    """

    family: ClassVar[str]
    FROM_FUNCTION: ClassVar[str] = ""  # the function of the package that makes a member of a user's function
    keyword: ClassVar[str]
    members: ClassVar[dict[str, type[Spec]]]

    def __init_subclass__(
        cls, *, family: str | None = None, keyword: str | None = None, **kwargs: object
    ) -> None:
        super().__init_subclass__(**kwargs)
        if family is not None:
            cls.family = family
            cls.members = {}
        if keyword is not None:
            cls.keyword = keyword
            cls.members[keyword] = cls

    def __post_init__(self) -> None:
        check_ranges(self.keyword, self)

    @classmethod
    def of(cls, spec: Self | str) -> Self:
        """Return the member itself, or the one that a text names.

        Raises
        ------
        InputError
            If the argument is neither.
        """
        if isinstance(spec, cls):
            return spec
        if isinstance(spec, str):
            return cls.parse(spec)
        advised = callable(spec) and cls.FROM_FUNCTION
        advice = f"; {cls.FROM_FUNCTION} makes one of a function" if advised else ""
        names = ", ".join(sorted(cls.members))
        raise InputError(f"expected a {cls.family} ({names}) or its text, got {brief(spec)}{advice}")

    @classmethod
    def parse(cls, text: str, folder: Path | None = None, *, allow_custom: bool = True) -> Self:
        """Return the member of this family that ``text`` names.

        Parameters
        ----------
        text : str
        folder : path, optional
            Where names of files and modules in the text are looked for, and curve files elsewhere are
            refused. By default names start at the current folder, and a file may be anywhere.
        allow_custom : bool
            Whether ``custom("module:function")`` may import its module, which runs the code in it.

        Raises
        ------
        SpecError
            With the position in the text and what was expected.
        """
        return parse_text(text, lambda scanner: cls.build(scanner.call()), folder, allow_custom)

    @classmethod
    def build(cls, call: Call) -> Self:
        """Return the member of this family that a parsed call names."""
        members = {name: member for name, member in cls.members.items() if issubclass(member, cls)}
        if call.name not in members:
            near, names = did_you_mean(call.name, members) or ",", ", ".join(sorted(members))
            unknown = f"unknown {cls.family} {call.name!r}{near} expected one of: {names}"
            call.scanner.fail(unknown, call.position)
        try:
            return members[call.name].from_call(call)
        except SpecError:
            raise
        except InputError as error:
            call.scanner.fail(str(error), call.position)

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Make this member from a parsed call; arguments are its fields, by position or name."""
        arguments = cls.bind(call, tuple(field.name for field in cls._fields()))
        for field in cls._fields():
            if field.name not in arguments and field.default is dataclasses.MISSING:
                call.scanner.fail(f"{cls.keyword} needs {field.name!r}", call.position)
        return cls(**arguments)

    @classmethod
    def bind(cls, call: Call, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the arguments by name; positional ones take ``names`` in order."""
        values: dict[str, Any] = {}
        for index, argument in enumerate(call.arguments):
            if argument.key is None and index >= len(names):
                call.scanner.fail(
                    f"{cls.keyword} takes {len(names)} argument(s): {', '.join(names) or 'none'}",
                    argument.position,
                )
            name = names[index] if argument.key is None else argument.key
            if name not in names:
                near = did_you_mean(name, names)
                call.scanner.fail(
                    f"{cls.keyword} has no parameter {name!r}{near or ','} "
                    f"expected one of: {', '.join(names) or 'none'}",
                    argument.position,
                )
            if name in values:
                call.scanner.fail(f"{name!r} is given twice", argument.position)
            values[name] = cls.accept(name, argument, call.scanner)
        return values

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        """Return the value of an argument, checked against the type of its field (a number unless str)."""
        kinds: dict[str, object] = {field.name: field.type for field in cls._fields()}
        wants_text = kinds.get(name) == "str"
        if isinstance(argument.value, str) != wants_text or isinstance(argument.value, Call):
            kind = "a text in double quotes" if wants_text else "a number"
            scanner.fail(f"{cls.keyword}: {name} must be {kind}", argument.position)
        return argument.value

    @classmethod
    def _fields(cls) -> tuple[dataclasses.Field[Any], ...]:
        return tuple(f for f in dataclasses.fields(cls) if f.init)  # type: ignore[arg-type]

    @classmethod
    def signature(cls) -> str:
        """Return how a member is written, with the names of its parameters."""
        names = ", ".join(field.name for field in cls._fields())
        return f"{cls.keyword}({names})" if names else cls.keyword

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        """Return the canonical texts of the arguments; ``write`` gives those of other specs."""
        values = (getattr(self, field.name) for field in self._fields())
        return tuple(write(value) if isinstance(value, Spec) else _text(value) for value in values)

    def portable(self) -> Portable:
        """Return the text, with all that another process needs to make an equal object.

        Raises
        ------
        InputError
            If the object holds a function that cannot be imported by a name.
        """
        files: dict[str, bytes] = {}
        digests: dict[str, str] = {}

        def write(spec: Spec) -> str:
            part = spec.portable()
            files.update(part.files)
            digests.update(part.digests)
            return part.text

        return Portable(self._written(write), files, digests)

    def _written(self, write: Write) -> str:
        arguments = ", ".join(self.arguments(write))
        return f"{self.keyword}({arguments})" if arguments else self.keyword

    def __str__(self) -> str:
        return self._written(str)


Write = Callable[[Spec], str]
"""A function that returns the text of a spec within that of another."""


def _text(value: float | str) -> str:
    return json.dumps(value) if isinstance(value, str) else number_text(value)


def listing(family: type[Spec]) -> Iterable[tuple[str, str]]:
    """Yield the signature and the first docstring line of every member of a family."""
    for _, member in sorted(family.members.items()):
        yield member.signature(), (member.__doc__ or "").strip().splitlines()[0]
