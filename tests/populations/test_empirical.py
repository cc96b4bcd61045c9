"""Curves from files: piecewise linear between nodes, and every file that holds none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.populations import Empirical, Relevance, Scorer
from ndcg_asymptotics.populations.curve_file import CURVE, encode


def curve_file(path, **changes):
    content = {
        "format": CURVE,
        "gains": [2, 1],
        "depth": [0.0, 0.5, 1.0],
        "probability": [[0.5, 0.2, 0.0], [0.4, 0.3, 0.1]],
        "source": "kept and ignored",
    }
    path.write_text(json.dumps({**content, **changes}))
    return path


def test_empirical(tmp_path):
    path = curve_file(tmp_path / "curve.json")
    relevance = Relevance.parse(f'empirical("{path}")')
    assert relevance.gains == (2.0, 1.0)
    np.testing.assert_allclose(relevance.masses, [0.225, 0.275], rtol=1e-14)
    assert relevance.mean_gain_at_top == pytest.approx(1.4)
    assert Relevance.parse(str(relevance)) == relevance
    assert Relevance.parse('empirical("curve.json")', tmp_path).masses == relevance.masses


@pytest.mark.parametrize(
    "table", ["s,ybar\n0,0.1\n0.25,0.2\n1,0.7\n", "\ufeffdepth, ybar\r\n0,0.7\r\n\r\n1,0.1\r\n0.75,0.2\r\n"]
)
def test_a_table_of_points_is_a_curve(tmp_path, table):
    (tmp_path / "curve.csv").write_text(table)
    relevance = Relevance.parse('empirical("curve.csv")', tmp_path)
    same = Relevance.parse("piecewise(0=0.7, 0.75=0.2, 1=0.1)")
    t = np.linspace(0, 1, 9)
    np.testing.assert_array_equal(relevance.mean_gain(t), same.mean_gain(t))
    assert relevance.masses == same.masses
    portable = relevance.portable()
    assert list(portable.files.values()) == [table.encode()]
    (tmp_path / "curves").mkdir()
    for name, content in portable.files.items():
        (tmp_path / name).write_bytes(content)
    assert Relevance.parse(portable.text, tmp_path).masses == same.masses


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("x,y\n0,0.1\n1,0.7\n", "CSV with the columns s,ybar or depth,ybar"),
        ("s,ybar\n0.1,0.1\n1,0.7\n", "depth must increase from 0 to 1"),
        ("s,ybar\n0,0.1\n0.5,0.2\n0.5,0.3\n1,0.7\n", "depth must increase from 0 to 1"),
        ("s,ybar\n0,0.1\n1\n", "not a curve file"),
        ("s,ybar\n0,0.1\n1,high\n", "not a curve file"),
        ("s,ybar\n0,0.1\n1,1.7\n", r"within \[0, 1\]"),
        ("s,ybar\n", "depth must increase from 0 to 1"),
    ],
)
def test_tables_that_hold_no_curve(tmp_path, table, said):
    (tmp_path / "curve.csv").write_text(table)
    with pytest.raises(InputError, match=said) as error:
        Relevance.parse('empirical("curve.csv")', tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "else"}, "format must be"),
        ({"gains": []}, "one row per gain"),
        ({"gains": [1, 1]}, "distinct and positive"),
        ({"depth": [0.1, 0.5, 1.0]}, "depth must increase from 0 to 1"),
        ({"depth": [0, 1, 1]}, "depth must increase from 0 to 1"),
        ({"depth": []}, "one number per depth"),
        ({"probability": [[0.5, 0.2, 0.0]]}, "one row per gain"),
        ({"probability": [[0.5, 0.2], [0.4, 0.3, 0.1]]}, "one number per depth"),
        ({"probability": [[0.5, 0.2, 1.2], [0.1, 0.1, 0.1]]}, r"within \[0, 1\]"),
        ({"probability": [[0.9, 0.2, 0.0], [0.4, 0.3, 0.1]]}, "add up to as much as 1.3"),
        ({"probability": 3}, "not a curve file"),
    ],
)
def test_bad_curve_files(tmp_path, changes, said):
    path = curve_file(tmp_path / "curve.json", **changes)
    with pytest.raises(InputError, match=said) as error:
        Relevance.parse(f'empirical("{path}")')
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "said"), [("", "not a curve file"), ("{}", "not a curve file"), ("[1]", "not a curve file")]
)
def test_files_that_hold_no_curve(tmp_path, content, said):
    path = tmp_path / "curve.json"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        Relevance.parse(f'empirical("{path}")')
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a curve file"):
        Relevance.parse(f'empirical("{path}")')
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        Relevance.parse(f'empirical("{path}")')


def curve_of(points: int, gains: tuple[int, ...] = (1,)) -> bytes:
    depth = np.linspace(0, 1, points)
    rows = [(0.5 - 0.3 * depth + 0.1 * np.sin(500 * depth + gain)) / len(gains) for gain in gains]
    return encode(CURVE, gains=gains, depth=depth, probability=rows)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (curve_of(2001), r"depth must have at most 2000 values, got 2001$"),
        (curve_of(1001, tuple(range(1, 11))), r"at most 10000 probabilities, got 10010$"),
        (b'{"format": [' + b"[]," * (2**21 + 1) + b"[]]}", "at most 2097152 values .* has 2097153$"),
    ],
    ids=["points", "probabilities", "values"],
)
def test_larger_curve_files_are_refused_in_one_line(content, said):
    with pytest.raises(InputError, match=said) as refused:
        Empirical("c.json", content)
    assert "\n" not in str(refused.value)


def test_a_text_in_a_file_reads_curve_files_in_its_own_folder_only(tmp_path, monkeypatch):
    own, inner, other = tmp_path / "own", tmp_path / "own" / "inner", tmp_path / "other"
    for folder in (inner, other):
        folder.mkdir(parents=True)
        (folder / "c.json").write_bytes(curve_of(5))
    (own / "link.json").symlink_to(other / "c.json")
    (own / "linked").symlink_to(other)
    (own / "near.json").symlink_to(inner / "c.json")
    (own / "loop.json").symlink_to(own / "loop.json")
    scorer = "empirical(%s)"
    for file in ("inner/c.json", "near.json", "inner/../inner/c.json", str(inner / "c.json")):
        assert str(Scorer.parse(scorer % json.dumps(file), own)) == scorer % json.dumps(file)
    elsewhere = [
        "../other/c.json",
        str(other / "c.json"),
        "link.json",
        "linked/c.json",
        "inner/../../other/c.json",
        "/etc/passwd",
        "../own2/c.json",
        "../nowhere.json",
    ]
    for file in elsewhere:
        with pytest.raises(InputError, match="is outside of the folder"):
            Scorer.parse(scorer % json.dumps(file), own)
    with pytest.raises(InputError) as refused:
        Scorer.parse(scorer % '"loop.json"', own)
    assert "\n" not in str(refused.value)
    # a text of the user's own may name any file
    monkeypatch.chdir(own)
    for file in ("../other/c.json", str(other / "c.json"), "link.json"):
        assert str(Scorer.parse(scorer % json.dumps(file))) == scorer % json.dumps(file)
