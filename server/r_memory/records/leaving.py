"""The ways out that other tools read: facts as rows of a table, and as statements of Cypher. Pure."""

import json
from collections.abc import Iterable, Iterator, Sequence

from r_memory.domain.facts import Entity, Fact
from r_memory.domain.instants import UNDATED, iso, iso_day
from r_memory.protocols import Table

COLUMNS = (
    *("subject", "name", "relation", "object_type", "object", "status", "attrs", "said_at", "said_by", "words"),
    "fact_id",
)


def table_of(facts: Iterable[tuple[Entity, Fact]]) -> Table:
    """Returns the facts under `COLUMNS`, one a row."""
    return Table(columns=COLUMNS, rows=tuple(_cells(about, fact) for about, fact in facts))


def _cells(about: Entity, fact: Fact) -> tuple[str, ...]:
    attrs = json.dumps(dict(fact.attrs), ensure_ascii=False, sort_keys=True) if fact.attrs else ""
    said_at = "" if fact.said_at == UNDATED else iso_day(fact.said_at)
    thing = (fact.relation, fact.object.type, fact.object.name, fact.status.value, attrs)
    return (about.id, about.name, *thing, said_at, fact.speaker, fact.evidence, fact.fact_id)


def cypher_of(facts: Iterable[tuple[Entity, Fact]]) -> Iterator[str]:
    """Yields one statement for each fact; it makes both nodes and the relationship, and may run twice."""
    for about, fact in facts:
        told: Sequence[tuple[str, object]] = (
            ("status", fact.status.value),
            ("said_at", "" if fact.said_at == UNDATED else iso(fact.said_at)),
            ("said_by", fact.speaker),
            ("words", fact.evidence),
            *sorted(fact.attrs.items()),
        )
        sets = ", ".join(f"fact.`{name}` = {_literal(value)}" for name, value in told)
        yield (
            f"MERGE (subject:{about.type} {_key(about)}) MERGE (thing:{fact.object.type} {_key(fact.object)}) "
            f"MERGE (subject)-[fact:{fact.relation} {{fact_id: {_literal(fact.fact_id)}}}]->(thing) SET {sets};"
        )


def _key(entity: Entity) -> str:
    return f"{{uid: {_literal(entity.uid)}, id: {_literal(entity.id)}, name: {_literal(entity.name)}}}"


def _literal(value: object) -> str:
    """Returns a value as Cypher writes it: the escapes of JSON are its own."""
    return json.dumps(value if isinstance(value, (str, int, float, bool)) else json.dumps(value), ensure_ascii=False)
