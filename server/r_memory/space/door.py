"""Checks what a file may bring into a space: only what calls could have recorded.

A file is sealed by a digest that anyone can compute. Before anything is stored, the limits of calls are therefore
checked again. Decisions of the file about known people are listed, so that a person can agree to them. It knows values,
not files.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from r_memory.domain.erasure import is_trace
from r_memory.domain.events import Episode, EventKind, FactEvent
from r_memory.domain.facts import RISK, SCOPE_TYPE, UNMAPPED_TYPE, Entity, Flag, reads_like_its_id
from r_memory.domain.identity import identity_key, label
from r_memory.domain.instants import UNDATED, parse_instant
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput, SubjectTaken
from r_memory.facts.limits import Limits
from r_memory.facts.remember.understanding import EVIDENCE_ROLES
from r_memory.facts.subjects import Subjects, checked_word
from r_memory.text.inert import inert, inert_name

_SHOWN = 60
_LONG_AGO = parse_instant("1900-01-01T00:00:00Z")


class ImportDoor:
    """Checks the people of one file, in the file's order."""

    def __init__(self, subjects: Subjects, schema: Schema, limits: Limits) -> None:
        self._subjects, self._schema, self._limits = subjects, schema, limits
        self._ids: dict[str, str] = {}
        """By comparison key: ids of the people seen so far."""
        self._names: dict[str, str] = {}
        """By comparison key of a name: the id of the last person with it."""

    async def check_person(self, person: Entity, *, is_known: bool) -> str:
        """Checks that a call could have declared a person, given the known people and those seen so far.

        Returns the people who look like this person, in words; empty if there are none.

        Raises:
            InvalidInput: no call accepts the id or the name; or it is, or reads like, another person's.
        """
        if is_trace(person):
            return ""
        for what, word in (("subject", person.id), ("name", person.name)):
            if checked_word(word, what) != word:
                raise InvalidInput(f"the {what} '{inert(word, _SHOWN)}' begins or ends with blanks")
        key, name = identity_key(person.id), identity_key(person.name)
        for other in (self._ids.get(name, ""), self._names.get(key, ""), self._ids.get(key, "")):
            if other not in {"", person.id}:
                who = inert_name(label(person))
                raise InvalidInput(f"the id or the name of {who} is that of '{inert(other, _SHOWN)}' as well")
        self._ids[key] = self._names[name] = person.id
        return "" if is_known else await self._taken_for(person)

    async def _taken_for(self, person: Entity) -> str:
        try:
            await self._subjects.check_free(person.id, person.name)
        except SubjectTaken as taken:
            if not taken.may_share:
                raise
            return f"{inert_name(label(person))} is somebody else than {', '.join(map(inert_name, taken.candidates))}"
        return ""

    def check_said(self, statement: Episode) -> None:
        """Checks that a call could have stored a statement.

        Raises:
            InvalidInput: it is too long, or it is dated before 1900.
        """
        if len(statement.text) > self._limits.message:
            raise InvalidInput(
                f"a statement has {len(statement.text)} characters, and none may have more than {self._limits.message}"
            )
        _check_time(statement)

    def check_event(self, event: FactEvent, said: Mapping[str, Episode]) -> None:
        """Checks that a call could have recorded an event from these statements, given by id.

        Raises:
            InvalidInput: the statement behind it is missing or an assistant's, the object is not allowed for the
                relation, or its date is impossible.
        """
        if event.kind is EventKind.ERASED:
            return
        _check_time(event)
        if event.object.type not in self._types(event.relation) or not reads_like_its_id(event.object):
            raise InvalidInput(
                f"'{inert(event.object.name, _SHOWN)}' ({inert_name(event.object.type)}) is nothing that "
                f"{inert_name(event.relation)} leads to"
            )
        if event.kind is EventKind.OBSERVED:
            self._check_evidence(event, said.get(event.episode_id))

    def _check_evidence(self, event: FactEvent, words: Episode | None) -> None:
        if words is None:
            if Flag.REATTRIBUTED not in event.flags:  # whose words lie in another's record
                raise InvalidInput("it rests on a statement that the file does not hold of this subject")
        elif words.role not in EVIDENCE_ROLES:
            raise InvalidInput(f"it rests on words of the role '{words.role}', which are no evidence")
        elif not event.evidence or event.evidence not in words.text:
            raise InvalidInput("its evidence does not stand in the statement that it rests on")

    def _types(self, relation: str) -> Collection[str]:
        """Object types of a relation; all known types for a relation that only an earlier schema declared."""
        known = self._schema.relations.get(relation)
        types = set(self._schema.types) - {self._schema.subject}
        return types if known is None else {*types, *known.objects, SCOPE_TYPE, UNMAPPED_TYPE}


def decisions(person: Entity, events: Iterable[FactEvent]) -> Iterator[str]:
    """What events of a file decide about a known person, in words: everything that speaks against a risk."""
    for event in events:
        if event.kind is EventKind.CHANGED or event.status not in RISK:
            by = inert_name(event.actor or event.speaker) or "nobody"
            what = f"{inert_name(event.relation)} {inert_name(event.object.name)}"
            yield f"{inert_name(label(person))}: {what} becomes {event.status.value}, by {by}"


def asked_for(found: Sequence[str]) -> InvalidInput:
    """The error for a file that decides about known people."""
    listed = "; ".join(found[:5]) + (f"; and {len(found) - 5} more" if len(found) > 5 else "")
    return InvalidInput(
        f"the file decides about people, or is about others who can hardly be told from people known here, and nothing "
        f"was imported: {listed}. "
        "Look at the file, and import it with --yes if these decisions are right"
    )


def _check_time(of: Episode | FactEvent) -> None:
    if of.recorded_at < 0 or (of.said_at < _LONG_AGO and of.said_at != UNDATED):
        raise InvalidInput("it is dated before 1900, or was recorded before 1970")
