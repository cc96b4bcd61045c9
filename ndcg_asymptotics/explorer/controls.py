"""Groups of widgets of the explorer: each shows a part of the state, and says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import panel as pn

from ndcg_asymptotics.explorer.charts import RANKERS
from ndcg_asymptotics.explorer.state import Shape
from ndcg_asymptotics.specs.sliders import Adjustable, Slider, offered
from ndcg_asymptotics.specs.spec import Spec

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


def dress(widget: pn.widgets.Widget) -> None:
    """Give a widget its style, and let it answer at once."""
    if _STYLE not in widget.stylesheets:
        widget.stylesheets = [*widget.stylesheets, _STYLE]
    widget._debounce = _DEBOUNCE


def slider_widget(slider: Slider) -> pn.widgets.FloatSlider | pn.widgets.DiscreteSlider:
    """Return a widget with the range of a slider and its usual value."""
    if not slider.step:
        usual = slider.usual
        return pn.widgets.DiscreteSlider(label=slider.name, options=slider.grid, value=usual, width=WIDTH)
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
        self.sliders: list[pn.widgets.FloatSlider | pn.widgets.DiscreteSlider] = []
        self.place = pn.Column(width=WIDTH)

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the sliders show."""
        # without the rounding errors of steps
        return tuple(float(f"{slider.value:.12g}") for slider in self.sliders)

    def set(self, parameters: Sequence[Slider], values: Sequence[float]) -> None:
        """Show the values of parameters, also of ones beyond the usual ends of their sliders."""
        if [p.name for p in parameters] != [slider.label for slider in self.sliders]:
            self.sliders = [slider_widget(parameter) for parameter in parameters]
            for slider in self.sliders:
                slider.param.watch(self._changed, "value")
                dress(slider)
            self.place.objects = list(self.sliders)
        for slider, value in zip(self.sliders, values, strict=True):
            if isinstance(slider, pn.widgets.DiscreteSlider):
                slider.param.update(options=sorted({*slider.options, value}), value=value)
            else:
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


class SpecControl:
    """A menu of the members of a family that have sliders, and the sliders of the chosen one."""

    def __init__(self, family: type[Spec], changed: Callable[[Event], None]) -> None:
        self._offered = offered(family)
        self._shown = ""  # the member of which the sliders are
        self.menu = pn.widgets.Select(
            label=family.family.capitalize(),
            options={kind.label or keyword: keyword for keyword, kind in self._offered.items()},
            width=WIDTH,
        )
        self.menu.param.watch(changed, "value")
        self.parameters = ParameterSliders(changed)

    def set(self, spec: Adjustable) -> None:
        """Show a member of the family."""
        self.menu.value = self._shown = spec.keyword
        self.parameters.set(spec.sliders() or (), spec.slider_values())

    def spec(self) -> Any:
        """Return the member that is shown; one that was just chosen has its usual parameters."""
        member = self._offered[self.menu.value]
        usual = [slider.usual for slider in member.sliders() or ()]
        return member(*(self.parameters.values if self.menu.value == self._shown else usual))
