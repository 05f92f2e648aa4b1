"""The editors' JSON Schemas are those of the forms, and the shipped files pass them."""

import json

import pytest
from jsonschema import Draft202012Validator

from r_memory.config.files import Files
from r_memory.config.yaml_lines import load
from scripts.json_schemas import json_schemas
from tests.unit.config.mini import FILES, mini

KINDS = {
    "schema/lexicon/": "lexicon",
    "schema/language/": "language",
    "schema/requests/": "requests",
    "schema/knowledge/": "knowledge",
    "schema/controller/": "gate",
    "schema/conversation/importance": "importance",
}
SHIPPED = [
    # The tables of `schema/records` are checked by the room that reads them, parts with the schemas that include them.
    *(
        name
        for name in Files().listing("schema", ".yaml")
        if not name.startswith(("schema/records/", "schema/shared/"))
    ),
    *Files().listing("intents", ".yaml"),
    "intents.yaml",
]


def kind_of(name: str) -> str:
    folder = next((folder for folder in KINDS if name.startswith(folder)), "")
    return KINDS.get(folder, "intents" if name.startswith("intents") else "schema")


def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(json_schemas()[f"{kind}.schema.json"]))


def test_shipped_json_schemas_are_those_of_the_forms() -> None:
    """If not: `python -m scripts.json_schemas schema/json`."""
    files = Files()

    assert {name: files.read(f"schema/json/{name}").text for name in json_schemas()} == json_schemas()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_pass_and_name_their_json_schema(name: str) -> None:
    source = Files().read(name)
    up = "../" * (name.count("/") - 1) if name.startswith("schema/") else "../" * name.count("/") + "schema/"

    assert source.text.splitlines()[0] == f"# yaml-language-server: $schema={up}json/{kind_of(name)}.schema.json"
    assert list(validator(kind_of(name)).iter_errors(load(source).data)) == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_the_loaders_take_the_json_schemas_take(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    source = mini(tmp_path_factory.mktemp("home")).read(name)

    assert list(validator(kind_of(name)).iter_errors(load(source).data)) == []


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("schema", {"schema": "a", "subject": "A", "lexicon": "a", "unavailable": "x", "relations": {"likes": {}}}),
        ("schema", {"schema": "a"}),
        ("intents", {"version": 1, "intents": {"A": {"description": "x", "edge": ["B"]}}}),
        ("intents", {"version": 1, "policy": {"plausible_above": 2}, "intents": {"A": {"description": "x"}}}),
        ("knowledge", {"pack": "a", "rules": {"R": [{"from": {"A": "x", "B": "y"}, "to": "z"}]}}),
        ("lexicon", {"drug": {"a": "b"}}),
        ("language", {"stop": None}),
        ("importance", {"version": 1, "words": {"11": ["a"]}}),
        ("gate", {"version": 1, "examples": {"alone": ["a"], "previous": [], "earlier": ["b"]}}),
    ],
)
def test_what_the_loaders_refuse_the_json_schemas_refuse(kind: str, wrong: object) -> None:
    assert list(validator(kind).iter_errors(wrong)) != []
