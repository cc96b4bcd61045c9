"""Groups of widgets of the explorer: each shows a part of the state, and says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import panel as pn

from ndcg_asymptotics.explorer.charts import RANKERS
from ndcg_asymptotics.explorer.state import Shape
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import FixedRank, ListFraction, ListPower
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.specs.sliders import Adjustable, Slider, offered

if TYPE_CHECKING:
    from param.parameterized import Event

WIDTH = 248
"""Pixels of a widget."""
ERROR = {"color": "#b42318", "font-size": "13px"}
"""The style of a message."""

_STYLE = (
    f".bk-btn.bk-active {{ background: {RANKERS[0]}; color: #ffffff; }}"
    ".noUi-handle:focus-visible, button:focus-visible, select:focus-visible, input:focus-visible "
    f"{{ outline: 3px solid {RANKERS[0]}; outline-offset: 1px; }}"
)
# milliseconds; Panel waits 50 for further changes, and here answers that are no longer wanted are dropped
_DEBOUNCE = 5
_CUTOFFS = {"whole list": "none", "k = a number": "fixed", "k = c n": "fraction", "k = n^a": "sublinear"}
_RANKS = [m * 10**e for e in range(6) for m in (1, 2, 3, 5)]


def dress(widget: pn.widgets.Widget) -> None:
    """Give a widget its style, and let it answer at once."""
    if _STYLE not in widget.stylesheets:
        widget.stylesheets = [*widget.stylesheets, _STYLE]
    widget._debounce = _DEBOUNCE


def float_slider(slider: Slider) -> pn.widgets.FloatSlider:
    """Return a widget with the range of a slider and its usual value."""
    return pn.widgets.FloatSlider(
        label=slider.name,
        start=slider.start,
        end=slider.stop,
        step=slider.step,
        value=slider.usual,
        width=WIDTH,
    )


def error_pane() -> pn.pane.HTML:
    """Return a place for what is wrong, below widgets."""
    return pn.pane.HTML("", width=WIDTH, styles=ERROR)


class ParameterSliders:
    """A slider for each parameter of a family, made anew when the parameters are others."""

    def __init__(self, changed: Callable[[Event], None]) -> None:
        self._changed = changed
        self.sliders: list[pn.widgets.FloatSlider] = []
        self.place = pn.Column(width=WIDTH)

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the sliders show."""
        return tuple(slider.value for slider in self.sliders)

    def set(self, parameters: Sequence[Slider], values: Sequence[float]) -> None:
        """Show the values of parameters, also of ones beyond the usual ends of their sliders."""
        if [p.name for p in parameters] != [slider.label for slider in self.sliders]:
            self.sliders = [float_slider(parameter) for parameter in parameters]
            for slider in self.sliders:
                slider.param.watch(self._changed, "value")
                dress(slider)
            self.place.objects = list(self.sliders)
        for slider, value in zip(self.sliders, values, strict=True):
            slider.param.update(start=min(slider.start, value), end=max(slider.end, value), value=value)


class ShapeControl:
    """The widgets of one ranker: a menu of families, and the sliders of the chosen one.

    ``changed`` is called with the control and, if another family was chosen, with its keyword. A piecewise
    linear curve comes from the address, so that the menu has it only where it is shown.
    """

    def __init__(self, name: str, color: str, changed: Callable[[ShapeControl, str | None], None]) -> None:
        self.family = pn.widgets.Select(label=f"Ranker {name}", width=WIDTH)
        self.family.param.watch(lambda event: changed(self, event.new), "value")
        self.parameters = ParameterSliders(lambda _: changed(self, None))
        self.error = error_pane()
        self.column = pn.Column(
            self.family,
            self.parameters.place,
            self.error,
            styles={"border-left": f"4px solid {color}", "padding-left": "8px"},
        )

    def set(self, shape: Shape, families: Mapping[str, type[Adjustable]]) -> None:
        """Show a shape in the widgets."""
        options = {
            kind.label or key.removeprefix("roc_"): key
            for key, kind in families.items()
            if key != "piecewise" or shape.family == key
        }
        if self.family.options != options:
            self.family.options = options
        self.family.value = shape.family
        self.parameters.set(shape.sliders, shape.values)

    def shape(self) -> Shape:
        """Return the shape that the widgets show."""
        return Shape(self.family.value, self.parameters.values)


class MeasureControl:
    """The widgets of the measure: its discount and its cutoff, each with its parameters."""

    def __init__(self, changed: Callable[[Event], None]) -> None:
        self._discounts = offered(Discount)
        self._shown = ""  # the discount of which the sliders are
        self.discount = pn.widgets.Select(
            label="Discount",
            options={kind.label or key: key for key, kind in self._discounts.items()},
            width=WIDTH,
        )
        self.parameters = ParameterSliders(changed)
        self.cutoff = pn.widgets.Select(label="Cutoff", options=_CUTOFFS, width=WIDTH)
        self.rank = pn.widgets.DiscreteSlider(label="k", options=_RANKS, value=10, width=WIDTH)
        self.part = float_slider(Slider("c", 0.01, 0.99, 0.01, 0.2))
        self.growth = float_slider(Slider("a", 0.05, 0.95, 0.05, 0.5))
        self._of_regime = {"fixed": self.rank, "fraction": self.part, "sublinear": self.growth}
        for widget in (self.discount, self.cutoff, *self._of_regime.values()):
            widget.param.watch(changed, "value")
        self.error = error_pane()
        self.column = pn.Column(
            self.discount,
            self.parameters.place,
            self.cutoff,
            *self._of_regime.values(),
            self.error,
        )

    def set(self, measure: Measure) -> None:
        """Show a measure in the widgets."""
        self.discount.value = self._shown = measure.discount.keyword
        self.parameters.set(self._discounts[self._shown].sliders() or (), measure.discount.slider_values())
        match measure.cutoff:
            case FixedRank(k):
                self.rank.options = sorted({*_RANKS, k})
                self.rank.value = k
            case ListFraction(c):
                self.part.value = c
            case ListPower(a):
                self.growth.value = a
        self.cutoff.value = measure.cutoff.regime
        for regime, widget in self._of_regime.items():
            widget.visible = regime == measure.cutoff.regime

    def measure(self) -> Measure:
        """Return the measure that the widgets show; a discount that was just chosen has its usual parameters.

        Raises
        ------
        InputError
            If a discount needs a cutoff.
        """
        keyword = self.discount.value
        usual = [slider.usual for slider in self._discounts[keyword].sliders() or ()]
        discount = self._discounts[keyword](*(self.parameters.values if keyword == self._shown else usual))
        cutoff = {
            "none": "",
            "fixed": str(self.rank.value),
            "fraction": f"{self.part.value:g}n",
            "sublinear": f"n^{self.growth.value:g}",
        }[self.cutoff.value]
        assert isinstance(discount, Discount)
        return Measure(discount, cutoff)
