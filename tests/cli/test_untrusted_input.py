"""Untrusted studies, results and lists: their code does not run, and they cause no traceback."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from cases import command, write
from cli_cases import write_study
from robustness.fuzz import TRIALS

from ndcg_asymptotics.plots.saving import file_names


def study(folder: Path, scorer: str = "linear(0.1, 0.7)", measure: str = "nDCG", sizes: str = "[5]") -> Path:
    return write_study(folder, good=f"'{scorer}'", measures=f"['{measure}']", n=sizes, replicates="3")


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRIALS)
def test_random_inputs_are_computed_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    seen = set()
    for case in range(20):
        place = tmp_path / str(case)
        place.mkdir()
        seen.add(TRIALS[kind](random.Random(f"suite {kind} {case}"), place))
    assert seen == {"computed", "refused"}


def test_functions_of_a_study_run_only_with_permission(tmp_path: Path) -> None:
    touch = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
    write(tmp_path, touch + "def half(s):\n    return 0.5 + 0 * s\n", "own.py")
    file, out, ran = study(tmp_path, 'custom("own:half")'), tmp_path / "out", tmp_path / "ran"
    refused = command("run", file, "--out", out, "--jobs", 1)
    assert refused.refused
    assert "--allow-custom permits it" in refused.err
    assert not ran.exists()
    assert command("run", file, "--out", out, "--jobs", 1, "--allow-custom").code == 0
    ran.unlink()
    for arguments in (
        ("info",),
        ("check",),
        ("distinguish",),
        ("figures", "--out", tmp_path / "f"),
        ("merge", "--out", tmp_path / "m"),
    ):
        assert command(arguments[0], out, *arguments[1:]).refused
    assert not ran.exists()
    assert not (out / "ran").exists()
    assert command("check", out, "--allow-custom").code == 0


@pytest.mark.parametrize("raised", ["SystemExit(0)", "GeneratorExit", "ZeroDivisionError"])
def test_a_function_cannot_end_the_process(tmp_path: Path, raised: str) -> None:
    write(tmp_path, f"def half(s):\n    raise {raised}\n", "own.py")
    file = study(tmp_path, 'custom("own:half")')
    assert command("run", file, "--out", tmp_path / "out", "--jobs", 1, "--allow-custom").refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scorer", "measure", "sizes"),
    [
        ("polynomial(0.5, 1e308, -1e308)", "nDCG", "[5]"),
        (f"polynomial({', '.join(['0.0001'] * 2000)})", "nDCG", "[5]"),
        (f"graded({', '.join(f'{i}=constant(0.001)' for i in range(1, 901))})", "nDCG", "[5]"),
        ("graded(1e308=constant(0.1), 1e307=constant(0.1))", "nDCG(nothing)", "[5]"),
        ("random", "nDCG(power(1e308))@0", "[5]"),
        ("random", "nDCG", "[" * 900 + "]" * 900),
        ("random", "nDCG", f"[{'9' * 4301}]"),
        ("random", "nDCG", "{start = 1, stop = 1e18, per_decade = 1e9}"),
        ("random", "nDCG", f"[{', '.join(map(str, range(1, 100_002)))}]"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_impossible_studies_are_refused_before_anything_is_allocated(
    tmp_path: Path, scorer: str, measure: str, sizes: str
) -> None:
    ended = command("run", study(tmp_path, scorer, measure, sizes), "--out", tmp_path / "out", "--jobs", 1)
    assert ended.refused, ended
    assert len(ended.err) < 700
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options",
    [("--replicates", 10**9), ("--first", 10**20), ("--jobs", 0), ("--precision", 2), ("--first", 10**9)],
    ids=str,
)
def test_options_out_of_range_are_refused(tmp_path: Path, options: tuple[str, int]) -> None:
    ended = command("run", study(tmp_path), "--out", tmp_path / "out", *options)
    assert ended.refused, ended
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["{}", "[[{}]]", "x = {{ {} = 1 }}"])
def test_a_key_of_many_parts_is_refused_before_it_is_parsed(tmp_path: Path, key: str) -> None:
    """The parser of Python takes 42 s and 7 GB for 40,000 parts."""
    file = write(tmp_path, key.format("a." * 40_000 + "a"), "study.toml")
    ended = command("run", file, "--out", tmp_path / "out")
    assert ended.refused, ended
    assert "study.toml: a key may have at most 1000 parts, got 40000" in ended.err


def test_names_with_markup_are_shown_literally(tmp_path: Path) -> None:
    """Names with rich's markup, emoji codes, mathematics or control characters, and very long names."""
    names = ["bm25[k]", "[/]", ":smile:", r"$\\frac{1$", "a\\u001b[31mb", "x" * 300, "a b", "a-b"]
    scorers = "\n".join(f'"{name}" = "linear(0.1, 0.7)"' for name in names)
    pairs = '[["a b", "a-b"], ["a-b", "a b"]]'
    text = f'measures = ["nDCG"]\nn = [5]\nreplicates = 3\npairs = {pairs}\n[scorers]\n{scorers}\n'
    file, out = write(tmp_path, text, "study.toml"), tmp_path / "out"
    assert command("run", file, "--out", out, "--jobs", 1).code == 0
    said = command("check", out, "-v").out
    for shown in ("bm25[k]", "[/]", ":smile:", r"$\frac{1$", r"a\x1b[31mb"):
        assert shown in said
    assert "\x1b" not in said
    drawn = command("figures", out, "--out", tmp_path / "figures", "--dpi", 30)
    assert drawn.code == 0, drawn
    assert len(list((tmp_path / "figures").glob("*.png"))) == 4


def test_different_figures_have_different_file_names() -> None:
    same = [("order", "a b", "c"), ("order", "a-b", "c"), ("order", "a/b", "c"), ("order", "A/b", "C")]
    assert len({name.casefold() for name in file_names(same)}) == 4
    assert max(map(len, file_names([("x" * 300,), ("é" * 300,)]))) < 200


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"\xff.run.gz", b"\xed\xa0\x80.run"])
def test_files_whose_names_are_no_utf8(tmp_path: Path, name: bytes) -> None:
    """Bytes of a name that are no UTF-8 are escapes in what commands write."""
    run = tmp_path / os.fsdecode(name)
    lines = "".join(f"q{q} Q0 d{d} {d + 1} {10 - d} t\n" for q in range(12) for d in range(4))
    run.write_bytes(gzip.compress(lines.encode()) if b"gz" in name else lines.encode())
    other = write(tmp_path, lines.replace(" 10 t", " 8.5 t"), "b.run")
    qrels = write(tmp_path, "".join(f"q{q} 0 d{q % 4} 1\n" for q in range(12)), "qrels")
    shown = os.fsdecode(name.removesuffix(b".gz").removesuffix(b".run")).encode(errors="surrogateescape")
    shown_text = shown.decode(errors="backslashreplace")
    runs = ("--run", run, "--run", other, "--qrels", qrels)
    for arguments in (("evaluate",), ("compare", "--resamples", 99), ("plan",)):
        for form in ("csv", "json", "table"):
            ended = command(arguments[0], *runs, *arguments[1:], "--measure", "nDCG@2", "--format", form)
            assert ended.code == 0, ended
            ended.out.encode()
            assert form != "csv" or shown_text in ended.out
    out = tmp_path / os.fsdecode(b"\xff out.csv")
    for arguments in (("evaluate",), ("compare", "--resamples", 99)):
        ended = command(arguments[0], *runs, *arguments[1:], "--measure", "nDCG@2", "--by-query", out)
        assert ended.code == 0, ended
        assert shown_text in out.read_text(encoding="utf-8")
    report = tmp_path / "report.html"
    assert command("compare", *runs, "--resamples", 99, "--report", report).code == 0
    assert shown_text in report.read_text(encoding="utf-8")
    assert command("fit", *runs, "--out", tmp_path / "curves").code == 0


@pytest.mark.slow
def test_a_closed_pipe_leaves_the_exit_status_of_check_at_0(tmp_path: Path) -> None:
    file, out = study(tmp_path), tmp_path / "out"
    assert command("run", file, "--out", out, "--jobs", 1).code == 0
    check = f"{sys.executable} -m ndcg_asymptotics check {out} | head -1; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", check], capture_output=True, timeout=60).returncode == 0
