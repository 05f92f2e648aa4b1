"""Query files: header and text must agree, and only checked names of a schema get into a text."""

import re
from pathlib import Path

import pytest

from r_memory.config.files import packaged_defaults
from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal, parse_query

ROOT = Path(__file__).parents[3]
GOOD = """\
// Facts of a subject.
// A second line.
//
// mode: read
// param $subject_uid: unique key
// name FACT: the relations
// returns: relation, fact, object
MATCH (subject:Entity {uid: $subject_uid})-[edge:FACT|AWAITS]->(node:Entity)
// not a $parameter, nor FACT
WHERE node.name <> 'a $dollar, FACT' AND node.`FACT` IS NULL
RETURN type(edge) AS relation, {a: [1, 2], b: edge.x} AS fact, node AS object
ORDER BY relation
LIMIT 3
"""
OWN = GOOD.replace("// name FACT: the relations\n", "").replace("FACT|", "TAKES|")


def read(path: str) -> str:
    return (packaged_defaults() / path).read_text(encoding="utf-8")


def test_a_header_is_a_signature() -> None:
    query = parse_query("cypher/x.cypher", GOOD)
    assert query.description == "Facts of a subject. A second line."
    assert (query.mode, query.parameters, query.names) == ("read", ("subject_uid",), ("FACT",))
    assert query.returns == ("relation", "fact", "object")
    assert query.text.startswith("MATCH (subject")


def test_names_replace_their_stand_in_outside_texts_and_comments_only() -> None:
    query = parse_query("cypher/x.cypher", GOOD).with_types("FACT", ("HAS_ALLERGY_TO", "TAKES"))
    assert "-[edge:HAS_ALLERGY_TO|TAKES|AWAITS]->" in query.text
    assert query.text.count("FACT") == 3
    assert query.names == ()


def test_labels_are_joined_as_labels() -> None:
    text = "// X.\n// mode: write\n// name KIND: labels\nCREATE (node:Entity:KIND)"
    assert (
        parse_query("x", text).with_labels("KIND", ("DrugClass", "Drug")).text == "CREATE (node:Entity:DrugClass:Drug)"
    )


def test_a_stand_in_may_end_a_longer_name() -> None:
    text = "// X.\n// mode: write\n// name FACT: a relation\nDROP INDEX made_FACT IF EXISTS; CREATE (:MY_FACTS)"
    query = parse_query("x", text).with_types("FACT", ("TAKES",))
    assert query.statements() == ("DROP INDEX made_TAKES IF EXISTS", "CREATE (:MY_FACTS)")


@pytest.mark.parametrize("name", ["takes", "X]->() DELETE n //", "A B", "", "`X`", "1A", "A-B", "A\n", "É"])
def test_no_other_name_gets_into_a_text(name: str) -> None:
    query = parse_query("x", GOOD)
    with pytest.raises(InvalidInput):
        query.with_types("FACT", ("TAKES", name))
    with pytest.raises(InvalidInput):
        query.with_labels("FACT", ("Drug", name if name != "1A" else "A_B"))


def test_at_least_one_name_is_needed() -> None:
    with pytest.raises(InvalidInput):
        parse_query("x", GOOD).with_types("FACT", ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("// mode: read\n", ""), "no mode"),
        (("// mode: read\n", "// mode: both\n"), "no mode"),
        (("// Facts of a subject.\n// A second line.\n//\n", ""), "does not say what"),
        (("// param $subject_uid: unique key\n", ""), r"\$subject_uid is used and not declared"),
        (("// name FACT", "// param $space: unused\n// name FACT"), r"\$space is declared and not used"),
        (("// name FACT: the relations\n", "// name FACT: x\n// name KIND: x\n"), "KIND is declared and not used"),
        (("returns: relation, fact, object", "returns: relation, object, fact"), "returns relation, fact, object and"),
        (("// returns: relation, fact, object\n", ""), "the header declares nothing"),
        (("RETURN type(edge) AS relation, {a: [1, 2], b: edge.x} AS fact, node AS object", "DELETE edge"), "nothing"),
        (("LIMIT 3", "UNION RETURN 1 AS x"), "returns x and"),
        (("RETURN type", "SET edge.x = 1\nRETURN type"), "holds SET"),
    ],
)
def test_a_header_that_disagrees_with_its_text_names_the_file_and_what_to_do(
    change: tuple[str, str], message: str
) -> None:
    assert change[0] in GOOD
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse_query("cypher/x.cypher", GOOD.replace(*change))
    assert caught.value.file == Path("cypher/x.cypher")


def test_a_traversal_of_the_common_columns_passes() -> None:
    check_traversal("cypher/recall/own.cypher", OWN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD, "remove `// name`"),
        (OWN.replace("mode: read", "mode: write"), "mode: read"),
        (OWN.replace("fact, object", "fact, node").replace("AS object", "AS node"), "not relation, fact, node"),
        (OWN.replace("$subject_uid", "$patient"), r"is given \$subject_uid, \$space; remove \$patient"),
        (OWN.replace("AS relation", "AS kind").replace("relation,", "kind,"), "in this order, not kind, fact, object"),
        (OWN.replace("ORDER BY relation", "ORDER BY relation // x\nCREATE (x:Y)"), "holds CREATE"),
    ],
)
def test_a_traversal_that_could_not_be_used_is_refused_at_load(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        check_traversal("cypher/recall/own.cypher", text)


def test_every_shipped_query_is_what_the_store_needs() -> None:
    library = load_library(read, packaged_defaults())
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "server/r_memory/store").glob("*.py"))
    asked = set(re.findall(r'"((?:read|write|stream|erase|recall|setup)/[a-z_]+)"', code))
    assert asked <= set(library)
    for name in set(library) - asked:
        assert name.startswith(("read/logged_", "setup/")), f"nobody runs {name}"
    for path in (packaged_defaults() / "cypher" / "recall").glob("*.cypher"):
        if f"recall/{path.stem}" not in library:
            check_traversal(path.stem, path.read_text(encoding="utf-8"))
    for query in library.values():
        assert query.description.endswith((".", "0.")), query.path


@pytest.mark.parametrize(
    ("path", "change", "message"),
    [
        ("cypher/recall/facts.cypher", ("watermark, ", ""), "must return watermark"),
        ("cypher/recall/facts.cypher", ("$space", "$tenant"), r"nobody gives it \$tenant"),
        ("cypher/recall/facts.cypher", ("FACT", "EDGE"), "stand-ins must be: FACT"),
        ("cypher/read/conversation.cypher", ("$until", "''"), r"it must use \$until"),
        ("cypher/read/episode.cypher", ("mode: read", "mode: write"), "mode may not be write"),
    ],
)
def test_an_edited_query_that_the_store_could_not_use_refuses_to_start(
    path: str, change: tuple[str, str], message: str
) -> None:
    def edited(name: str) -> str:
        text = read(name)
        if name != path:
            return text
        return (
            text.replace("coalesce(subject.chain_seq, 0) AS watermark,\n       ", "").replace(*change)
            if (change[0] == "watermark, ")
            else text.replace(*change)
        )

    with pytest.raises(ConfigurationError, match=message) as caught:
        load_library(edited, packaged_defaults())
    assert caught.value.file == Path(path)


def test_an_edited_query_that_returns_more_is_used() -> None:
    def edited(name: str) -> str:
        return (
            read(name)
            .replace("returns: episode", "returns: episode, more")
            .replace("properties(episode) AS episode", "properties(episode) AS episode, 1 AS more")
            if name == "cypher/read/episode.cypher"
            else read(name)
        )

    assert load_library(edited, packaged_defaults())["read/episode"].returns == ("episode", "more")


def test_both_databases_are_given_the_same_keys_and_indexes() -> None:
    library = load_library(read, packaged_defaults())
    assert library["setup/arcadedb"].statements() == library["setup/neo4j"].statements()
