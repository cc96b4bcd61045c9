"""The one kind of error a user can cause: a bad input, told in one line; and what is taken with a warning."""

from __future__ import annotations


class InputError(ValueError):
    """A bad input. The message is one line: where, what was given, what is allowed.

    Parameters
    ----------
    message : str
    argument : str, optional
        The name of the argument or field at fault, with which the message then begins.

    >>> print(InputError("must be at least 1, got 0", argument="jobs"))
    jobs: must be at least 1, got 0
    """

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(f"{argument}: {message}" if argument else message)
        self.argument = argument


class InputWarning(UserWarning):
    """An input that is not quite as it should be, and what was made of it."""


def require(condition: bool, message: str, argument: str = "") -> None:
    """Raise `InputError` with the message unless the condition holds."""
    if not condition:
        raise InputError(message, argument)
