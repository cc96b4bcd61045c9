"""Results print, go into a DataFrame and into NetCDF, and say what their variables are."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cases
import numpy as np
import pytest
import xarray as xr

import ndcg_asymptotics as na

SCORERS = {"good": "linear(0.1, 0.7)", "random": "constant(0.4)"}


@pytest.fixture(scope="module")
def results() -> na.results.Results:
    study = cases.study(
        SCORERS, measures=["nDCG", "nDCG@10"], pairs=[("good", "random")], title="<b>A study</b>"
    )
    return cases.simulated(study, 12)


def test_results_print_as_text_and_html(results: na.results.Results) -> None:
    text = repr(results)
    assert "12 of 12 replicates complete, seed 1, engine items" in text
    assert "pairs: good > random" in text
    assert f"{results.data['ndcg'].sel(scorer='good', measure='nDCG', n=100).mean().item():.5f}" in text
    html = results._repr_html_()
    assert html.startswith("<pre>")
    assert "<b>" not in html


def test_the_frame_has_the_means(results: na.results.Results) -> None:
    frame = results.to_dataframe()
    assert len(frame) == 2 * 2 * 2
    values = results.data["ndcg"].sel(scorer="random", measure="nDCG@10", n=10).to_numpy()
    (row,) = frame.query("scorer == 'random' and measure == 'nDCG@10' and n == 10").to_dict("records")
    assert row["mean"] == pytest.approx(values.mean())
    assert row["mcse"] == pytest.approx(values.std(ddof=1) / math.sqrt(12))
    assert row["q95"] == pytest.approx(np.quantile(values, 0.95))


def test_one_replicate_has_no_error() -> None:
    one = cases.simulated(cases.study(), 1)
    assert one.to_dataframe()["mcse"].isna().all()
    assert "1 of 1 replicates complete" in repr(one)


@pytest.mark.parametrize("kept", [False, True])
def test_netcdf(tmp_path: Path, kept: bool) -> None:
    study = cases.study(SCORERS, pairs=[("good", "random")], seed=2**40, replicates=3)
    results = na.run(study, tmp_path / "out" if kept else None, jobs=1)
    data = results.data
    data.to_netcdf(tmp_path / "results.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "results.nc", engine="scipy") as back:
        np.testing.assert_array_equal(back["ndcg"], data["ndcg"])
        assert back["scorer"].to_numpy().astype(str).tolist() == ["good", "random"]
        assert back.attrs["seed"] == str(2**40)
        if kept:
            assert json.loads(back.attrs["versions"])[0]["ndcg_asymptotics"] == na.__version__
    for variable in data.variables.values():
        assert variable.attrs["long_name"]
        assert "units" in variable.attrs


@pytest.fixture(scope="module")
def rare() -> na.results.Results:
    """Weighted draws, which have orders and no NDCG."""
    scorers = {"good": "linear(0.1, 0.5)", "weak": "linear(0.2, 0.4)"}
    of = cases.study(scorers, measures="nDCG", engine="rare", n=[100, 200], pairs=[("good", "weak")])
    return na.run(of, jobs=1)


def test_weighted_draws_have_no_means(rare: na.results.Results) -> None:
    assert rare.to_dataframe().empty
    assert "`distinguish` gives the probabilities of wrong orders" in repr(rare)
    assert json.loads(json.dumps(rare.as_dict()))["means"] == []


def test_every_command_says_something_of_weighted_draws(tmp_path: Path, rare: na.results.Results) -> None:
    na.run(rare.study, tmp_path / "out", jobs=1)
    for given, code in (("info", 0), ("distinguish", 0), ("check", 2), ("report", 0)):
        to = ("--out", tmp_path / "page.html") if given == "report" else ()
        found, _, error = cases.command(given, tmp_path / "out", *to)
        assert (found, error.count("\n")) == (code, int(code == 2)), error
    assert "data:image/svg+xml" in (tmp_path / "page.html").read_text()


def test_a_share_that_rounding_made_long_is_shown_short_and_kept_exact() -> None:
    scorers = {"good": "linear(0.1, 0.5)", "random": "random"}  # (0.1 + 0.5) / 2 is 0.30000000000000004
    found = cases.simulated(cases.study(scorers=scorers, pairs=[("good", "random")]), 2)
    assert "  random = constant(0.3)\n" in repr(found)
    assert "  random = constant(0.3)\n" in found._repr_html_()
    assert found.as_dict()["scorers"]["random"] == "constant(0.30000000000000004)"
    assert "made with" not in repr(found).casefold().partition("at n =")[0]  # the versions are last
