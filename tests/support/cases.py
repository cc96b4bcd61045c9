"""Designs, studies and results in one line each, and a command run in this process."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import ArrayLike

from ndcg_asymptotics.cli.main import main
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines.engine import draw_block, load_engine
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.layout import INDEX, versions_here
from ndcg_asymptotics.stats.paired import Difference, paired_differences
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
    axes = load_engine("every-n").VARIABLES | load_engine("cells").VARIABLES | load_engine("rare").VARIABLES
    named = {name: ((INDEX, *axes[name]), values) for name, values in variables.items()}
    count = len(next(iter(variables.values())))
    return Results(of, [versions_here()], np.arange(count), np.ones(count, bool), None, named)


def simulated(of: Study, replicates: int) -> Results:
    """The results of a study's engine, drawn here."""
    return results(of, **draw_block(load_engine(of.engine), of.design, range(replicates)))


class Ended(NamedTuple):
    """The exit status of a command, and what it wrote to stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether the command refused its input: one line on stderr, and nothing on stdout."""
        return self.code == 2 and self.err.count("\n") == 1 and not self.out


def command(*arguments: object) -> Ended:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    code = ended.value.code
    return Ended(code if isinstance(code, int) else int(code is not None), out.getvalue(), err.getvalue())


def output(*arguments: object) -> str:
    """Return what a command writes that must succeed."""
    ended = command(*arguments)
    assert ended.code == 0, ended.err
    return ended.out


def paired_difference(differences: ArrayLike, **options: Any) -> Difference:
    """The outcome of one of `paired_differences`."""
    return paired_differences(np.asarray(differences, float)[:, None], **options)[0]


def write(folder: Path, content: str | bytes, name: str = "file") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(said: str, call: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Assert that a call raises an error of one line that matches a pattern, and return the line."""
    with pytest.raises(InputError, match=said) as error:
        call(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


Documents = dict[str, dict[str, float]]
"""A number for each document, by query: scores or labels."""


def noisy_runs(
    labels: Documents, noise: Mapping[str, float], rng: np.random.Generator
) -> dict[str, Documents]:
    """Return runs whose scores are the labels and normal numbers of a standard deviation."""
    return {
        name: {q: {d: y + sd * rng.normal() for d, y in docs.items()} for q, docs in labels.items()}
        for name, sd in noise.items()
    }


def judged_runs(
    noise: Mapping[str, float], queries: int = 30, documents: int = 60, seed: int = 1
) -> tuple[dict[str, Documents], Documents]:
    """Return noisy runs and their judgements; every query has more relevant documents than the one before."""
    rng = np.random.default_rng(seed)
    labels = {
        f"q{q:02}": {f"d{i:02}": float(y) for i, y in enumerate(rng.random(documents) < 0.05 + 0.01 * q)}
        for q in range(queries)
    }
    return noisy_runs(labels, noise, rng), labels
