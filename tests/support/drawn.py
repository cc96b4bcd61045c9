"""What can be read in a figure."""

from __future__ import annotations

from matplotlib.axes import Axes


def texts(ax: Axes) -> list[str]:
    """Return the title and the texts of the axes and of the legend."""
    legend = ax.get_legend()
    words = [*ax.texts, *(legend.get_texts() if legend else [])]
    return [ax.get_title(loc="left"), *(text.get_text() for text in words)]
