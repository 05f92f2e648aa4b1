"""Whom a call is about: id beats name, two of one name are both shown, nothing is guessed (design, section 7).

Knows how a subject is named; the space comes from the configuration, never from the caller.
"""

import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

from rapidfuzz import process

from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput, SubjectAmbiguous, SubjectMismatch, SubjectRequired, SubjectUnknown
from r_memory.protocols import Store

_LONGEST = 200
_NEAR = 5


class Subjects:
    """Resolves and declares the subjects of one space."""

    def __init__(self, *, store: Store, space: str, type_: str, single: str = "") -> None:
        self._store = store
        self._space = space
        self._type = type_
        self.single = single
        """Id of the one subject of a personal installation; empty in all others."""

    async def resolve(self, subject: str, *, erased: bool = False) -> Entity:
        """The subject of this id, or else of this exact name (upper and lower case alike).

        With `erased`, the trace of somebody who was erased as well: to verify its chain.

        Raises:
            SubjectRequired, SubjectUnknown, SubjectAmbiguous: with the way out in the message.
        """
        wanted = self._wanted(subject)
        found = await self._find(wanted)
        if found is not None and is_trace(found) and not erased:
            raise SubjectUnknown(
                f"'{wanted}' is what is left of a {self._type} who was erased; nothing is kept of them"
            )
        if found is None:
            if wanted == self.single:
                return await self._declare(wanted, wanted)
            raise await self._unknown(wanted)
        return found

    async def resolve_or_declare(self, subject: str, name: str) -> Entity:
        """Like `resolve`; but an unknown id given together with a name becomes a new subject.

        Raises:
            SubjectMismatch: the id exists under another name.
        """
        if not name:
            return await self.resolve(subject)
        id_, wanted = self._wanted(subject), _checked(name, "name")
        known = await self._store.subjects(self._space, self._type, id_=id_)
        if known and is_trace(known[0]):
            return await self.resolve(id_)
        if not known:
            return await self._declare(id_, wanted)
        if known[0].name.casefold() != wanted.casefold():
            raise SubjectMismatch(
                f"{self._type} '{id_}' is recorded as '{known[0].name}', not '{wanted}'; "
                "leave the name out if it is the same one, or give another id if it is not"
            )
        return known[0]

    async def of_uid(self, uid: str) -> Entity:
        """The subject of this unique key, as events and facts carry it.

        Raises:
            SubjectUnknown: nobody of this space has it.
        """
        id_ = unquote(uid.rsplit("/", maxsplit=1)[-1])
        found = await self._store.subjects(self._space, self._type, id_=id_)
        if not found or found[0].uid != uid:
            raise SubjectUnknown(f"this space has no {self._type} of that key; run `r-memory verify`")
        return found[0]

    async def all(self, *, erased: bool = False) -> tuple[Entity, ...]:
        """Every subject of the space, by id; with `erased`, the traces of those who were erased as well."""
        everyone = await self._store.subjects(self._space, self._type, limit=1_000_000)
        return tuple(entity for entity in everyone if erased or not is_trace(entity))

    async def chosen(self, subject: str = "") -> tuple[Entity, ...]:
        """One subject, or without a name all of them; the traces of those who were erased as well."""
        return (await self.resolve(subject, erased=True),) if subject else await self.all(erased=True)

    def _wanted(self, subject: str) -> str:
        if subject.strip():
            return _checked(subject, "subject")
        if self.single:
            return self.single
        raise SubjectRequired(
            f"no subject was given; name the {self._type} by id, or by exact name if it is known already"
        )

    async def _find(self, wanted: str) -> Entity | None:
        by_id = await self._store.subjects(self._space, self._type, id_=wanted)
        if by_id:
            return by_id[0]
        by_name = await self._store.subjects(self._space, self._type, name=wanted)
        if len(by_name) > 1:
            raise self._ambiguous(wanted, by_name)
        return by_name[0] if by_name else None

    def _ambiguous(self, name: str, found: Sequence[Entity]) -> SubjectAmbiguous:
        ids = [entity.id for entity in found]
        return SubjectAmbiguous(
            f"{len(found)} subjects are named '{name}': {', '.join(ids)}; call again with one of these ids",
            candidates=ids,
        )

    async def _unknown(self, wanted: str) -> SubjectUnknown:
        known = await self._store.subjects(self._space, self._type, limit=10_000)
        everyone = [entity for entity in known if not is_trace(entity)]
        names = {entity.id: entity.id for entity in everyone} | {entity.id + " ": entity.name for entity in everyone}
        near = process.extract(wanted, names, limit=_NEAR, score_cutoff=70, processor=str.casefold)
        ids = dict.fromkeys(key.strip() for _, _, key in near)
        shown = ", ".join(f"{entity.id} ({entity.name})" for entity in everyone if entity.id in ids)
        hint = f"near ones: {shown}; " if shown else ""
        return SubjectUnknown(
            f"no {self._type} has the id or name '{wanted}'; {hint}"
            "to declare a new one, call memory_remember with its id as subject and its name as subject_name"
        )

    async def _declare(self, id_: str, name: str) -> Entity:
        entity = Entity(space=self._space, type=self._type, id=id_, name=name)
        await self._store.declare_subject(entity)
        return entity


def _checked(text: str, what: str) -> str:
    """The text without surrounding blanks.

    Raises:
        InvalidInput: empty, too long, or holding control or formatting characters.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise InvalidInput(f"the {what} must have 1 to {_LONGEST} characters")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in text):
        raise InvalidInput(f"the {what} holds control or invisible characters; give it as plain text")
    return text
