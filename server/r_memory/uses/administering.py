"""The space as a whole: what it knows how to remember, audits, whether it is sound, moving and erasing."""

from collections.abc import Mapping
from dataclasses import dataclass

from r_memory.administration.administration import Administration
from r_memory.domain.facts import Entity
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError, InvalidInput, StoreError, UnknownName
from r_memory.integrity import Verification, rebuild, verify
from r_memory.protocols import Audit, StoreHealth, Table
from r_memory.uses.held import Held, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What this installation knows how to remember, and how it is."""

    space: str
    single_subject: bool
    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    limits: Limits
    audits: tuple[str, ...]
    health: StoreHealth | None
    """`None` when the store does not answer."""
    trouble: str = ""
    """Why it does not."""


class Administering(Held):
    """The memory as those use it who look after it."""

    @property
    def administration(self) -> Administration:
        """Moving this space elsewhere, and erasing somebody from it; for people, never for a model.

        Raises:
            ConfigurationError: as in `stream`.
        """
        if self._administration is None:
            raise ConfigurationError("this memory cannot be administered; open it with open_memory")
        return self._administration

    async def describe(self) -> Description:
        """What can be remembered and asked here; answers even when the store does not."""
        health, trouble = None, ""
        try:
            health = await self._store.health()
        except StoreError as error:
            trouble = str(error)
        return Description(
            space=self._space,
            single_subject=self._single_subject,
            schema=self.schema,
            table=self._table,
            knowledge=self._knowledge,
            limits=self.limits,
            audits=tuple(sorted(self._audits)),
            health=health,
            trouble=trouble,
        )

    def audits(self) -> Mapping[str, Audit]:
        """The audits that can be run, by name."""
        return self._audits

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """Rows of a shipped (or own) audit, of this space only.

        Raises:
            UnknownName: no such audit; the known ones are listed.
            InvalidInput: the store has no query language.
        """
        if name not in self._audits:
            raise UnknownName("audit", name, sorted(self._audits))
        return await self.cypher(self._audits[name].text, limit=limit)

    async def cypher(self, query: str, *, limit: int = 200) -> Table:
        """Rows of anybody's reading query whose first column, `space`, is this space; it may use `$space`.

        Raises:
            InvalidInput: the query could write, is wrong, or does not return `space` first; the store runs no Cypher.
        """
        if self._auditor is None:
            raise InvalidInput("this store runs no Cypher; use the embedded store or Neo4j for audits")
        return await self._auditor.read(query, space=self._space, limit=limit)

    async def verify(self, *, subject: str | Entity = "") -> Verification:
        """Recomputes the chains and states of one subject, or of all."""
        return await verify(self._store, self.schema, await self._chosen(subject))

    async def rebuild(self, *, subject: str | Entity = "") -> int:
        """Recreates the state layer of one subject, or of all, from the ledger; gives the number of facts."""
        return await rebuild(self._store, self.schema, await self._chosen(subject))
