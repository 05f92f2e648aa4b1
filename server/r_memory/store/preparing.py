"""Makes a database ready for a schema: keys, indexes and, on ArcadeDB, the types of nodes and relationships.

Knows that ArcadeDB makes types at their first use, where two writers at once fail; Neo4j needs no such care.
"""

import hashlib
from collections.abc import Iterable

from r_memory.domain.schema import Schema
from r_memory.errors import StoreError
from r_memory.store.adopting import Adopter
from r_memory.store.bolt import SETUP_LIMIT_S, Bolt, Engine
from r_memory.store.library import Library
from r_memory.store.neighbours import AWAITS
from r_memory.store.rows import entity_keys

OWN_RELATIONS = ("ABOUT", AWAITS, "CONCERNS", "EVIDENCED_BY", "PART_OF", "SHOWED")
"""Relationship types that belong to no schema."""
_AT_ONCE = 1_000
"""Nodes in one transaction."""


class Preparer:
    """Prepares one database and remembers the schema it was prepared with."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self._bolt = bolt
        self._library = library
        self._schema: Schema | None = None

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Makes what is missing; where the same schema and setup files did before, only looks.

        Gives the relations that an earlier schema declared and this one does not.

        Raises:
            StoreUnavailable: no answer.
        """
        engine = await self._bolt.engine()
        wanted = {"version": schema.version, "setup": self._digest(engine)}
        before = await self._bolt.read(self._library["read/schema_version"], {}, limit_s=SETUP_LIMIT_S)
        known = {str(name) for row in before for name in _listed(row["relations"])}
        if not any(wanted.items() <= row.items() for row in before):
            await self._bolt.define(self._library[f"setup/{engine}"])
            await self.make_types(
                (*OWN_RELATIONS, *schema.relations), (schema.node_labels(type_) for type_ in schema.types)
            )
            await self._give_keys()
            adopter = Adopter(self._bolt, self._library)
            await adopter.adopt(schema.subject)
            await adopter.adopt_talk()
            relations = sorted(known | set(schema.relations))
            await self._bolt.write_one(
                self._library["write/schema_version"], {"name": schema.name, "relations": relations, **wanted}
            )
        self._schema = schema
        return tuple(sorted(known - set(schema.relations)))

    async def is_prepared(self, schema: Schema) -> bool:
        """Whether this schema and these setup files prepared the database; looks only, and goes by the schema then.

        Raises:
            StoreUnavailable: no answer.
        """
        wanted = {"version": schema.version, "setup": self._digest(await self._bolt.engine())}
        before = await self._bolt.read(self._library["read/schema_version"], {}, limit_s=SETUP_LIMIT_S)
        prepared = any(wanted.items() <= row.items() for row in before)
        self._schema = schema if prepared else self._schema
        return prepared

    async def _give_keys(self) -> None:
        """Gives those whom an earlier version declared the keys that their words are looked up by."""
        rows = await self._bolt.read(self._library["read/entities_without_keys"], {}, limit_s=SETUP_LIMIT_S)
        found = [{"uid": row["uid"], "keys": entity_keys(str(row["id"]), str(row["name"]))} for row in rows]
        for start in range(0, len(found), _AT_ONCE):
            await self._bolt.write_one(self._library["write/set_keys"], {"rows": found[start : start + _AT_ONCE]})

    async def make_types(self, relations: Iterable[str], labels: Iterable[tuple[str, ...]]) -> None:
        """Brings relationship types and combinations of labels into being, where the database does not do so itself."""
        if await self._bolt.engine() != "arcadedb":
            return
        known = {row["name"] for row in await self._bolt.read(self._library["read/types"], {})}
        for relation in relations:
            if relation not in known:
                await self._bolt.define(self._library["setup/arcadedb_relation"].with_types("FACT", (relation,)))
        for kind in labels:
            await self._bolt.define(self._library["setup/arcadedb_labels"].with_labels("KIND", kind))

    def labels(self, type_: str) -> tuple[str, ...]:
        """Labels of a node of this type beside `Entity`.

        Raises:
            StoreError: `prepare` was not called.
        """
        if self._schema is None:
            raise StoreError("the store was not prepared; call prepare(schema) first")
        return self._schema.node_labels(type_)

    def _digest(self, engine: Engine) -> str:
        names = sorted(name for name in self._library if name.startswith(f"setup/{engine}"))
        return hashlib.sha256("".join(self._library[name].text for name in names).encode()).hexdigest()[:12]


def _listed(value: object) -> list[object]:
    """A list property, which an older store may lack."""
    return value if isinstance(value, list) else []
