"""Stores what was read in a structured file: each entry once, under the person it is about, as the record's own voice.

Everything is read and checked before the first entry is stored; the same file again stores nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.events import Role
from r_memory.domain.facts import Entity
from r_memory.domain.instants import UNDATED, Instant, iso_day
from r_memory.errors import InvalidInput
from r_memory.facts.facts import Facts
from r_memory.facts.remember.results import Remembered
from r_memory.facts.remember.understanding import RECORDED_IN
from r_memory.facts.remember.utterances import Statement, utterances
from r_memory.records.values import FileEntry, FilePerson, FileReading, Narrative, Refused

_DAY = 86_400_000
_TOGETHER = 50
"""Entries stored in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The result of one entry."""

    entry: FileEntry
    remembered: Remembered

    @property
    def verdict(self) -> str:
        """`stored`, `known` or `waits`; `no facts` if the words state none."""
        verdicts = {result.verdict for result in self.remembered.results}
        if not verdicts and not self.entry.proposals:
            return "no facts"
        return "stored" if "stored" in verdicts else "waits" if "waits" in verdicts else "known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a file."""

    stored: tuple[Stored, ...] = ()
    refused: tuple[Refused, ...] = ()
    dry_run: bool = False
    subjects: tuple[Entity, ...] = field(default=())
    narratives: tuple[Narrative, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """Verdict to number of entries."""
        return {**Counter(item.verdict for item in self.stored), "refused": len(self.refused)}


def of_person(reading: FileReading, subject: Entity, *, person: str = "") -> FileReading:
    """Returns the entries about the subject; entries about others are refused.

    The file's person is the subject if one of its ids is the subject's, or if `person` gives its id in the file. Names
    are not compared, as two people may share one.

    Raises:
        InvalidInput: the file does not say that it is about the subject; the message names its persons.
    """
    mine = {id_ for id_, item in reading.persons.items() if _is(item, id_, subject, person)}
    ids = {entry.about for entry in reading.entries if entry.about}
    mine |= {id_ for id_ in ids if id_ in {subject.id, person}}
    if not mine and (ids or reading.persons):
        whom = ", ".join(sorted(_shown(id_, reading.persons.get(id_)) for id_ in {*ids, *reading.persons})[:5])
        raise InvalidInput(
            f"the file is about {whom}, and nothing in it says that this is '{subject.id}' ({subject.name}); if it is, "
            "say so with --person and the file's id; nothing was imported"
        )
    others = [entry for entry in reading.entries if entry.about and entry.about not in mine]
    reasons = (Refused(id=other.id, reason=f"it is about another person, '{other.about}'") for other in others)
    kept = tuple(entry for entry in reading.entries if not entry.about or entry.about in mine)
    return replace(reading, entries=kept, refused=(*reading.refused, *reasons))


def _is(one: FilePerson, id_: str, subject: Entity, person: str) -> bool:
    if person:
        return person in {id_, *one.ids}
    return subject.id in {id_, *one.ids}


def _shown(id_: str, person: FilePerson | None) -> str:
    return f"'{id_}' ({person.name})" if person is not None and person.name else f"'{id_}'"


def known_to_be(reading: FileReading, now: Instant) -> FileReading:
    """Returns the reading with entries that are dated in the future refused."""
    early = {entry.id for entry in reading.entries if entry.said_at is not None and entry.said_at > now + _DAY}
    late = tuple(
        Refused(id=entry.id, reason=f"it says that it was recorded on {iso_day(entry.said_at or 0)}, which is to come")
        for entry in reading.entries
        if entry.id in early
    )
    kept = tuple(entry for entry in reading.entries if entry.id not in early)
    return replace(reading, entries=kept, refused=(*reading.refused, *late))


async def store(
    facts: Facts,
    subject: Entity,
    reading: FileReading,
    *,
    source: str,
    undated: Instant,
    dry_run: bool = False,
    step: Callable[[], object] = lambda: None,
) -> Report:
    """Stores the entries, all about the subject; `undated` is the instant for entries without a date.

    Raises:
        StoreUnavailable, NotStored: earlier entries are stored; the same call continues.
    """
    stored: list[Stored] = []
    for first in range(0, len(reading.entries), _TOGETHER):
        some = reading.entries[first : first + _TOGETHER]
        told = [(statement(item, subject, source=source, undated=undated), item.proposals) for item in some]
        if dry_run:
            made = [await facts.remembering.record_entry(*each, dry_run=True) for each in told]
        else:
            made = [*await facts.remembering.record_entries(told)]
        for entry, remembered in zip(some, made, strict=True):
            stored.append(Stored(entry=entry, remembered=remembered))
            step()
    return Report(
        stored=tuple(stored),
        refused=reading.refused,
        dry_run=dry_run,
        subjects=(subject,),
        narratives=reading.narratives,
    )


async def store_words(
    facts: Facts,
    subject: Entity,
    reading: FileReading,
    *,
    speaker: str,
    dry_run: bool = False,
    step: Callable[[], object] = lambda: None,
) -> Report:
    """Stores words about the subject as said by `speaker`, and their facts; repeated words are `known`.

    Raises as `store`.
    """
    stored = []
    for entry in reading.entries:
        parts = utterances(entry.text, form="whole", size=facts.limits.message)
        for number, part in enumerate(parts, start=1):
            said = Statement(
                text=part.text,
                subject=subject,
                role=entry.role,
                speaker=speaker,
                conversation=entry.conversation,
                key=f"words-{_digest(entry)}-{number}",
                said_at=UNDATED if entry.said_at is None else entry.said_at,
                before=entry.before if number == 1 else (),
            )
            remembered = await facts.remembering.record(said, dry_run=dry_run)
            stored.append(Stored(entry=entry, remembered=remembered))
        step()
    return Report(stored=tuple(stored), refused=reading.refused, dry_run=dry_run, subjects=(subject,))


async def store_rows(
    facts: Facts,
    reading: FileReading,
    *,
    only: Entity | None,
    source: str,
    undated: Instant,
    dry_run: bool = False,
    step: Callable[[], object] = lambda: None,
) -> Report:
    """Stores entries about several people, each under its own subject.

    `only` limits them to one person. An unknown person is declared if the entry has a name; otherwise the entry is
    refused. Raises as `store`.
    """
    by_person: dict[str, list[FileEntry]] = {}
    for entry in reading.entries:
        by_person.setdefault(entry.about or (only.id if only is not None else ""), []).append(entry)
    # Whom each is about is found out before anything is stored.
    about: dict[str, Entity] = {}
    refused = list(reading.refused)
    for id_, entries in by_person.items():
        found = await _whom(facts, id_, entries, only=only)
        if isinstance(found, Entity):
            about[id_] = found
        else:
            refused += (Refused(id=entry.id, reason=found) for entry in entries)
    stored: list[Stored] = []
    for id_, subject in about.items():
        entries = by_person[id_]
        declared = subject
        if not dry_run and only is None:
            declared = await facts.subjects.resolve_or_declare(id_, _name_of(entries))
        part = await store(
            facts,
            declared,
            FileReading(entries=tuple(entries)),
            source=source,
            undated=undated,
            dry_run=dry_run,
            step=step,
        )
        stored += part.stored
    return Report(stored=tuple(stored), refused=tuple(refused), dry_run=dry_run, subjects=tuple(about.values()))


async def _whom(facts: Facts, id_: str, entries: Sequence[FileEntry], *, only: Entity | None) -> Entity | str:
    """Returns the subject of the entries, or why they are refused."""
    if only is not None:
        return only if id_ == only.id else f"it is about another person, '{id_}'"
    names = {" ".join(entry.name.split()) for entry in entries if entry.name}
    if len(names) > 1:
        return f"'{id_}' has several names in the file: {', '.join(sorted(names))}"
    try:
        return await facts.subjects.resolve_or_declare(id_, _name_of(entries), dry_run=True)
    except InvalidInput as error:
        return str(error)


def _name_of(entries: Sequence[FileEntry]) -> str:
    return next((" ".join(entry.name.split()) for entry in entries if entry.name), "")


def statement(
    entry: FileEntry, subject: Entity, *, source: str, undated: Instant, role: Role = "document"
) -> Statement:
    """Returns the entry as a statement; its key is the same for the same entry in any file."""
    return Statement(
        text=entry.text,
        subject=subject,
        role=role,
        speaker=source,
        conversation=f"{RECORDED_IN}{source}",
        key=f"record-{_digest(entry)}",
        said_at=undated if entry.said_at is None else entry.said_at,
    )


def _digest(entry: FileEntry) -> str:
    return hashlib.sha256(f"{entry.id}\x1f{entry.text}".encode("utf-8", "surrogatepass")).hexdigest()


def notes(entries: Sequence[FileEntry]) -> tuple[Refused, ...]:
    """Returns the imported entries that a person should look at, with the reason."""
    return tuple(Refused(id=entry.id, reason=entry.note) for entry in entries if entry.note)
