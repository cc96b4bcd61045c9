"""JSON output has the fields that docs/json/ describes, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
from json_documents import documents

from ndcg_asymptotics.analysis.check_outcome import Check
from ndcg_asymptotics.analysis.limit_tests import LimitTest
from ndcg_asymptotics.analysis.mean_tests import MeanTest
from ndcg_asymptotics.analysis.orders.distinguish import Distinction
from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.analysis.orders.rates import Decay
from ndcg_asymptotics.analysis.orders.weighted import FittedExponent
from ndcg_asymptotics.analysis.planning.rows import PlanRow
from ndcg_asymptotics.analysis.runs.agreement import JudgeAgreement, ShareOfDocuments
from ndcg_asymptotics.analysis.runs.collections_outcome import (
    CollectionsComparison,
    CollectionsRow,
    MeasureOverCollections,
    PairOverCollections,
)
from ndcg_asymptotics.analysis.runs.compared import (
    DiscriminativePower,
    MeasureComparison,
    PairComparison,
)
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.gate import Gate, GateRow
from ndcg_asymptotics.analysis.runs.judged import (
    JudgedComparison,
    JudgedMeasure,
    JudgedPair,
    Labelled,
    OfBoth,
    Quality,
)
from ndcg_asymptotics.analysis.runs.pairs import Ranking
from ndcg_asymptotics.analysis.runs.ranks import RankedRun
from ndcg_asymptotics.analysis.runs.sampled_outcome import (
    CandidateRow,
    Candidates,
    PairRow,
    Sampled,
    SampledRow,
)
from ndcg_asymptotics.analysis.std_tests import StdTest
from ndcg_asymptotics.cli.app import app_for
from ndcg_asymptotics.cli.terminal import JSON_VERSION
from ndcg_asymptotics.core.rows import declared
from ndcg_asymptotics.learning.decide import LossDecision
from ndcg_asymptotics.learning.excess import ExcessRisk, LossExcess
from ndcg_asymptotics.learning.ranker import Tried
from ndcg_asymptotics.results.folder import Damage
from ndcg_asymptotics.results.record import CountedOrder, SimulatedMean
from ndcg_asymptotics.results.verify import Verification
from ndcg_asymptotics.theory.prediction import Prediction

FOLDER = Path(__file__).parents[2] / "docs" / "json"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
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
    link = re.fullmatch(r"\[([a-z .]+)\]\((?:[a-z-]+\.md)?#([a-z-]+)\)", text)
    assert link, f"no type: {text!r}"
    assert link[1].replace(" ", "-") == link[2]
    return {"$ref": f"#/$defs/{link[1]}"}


def objects() -> Iterator[tuple[str, dict[str, Any]]]:
    text = "\n".join(page for name, page in PAGES.items() if name != "index.md")
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        fields: dict[str, Any] = {}
        required = []
        for names, kind, _ in re.findall(r"^\| (`.*?`) \| (.*?) \| (.*?) ?\|$", body, re.MULTILINE):
            for field in re.findall(r"`(\w+)`", names):
                fields[field] = type_of(kind.removeprefix("optional "))
                if not kind.startswith("optional "):
                    required.append(field)
        yield (
            name,
            {"type": "object", "properties": fields, "required": required, "additionalProperties": False},
        )


OBJECTS = dict(objects())
ROWS = {
    "candidates mean": CandidateRow,
    "check": Check,
    "agreement": JudgeAgreement,
    "combined difference": OfBoth,
    "compare with a judge": JudgedComparison,
    "gate": Gate,
    "gate row": GateRow,
    "judge": Quality,
    "judged measure": JudgedMeasure,
    "judged pair": JudgedPair,
    "labelled difference": Labelled,
    "label rate": ShareOfDocuments,
    "compare": Comparison,
    "compare collections": CollectionsComparison,
    "difference over collections": CollectionsRow,
    "measure over collections": MeasureOverCollections,
    "pair over collections": PairOverCollections,
    "compared measure": MeasureComparison,
    "compared pair": PairComparison,
    "counted order": CountedOrder,
    "damage": Damage,
    "decay": Decay,
    "decided loss": LossDecision,
    "distinguish": Distinction,
    "excess of a loss": LossExcess,
    "exponent": FittedExponent,
    "limit test": LimitTest,
    "mean test": MeanTest,
    "losses risk": ExcessRisk,
    "pair": Pair,
    "planned measure": PlanRow,
    "power": DiscriminativePower,
    "prediction": Prediction,
    "ranked run": RankedRun,
    "ranking": Ranking,
    "sampled": Sampled,
    "sampled candidates": Candidates,
    "sampled mean": SampledRow,
    "sampled pair": PairRow,
    "simulated mean": SimulatedMean,
    "standard deviation test": StdTest,
    "tried penalty": Tried,
    "state": Verification,
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return list(documents(tmp_path_factory.mktemp("json")))


@pytest.mark.parametrize("name", ROWS)
def test_the_pages_have_the_fields_that_rows_declare(name: str) -> None:
    stated = OBJECTS[name]["properties"].keys() - {"kind", "version"}
    added = {"gate"} if name in ("compare", "compare with a judge") else set()
    assert {one.name for one in declared(ROWS[name]) if one.data.json} | added == stated


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
    found = set()
    group: Any = typer.main.get_command(app_for())
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        for word, one in inner.items() if inner else [("", command)]:
            if any("--json" in parameter.opts for parameter in one.params):
                found.add(f"{name} {word}".strip().replace("-", " "))
    assert found == kinds() - {
        "state",
        "grid check",
        "sampled candidates",
        "compare with a judge",
        "compare collections",
    }


def test_every_object_has_a_name_of_its_own() -> None:
    names = [name for name, _ in objects()]
    assert len(names) == len(set(names))


def test_the_first_page_lists_the_kinds_and_states_the_version() -> None:
    page = " ".join(PAGES["index.md"].split())
    assert f"the version of these pages: {JSON_VERSION}." in page
    assert {link.replace("-", " ") for link in re.findall(r"\]\([a-z-]+\.md#([a-z-]+)\)", page)} == kinds()
