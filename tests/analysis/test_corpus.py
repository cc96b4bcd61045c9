"""Metrics of runs in larger corpora: lists of a known law, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from cases import Run

from ndcg_asymptotics.analysis import LargerCorpus, larger_corpus
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate

QUERIES, RELEVANT, DEPTH = 60, 3, 100
CORPUS, LARGER = 1000, 10_000

Scores = dict[str, dict[str, float]]


def runs_of(
    kappas: Sequence[float], corpus: int, seed: int = 0, within: float = 1
) -> tuple[dict[str, Scores], Scores]:
    """Runs of the first 100 documents; the depth of a relevant one is within * u^(1/kappa).

    A larger corpus has the irrelevant documents of a smaller one, and the same relevant ones.
    """
    runs: dict[str, Scores] = {}
    for kappa in kappas:
        run: Scores = {}
        for query in range(QUERIES):
            rng = np.random.default_rng([seed, query, round(1000 * kappa)])
            good = within * rng.random(RELEVANT) ** (1 / kappa)
            depth = np.append(good, rng.random(corpus))
            names = [f"g{i}" for i in range(RELEVANT)] + [f"d{i}" for i in range(corpus)]
            best = np.argsort(depth)[:DEPTH].tolist()
            run[f"q{query}"] = {names[i]: float(-depth[i]) for i in best}
        runs[f"k{kappa}"] = run
    return runs, {f"q{q}": {f"g{i}": 1.0 for i in range(RELEVANT)} for q in range(QUERIES)}


@pytest.fixture(scope="module")
def grown() -> LargerCorpus:
    runs, qrels = runs_of((0.3, 0.4), CORPUS)
    measures = ("nDCG@10", "nDCG(constant)@100")
    return larger_corpus(runs, qrels, measures, corpus=CORPUS, to=LARGER, draws=80)


def test_the_band_holds_what_happens_in_the_larger_corpus(grown: LargerCorpus) -> None:
    runs, qrels = runs_of((0.3, 0.4), LARGER)
    rows = {(row.run, row.measure, row.documents): row for row in grown.rows}
    assert {documents for _, _, documents in rows} == {CORPUS, LARGER}
    for run, of_run in runs.items():
        for measure in grown.measures:
            row = rows[run, measure, LARGER]
            # 4 of 4 in 90% bands of one seed, chosen before it was looked at
            assert row.low <= evaluate(of_run, qrels, measure).mean[0] <= row.high
            now = rows[run, measure, CORPUS]
            assert row.high < now.mean
            assert now.low == pytest.approx(now.high)


def test_the_present_corpus_has_the_metric_of_evaluate(grown: LargerCorpus) -> None:
    runs, qrels = runs_of((0.3, 0.4), CORPUS)
    for row in grown.rows:
        if row.documents == CORPUS:
            assert row.mean == pytest.approx(evaluate(runs[row.run], qrels, row.measure).mean[0], abs=1e-12)


def test_pairs_and_fits(grown: LargerCorpus) -> None:
    pair = grown.pairs[0]
    assert (pair.a, pair.b, pair.documents) == ("k0.3", "k0.4", LARGER)
    assert pair.low < pair.difference < pair.high
    assert pair.ahead > 0.5
    assert grown.relevant == (RELEVANT, RELEVANT, RELEVANT)
    for fit in grown.fits:
        assert fit.kappa_low < fit.kappa < fit.kappa_high
        assert 0 < fit.above_0 < fit.above_10 < fit.above_100 <= fit.retrieved < 1
    assert grown.warnings == ()
    assert {trial.run for trial in grown.trials} == {"k0.3", "k0.4"}


def test_the_tables(grown: LargerCorpus) -> None:
    text = str(grown)
    assert f"{RELEVANT} to {RELEVANT} relevant documents of {QUERIES} queries" in text
    assert "Test: fitted to a tenth of the irrelevant documents" in text
    assert "nDCG@10 in larger corpora, 90% band" in text
    last = {row.run: row for row in grown.rows if (row.measure, row.documents) == ("nDCG@10", LARGER)}
    for row in last.values():
        assert f"{row.mean:.3f} [{row.low:.3f}, {row.high:.3f}]" in text
    assert "nDCG@10 of a minus that of b in 1e+04 documents" in text


def test_an_order_that_turns_is_dated() -> None:
    """All relevant documents of one run are in the first hundredth, but thin out faster near the top."""
    runs, qrels = runs_of((0.3,), CORPUS)
    shallow, _ = runs_of((0.9,), CORPUS, within=0.012)
    found = larger_corpus(
        {"steady": runs["k0.3"], "shallow": shallow["k0.9"]},
        qrels,
        "nDCG@10",
        corpus=CORPUS,
        to=LARGER,
        draws=80,
    )
    (pair,) = found.pairs
    assert pair.now < 0 < pair.difference
    (turn,) = pair.changes
    assert CORPUS < turn < LARGER


@pytest.mark.slow
def test_results_depend_on_the_seed_and_the_run_alone() -> None:
    runs, qrels = runs_of((0.3, 0.4), CORPUS)
    options = {"corpus": CORPUS, "to": 2 * CORPUS, "draws": 16}
    both = larger_corpus(runs, qrels, "nDCG@10", **options)
    one = larger_corpus({"k0.3": runs["k0.3"]}, qrels, "nDCG@10", **options)
    assert one.rows == both.rows[:2]  # the band, too
    turned = larger_corpus({name: runs[name] for name in ("k0.4", "k0.3")}, qrels, "nDCG@10", **options)
    assert turned.rows[2:] == both.rows[:2]
    assert one.trials[0].error != both.trials[1].error
    other = larger_corpus({"k0.3": runs["k0.3"]}, qrels, "nDCG@10", seed=1, **options)
    assert other.rows[-1].mean != one.rows[-1].mean


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    runs, qrels = runs_of((0.3,), CORPUS)
    lines = [f"{q} Q0 {d} 1 {s!r} a" for q, found in runs["k0.3"].items() for d, s in found.items()]
    (tmp_path / "a.run").write_text("\n".join(lines) + "\n")
    lines = [f"{q} 0 {d} 1" for q, found in qrels.items() for d in found]
    (tmp_path / "my.qrels").write_text("\n".join(lines) + "\n")
    return ["larger-corpus", "--run", tmp_path / "a.run", "--qrels", tmp_path / "my.qrels"]


@pytest.mark.slow
def test_the_command_warns_beyond_ten_times_the_corpus(files: list[object], run: Run, tmp_path: Path) -> None:
    sizes = ("--corpus", CORPUS, "--to", "5e4")
    code, out, _ = run(*files, *sizes, "--measure", "nDCG@10", "--json", "--figures", tmp_path / "figures")
    assert code == 0
    found = json.loads(out)
    assert "50 times the one searched" in found["warnings"][0]
    assert [row["documents"] for row in found["rows"]] == [1000, 10_000, 50_000]
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".png"}


@pytest.mark.parametrize(
    ("further", "words"),
    [
        (("--to", "5e4", "--measure", "nDCG@10"), "Missing option '--corpus'"),
        (("--corpus", "1000", "--measure", "nDCG@10"), "Missing option '--to'"),
        (("--to", "1000", "--corpus", "1000", "--measure", "nDCG@10"), "--to: must be a whole number above"),
        (("--to", "5e4", "--corpus", "50", "--measure", "nDCG@10"), "--corpus: is 50, but a list has 100"),
        (("--to", "5e4", "--corpus", "0", "--measure", "nDCG@10"), "--corpus: must be a whole number from 1"),
        (
            ("--to", "5e4", "--corpus", "1000", "--measure", "nDCG"),
            "nDCG: a larger corpus needs",
        ),
        (("--to", "5e4", "--corpus", "1000", "--measure", "nDCG@0.1n"), "needs a fixed cutoff"),
        (("--to", "5e4", "--corpus", "1000", "--measure", "nDCG@101"), "beyond the 100 documents"),
        (("--to", "5e4", "--corpus", "1000", "--measure", "nDCG@10", "--by", "8"), "No such option"),
    ],
)
def test_bad_options_are_one_line(
    files: list[object], run: Run, further: tuple[object, ...], words: str
) -> None:
    code, out, err = run(*files, *further)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def first(run: Scores, length: int) -> Scores:
    """The first documents of each query."""
    return {q: dict(sorted(of_query.items(), key=lambda d: -d[1])[:length]) for q, of_query in run.items()}


def test_lists_too_short_for_a_trial_have_no_band() -> None:
    """The other run keeps its own; short lists had a 90% band that held too few of the values."""
    runs, qrels = runs_of((0.3, 0.4), CORPUS)
    short = {"long": runs["k0.4"], "short": first(runs["k0.3"], 10)}
    options = {"corpus": CORPUS, "to": LARGER, "draws": 16}
    found = larger_corpus(short, qrels, "nDCG@10", **options)
    long, cut = found.rows[:2], found.rows[2:]
    assert long == larger_corpus({"long": runs["k0.4"]}, qrels, "nDCG@10", **options).rows
    assert all(row.low is not None for row in long)
    assert [(row.low, row.high) for row in cut] == [(None, None)] * 2
    assert {trial.run for trial in found.trials} == {"long"}
    (pair,) = found.pairs
    assert (pair.low, pair.high, pair.ahead) == (None, None, None)
    (warning,) = found.warnings
    assert warning.startswith("short: the lists are too short to test the model")
    assert f"{cut[1].mean:.3f} [no band]" in str(found)
    assert json.loads(json.dumps(found.as_dict()))["curves"]["low"][0][1] == [None] * 7


def test_a_cutoff_is_beyond_the_lists_of_a_run_whatever_others_have() -> None:
    runs, qrels = runs_of((0.3, 0.4), CORPUS)
    short = {"long": runs["k0.4"], "short": first(runs["k0.3"], 8)}
    with pytest.raises(InputError, match="the cutoff is beyond the 8 documents of the longest list of short"):
        larger_corpus(short, qrels, "nDCG@10", corpus=CORPUS, to=LARGER)


def test_too_few_documents() -> None:
    runs, qrels = runs_of((0.3,), CORPUS)
    some = {"a": {query: runs["k0.3"][query] for query in ("q0", "q1")}}
    with pytest.raises(InputError, match="too few to fit the depths"):
        larger_corpus(some, qrels, "nDCG@10", corpus=CORPUS, to=LARGER)
