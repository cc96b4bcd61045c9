"""The one kind of error a user can cause: a bad input, told in one line; and what is taken with a warning."""

from __future__ import annotations

from ndcg_asymptotics.core.text import visible

LONGEST = 600
"""Characters of a message, at most."""


class InputError(ValueError):
    """A bad input: one line of at most `LONGEST` characters; where, what was given, what is allowed.

    Parameters
    ----------
    message : str
    argument : str, optional
        The name of the argument or field at fault, with which the message then begins.

    >>> print(InputError("must be at least 1, got 0", argument="jobs"))
    jobs: must be at least 1, got 0
    """

    def __init__(self, message: str, argument: str = "") -> None:
        line = f"{argument}: {message}" if argument else message
        if len(line) > LONGEST:
            line = f"{line[: LONGEST // 2]} … {line[-(LONGEST // 2 - 3) :]}"
        super().__init__(visible(" ".join(line.splitlines())))
        self.argument = argument


class InputWarning(UserWarning):
    """An input that is not quite as it should be, and what was made of it."""


def require(condition: bool, message: str, argument: str = "") -> None:
    """Raise `InputError` with the message unless the condition holds."""
    if not condition:
        raise InputError(message, argument)
