"""People of a space: all, or those found by id, name or alias, with their aliases and the number of waiting
statements.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from r_memory.domain.facts import Entity, Status
from r_memory.domain.identity import abbreviates, identity_key
from r_memory.domain.schema import Relation
from r_memory.errors import InvalidInput, StoreError
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Store

_ALIKE = 80
"""Minimum rapidfuzz ratio between a name and the query."""
_MOST_READ = 200
"""Maximum number of people whose waiting statements one page reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A known person."""

    subject: Entity
    place: int = 0
    """Position in the list, from 0."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Aliases, each with the speaker who uses it; the speaker is empty if no speaker was named."""
    waits: int = 0
    """Number of waiting statements."""
    failed: str = ""
    """Why aliases and waiting statements could not be read; empty if they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPage:
    """A page of a list of people."""

    people: tuple[Known, ...]
    total: int
    """Number of people found; `waiting` does not reduce it."""
    following: int = 0
    """Where the next page begins; 0 if this is the last."""


class PeopleList:
    """Lists the people of one space."""

    def __init__(self, *, store: Store, subjects: Subjects, naming: Relation | None) -> None:
        self._store = store
        self._subjects = subjects
        self._naming = naming

    async def known(self, query: str = "", *, waiting: bool = False, start: int = 0, limit: int = 50) -> KnownPage:
        """People by id; with a `query`, those whose id, name or alias contains it or resembles it, best match first.

        `waiting` keeps only people with waiting statements. The page begins at `start`.

        Raises:
            InvalidInput: `start` is negative or beyond the end of the list.
        """
        everyone = await self._found(query)
        if start < 0 or start > len(everyone):
            raise InvalidInput(f"there are {len(everyone)} people; begin at 0")
        page: list[Known] = []
        at = start
        while at < len(everyone) and len(page) < limit and at - start < _MOST_READ:
            one = replace(await self._read(everyone[at]), place=at)
            at += 1
            if one.waits or one.failed or not waiting:
                page.append(one)
        return KnownPage(people=tuple(page), total=len(everyone), following=at if at < len(everyone) else 0)

    async def _found(self, query: str) -> Sequence[Entity]:
        everyone = await self._subjects.all()
        wanted = identity_key(query) if query.strip() else ""
        if not wanted:
            return everyone
        called = await self._subjects.called(wanted)
        ranked = [(self._likeness(wanted, item, called), item) for item in everyone]
        return [each for likeness, each in sorted(ranked, key=lambda pair: (-pair[0], pair[1].id)) if likeness]

    def _likeness(self, wanted: str, one: Entity, called: frozenset[str]) -> float:
        words = (identity_key(one.id), identity_key(one.name))
        if wanted in words or one.uid in called:
            return 200
        if any(wanted in word for word in words) or abbreviates(wanted, one.name):
            return 150
        likeness = max(fuzz.ratio(wanted, part) for part in (*words, *words[1].split()))
        return likeness if likeness >= _ALIKE else 0

    async def _read(self, one: Entity) -> Known:
        relations = [self._naming.name] if self._naming is not None else []
        try:
            found = await self._store.neighbourhood(one, relations)
        except (StoreError, TimeoutError, OSError) as error:
            return Known(subject=one, failed=str(error))
        by = self._naming.called_by if self._naming is not None else ""
        return Known(
            subject=one,
            aliases=tuple(
                (fact.object.name, str(fact.attrs.get(by, ""))) for fact in found.facts if fact.status is Status.ACTIVE
            ),
            waits=len(found.pending),
            failed="; ".join(found.failed.values()),
        )
