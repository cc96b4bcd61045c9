"""What the README shows in Python, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 3


@pytest.mark.slow
def test_python_blocks_run_one_after_another(capsys: pytest.CaptureFixture[str]) -> None:
    mpl.use("Agg")
    names: dict[str, object] = {"__name__": "readme"}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), names)
    results = names["results"]
    assert results.complete  # type: ignore[attr-defined]
    plt.close("all")
    value = re.search(r"\.value\s+# (0\.\d+), Theorem 3", README)
    assert value is not None
    na = names["na"]
    assert na.limit("linear(0.1, 0.7)", "nDCG(power(0.5))").value == pytest.approx(  # type: ignore[attr-defined]
        float(value[1]), abs=1e-12
    )
