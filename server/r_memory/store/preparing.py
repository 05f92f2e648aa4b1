"""Prepares a database for a schema: keys, indexes and, on ArcadeDB, the types of nodes and relationships.

ArcadeDB creates types at their first use, where two concurrent writers fail, so they are created here; Neo4j needs
none.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable
from typing import Any

from r_memory.domain.facts import IS_A
from r_memory.domain.schema import Schema
from r_memory.errors import StoreError, StoreUnavailable
from r_memory.store import keys
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.bolt_errors import QueryRefused
from r_memory.store.bolt_wire import Row
from r_memory.store.formats import FORMAT, later_than_this
from r_memory.store.keys import Key
from r_memory.store.library import Graph
from r_memory.store.migrating import migrate
from r_memory.store.neighbours import AWAITS

logger = logging.getLogger(__name__)

OWN_RELATIONS = ("ABOUT", AWAITS, "CONCERNS", "EVIDENCED_BY", IS_A, "PART_OF", "SHOWED")
"""Relationship types that are part of no schema."""
_WITHOUT_LOGS = (
    "the store was written by a version of r-memory that kept no log, and was left as it is; "
    "run `r-memory export` with that version, then `r-memory import` with this one into an empty store"
)
_TWICE = (
    "the database lost keys of its own ({}), and holds something twice that may be there once only, so they cannot be "
    "made again; restore it from a backup, or remove what is wrong by hand: `r-memory doctor` says how to find it"
)


class Preparer:
    """Prepares one database, and keeps the schema it was prepared with."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._schema: Schema | None = None
        self._keys = keys.made_by(graph.library["setup/neo4j"].text)  # the same for both
        graph.bolt.keys = self._keys
        self._relations: frozenset[str] = frozenset()

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Creates what is missing.

        If the same schema and setup files were used before and the keys exist, it only checks. Returns the relations
        that an earlier schema declared and this one does not.

        Raises:
            StoreUnavailable: the store was written by a version without logs, or by a later one, and nothing was
                written; or its keys were removed and duplicates exist since.
        """
        before = await self._ready(schema)
        if before is None:
            async with self._graph.bolt.turn():
                before = await self._ready(schema)
                before = await self._made_ready(schema) if before is None else before
        known = _relations(before)
        self._schema, self._relations = schema, known | schema.relations.keys()
        return tuple(sorted(known - set(schema.relations)))

    async def _ready(self, schema: Schema) -> list[Row] | None:
        """The recorded preparations of a database that lacks nothing; `None` if it lacks something."""
        _, before, prepared = await self._found(schema)
        lost, others = await self.strange_keys(schema)
        for key in others:
            logger.warning("Key of another program", extra={"action": "foreign_key", "key": str(key)})
        return before if prepared and not lost else None

    async def _made_ready(self, schema: Schema) -> list[Row]:
        """The recorded preparations of a database, before what it lacked was created."""
        wanted, before, _ = await self._found(schema)
        await self._define_keys()
        labels = (schema.node_labels(type_) for type_ in schema.types)
        await self.make_types((*OWN_RELATIONS, *schema.relations), labels)
        await migrate(self._graph, _format(before, min))
        relations = sorted(_relations(before) | set(schema.relations))
        await self._graph.write("write/schema_version", name=schema.name, relations=relations, **wanted)
        return before

    async def is_prepared(self, schema: Schema) -> bool:
        """Whether the database was prepared with this schema and these setup files; only reads.

        Raises:
            StoreUnavailable: as for `prepare`.
        """
        _, before, prepared = await self._found(schema)
        if prepared:
            self._schema, self._relations = schema, _relations(before) | schema.relations.keys()
        return prepared

    async def strange_keys(self, schema: Schema | None = None) -> tuple[tuple[Key, ...], tuple[Key, ...]]:
        """Our keys that the database lacks, and keys of other programs that can refuse our writes.

        Both are empty if the user may not list keys.
        """
        try:
            found = keys.found_in(await self._graph.write("setup/keys", limit_s=SETUP_LIMIT_S))
        except QueryRefused:
            return (), ()
        schema = schema or self._schema
        labels = {
            label
            for type_ in (schema.types if schema else ())
            for label in (schema.node_labels(type_) if schema else ())
        }
        labels.update(key.label for key in self._keys)
        return tuple(sorted(self._keys - found)), keys.foreign(found, self._keys, labels)

    async def _define_keys(self) -> None:
        try:
            await self._graph.bolt.define(self._graph.library[f"setup/{await self._graph.bolt.engine()}"])
        except StoreError as error:
            lost, _ = await self.strange_keys()
            if not lost:
                raise
            raise StoreUnavailable(_TWICE.format("; ".join(map(str, lost)))) from error

    async def _found(self, schema: Schema) -> tuple[dict[str, Any], list[Row], bool]:
        """What was recorded when the database was prepared, what this version would record, and whether the
        two agree.
        """
        engine = await self._graph.bolt.engine()
        setup = sorted(name for name in self._graph.library if name.startswith(f"setup/{engine}"))
        text = "".join(self._graph.library[name].text for name in setup)
        setup_digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        wanted = {"version": schema.version, "setup": setup_digest, "format": FORMAT}
        before = await self._graph.read("read/schema_version", limit_s=SETUP_LIMIT_S)
        if (found := _format(before, max)) > FORMAT:
            raise StoreUnavailable(f"the store {later_than_this(found)}, or name another database")
        prepared = any(wanted.items() <= row.items() for row in before)
        if not prepared and await self._graph.read("read/unlogged", type=schema.subject, limit_s=SETUP_LIMIT_S):
            raise StoreUnavailable(_WITHOUT_LOGS)
        return wanted, before, prepared

    async def make_types(self, relations: Iterable[str], labels: Iterable[tuple[str, ...]]) -> None:
        """Creates relationship types and combinations of labels, if the database does not create them itself."""
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
        """Name of the schema that the database was prepared for; empty before."""
        return self._schema.name if self._schema else ""

    @property
    def relations(self) -> frozenset[str]:
        """Relations of facts that this schema or an earlier one declared."""
        return self._relations

    @property
    def grades(self) -> tuple[str, ...]:
        """Severities of the schema, mildest first."""
        return self._schema.severity.grades if self._schema else ()

    def labels(self, type_: str) -> tuple[str, ...]:
        """Labels of a node of this type, without `Entity`."""
        if self._schema is None:
            raise StoreError("the store was not prepared; call prepare(schema) first")
        return self._schema.node_labels(type_)


def _format(schemas: Iterable[Row], of: Callable[[Iterable[int]], int]) -> int:
    """A format chosen from those recorded with the schemas; the present format for a new database."""
    return of([row["format"] if isinstance(row["format"], int) else 1 for row in schemas] or [FORMAT])


def _relations(schemas: Iterable[Row]) -> frozenset[str]:
    """All relations that the recorded schemas declared."""
    return frozenset(str(name) for row in schemas for name in row["relations"] or ())
