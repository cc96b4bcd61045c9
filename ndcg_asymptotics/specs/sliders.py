"""Parameters with sliders: a class states their ranges on its fields, and the explorer offers it."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, NamedTuple

from ndcg_asymptotics.specs.spec import Spec


class Slider(NamedTuple):
    """The range of a parameter, and the value with which its slider begins.

    With a step of 0 the values are whole: 1, 2, 3 and 5 times powers of ten.
    """

    name: str
    start: float
    stop: float
    step: float
    usual: float

    @property
    def grid(self) -> list[float]:
        """The values of the slider.

        >>> Slider("b", 0.0, 1.0, 0.25, 0.5).grid
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        if not self.step:
            exponents = range(len(str(round(self.stop))))  # a power of ten for each digit of the end
            values = [float(m * 10**e) for e in exponents for m in (1, 2, 3, 5)]
            return [value for value in values if self.start <= value <= self.stop]
        steps = round((self.stop - self.start) / self.step)
        # rounded: 0.3, not 0.30000000000000004
        return [round(self.start + i * self.step, 9) for i in range(steps + 1)]


def slider(start: float, stop: float, step: float, usual: float) -> dict[str, object]:
    """Return the metadata of a field that has a slider, as in ``b: float = field(metadata=slider(…))``."""
    return {"slider": (start, stop, step, usual)}


class Adjustable(Spec):
    """A spec that the explorer offers if all its parameters have sliders.

    Attributes
    ----------
    label : str
        What the menu of the explorer calls it; by default its keyword.
    """

    label: ClassVar[str] = ""

    @classmethod
    def sliders(cls) -> tuple[Slider, ...] | None:
        """Return the sliders of the parameters in their order; None if a parameter has none."""
        sliders, without = cls._sliders()
        return None if without else sliders

    def slider_values(self) -> tuple[float, ...]:
        """Return the values of the parameters that have sliders."""
        return tuple(getattr(self, slider.name) for slider in self.sliders() or ())

    @classmethod
    def _sliders(cls) -> tuple[tuple[Slider, ...], list[dataclasses.Field[object]]]:
        """Return the sliders of the fields, and the fields that have none."""
        fields = cls._fields()
        sliders = (Slider(f.name, *f.metadata["slider"]) for f in fields if "slider" in f.metadata)
        return tuple(sliders), [f for f in fields if "slider" not in f.metadata]


def offered(family: type[Spec]) -> dict[str, type[Adjustable]]:
    """Return the members of a family that the explorer offers, by keyword, in the order of their declaration.

    >>> from ndcg_asymptotics.measures.discounts import Discount
    >>> offered(Discount)["power"].sliders()
    (Slider(name='b', start=0.05, stop=3.0, step=0.05, usual=0.5),)
    """
    # members are those of the whole family, also where `family` is a branch of it, as curves are of scorers
    members = {k: m for k, m in family.members.items() if issubclass(m, family) and issubclass(m, Adjustable)}
    return {keyword: member for keyword, member in members.items() if member.sliders() is not None}
