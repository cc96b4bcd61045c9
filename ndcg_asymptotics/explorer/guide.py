"""The guide through the tour: its menu, the question of a step, and the answer for those who ask for it."""

from __future__ import annotations

import html
from collections.abc import Callable

import panel as pn

from ndcg_asymptotics.explorer.places import ERROR, elsewhere, line
from ndcg_asymptotics.explorer.state import State
from ndcg_asymptotics.explorer.tour import STEPS

_TEXT = """
p { margin: 0 0 2px; max-width: 60rem; font-size: 15px; }
button { font: inherit; color: inherit; background: none; padding: 0; cursor: help; }
button { border: 0; border-bottom: 1px dotted; }
[popover] { max-width: 24rem; padding: 8px 12px; font-size: 14px; color: inherit; background: Canvas; }
"""


class Guide:
    """The tour of one visitor.

    Parameters
    ----------
    go : callable
        Called with the state of a step that was chosen.
    page_of : callable
        Returns the address of a page of the documentation, or None where it is not served.
    """

    def __init__(self, go: Callable[[State], None], page_of: Callable[[str], str | None]) -> None:
        self._go, self._page_of = go, page_of
        titles = {f"{number}. {step.title}": number for number, step in enumerate(STEPS, 1)}
        self.menu = pn.widgets.Select(label="A guided tour", options={"A guided tour": 0} | titles, width=310)
        self.menu.param.watch(lambda event: self._show(event.new), "value")
        self.back = pn.widgets.Button(label="‹", description="the step before", width=44)
        self.forward = pn.widgets.Button(label="›", description="the next step", width=44)
        self.back.on_click(lambda _: self._move(-1))
        self.forward.on_click(lambda _: self._move(1))
        self.question = pn.pane.HTML("", margin=(0, 10), stylesheets=[_TEXT], sizing_mode="stretch_width")
        self.ask = pn.widgets.Button(label="Show the answer", width=140)
        self.ask.on_click(self._on_ask)
        self.answer = pn.pane.HTML("", margin=(5, 10), stylesheets=[_TEXT], styles={"flex": "1 1 300px"})
        self.shown = pn.Column(
            self.question,
            pn.FlexBox(self.ask, self.answer, gap="4px", align_items="center"),
            visible=False,
            sizing_mode="stretch_width",
        )

    @property
    def step(self) -> int:
        """The number of the step, 0 for none."""
        return int(self.menu.value)

    def begin(self, number: int) -> None:
        """Show the question of a step beside a state that is not changed."""
        go, self._go = self._go, lambda _: None
        self.menu.value = number
        self._go = go

    def forget(self) -> None:
        """Remove the answer, which was about an earlier state."""
        self.answer.object, self.ask.visible = "", True

    def _move(self, by: int) -> None:
        self.menu.value = min(max(self.step + by, 1), len(STEPS))

    def _show(self, number: int) -> None:
        self.shown.visible = number > 0
        self.forget()
        if number:
            self.question.object = f"<p>{html.escape(STEPS[number - 1].question)}</p>"
            self._go(STEPS[number - 1].state)

    async def _on_ask(self, _: object) -> None:
        step, number = STEPS[self.step - 1], self.step
        self._go(step.state)  # which the answer is about
        self.ask.disabled, self.ask.label = True, "Computing …"
        try:
            found = await elsewhere(lambda: html.escape(step.answer(step.state)))
        except Exception as wrong:
            found = f"<span style='color: {ERROR['color']}'>{html.escape(line(wrong))}</span>"
        finally:
            self.ask.disabled, self.ask.label = False, "Show the answer"
        if self.step == number:
            self.answer.object = f"<p>{found} {self._link(step.page)}</p>"
            self.ask.visible = False

    def _link(self, page: str) -> str:
        address = self._page_of(page)
        name = html.escape(f"docs/{page}")
        return f"More: {name}" if address is None else f"<a href='{address}' target='_blank'>More: {name}</a>"
