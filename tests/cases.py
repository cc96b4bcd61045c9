"""Designs, studies and results in one line each, and a command run in this process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ndcg_asymptotics.cli.main import main
from ndcg_asymptotics.engines.engine import draw, load
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.results import Results, results_of
from ndcg_asymptotics.results.layout import dataset
from ndcg_asymptotics.studies import Design, Study

LINEAR = "linear(0.1, 0.7)"
TWO_GRADES = "graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))"


def design(
    scorers: Mapping[str, str] | str = LINEAR,
    sizes: Sequence[int] = (10, 100),
    measures: Sequence[str] | str = ("nDCG",),
    coupling: str = "independent",
    seed: int = 1,
    pairs: Sequence[tuple[str, str]] = (),
    **options: Any,
) -> Design:
    """Return the design that an engine simulates; a single scorer is named "a"."""
    named = {"a": scorers} if isinstance(scorers, str) else scorers
    texts = [measures] if isinstance(measures, str) else measures
    parsed = tuple(map(Measure.parse, texts))
    return Design(Population.of(named, coupling), parsed, tuple(sizes), seed, tuple(pairs), **options)


def study(
    scorers: Mapping[str, str] | str = LINEAR,
    n: Sequence[int] = (10, 100),
    measures: Sequence[str | Discount] | str = ("nDCG",),
    **fields: Any,
) -> Study:
    """A study of a few replicates; a single scorer is named "a"."""
    named = {"a": scorers} if isinstance(scorers, str) else scorers
    return Study(**{"scorers": named, "n": n, "measures": measures, "replicates": 5, "seed": 1} | fields)


def results(of: Study, **variables: np.ndarray) -> Results:
    """Made-up results: variables stacked over replicates, with the axes that an engine gives them."""
    axes = load("every-n").VARIABLES | load("cells").VARIABLES | load("rare").VARIABLES
    named = {name: (("replicate", *axes[name]), values) for name, values in variables.items()}
    count = len(next(iter(variables.values())))
    return results_of(of, dataset(of, np.arange(count), named, {}))


def simulated(of: Study, replicates: int) -> Results:
    """The results of a study's engine, drawn here one by one."""
    draws = [draw(load(of.engine), of.design, r) for r in range(replicates)]
    return results(of, **{name: np.stack([draw[name] for draw in draws]) for name in draws[0]})


Run = Callable[..., tuple[int, str, str]]
"""The type of the fixture `run`, which runs a command."""


def command(capsys: pytest.CaptureFixture[str] | None, *arguments: object) -> tuple[int, str, str]:
    """Run a command in this process, and return its exit status and what it wrote to stdout and stderr."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    code = ended.value.code
    said = capsys.readouterr() if capsys else ("", "")
    return (code if isinstance(code, int) else int(code is not None)), *said
