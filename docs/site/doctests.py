"""An extension of griffe that shows the doctests of a docstring under the heading Examples."""

from __future__ import annotations

from typing import Any

import griffe


class Doctests(griffe.Extension):
    """Put a heading before the first doctest of a docstring that has none."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is None:
            return
        lines = obj.docstring.value.split("\n")
        first = next((i for i, line in enumerate(lines) if line.startswith(">>> ")), None)
        if first is not None and "Examples" not in lines:
            obj.docstring.value = "\n".join([*lines[:first], "Examples", "--------", *lines[first:]])
