"""The one kind of error a user can cause: a bad input, told in one line."""


class InputError(ValueError):
    """A bad input. The message is one line: where, what was given, what is allowed."""
