"""The choice of what is drawn of a study, and of labels and colours."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from matplotlib.colors import is_color_like

from ndcg_asymptotics.core.arrays import as_list, brief, floats, instance_of
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.text import did_you_mean, in_figure, visible
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.plots.style import LineStyle, line_styles, require_drawable
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import Study

_WIDEST = 24  # characters of a line in a legend beside the axes
_MOST_LINES = 2


class ChoiceOptions(TypedDict, total=False):
    """The fields of a `Choice`."""

    scorers: Sequence[str] | None
    labels: Mapping[str, str]
    colors: Mapping[str, str]
    band: tuple[float, float] | None


@dataclass(frozen=True)
class Choice:
    """The scorers of a study that are drawn, with their labels and colours.

    Parameters
    ----------
    scorers : names, optional
        The scorers to draw, all by default. A scorer keeps its line style whichever others are drawn.
    labels : mapping of scorer to text, optional
        Labels to use instead of the scorers' names. Text between dollar signs is a formula.
    colors : mapping of scorer to colour, optional
        Any of matplotlib's colours.
    band : two numbers, or None
        The quantiles over replicates between which a band is drawn; None for no band.
    """

    scorers: Sequence[str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    colors: Mapping[str, str] = field(default_factory=dict)
    band: tuple[float, float] | None = (0.05, 0.95)

    def __post_init__(self) -> None:
        if self.band is not None:
            band = floats(self.band, "band")
            proper = band.shape == (2,) and bool(0 <= band[0] < band[1] <= 1)
            require(proper, f"must be two quantiles in order, or None, got {brief(self.band)}", "band")
        if self.scorers is not None:
            names = as_list(self.scorers, "scorers", str)
            object.__setattr__(self, "scorers", [instance_of(name, str, "scorers") for name in names])
        for field_name, mapping in (("labels", self.labels), ("colors", self.colors)):
            is_mapping = isinstance(mapping, Mapping)
            require(is_mapping, f"must be a mapping by name of the scorer, got {brief(mapping)}", field_name)
        for label in self.labels.values():
            require_drawable(label, "labels")
        for color in self.colors.values():
            is_color = is_color_like(color)
            require(is_color, f"must be colours that matplotlib knows, got {brief(color)}", "colors")

    @classmethod
    def given(cls, choice: Choice | None) -> Choice:
        """Return a choice, or for None that of everything."""
        return cls() if choice is None else instance_of(choice, cls, "choice")

    def of(self, study: Study) -> dict[str, tuple[Scorer, LineStyle]]:
        """Return the scorers to draw, each with its line style.

        Raises
        ------
        InputError
            For a name that the study does not have.
        """
        return {name: (study.scorers[name], line) for name, line in self.among(list(study.scorers)).items()}

    def among(self, names: Sequence[str]) -> dict[str, LineStyle]:
        """Return which of these scorers or runs to draw, each with its line style.

        Raises
        ------
        InputError
            For a name that is not among them.
        """
        for name in (*(self.scorers or ()), *self.labels, *self.colors):
            if name not in names:
                near = did_you_mean(name, names)
                raise InputError(f"no scorer {name!r}{near or ','} there are: {', '.join(names)}", "scorer")
        return {
            name: replace(line, color=self.colors.get(name, line.color))
            for name, line in zip(names, line_styles(len(names)), strict=True)
            if self.scorers is None or name in self.scorers
        }

    def label(self, name: str) -> str:
        """Return the label of a scorer."""
        if name in self.labels:
            return self.labels[name]
        return "\n".join(map(in_figure, _wrapped(name).splitlines()))

    def formula(self, measure: Measure | str) -> str:
        """Return a measure's discount and cutoff as a formula, or its spec if it has none."""
        try:
            instance = Measure.of(measure)
            tex = "" if instance.alias else instance.tex
        except InputError:  # the module of a custom discount may not be importable here
            tex = ""
        return tex or in_figure(str(measure))

    def title(self, measure: Measure | str) -> str:
        """Return the title of a measure's panel."""
        formula = self.formula(measure)
        return formula if formula == in_figure(str(measure)) else f"{value_name(measure)}, {formula}"


def value_name(measure: Measure | str) -> str:
    """Return NDCG, DCG or RBP.

    >>> value_name("nDCG@0.2n"), value_name(Measure.parse("RBP(0.8)"))
    ('NDCG', 'RBP')
    """
    return re.split("[^A-Za-z]", str(measure))[0].upper()


def value_label(measure: Measure) -> str:
    """Return the label of an axis of values along n: DCG is drawn in units of F(k(n)).

    >>> value_label(Measure.parse("nDCG")), value_label(Measure.parse("DCG@10"))
    ('NDCG$_n$', 'DCG$_n$ / $F(10)$')
    """
    if measure.normalised:
        return "NDCG$_n$"
    return f"{measure.name}$_n$ / $F({measure.cutoff.tex or 'n'})$"


def _wrapped(name: str) -> str:
    r"""Return a name in at most two short lines.

    >>> _wrapped("a name that is far too long for the margin of any figure of a journal")
    'a name that is far too\nlong for the margin of…'
    """
    lines = textwrap.wrap(visible(name), _WIDEST, max_lines=_MOST_LINES, placeholder="…")
    return "\n".join(lines) or visible(name)
