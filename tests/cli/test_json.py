"""JSON output has the fields of docs/json.md, whose tables docs/site/json_fields.py writes, and no others."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_cases import COMMANDS
from json_documents import documents

from ndcg_asymptotics.cli.terminal import JSON_VERSION

DOCS = Path(__file__).parents[2] / "docs"
TABLES = runpy.run_path(str(DOCS / "site" / "json_fields.py"))
PLAIN = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole number": {"type": "integer"},
    "true or false": {"type": "boolean"},
    "null": {"type": "null"},
    "anything": {},
}


def type_of(text: str) -> dict[str, Any]:
    """The schema of a type of the pages; "or null" is about a whole list, and about the values of a map."""
    text = text.strip()
    if text in PLAIN:
        return PLAIN[text]
    if text.startswith("map of "):
        return {"type": "object", "additionalProperties": type_of(text.removeprefix("map of "))}
    if text.endswith(" or null"):
        if text.startswith("list of ") and text.removeprefix("list of ") == "number or null":
            return {"anyOf": [{"type": "array", "items": type_of("number or null")}, PLAIN["null"]]}
        return {"anyOf": [type_of(text.removesuffix(" or null")), PLAIN["null"]]}
    if text.startswith("list of "):
        return {"type": "array", "items": type_of(text.removeprefix("list of "))}
    name = re.fullmatch("<([a-z ]+)>", text)
    assert name, f"no type: {text!r}"
    return {"$ref": f"#/$defs/{name[1]}"}


def schema_of(fields: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object of the page."""
    return {
        "type": "object",
        "properties": {name: type_of(field.kind.removeprefix("optional ")) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if not field.kind.startswith("optional ")],
        "additionalProperties": False,
    }


OBJECTS = {name: schema_of(fields) for name, fields in TABLES["objects"]().items()}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return list(documents(tmp_path_factory.mktemp("json")))


def kinds() -> set[str]:
    """The objects of the pages that are documents."""
    return {name for name, schema in OBJECTS.items() if "version" in schema["properties"]}


@pytest.mark.slow
def test_documents_have_the_fields_of_the_pages(printed: list[Any]) -> None:
    # one check of all schemas: `jsonschema.validate` would make it for each document
    jsonschema.Draft202012Validator.check_schema({"$defs": OBJECTS})
    for document in printed:
        assert document["version"] == JSON_VERSION
        schema = jsonschema.Draft202012Validator({**OBJECTS[document["kind"]], "$defs": OBJECTS})
        schema.validate(document)
        with pytest.raises(jsonschema.ValidationError, match="'unknown' was unexpected"):
            schema.validate({**document, "unknown": 1})
    assert {document["kind"] for document in printed} == kinds()


def test_every_command_with_json_is_on_the_page() -> None:
    found = {
        name.replace("-", " ")
        for name, command in COMMANDS.items()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert found == kinds() - {
        "grid info",
        "grid check",
        "grid distinguish",
        "sampled candidates",
        "compare with a judge",
        "compare collections",
    }


def test_the_page_has_a_table_of_every_object_and_states_the_version() -> None:
    page = " ".join((DOCS / "json.md").read_text(encoding="utf-8").split())
    assert f"the version of this page: {JSON_VERSION}." in page
    assert "<!-- the fields -->" in page
    tables = TABLES["tables"]()
    headings = re.findall(r"^##+ (.+)$", tables, re.MULTILINE)
    assert sorted(headings) == sorted(OBJECTS)
    assert {link.replace("-", " ") for link in re.findall(r"\]\(#([a-z-]+)\)", tables)} <= {*headings}
    assert (
        "| `mean`, `sd` | number | The exact mean and standard deviation of the mean over users. |" in tables
    )
