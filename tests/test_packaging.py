"""The wheel and the sdist hold what the package needs, and the wheel works away from the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import ndcg_asymptotics

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, and the wheel that is made from it, with the tools that are here."""
    pytest.importorskip("build")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return out


@pytest.mark.slow
def test_the_wheel_holds_modules_templates_and_the_typed_marker(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "ndcg_asymptotics"
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= names
    assert "ndcg_asymptotics/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "docs", "figures"))]
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CITATION.cff", "README.md", "LICENSE", "docs/theory.md", "tests/test_packaging.py"} <= inside
    assert not [name for name in inside if name.endswith((".png", ".svg", ".zip", ".npz"))]


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_without_the_repository(built: Path, tmp_path: Path) -> None:
    """A fresh environment that has the dependencies but not this checkout."""
    (wheel,) = built.glob("*.whl")
    fresh = tmp_path / "fresh"
    venv.create(fresh, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(fresh), "platbase": str(fresh)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # the dependencies, without what makes this checkout importable there
    site.joinpath("dependencies.pth").write_text(sysconfig.get_path("purelib"))
    python = fresh / "bin" / "python"
    # PYTHONPATH may name a checkout, which would hide the wheel
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    surroundings["NUMBA_DISABLE_JIT"] = "1"  # kernels have been compiled in the checkout

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [python, *arguments],
            cwd=tmp_path,
            env=surroundings,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("-m", "ndcg_asymptotics", "init", "study.toml")
    where = run(
        "-c",
        "import ndcg_asymptotics as na; print(na.__file__, na.__version__)\n"
        "study = na.studies.load('study.toml').with_(n=[10], measures=['nDCG@3'])\n"
        "na.report(na.run(study, 'out', replicates=3, jobs=1), 'report.html')",
    ).split()
    assert where == [str(site / "ndcg_asymptotics" / "__init__.py"), ndcg_asymptotics.__version__]
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_metadata_of_the_package() -> None:
    found = metadata("ndcg-asymptotics")
    assert found["Version"] == ndcg_asymptotics.__version__
    assert f'"{ndcg_asymptotics.__version__}"' not in (ROOT / "pyproject.toml").read_text()
    assert found["License-Expression"] == "BSD-3-Clause"
    assert "Typing :: Typed" in (found.get_all("Classifier") or [])
    assert (ROOT / "ndcg_asymptotics" / "py.typed").exists()
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {ndcg_asymptotics.__version__}\n" in citation
    assert "1304.6480" in citation


def test_the_pinned_versions_can_be_installed_on_the_first_release_of_every_supported_python() -> None:
    oldest = re.sub(r"\D*", "", (metadata("ndcg-asymptotics")["Requires-Python"] or ""), count=1) + ".0"
    refused = []
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        pin = Requirement(line)
        try:
            installed = metadata(pin.name)
        except PackageNotFoundError:  # of another platform or extra
            continue
        required = "".join(installed.get_all("Requires-Python") or [])
        if installed["Version"] in pin.specifier and oldest not in SpecifierSet(required):
            refused.append(f"{line} needs Python {required}")
    assert refused == []
