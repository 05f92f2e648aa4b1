"""Moves a space: exports all records to a file, and imports the records of a file, each once.

A record that is stored during an export is in the file completely or not at all. A file is checked completely before
anything is stored. All records have ids: a second import adds nothing, and an interrupted import continues. From the
declaration of a subject until it is complete, reads about it report that they could not check.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from r_memory.domain.erasure import is_of, is_trace
from r_memory.domain.events import Arrival, Batch, ChainHead, EventKind, arrival, brings, chain_differences
from r_memory.domain.facts import KNOWLEDGE_SPACE, Entity
from r_memory.domain.folding import fold_all
from r_memory.domain.memories import Document, MemoryItem, Tier
from r_memory.domain.storable import check_values
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import TurnDecision
from r_memory.errors import ARRIVING, InvalidInput, LedgerBroken
from r_memory.protocols import Arriving
from r_memory.space.contents import ALL, KINDS, Contents, Kept, Step
from r_memory.space.door import ImportDoor, decisions
from r_memory.space.file import ExportPerson, FileValue, Header, header_of, people_of, written

_EVENTS = 100
"""Number of events, with their facts, in one transaction."""
_ITEMS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that can be imported."""

    header: Header
    erased: Mapping[str, Entity]
    """By key: the traces of people in the file who were erased here."""
    decisions: Sequence[str] = ()
    """What the file decides about people known here, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import."""

    added: Mapping[str, int]
    """By kind of line: how many were new here."""
    known: int
    """Number of lines that were here already."""
    left_out: int = 0
    """Number of lines about people who were erased here."""


async def export(
    kept: Contents, path: Path, subjects: Sequence[Entity], header: Header, *, talk_about: str = "", step: Step
) -> Header:
    """Writes the whole file or nothing, and returns its header with the counts; calls `step` after each subject.

    It includes the conversational memory of the whole space, or about the subject with the key `talk_about`.
    """
    arriving = await kept.store.arriving(kept.space)
    if arriving.file or arriving.subjects:
        raise LedgerBroken(ARRIVING)
    with written(path) as writer:
        for subject in subjects:
            async for value in kept.ledger(subject):
                writer.add(value)
            step()
        async for value in kept.talk(talk_about):
            writer.add(value)
        return writer.finish(header)


# --- whether a file can be imported ----------------------------------------------------------------------------------


async def check(
    kept: Contents, path: Path, *, door: ImportDoor, relations: Collection[str], even_erased: bool = False, step: Step
) -> CheckedFile:
    """What a file that can be imported holds; calls `step` after each line; raises as `Space.check_import`.

    People who were erased here are left out and not checked, unless `even_erased`. `relations` are all relations whose
    facts are shown; `door` checks each record.
    """
    header = header_of(path)
    if header.space != kept.space:
        raise InvalidInput(
            f"line 1: the file is of space '{header.space}', which its hashes hold; "
            f"import it with --space {header.space}"
        )
    arriving = await kept.store.arriving(kept.space)
    _check_takes_over(header, arriving)
    everybody = await kept.store.subjects(kept.space, kept.schema.subject, limit=ALL)
    traces = [(item, await kept.store.events(item.uid)) for item in everybody if is_trace(item)]
    turns: defaultdict[str, list[str]] = defaultdict(list)
    erased: dict[str, Entity] = {}
    decided: list[str] = []
    for part in people_of(path):
        if isinstance(part, ExportPerson):
            trace = next((each for each, left in traces if is_of(each, left, part.statements, part.events)), None)
            if trace is not None and not is_trace(part.subject):
                erased[part.about] = trace
        left_out = not even_erased and part.about in erased
        if isinstance(part, FileValue):
            if getattr(part.value, "space", "") != kept.space:
                raise InvalidInput(f"line {part.number}: it belongs to another space than the header says")
            _check_values(part.number, part.value)
            if isinstance(part.value, MemoryItem) and part.value.tier is Tier.TURN and not left_out:
                turns[part.value.conversation_uid].append(part.value.id)
        elif not left_out:
            _check_person(kept, part, relations)
            decided += await _check_here(kept, part, arriving, door)
        _after(part.lines, step)
    await _check_turns(kept, turns)
    return CheckedFile(header=header, erased=erased, decisions=decided)


def _after(lines: int, step: Step) -> None:
    for _ in range(lines):
        step()


def _check_person(kept: Contents, person: ExportPerson, relations: Collection[str]) -> None:
    where, kind = person.number, kept.schema.subject
    if person.subject.type != kind:
        raise InvalidInput(
            f"line {where}: the file is about a {person.subject.type}, this installation about a {kind}; "
            "import it with the schema it was exported from"
        )
    objects = {event.object.space for event in person.events}
    if person.spaces != {kept.space} or objects - {kept.space, KNOWLEDGE_SPACE}:
        raise InvalidInput(f"line {where}: something about this subject belongs to another space")
    _check_values(where, person)
    first = where + 1 + len(person.statements)
    for difference in chain_differences(person.events):
        place = int(difference.where.removeprefix("event "))
        number = next((first + at for at, event in enumerate(person.events) if event.seq == place), first)
        raise InvalidInput(f"line {number}: {difference.where} of the chain {difference.problem}; export again")
    for at, event in enumerate(person.events):
        if event.kind is not EventKind.ERASED and event.relation not in relations:
            raise InvalidInput(
                f"line {first + at}: no schema of this store declared '{event.relation}', so that nobody would be "
                "shown the fact; import it with the schema it was exported from"
            )


def _check_takes_over(header: Header, arriving: Arriving) -> None:
    """Checks that the file may complete the unfinished import, if there is one.

    Raises:
        InvalidInput: another file is being imported.
    """
    if arriving.file not in {"", header.sha256} and header.subject:
        raise InvalidInput(
            "an import of another file into this space has not ended; wait until it has, or import that file, or a "
            "newer one of the whole space, first"
        )


async def _check_here(kept: Contents, person: ExportPerson, arriving: Arriving, door: ImportDoor) -> Sequence[str]:
    """Checks that a subject is new here, or that its chain here is a beginning or a continuation of that in the file.

    Returns what the file decides about a known person, unless an import that was agreed to has begun with that person.
    """
    if not brings(arriving.subjects.get(person.about, ""), len(person.statements), person.events):
        raise InvalidInput(
            f"line {person.number}: an import of another file has not ended, which brings more about this subject; "
            "import that file first"
        )
    subject = person.subject
    known = await kept.store.subjects(subject.space, subject.type, id_=subject.id)
    here = await kept.store.events(subject.uid) if known else []
    others = {
        "name": bool(known) and not is_trace(subject) and known[0].name != subject.name,
        "history": any(there.hash != event.hash for there, event in zip(person.events, here, strict=False)),
    }
    for what in filter(others.__getitem__, others):
        raise InvalidInput(
            f"line {person.number}: the subject of this id has another {what} here; import into an empty space"
        )
    taken_for = await _check_door(person, door, is_known=bool(known))
    if person.about in arriving.subjects or is_trace(subject):
        return ()
    return tuple(decisions(subject, person.events[len(here) :])) if known else tuple(filter(None, [taken_for]))


async def _check_door(person: ExportPerson, door: ImportDoor, *, is_known: bool) -> str:
    """The people who look like this person, in words."""
    said = {statement.id: statement for statement in person.statements}
    with _at(person.number):
        taken_for = await door.check_person(person.subject, is_known=is_known)
    for number, statement in enumerate(person.statements, start=person.number + 1):
        with _at(number):
            door.check_said(statement)
    for number, event in enumerate(person.events, start=person.number + 1 + len(person.statements)):
        with _at(number):
            door.check_event(event, said)
    return taken_for


@contextmanager
def _at(number: int) -> Iterator[None]:
    """Adds the line number to errors raised in this context."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"line {number}: {error}; no call records this, and nothing was imported") from error


async def _check_turns(kept: Contents, turns: Mapping[str, Sequence[str]]) -> None:
    """Checks that the turns of conversations here are a beginning or a continuation of those in the file: turns are
    numbered.
    """
    here: defaultdict[str, dict[int, str]] = defaultdict(dict)
    async for item in kept.items():
        if item.tier is Tier.TURN and item.conversation_uid in turns:
            here[item.conversation_uid][item.index] = item.id
    for uid, ids in turns.items():
        known = [id_ for _, id_ in sorted(here[uid].items())]
        if any(each != other for each, other in zip(ids, known, strict=False)):
            raise InvalidInput("a conversation of the file has other turns here; import into an empty space")


def _check_values(number: int, value: object) -> None:
    try:
        check_values(value)
    except InvalidInput as error:
        raise InvalidInput(f"line {number}: {error}") from error


# --- storing what it holds -------------------------------------------------------------------------------------------


async def restore(kept: Contents, path: Path, *, without: Collection[str] = (), step: Step) -> Imported:
    """Writes the records that are missing here, except those about subjects in `without`.

    Calls `step` after each line.
    """
    added: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    arriving = await kept.store.arriving(kept.space)
    lines = left_out = 0
    talk: list[Kept] = []
    for part in people_of(path):
        if part.about in without:
            left_out += part.lines
        elif isinstance(part, ExportPerson):
            added.update(await _restore_person(kept, part, arriving.subjects.get(part.about, "")))
        else:
            talk.append(part.value)
            if len(talk) >= _ITEMS:
                added.update(await _restore_talk(kept, talk))
                talk.clear()
        lines += part.lines
        _after(part.lines, step)
    added.update(await _restore_talk(kept, talk))
    everybody = await kept.store.subjects(kept.space, kept.schema.subject, limit=ALL)
    for start in range(0, len(everybody), _EVENTS):
        await kept.store.lead_to_words(everybody[start : start + _EVENTS])
    return Imported(added=dict(added), known=lines - left_out - sum(added.values()), left_out=left_out)


async def _restore_person(kept: Contents, person: ExportPerson, before: Arrival) -> Mapping[str, int]:
    """Stores the missing records, and returns their number.

    `before` is what an interrupted import had still to bring.
    """
    store, subject = kept.store, person.subject
    new = not await store.subjects(subject.space, subject.type, id_=subject.id)
    said = {episode.id for episode in await store.episodes(subject.space, subject.uid)}
    statements = [episode for episode in person.statements if episode.id not in said]
    events = await store.events(subject.uid)
    here = len(events)
    # From here on until the end every read reports that it could not check, and no other writer extends the chain.
    if is_missing := bool(new or statements or here < len(person.events) or before):
        arriving = arrival(len(person.statements), person.events)
        await store.await_import(subject, arriving, after=ChainHead().after(events))
    for episode in statements:
        await store.add_episode(episode)
    for start in range(here, len(person.events), _EVENTS):
        await store.append(_batch(kept, person, start))
    if is_missing:
        await store.end_import_of(subject)
    shown = {receipt.id for receipt in await store.receipts(subject.space, subject.uid, limit=ALL)}
    receipts = [receipt for receipt in person.receipts if receipt.id not in shown]
    for receipt in receipts:
        await store.add_receipt(receipt)
    added = max(len(person.events) - here, 0)
    return {"subject": int(new), "statement": len(statements), "event": added, "receipt": len(receipts)}


def _batch(kept: Contents, person: ExportPerson, start: int) -> Batch:
    before, events = person.events[:start], tuple(person.events[start : start + _EVENTS])
    touched = {event.fact_id for event in events}
    known = [event for event in (*before, *events) if event.fact_id in touched]
    previous = ChainHead().after(before)
    return Batch(
        subject=person.subject,
        events=events,
        facts=fold_all(known, scale=kept.schema.severity.grades),
        episode=None,
        previous=previous,
        head=previous.after(events, earlier=before),
        arriving=arrival(len(person.statements), person.events),
    )


async def _restore_talk(kept: Contents, values: Sequence[Kept]) -> Counter[str]:
    items = [value for value in values if isinstance(value, MemoryItem)]
    known = {item.id for item in await kept.stream.memories(kept.space, [item.id for item in items])}
    missing = [item for item in items if item.id not in known]
    for _, together in groupby(missing, key=lambda item: (item.conversation_uid, item.tier is Tier.TURN)):
        await kept.stream.add_memories(tuple(together))
    added = Counter(item=len(missing))
    decided = (
        {decision.id for decision in await kept.decisions()}
        if any(isinstance(each, TurnDecision) for each in values)
        else ()
    )
    for value in values:
        if isinstance(value, KeptSummary):
            newest = await kept.conversations.summaries(value.space, value.conversation_uid)
            if not newest or newest[0].version < value.version:
                await kept.conversations.add_summary(value)
                added["summary"] += 1
        elif isinstance(value, Document):
            here = await kept.conversations.documents(value.space, value.id)
            if not here or here[0].read < value.read:
                await kept.conversations.put_document(value)
                added["document"] += 1
        elif isinstance(value, TurnDecision) and value.id not in decided:
            await kept.conversations.add_decision(value)
            added["decision"] += 1
    return added
