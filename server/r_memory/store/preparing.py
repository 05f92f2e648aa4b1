"""Makes a database ready for a schema: keys, indexes and, on ArcadeDB, the types of nodes and relationships.

Knows that ArcadeDB makes types at their first use, where two writers at once fail; Neo4j needs no such care.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from r_memory.domain.facts import IS_A
from r_memory.domain.schema import Schema
from r_memory.errors import StoreError, StoreUnavailable
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.bolt_wire import Row
from r_memory.store.library import Graph
from r_memory.store.neighbours import AWAITS

OWN_RELATIONS = ("ABOUT", AWAITS, "CONCERNS", "EVIDENCED_BY", IS_A, "PART_OF", "SHOWED")
"""Relationship types that belong to no schema."""
_WITHOUT_LOGS = (
    "the store was written by a version of r-memory that kept no log, and was left as it is; "
    "run `r-memory export` with that version, then `r-memory import` with this one into an empty store"
)


class Preparer:
    """Prepares one database and remembers the schema it was prepared with."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._schema: Schema | None = None
        self._relations: frozenset[str] = frozenset()

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Makes what is missing; where the same schema and setup files did before, only looks.

        Gives the relations that an earlier schema declared and this one does not.

        Raises:
            StoreUnavailable: the store was written by a version that kept no log; nothing was written.
        """
        wanted, before, prepared = await self._found(schema)
        known = _relations(before)
        if not prepared:
            await self._graph.bolt.define(self._graph.library[f"setup/{await self._graph.bolt.engine()}"])
            labels = (schema.node_labels(type_) for type_ in schema.types)
            await self.make_types((*OWN_RELATIONS, *schema.relations), labels)
            relations = sorted(known | set(schema.relations))
            await self._graph.write("write/schema_version", name=schema.name, relations=relations, **wanted)
        self._schema, self._relations = schema, known | schema.relations.keys()
        return tuple(sorted(known - set(schema.relations)))

    async def is_prepared(self, schema: Schema) -> bool:
        """Whether this schema and these setup files prepared the database; looks only, and goes by the schema then.

        Raises:
            StoreUnavailable: as in `prepare`.
        """
        _, before, prepared = await self._found(schema)
        if prepared:
            self._schema, self._relations = schema, _relations(before) | schema.relations.keys()
        return prepared

    async def _found(self, schema: Schema) -> tuple[dict[str, Any], list[Row], bool]:
        """What a prepared database says of itself, what this one does, and whether it is one."""
        engine = await self._graph.bolt.engine()
        setup = sorted(name for name in self._graph.library if name.startswith(f"setup/{engine}"))
        text = "".join(self._graph.library[name].text for name in setup)
        wanted = {"version": schema.version, "setup": hashlib.sha256(text.encode()).hexdigest()[:12]}
        before = await self._graph.read("read/schema_version", limit_s=SETUP_LIMIT_S)
        prepared = any(wanted.items() <= row.items() for row in before)
        if not prepared and await self._graph.read("read/unlogged", type=schema.subject, limit_s=SETUP_LIMIT_S):
            raise StoreUnavailable(_WITHOUT_LOGS)
        return wanted, before, prepared

    async def make_types(self, relations: Iterable[str], labels: Iterable[tuple[str, ...]]) -> None:
        """Brings relationship types and combinations of labels into being, where the database does not do so itself."""
        bolt, library = self._graph.bolt, self._graph.library
        if await bolt.engine() != "arcadedb":
            return
        known = {row["name"] for row in await self._graph.read("read/types")}
        for relation in relations:
            if relation not in known:
                await bolt.define(library["setup/arcadedb_relation"].with_types("FACT", (relation,)))
        for kind in labels:
            await bolt.define(library["setup/arcadedb_labels"].with_labels("KIND", kind))

    @property
    def schema_name(self) -> str:
        """Of the schema that the database was prepared for; empty before it was."""
        return self._schema.name if self._schema else ""

    @property
    def relations(self) -> frozenset[str]:
        """Relations of facts that this schema or an earlier one declared."""
        return self._relations

    @property
    def grades(self) -> tuple[str, ...]:
        """Severities of that schema, mildest first."""
        return self._schema.severity.grades if self._schema else ()

    def labels(self, type_: str) -> tuple[str, ...]:
        """Labels of a node of this type beside `Entity`."""
        if self._schema is None:
            raise StoreError("the store was not prepared; call prepare(schema) first")
        return self._schema.node_labels(type_)


def _relations(schemas: Iterable[Row]) -> frozenset[str]:
    """All that the schemas declared which prepared a database."""
    return frozenset(str(name) for row in schemas for name in row["relations"] or ())
