"""Groups of widgets of the explorer: each shows a part of the state, and says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import panel as pn

from ndcg_asymptotics.explorer.places import ERROR
from ndcg_asymptotics.explorer.state import Shape
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import FixedRank, ListFraction, ListPower
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.specs.sliders import Adjustable, Slider, offered

if TYPE_CHECKING:
    from param.parameterized import Event

WIDTH = 248
"""Pixels of a widget."""

UNSEEN = "label { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }"
"""The style of a widget whose label is only read aloud."""

# milliseconds; Panel waits 50 for further changes, and here answers that are no longer wanted are dropped
_DEBOUNCE = 5
_BOX = 74  # pixels of a box beside a slider
_CUTOFFS = {"whole list": "none", "k = a number": "fixed", "k = c n": "fraction", "k = n^a": "sublinear"}
_RANKS = [m * 10**e for e in range(6) for m in (1, 2, 3, 5)]


def dress(widget: pn.widgets.Widget, stylesheet: str) -> None:
    """Give a widget its style, and let it answer at once."""
    if stylesheet not in widget.stylesheets:
        widget.stylesheets = [*widget.stylesheets, stylesheet]
    widget._debounce = _DEBOUNCE


def limit_range(slider: pn.widgets.FloatSlider, start: float, end: float) -> None:
    """Let a slider move in a range; where this is one value, it does not move at all."""
    slider.disabled = start == end
    if start < end:
        slider.param.update(start=start, end=end)


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


def with_box(slider: pn.widgets.FloatSlider) -> pn.Row:
    """Return a slider beside a box in which its value can be typed; both end at the same values."""
    shown = ["value", "start", "end", "step", "disabled"]
    whole = isinstance(slider, pn.widgets.IntSlider)
    kind = pn.widgets.IntInput if whole else pn.widgets.FloatInput
    box = kind(
        label=slider.label,
        width=_BOX,
        margin=(0, 0, 5, 0),
        align="end",
        stylesheets=[UNSEEN],
        **{name: getattr(slider, name) for name in shown},
    )
    slider.param.update(width=WIDTH - _BOX - 20, show_value=False)
    row = pn.Row(slider, box, visible=slider.visible)

    def moved(*_: Event) -> None:
        box.param.update(**{name: getattr(slider, name) for name in shown})

    def typed(event: Event) -> None:
        if event.new is None:  # a box that was emptied
            box.value = slider.value
        else:
            slider.value = min(max(event.new, slider.start), slider.end)

    slider.param.watch(moved, shown)
    slider.param.watch(lambda event: row.param.update(visible=event.new), "visible")
    box.param.watch(typed, "value")
    return row


def error_pane() -> pn.pane.HTML:
    """Return a place for what is wrong, below widgets."""
    return pn.pane.HTML("", width=WIDTH, styles=ERROR)


class Watcher:
    """Tells what a visitor changes, and not what the page itself sets."""

    def __init__(self) -> None:
        self._silent = False

    def watch(self, widget: pn.widgets.Widget, changed: Callable[[Event], None]) -> None:
        """Call back with the event when a visitor changes the value of a widget."""

        def heard(event: Event) -> None:
            if not self._silent:
                changed(event)

        widget.param.watch(heard, "value")

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Set widgets in a ``with`` block without calling back."""
        before, self._silent = self._silent, True
        try:
            yield
        finally:
            self._silent = before


class ParameterSliders:
    """A slider for each parameter of a family, made anew when the parameters are others."""

    def __init__(self, watcher: Watcher, stylesheet: str, changed: Callable[[Event], None]) -> None:
        self._watcher, self._stylesheet, self._changed = watcher, stylesheet, changed
        self.sliders: list[pn.widgets.FloatSlider] = []
        self.place = pn.Column(width=WIDTH)

    @property
    def values(self) -> tuple[float, ...]:
        """The values that the sliders show."""
        return tuple(slider.value for slider in self.sliders)

    def set(self, parameters: Sequence[Slider], values: Sequence[float]) -> None:
        """Show the values of parameters."""
        if [p.name for p in parameters] != [slider.label for slider in self.sliders]:
            self.sliders = [float_slider(parameter) for parameter in parameters]
            for slider in self.sliders:
                self._watcher.watch(slider, self._changed)
                dress(slider, self._stylesheet)
            self.place.objects = [with_box(slider) for slider in self.sliders]
        for slider, value in zip(self.sliders, values, strict=True):
            slider.value = value


class ShapeControl:
    """The widgets of one ranker: a menu of families, and the sliders of the chosen one.

    ``changed`` is called with the control and, if another family was chosen, with its keyword; ``moved``
    with the control, the points (depth, value) of its curve, and the index of the one that was typed.
    """

    def __init__(
        self,
        name: str,
        color: str,
        watcher: Watcher,
        stylesheet: str,
        changed: Callable[[ShapeControl, str | None], None],
        moved: Callable[[ShapeControl, list[tuple[float, float]], int], None],
    ) -> None:
        self._watcher, self._stylesheet, self._moved = watcher, stylesheet, moved
        self.family = pn.widgets.Select(label=f"Ranker {name}", width=WIDTH)
        watcher.watch(self.family, lambda event: changed(self, event.new))
        self.parameters = ParameterSliders(watcher, stylesheet, lambda _: changed(self, None))
        self.heights = pn.FlexBox(
            gap="0", styles={"max-width": f"{WIDTH}px"}
        )  # of the points, for those who use no pointer
        self.error = error_pane()
        self.column = pn.Column(
            self.family,
            self.parameters.place,
            self.heights,
            self.error,
            styles={"border-left": f"4px solid {color}", "padding-left": "8px"},
        )
        self._points: tuple[tuple[float, float], ...] = ()

    def set(self, shape: Shape, share: float, families: Mapping[str, type[Adjustable]]) -> None:
        """Show a shape in the widgets, whose ranges are those of curves with the share."""
        options = {kind.label or key.removeprefix("roc_"): key for key, kind in families.items()}
        if self.family.options != options:
            self.family.options = options
        self.family.value = shape.family
        self._points = shape.points
        self._set_heights()
        self.parameters.set(shape.sliders, shape.values)
        for slider, ends in zip(self.parameters.sliders, shape.ranges(share), strict=True):
            limit_range(slider, *ends)

    def _set_heights(self) -> None:
        labels = [f"at s = {1 - depth:.3g}" for depth, _ in self._points]
        if [box.label for box in self.heights] != labels:
            boxes = [pn.widgets.FloatInput(label=x, start=0, end=1, step=0.01, width=_BOX) for x in labels]
            for held, box in enumerate(boxes):
                self._watcher.watch(box, partial(self._on_height, held))
                dress(box, self._stylesheet)
            self.heights.objects = boxes
        for box, (_, value) in zip(self.heights, self._points, strict=True):
            box.value = value

    def _on_height(self, held: int, event: Event) -> None:
        points = list(self._points)
        depth, value = points[held]
        points[held] = (depth, value if event.new is None else event.new)
        self._moved(self, points, held)

    def shape(self) -> Shape:
        """Return the shape that the widgets show."""
        return Shape(self.family.value, self.parameters.values, self._points)


class MeasureControl:
    """The widgets of the measure: its discount and its cutoff, each with its parameters."""

    def __init__(self, watcher: Watcher, stylesheet: str, changed: Callable[[Event], None]) -> None:
        self._watcher, self._changed = watcher, changed
        self._discounts = offered(Discount)
        self.discount = pn.widgets.Select(
            label="Discount",
            options={kind.label or key: key for key, kind in self._discounts.items()},
            width=WIDTH,
        )
        watcher.watch(self.discount, self._on_discount)
        self.parameters = ParameterSliders(watcher, stylesheet, changed)
        self.cutoff = pn.widgets.Select(label="Cutoff", options=_CUTOFFS, width=WIDTH)
        self.rank = pn.widgets.DiscreteSlider(label="k", options=_RANKS, value=10, width=WIDTH)
        self.part = float_slider(Slider("c", 0.01, 0.99, 0.01, 0.2))
        self.growth = float_slider(Slider("a", 0.05, 0.95, 0.05, 0.5))
        self._of_regime = {"fixed": self.rank, "fraction": self.part, "sublinear": self.growth}
        for widget in (self.cutoff, *self._of_regime.values()):
            watcher.watch(widget, changed)
        self.error = error_pane()
        self.column = pn.Column(
            self.discount,
            self.parameters.place,
            self.cutoff,
            self.rank,
            with_box(self.part),
            with_box(self.growth),
            self.error,
        )

    def set(self, measure: Measure) -> None:
        """Show a measure in the widgets."""
        self._set_discount(measure.discount.keyword, measure.discount.slider_values())
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

    def _set_discount(self, keyword: str, values: Sequence[float]) -> None:
        self.discount.value = keyword
        self.parameters.set(self._discounts[keyword].sliders() or (), values)

    def _on_discount(self, event: Event) -> None:
        with self._watcher.silence():
            sliders = self._discounts[event.new].sliders() or ()
            self._set_discount(event.new, [slider.usual for slider in sliders])
        self._changed(event)

    def measure(self) -> Measure:
        """Return the measure that the widgets show.

        Raises
        ------
        InputError
            If a discount needs a cutoff.
        """
        discount = self._discounts[self.discount.value](*self.parameters.values)
        cutoff = {
            "none": "",
            "fixed": str(self.rank.value),
            "fraction": f"{self.part.value:g}n",
            "sublinear": f"n^{self.growth.value:g}",
        }[self.cutoff.value]
        assert isinstance(discount, Discount)
        return Measure(discount, cutoff)
