"""The README's numbers are what the package says; that its blocks run is tested with those of docs/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ndcg_asymptotics as na

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_limit_that_is_shown() -> None:
    value = re.search(r"\.value\s+# (0\.\d+), Theorem 3", README)
    assert value is not None
    assert na.limit("linear(0.1, 0.7)", "nDCG(power(0.5))").value == pytest.approx(float(value[1]), abs=1e-12)
