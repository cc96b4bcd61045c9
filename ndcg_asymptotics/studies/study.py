"""Studies: scorers, measures, list lengths, the number of replicates and the seed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import as_list, brief, is_number, list_lengths, whole_number
from ndcg_asymptotics.core.errors import InputError, blaming, require, require_utf8
from ndcg_asymptotics.core.tables import ReportBlock, Shown, facts
from ndcg_asymptotics.core.text import did_you_mean
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.populations import Coupling, Population, Scorer, with_relevant
from ndcg_asymptotics.specs.scanner import short_text
from ndcg_asymptotics.studies.design import Design, resolve
from ndcg_asymptotics.studies.relevant import Relevant, read_relevant, with_gain

MOST_REPLICATES = 10**7
"""The greatest number of replicates of a study."""
_MOST_LENGTHS = 100_000  # of a study


def decades(start: float, stop: float, per_decade: int = 10) -> tuple[int, ...]:
    """Return list lengths evenly spaced in log n, both ends included.

    >>> decades(10, 1e4, per_decade=2)
    (10, 32, 100, 316, 1000, 3162, 10000)

    Raises
    ------
    InputError
        If an end is not a list length, ``start`` exceeds ``stop``, or per_decade is not 1 to 1000.
    """
    (first,), (last,) = list_lengths(start, "start"), list_lengths(stop, "stop")
    per = whole_number(per_decade, "per_decade", 1, 1000)
    require(first <= last, f"start must be at most stop, got {first} and {last}")
    sizes = {last}
    step = 0
    while (n := round(first * 10.0 ** (step / per))) < last:
        sizes.add(n)
        step += 1
    return tuple(sorted(sizes))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Study(Shown):
    """A study: scorers, measures and list lengths, simulated a number of times from a seed.

    A study file (docs/howto/study-file.md, `toml.TEMPLATE`) has the same fields.

    Parameters
    ----------
    scorers : mapping of name to Scorer or text
        All have one label law; "random" takes that of the others.
    measures : sequence of Measure, Discount or text, or mapping of short name to one
    n : list lengths
        Increasing whole numbers from 1 to 9e18, such as `decades` gives.
    replicates : int
    title : str
    seed : int
    engine : {"auto", "items", "every-n", "cells", "rare"}
        "auto" is items up to n = 1e7, then cells; if the number of relevant items is fixed, cells unless
        scorers are coupled. rare estimates probabilities of wrong orders that are too
        small to be seen otherwise.
    gain : {"linear", "binary", "exp2"}, text or mapping
        The gain of a label y of the scorers: y, 2^y - 1, or that of a table such as "1=1, 2=3". The scorers
        of the study have gains in place of labels: this field is not stored.
    coupling : Coupling or text
        How the scores of two scorers depend on each other given the label.
    relevant : int, mapping or text, optional
        The number of relevant items of every list, whatever its length: irrelevant items alone arrive. For
        graded scorers a number for each gain, as ``{2: 1, 1: 4}``. Then ``n`` begins with that number, and
        scorers may be ROC curves. Without it labels are i.i.d.
    pairs : pairs of names
        Scorers whose order is recorded.
    bracket : float
        The width of the bracket that the cells engine aims for.
    precision : float, optional
        The standard error at which a sweep ends, once every mean has reached it; ``replicates`` is then the
        greatest number of replicates.

    Raises
    ------
    InputError
        In one line: the field, what was given and what is allowed.

    >>> study = Study(
    ...     scorers={"good": "linear(0.1, 0.7)", "random": "random"},
    ...     measures=["nDCG", "nDCG@0.2n"],
    ...     n=decades(10, 1e3, per_decade=1),
    ...     replicates=100,
    ... )
    >>> study.n, [str(measure) for measure in study.measures], study.engine
    ((10, 100, 1000), ['nDCG', 'nDCG@0.2n'], 'items')
    """

    title: str
    population: Population
    measures: tuple[Measure, ...]
    n: tuple[int, ...]
    replicates: int
    seed: int
    engine: str
    pairs: tuple[tuple[str, str], ...]
    bracket: float
    precision: float | None
    _arguments: dict[str, Any]

    def __init__(
        self,
        *,
        scorers: Mapping[str, Scorer | str],
        measures: Sequence[Measure | Discount | str]
        | Mapping[str, Measure | Discount | str]
        | Measure
        | Discount
        | str,
        n: ArrayLike | Iterable[int],
        replicates: int,
        title: str = "",
        seed: int = 0,
        engine: str = "auto",
        gain: Gain = "linear",
        coupling: Coupling | str = "independent",
        relevant: Relevant | None = None,
        pairs: Iterable[Sequence[str]] = (),
        bracket: float = Design.bracket,
        precision: float | None = None,
    ) -> None:
        sizes = _sizes(n)
        require(isinstance(title, str), f"must be a text, got {brief(title)}", "title")
        require_utf8([title], "the title", "title")
        labelled = read_scorers(scorers, relevant=relevant)
        with blaming("coupling"):
            copula = Coupling.of(coupling)
        with_gains = {name: with_gain(scorer, gain) for name, scorer in labelled.items()}
        with blaming("scorers"):
            population = Population(with_gains, copula)
        for scorer in population.scorers.values():
            scorer.check_lengths(sizes)
        proper = is_number(bracket) and 0 < bracket <= 1
        require(proper, f"must be a number above 0 and at most 1, got {brief(bracket)}", "bracket")
        proper = precision is None or (is_number(precision) and 0 < precision < 1)
        require(proper, f"must be a number between 0 and 1, got {brief(precision)}", "precision")
        fields = {
            "title": str(title),
            "measures": read_measures(measures),
            "n": sizes,
            "replicates": whole_number(replicates, "replicates", 1, MOST_REPLICATES),
            "seed": whole_number(seed, "seed", 0, None),
            "pairs": _pairs(pairs, population),
            "bracket": float(bracket),
            "precision": None if precision is None else float(precision),
        }
        # what the fields do not tell any more: labels before gains, and what "auto" and "random" stand for
        before = {"scorers": scorers, "coupling": coupling, "relevant": relevant, "gain": gain}
        object.__setattr__(self, "_arguments", {**fields, **before, "engine": engine})
        resolved = {"population": population, "engine": resolve(engine, sizes[-1], population)}
        for name, value in {**fields, **resolved}.items():
            object.__setattr__(self, name, value)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield one table of the fields."""
        rows: list[tuple[str, object]] = [("title", self.title)] if self.title else []
        rows += [(f"scorer {name}", short_text(scorer)) for name, scorer in self.scorers.items()]
        rows += [("measures", ", ".join(map(str, self.measures))), ("n", brief(list(self.n)))]
        rows += [("replicates", self.replicates), ("seed", self.seed), ("engine", self.engine)]
        rows += [("pair", " against ".join(pair)) for pair in self.pairs]
        yield facts("", rows)

    def with_(self, **changes: object) -> Self:
        """Return the study with some fields changed.

        >>> study = Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=5)
        >>> study.with_(replicates=7, n=[10, 20]).n
        (10, 20)
        """
        return type(self)(**self._arguments | changes)

    def measure(self, given: Measure | str) -> Measure:
        """Return a measure of the study, by its short name or its text.

        Raises
        ------
        InputError
            If the study has no such measure.

        >>> measures = {"steep": "nDCG(1/r)", "flat": "nDCG"}
        >>> study = Study(scorers={"a": "constant(0.4)"}, measures=measures, n=[10], replicates=5)
        >>> str(study.measure("nDCG(zipf)")), study.measure("flat").text
        ('steep', 'nDCG')
        """
        by_name = {str(m): m for m in self.measures}
        measure = by_name[given] if isinstance(given, str) and given in by_name else Measure.of(given)
        if measure not in self.measures:
            raise InputError(f"no results for {measure}, the study has: {', '.join(by_name)}")
        return self.measures[self.measures.index(measure)]

    @property
    def scorers(self) -> Mapping[str, Scorer]:
        """The scorers by name."""
        return self.population.scorers

    @cached_property
    def design(self) -> Design:
        """The design that an engine simulates."""
        return Design(self.population, self.measures, self.n, self.seed, self.pairs, self.bracket)


def _sizes(field: ArrayLike | Iterable[int]) -> tuple[int, ...]:
    sizes = list_lengths(field, "n")
    require(len(sizes) <= _MOST_LENGTHS, f"at most {_MOST_LENGTHS} are allowed, got {len(sizes)}", "n")
    for before, n in itertools.pairwise(sizes):
        require(before < n, f"list lengths must increase, got {n} after {before}", "n")
    return sizes


def read_measures(
    field: object, folder: Path | None = None, allow_custom: bool = True
) -> tuple[Measure, ...]:
    """Return measures from a study's field ``measures``, a list or a table of short names.

    Other parameters are those of `read_scorers`.

    Raises
    ------
    InputError
        Beginning with the name of the field.
    """
    by_name = dict(field) if isinstance(field, Mapping) else None
    measure_list = as_list(
        field if by_name is None else [*by_name.values()], "measures", (str, Measure, Discount)
    )
    require(len(measure_list) > 0, "must hold at least one measure", "measures")
    with blaming("measures"):
        measures = tuple(
            Measure.parse(m, folder, allow_custom=allow_custom) if isinstance(m, str) else Measure.of(m)
            for m in measure_list
        )
        if by_name is not None:  # a measure without a short name has its text as its name
            pairs = zip(by_name, measures, strict=True)
            measures = tuple(m if name == m.text else replace(m, alias=name) for name, m in pairs)
    for texts in ([measure.text for measure in measures], [str(measure) for measure in measures]):
        for text in texts:
            require(texts.count(text) == 1, f"{text!r} is given twice", "measures")
    return measures


def read_scorers(
    field: Any, folder: Path | None = None, allow_custom: bool = True, relevant: object = None
) -> dict[str, Scorer]:
    """Return scorers by name from a study's field ``scorers``.

    Parameters
    ----------
    field : mapping of name to Scorer or text; with relevant also to RocModel
    folder : path, optional
        Where names of files and modules in the texts are looked for, if not in the current folder.
    allow_custom : bool
        Whether ``custom("module:function")`` in a text may import its module.
    relevant : optional
        The study's field ``relevant``.

    Raises
    ------
    InputError
        Beginning with the name of the field.
    """
    counts = None if relevant is None else read_relevant(relevant)
    proper = isinstance(field, Mapping) and len(field) > 0
    requirement = 'must map at least one name to a relevance curve, such as {"a": "linear(0.1, 0.7)"}'
    require(proper, f"{requirement}, got {brief(field)}", "scorers")
    scorers = {}
    for name, scorer in field.items():
        proper = isinstance(name, str) and name.strip() != ""
        require(proper, f"a scorer needs a name, got {brief(name)}", "scorers")
        require_utf8([name], "the name of a scorer", "scorers")
        with blaming(f"scorers.{name}"):
            if counts is not None:
                scorers[name] = with_relevant(scorer, counts, folder=folder, allow_custom=allow_custom)
            elif isinstance(scorer, str):
                scorers[name] = Scorer.parse(scorer, folder, allow_custom=allow_custom)
            else:
                scorers[name] = Scorer.of(scorer)
    return scorers


def _pairs(field: object, population: Population) -> tuple[tuple[str, str], ...]:
    names = ", ".join(population.scorers)
    pairs: list[tuple[str, str]] = []
    for pair in as_list(field, "pairs"):
        two = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        require(two, f"a pair is two names, got {brief(pair)}", "pairs")
        for name in pair:
            near = did_you_mean(str(name), population.scorers)
            require(
                isinstance(name, str) and name in population.scorers,
                f"{brief(name)} is not a scorer{near or ','} expected one of: {names}",
                "pairs",
            )
        a, b = pair
        require(a != b, f"a pair needs two different scorers, got {a!r} twice", "pairs")
        require((a, b) not in pairs, f"{a!r}, {b!r} is given twice", "pairs")
        pairs.append((a, b))
    return tuple(pairs)
