"""Curves from files: piecewise linear between nodes, and every file that holds none."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics.populations import Empirical, Relevance, Scorer
from ndcg_asymptotics.populations.curve_file import encode

GRADED = "# run: a.run\ndepth,y=2,y=1\n0.0,0.5,0.4\n0.5,0.2,0.3\n1.0,0.0,0.1\n"


def test_empirical(tmp_path):
    path = tmp_path / "curve.csv"
    path.write_text(GRADED)
    relevance = Relevance.parse(f'empirical("{path}")')
    assert relevance.gains == (2.0, 1.0)
    np.testing.assert_allclose(relevance.masses, [0.225, 0.275], rtol=1e-14)
    assert relevance.mean_gain_at_top == pytest.approx(1.4)
    assert Relevance.parse(str(relevance)) == relevance
    assert Relevance.parse('empirical("curve.csv")', tmp_path).masses == relevance.masses


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


def test_what_fit_writes_is_read_to_the_last_bit():
    rng = np.random.default_rng(5)
    depth = np.array([0.0, *np.sort(rng.random(20)), 1.0])
    probability = rng.random((3, 22)) / 3
    content = encode([0.1, 7.0, 1 / 3], depth, probability, ["run: a\u2028b\n", "caf\udce9.run"])
    assert content.startswith(b"# run: a b\n# caf\\udce9.run\ndepth,y=0.1,y=7,y=0.3333333333333333\n")
    read = Empirical("c.csv", content)
    assert read.gains == (7.0, 1 / 3, 0.1)
    for row, curve in zip((1, 2, 0), read.nodes, strict=True):
        np.testing.assert_array_equal(curve.depths, depth)
        np.testing.assert_array_equal(curve.values, probability[row])


def curve_of(points: int, gains: tuple[int, ...] = (1,)) -> bytes:
    depth = np.linspace(0, 1, points)
    rows = [(0.5 - 0.3 * depth + 0.1 * np.sin(500 * depth + gain)) / len(gains) for gain in gains]
    return encode(gains, depth, rows)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("x,y\n0,0.1\n1,0.7\n", "columns depth or s, and ybar or y=GAIN for every gain, got 'x,y'"),
        ("0,0.1\n1,0.7\n", "got '0,0.1'"),
        ("depth\n0\n1\n", "got 'depth'"),
        ("depth,y=high\n0,0.1\n1,0.7\n", "got 'depth,y=high'"),
        ("depth,y=2,2\n0,0.1,0.1\n1,0.7,0.1\n", "got 'depth,y=2,2'"),
        ("", "got ''"),
        ("[1]", r"got '\[1\]'"),
        ("s,ybar\n0.1,0.1\n1,0.7\n", "depth must increase from 0 to 1"),
        ("s,ybar\n0,0.1\n0.5,0.2\n0.5,0.3\n1,0.7\n", "depth must increase from 0 to 1"),
        ("s,ybar\nnan,0.1\n0,0.2\n1,0.3\n", "depth must increase from 0 to 1"),
        ("s,ybar\n", "depth must increase from 0 to 1"),
        ("# from a\n\ns,ybar\n0,0.1\n1\n", "line 5 must have 2 numbers, got '1'"),
        ("s,ybar\n0,0.1\n1,high\n", "line 3 must have 2 numbers, got '1,high'"),
        ("depth,y=2,y=1\n0,0.5,0.4\n1,0.1,0,0\n", "line 3 must have 3 numbers, got '1,0.1,0,0'"),
        ("s,ybar\n0,0.1\n1,1.7\n", r"within \[0, 1\]"),
        ("depth,y=2,y=1\n0,0.9,0.4\n1,0,0.1\n", "add up to as much as 1.3"),
        ("depth,y=1,ybar\n0,0.5,0.4\n1,0,0.1\n", "distinct and positive"),
        ("depth,y=0\n0,0.5\n1,0\n", "distinct and positive"),
        ("depth,y=nan\n0,0.5\n1,0\n", "distinct and positive"),
        (curve_of(2001).decode(), "a curve must have at most 2000 points, got 2001$"),
        (curve_of(1001, tuple(range(1, 11))).decode(), "at most 10000 probabilities, got 10010$"),
        (
            '{"format": "ndcg-asymptotics curve 1", "gains": [1]}',
            "'curve as JSON' was removed in version 0.4: `fit --out NAME.csv` writes curves as CSV",
        ),
    ],
)
def test_files_that_hold_no_curve(tmp_path, table, said):
    path = tmp_path / "curve.csv"
    path.write_text(table)
    message = refused(said, Relevance.parse, 'empirical("curve.csv")', tmp_path)
    assert f"position 1: {path}: " in message


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "curve.csv"
    path.write_bytes(b"\xff\xfe\x00")
    refused("a curve file is UTF-8 text", Relevance.parse, f'empirical("{path}")')
    path.write_bytes(b"s,ybar\n" + b"0,0.1\n" * 2**20)
    refused(r"cannot be read \(more than 4", Relevance.parse, f'empirical("{path}")')
    path.unlink()
    refused("cannot be read", Relevance.parse, f'empirical("{path}")')


def test_a_text_in_a_file_reads_curve_files_in_its_own_folder_only(tmp_path, monkeypatch):
    own, inner, other = tmp_path / "own", tmp_path / "own" / "inner", tmp_path / "other"
    for folder in (inner, other):
        folder.mkdir(parents=True)
        (folder / "c.csv").write_bytes(curve_of(5))
    (own / "link.csv").symlink_to(other / "c.csv")
    (own / "linked").symlink_to(other)
    (own / "near.csv").symlink_to(inner / "c.csv")
    (own / "loop.csv").symlink_to(own / "loop.csv")
    scorer = "empirical(%s)"
    for file in ("inner/c.csv", "near.csv", "inner/../inner/c.csv", str(inner / "c.csv")):
        assert str(Scorer.parse(scorer % json.dumps(file), own)) == scorer % json.dumps(file)
    elsewhere = [
        "../other/c.csv",
        str(other / "c.csv"),
        "link.csv",
        "linked/c.csv",
        "inner/../../other/c.csv",
        "/etc/passwd",
        "../own2/c.csv",
        "../nowhere.csv",
    ]
    for file in elsewhere:
        refused("is outside of the folder", Scorer.parse, scorer % json.dumps(file), own)
    refused("loop.csv", Scorer.parse, scorer % '"loop.csv"', own)
    # a text of the user's own may name any file
    monkeypatch.chdir(own)
    for file in ("../other/c.csv", str(other / "c.csv"), "link.csv"):
        assert str(Scorer.parse(scorer % json.dumps(file))) == scorer % json.dumps(file)
