"""Errors that a user can cause, each reported in one line, and values that theory cannot give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ndcg_asymptotics.core.text import visible

LONGEST_MESSAGE = 600
"""The greatest number of characters of a message."""


class InputError(ValueError):
    """A bad input; the message is one line that names the place, what was given and what is allowed.

    Parameters
    ----------
    message : str
    argument : str, optional
        The name of the argument or field at fault, with which the message then begins.

    Attributes
    ----------
    reason : str
        The message without the argument, as it was given.
    argument : str

    >>> print(InputError("must be at least 1, got 0", argument="jobs"))
    jobs: must be at least 1, got 0
    """

    def __init__(self, message: str, argument: str = "") -> None:
        line = f"{argument}: {message}" if argument else message
        if len(line) > LONGEST_MESSAGE:
            line = f"{line[: LONGEST_MESSAGE // 2]} … {line[-(LONGEST_MESSAGE // 2 - 3) :]}"
        super().__init__(visible(" ".join(line.splitlines())))
        self.reason, self.argument = message, argument


class NotAvailableError(InputError):
    """A value that theory cannot give for a valid input; the message is the reason.

    Callers that can do without the value, such as an exact mean, catch this class only, so that an input
    that is wrong still ends the program.
    """


class InputWarning(UserWarning):
    """An input that is used although something is wrong with it; the message says how."""


@contextmanager
def naming(place: str, *, fields: bool = False) -> Iterator[None]:
    """Put a place, such as a file's name, before the errors of inputs that come from there.

    Errors of an argument are left as they are, since the argument is at fault and not the place, unless the
    arguments are ``fields`` of the file.

    >>> with naming("a.csv"):
    ...     require(False, "holds no ranks")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: a.csv: holds no ranks
    """
    try:
        yield
    except InputError as error:
        if error.argument and not fields:
            raise
        raise InputError(f"{place}: {error}") from None


@contextmanager
def blaming(argument: str) -> Iterator[None]:
    """Make the errors of inputs those of an argument, with whose name the messages then begin, once.

    >>> with blaming("coupling"):
    ...     require(False, "needs 0 <= rho <= 1, got 2")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: coupling: needs 0 <= rho <= 1, got 2
    """
    try:
        yield
    except InputError as error:
        raise InputError(error.reason if error.argument == argument else str(error), argument) from None


@contextmanager
def needing(library: str, purpose: str) -> Iterator[None]:
    """Say what an optional library is for, if it cannot be imported within this context.

    >>> with needing("polars", "made by"):
    ...     raise ImportError
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: made by polars, which is not installed: pip install polars
    """
    try:
        yield
    except ImportError:
        raise InputError(f"{purpose} {library}, which is not installed: pip install {library}") from None


def require(condition: bool, message: str, argument: str = "") -> None:
    """Raise `InputError` with the message unless the condition holds."""
    if not condition:
        raise InputError(message, argument)


def require_utf8(texts: Iterable[str], subject: str, argument: str = "") -> None:
    r"""Refuse texts that no file can hold, such as half of a surrogate pair.

    >>> require_utf8(["a", "\ud800"], "the name of a run")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: the name of a run must be text in UTF-8, got '\ud800'
    """
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"{subject} must be text in UTF-8, got {text[:60]!r}", argument) from None


def refuse_others(
    subject: str,
    arguments: Mapping[str, object],
    names: Collection[str],
    reasons: Mapping[str, str] | None = None,
) -> None:
    """Refuse arguments that are not None where only some ``names`` make sense; ``reasons`` say why.

    >>> refuse_others("values", {"runs": ["a"], "gain": "exp2", "ties": None}, ["runs"])
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: gain: does not belong to values, leave it out
    """
    excess = [name for name, value in arguments.items() if value is not None and name not in names]
    if excess:
        why = f": {reasons[excess[0]]}" if reasons and excess[0] in reasons else ""
        raise InputError(f"does not belong to {subject}, leave it out{why}", excess[0])


def require_available(condition: bool, reason: str) -> None:
    """Raise `NotAvailableError` with the reason unless the condition holds."""
    if not condition:
        raise NotAvailableError(reason)
