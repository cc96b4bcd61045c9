"""Bregman surrogates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.listwise.psi import KNOWN, Psi, described
from ndcg_asymptotics.learning.utilities import Utility
from ndcg_asymptotics.specs import custom
from ndcg_asymptotics.specs.scanner import Call


@dataclass(frozen=True)
class Bregman(Listwise, keyword="bregman"):
    """φ = D_ψ(G/||G||_D, (∇ψ)^-1(s)), ψ strictly convex, ∇ψ order-preserving (Ravikumar et al. 2011).

    D_ψ is the Bregman divergence; in terms of the conjugate φ = ψ(t) + ψ*(s) - <s, t>, t = G/||G||_D.
    ψ is "square", "entropy", "logistic", "hyperbolic", or your own by "module:object", where the object has
    the functions ``value``, ``gradient`` and ``inverse`` (of the gradient) of arrays (..., m); from Python
    `of_psi` takes such an object.

    >>> str(Bregman.parse('bregman("entropy")'))
    'bregman("entropy")'
    """

    psi: str
    function: Psi = field(default=None, compare=False, repr=False)  # type: ignore[assignment]
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def __post_init__(self) -> None:
        if self.function is None:
            known = ", ".join(sorted(KNOWN))
            require(self.psi in KNOWN, f'psi must be one of {known}, or "module:object", got {self.psi!r}')
            object.__setattr__(self, "function", KNOWN[self.psi])

    @classmethod
    def of_psi(cls, psi: Any, *, name: str) -> Self:
        """The surrogate of a ψ of your custom.

        Parameters
        ----------
        psi : object
            With ``value`` (..., m) -> (...,), and ``gradient`` and its ``inverse``, (..., m) -> (..., m).
        name : str

        Raises
        ------
        InputError
            If ``inverse`` does not undo ``gradient``, or ``gradient`` does not keep the order.
        """
        return cls(name, described(name, psi))

    @classmethod
    def from_call(cls, call: Call) -> Self:
        given = cls.bind(call, ("psi",))
        if "psi" not in given:
            call.scanner.fail(f"{cls.keyword} needs 'psi'", call.position)
        name = str(given["psi"])
        if ":" in name:
            return cls.of_psi(custom.find(name, call.scanner).value, name=name)
        return cls(name)

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return tuple(f for f in fields(cls) if f.name == "psi")

    def arguments(self) -> tuple[str, ...]:
        return (json.dumps(self.psi),)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        targets = self.standardised(labels, utility)
        largest = float(targets.max(initial=0.0))
        allowed = f"{self} needs targets up to {self.function.largest:g}, {utility} makes {largest:g}"
        require(not largest > self.function.largest * (1 + 1e-12), allowed)
        return np.minimum(targets, self.function.largest)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        value, inverse = self.function.conjugate(s)
        return self.function.value(t) + value - (s * t).sum(axis=-1), inverse - t

    def link(self, mean: Floats) -> Floats:
        return self.function.gradient(mean)
