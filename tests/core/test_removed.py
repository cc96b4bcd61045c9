"""Commands, specs and fields of earlier versions are answered in one line that says what to use."""

from pathlib import Path

import cli_cases
import pytest
from cases import command, refused, write

from ndcg_asymptotics.core.removed import COMMANDS, FIELDS, SPECS
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.studies import load
from ndcg_asymptotics.studies.toml import TEMPLATE


@pytest.mark.parametrize("name", COMMANDS)
def test_a_removed_command_names_its_replacement(name: str) -> None:
    said = f"ndcg-asymptotics: '{name}' was removed in version 0.4: {COMMANDS[name]}\n"
    assert command(name, "anything", "--measure", "nDCG") == (2, "", said)
    assert name not in cli_cases.COMMANDS


@pytest.mark.parametrize("keyword", SPECS)
def test_a_removed_spec_names_its_replacement(keyword: str) -> None:
    text = f"{keyword}(linear(0.1, 0.7), [[0.9, 0.1], [0.2, 0.8]])"
    assert SPECS[keyword] in refused("was removed in version", Scorer.parse, text)


@pytest.mark.parametrize("field", FIELDS)
def test_a_removed_field_names_its_replacement(tmp_path: Path, field: str) -> None:
    file = write(tmp_path, f"{TEMPLATE}\n[{field}]\nx = 1\n")
    assert FIELDS[field] in refused("was removed in version", load, file)
