"""Studies and ranked lists with something odd: each is computed, or refused in one line.

``python -m robustness.fuzz [CASES [SEED [KIND …]]]``. Nothing may raise, or leave a file behind
where it was refused.
"""

from __future__ import annotations

import gzip
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from cases import Ended, command

NUMBERS = (
    *("0", "-0", "-1", "1", "2", "3", "0.1", "0.5", "1e-300", "5e-324", "1e308", "-1e308", "1e309"),
    *("nan", "inf", "1e9", "1e18", "1e20", "1_0", "0x10", "１", "9" * 4301),
    *("9223372036854775807", "9223372036854775808"),
)
# how many numbers a curve has
TWO, THREE = ("linear", "polynomial", "logistic", "binormal"), ("power", "cusp", "step")
SHAPES = {"constant": 1, **dict.fromkeys(TWO, 2), **dict.fromkeys(THREE, 3)}
CURVES = (*SHAPES, "random", "graded", "empirical", "custom", "nothing")
DISCOUNTS = ("log", "zipf", "power", "geometric", "linear", "custom", "quadratic", "nothing")
TEXTS = (
    *("", " ", "[/]", "[bold]", ":smile:", "$\\\\frac{1$", "\\u001b[31m", "\\u202e", "\\u0000", "\\ud800"),
    *("a/b", "../x", "antigravity:x", "os:system", "/dev/zero", "NaN"),
    *("é" * 300, "x" * 20_000, "graded(1=" * 400, "(" * 900),
)


def number(chance: random.Random) -> str:
    """A number, or what could pass for one."""
    return chance.choice(NUMBERS) if chance.random() < 0.3 else f"{chance.uniform(0.01, 0.9):.2g}"


def curve(chance: random.Random, deep: int = 0) -> str:
    """A relevance curve, or what could pass for one."""
    if chance.random() < 0.1:
        return chance.choice(TEXTS)
    name = chance.choice(CURVES)
    if name == "graded" and deep < 3:
        parts = [f"{number(chance)}={curve(chance, deep + 1)}" for _ in range(chance.randrange(4))]
        return f"graded({', '.join(parts)})"
    if name in ("empirical", "custom"):
        return f'{name}(\\"{chance.choice(TEXTS)}\\")'
    if name in SHAPES and chance.random() < 0.8:
        return f"{name}({', '.join(number(chance) for _ in range(SHAPES[name]))})"
    given = [number(chance) for _ in range(chance.randrange(4))]
    if given and chance.random() < 0.3:
        given[-1] = f"prevalence={given[-1]}"
    return f"{name}({', '.join(given)})" if given or chance.random() < 0.5 else name


def measure(chance: random.Random) -> str:
    """A measure, or what could pass for one."""
    if chance.random() < 0.1:
        return chance.choice(TEXTS)
    cutoff = chance.choice(("", "@{}", "@{}n", "@n^{}", "@{}log(n)", "@{}n^{}", "@")).replace(
        "{}", number(chance)
    )
    discount = chance.choice(DISCOUNTS)
    given = number(chance) if discount in ("power", "geometric") or chance.random() < 0.1 else ""
    given = f"1{given.lstrip('-')}" if discount == "geometric" and chance.random() < 0.8 else given
    return f"nDCG({discount}({given})){cutoff}" if given else f"nDCG({discount}){cutoff}"


def study(chance: random.Random) -> str:
    """A study file with something odd in one or more of its fields."""
    text, value = f'"{chance.choice(TEXTS)}"', number(chance)
    strange = (value, text, "[]", "{}", "[[[]]]", "[" * 900 + "]" * 900, "true", "1979-05-27", "{x = 1}")
    span = f"{{start = {value}, stop = {number(chance)}, per_decade = {number(chance)}}}"
    engine = chance.choice(("items", "cells", "every-n"))
    fields = {  # as they usually are, and odd
        "title": ('"odd"', strange),
        "measures": ('["nDCG"]', (f'["{measure(chance)}", "{measure(chance)}"]',)),
        "n": ("[5, 20]", (f"[{value}, {number(chance)}]", span, *strange)),
        "replicates": ("2", strange),
        "seed": ("1", strange),
        "engine": (f'"{engine}"', (text,)),
        "coupling": ('"independent"', (f'"gaussian({value})"',)),
        "pairs": ('[["a", "b"]]', (*strange, f'[["a", {text}]]', '[["a", "a"]]')),
        "bracket": ("1e-3", (value,)),
        "scorers": (
            '{a = "linear(0.1, 0.7)", b = "random"}',
            (f'{{a = "{curve(chance)}", b = "{chance.choice((curve(chance), "random"))}"}}',),
        ),
    }
    odd = chance.sample(sorted(fields), chance.choice((1, 1, 2)))
    lines = [
        f"{field} = {chance.choice(values) if field in odd else usual}\n"
        for field, (usual, values) in fields.items()
    ]
    if chance.random() < 0.1:
        lines.insert(chance.randrange(len(lines)), chance.choice(("=", '"', "\x00", "[scorers", "# é", "﻿")))
    return "".join(lines)


def ranked(chance: random.Random) -> tuple[bytes, bytes]:
    """A run and its judgements with something odd in them."""
    run = [f"q{i // 5} Q0 d{i} {i % 5 + 1} {5 - i % 5}.5 tag" for i in range(20)]
    qrels = [f"q{i // 5} 0 d{i} {i % 3}" for i in range(20)]
    for lines in (run, qrels) if chance.random() < 0.3 else (chance.choice((run, qrels)),):
        at = chance.randrange(len(lines))
        words = lines[at].split()
        words[chance.randrange(len(words))] = chance.choice(
            (*NUMBERS, *TEXTS, "\x00", "﻿", "\ud800", '"', "\r")
        )
        lines[at] = chance.choice((" ", "\t", "  ", ",")).join(words)
    files = []
    for lines in (run, qrels):
        content = chance.choice(("\n", "\r\n")).join(lines).encode(errors="surrogatepass")
        kind = chance.random()
        if kind < 0.1:
            content = b"\xef\xbb\xbf" + content
        elif kind < 0.2:
            content = gzip.compress(content)[: chance.choice((None, -5, 12, 3))]
        elif kind < 0.3:
            content = chance.choice((b"", b"\n\n", content[:-7], content * 2, content[:99] + b"x" * 2**21))
        files.append(content)
    return files[0], files[1]


def judged(*arguments: object) -> Ended:
    """Run a command and return how it ended.

    Raises
    ------
    AssertionError
        If it raised, or refused in more than a line.
    """
    ended = command(*arguments)
    assert ended.code in (0, 1, 2), (arguments, ended.code, ended.err[-3000:])
    assert ended.code != 2 or (ended.refused and len(ended.err) < 700), (arguments, ended)
    return ended


def try_study(chance: random.Random, place: Path) -> str:
    """Run an odd study and return the outcome."""
    file, out = place / "study.toml", place / "out"
    file.write_text(study(chance))
    ended = judged("run", file, "--out", out, "--jobs", 1, "--time-limit", 1)
    if ended.code == 2:
        assert not out.exists(), ended
        return "refused"
    judged("check", out)
    return "computed"


def try_lists(chance: random.Random, place: Path) -> str:
    """Evaluate odd ranked lists and return the outcome."""
    run, qrels = place / "a.run", place / "b.qrels"
    for file, content in zip((run, qrels), ranked(chance), strict=True):
        file.write_bytes(content)
    found = judged("evaluate", "--run", run, "--qrels", qrels, "--measure", "nDCG@3")
    out = place / "curve.csv"
    fitted = judged("fit", "--run", run, "--qrels", qrels, "--out", out, "--binary-at", 1)
    assert (fitted.code == 0) == out.exists(), fitted
    return "refused" if found.code == 2 else "computed"


TRIALS: dict[str, Callable[[random.Random, Path], str]] = {
    "studies": try_study,
    "lists": try_lists,
}


def main() -> None:
    """Print what became of how many cases of each kind."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for kind in sys.argv[3:] or TRIALS:
        counts: Counter[str] = Counter()
        for case in range(cases):
            with tempfile.TemporaryDirectory() as place:
                try:
                    counts[TRIALS[kind](random.Random(f"{seed} {kind} {case}"), Path(place))] += 1
                except Exception as error:
                    raise AssertionError(f"{kind}, case {case} of seed {seed}: {error}") from error
        found = ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common())
        print(f"{cases} {kind}: {found}; 0 tracebacks, 0 partial writes")


if __name__ == "__main__":
    main()
