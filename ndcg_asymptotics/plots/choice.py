"""What of a study is drawn, and how it is called and coloured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.text import did_you_mean, in_figure
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.placing import wrapped
from ndcg_asymptotics.plots.style import Look, looks
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study


@dataclass(frozen=True)
class Choice:
    """What of a study is drawn, and how.

    Parameters
    ----------
    scorers : names, optional
        Which scorers, all by default. A scorer keeps its look whichever others are drawn.
    labels : mapping of scorer to text, optional
        What scorers are called, if not by their names; formulas between dollar signs are set as such.
    colors : mapping of scorer to colour, optional
        Any of matplotlib's colours.
    band : two numbers, or None
        The quantiles over replicates between which a band is drawn; None for no band.
    spec : bool
        Title panels with a measure's spec, ``nDCG(power(0.5))@0.2n``, in place of its formula.
    """

    scorers: Sequence[str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    colors: Mapping[str, str] = field(default_factory=dict)
    band: tuple[float, float] | None = (0.05, 0.95)
    spec: bool = False

    def __post_init__(self) -> None:
        if self.band is not None:
            proper = len(self.band) == 2 and 0 <= self.band[0] < self.band[1] <= 1
            require(proper, f"must be two quantiles in order, or None, got {brief(self.band)}", "band")

    def of(self, study: Study) -> dict[str, tuple[Scorer, Look]]:
        """The scorers that are drawn, each with its look.

        Raises
        ------
        InputError
            For a name that is none of the study's.
        """
        return {name: (study.scorers[name], look) for name, look in self.among(list(study.scorers)).items()}

    def among(self, names: Sequence[str]) -> dict[str, Look]:
        """Those of some scorers or runs that are drawn, each with its look.

        Raises
        ------
        InputError
            For a name that is none of them.
        """
        for name in (*(self.scorers or ()), *self.labels, *self.colors):
            if name not in names:
                near = did_you_mean(name, names)
                raise InputError(f"no scorer {name!r}{near or ','} there are: {', '.join(names)}", "scorer")
        return {
            name: replace(look, color=self.colors.get(name, look.color))
            for name, look in zip(names, looks(len(names)), strict=True)
            if self.scorers is None or name in self.scorers
        }

    def label(self, name: str) -> str:
        """What a scorer is called in a figure."""
        if name in self.labels:
            return self.labels[name]
        return "\n".join(map(in_figure, wrapped(name).splitlines()))

    def formula(self, measure: Measure | str) -> str:
        """A measure's discount and cutoff in a figure, or its spec."""
        try:
            tex = "" if self.spec else Measure.of(measure).tex
        except InputError:  # a discount of one's own is found only where its module is
            tex = ""
        return tex or in_figure(str(measure))

    def title(self, measure: Measure | str) -> str:
        """What a measure is called in the title of a panel."""
        formula = self.formula(measure)
        return formula if formula == in_figure(str(measure)) else f"NDCG, {formula}"
