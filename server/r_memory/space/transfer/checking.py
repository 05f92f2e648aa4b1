"""Whether a file can be imported here, all of it, before anything of it is written."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from r_memory.domain.erasure import is_of, is_trace
from r_memory.domain.events import EventKind, FactEvent, chain_differences
from r_memory.domain.facts import KNOWLEDGE_SPACE, Entity
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.schema import Schema
from r_memory.domain.storable import check_values
from r_memory.errors import InvalidInput
from r_memory.protocols import Store
from r_memory.space.streamed import ALL, Streamed
from r_memory.space.transfer.file import header_of, people_of
from r_memory.space.transfer.values import Checked, Line, Person, about


class Checker:
    """Holds files against one space, its schema, and what it knows already."""

    def __init__(self, *, store: Store, kept: Streamed, schema: Schema, retired: frozenset[str]) -> None:
        """`retired` names relations of earlier schemas, whose facts are shown as well."""
        self._store = store
        self._kept = kept
        self._schema = schema
        self._relations = retired | set(schema.relations)

    async def check(self, path: Path, *, even_erased: bool = False, step: Callable[[], None]) -> Checked:
        """What a file that can be imported holds; `step` is called after each of its lines.

        Somebody who was erased here is left out and nothing of them is checked, unless `even_erased`.

        Raises:
            InvalidInput: naming the line that cannot, or what here stands against it.
        """
        header = header_of(path)
        if header.space != self._kept.space:
            raise InvalidInput(
                f"line 1: the file is of space '{header.space}', which its hashes hold; "
                f"import it with --space {header.space}"
            )
        turns: defaultdict[str, list[str]] = defaultdict(list)
        traces = await self._traces()
        erased: dict[str, Entity] = {}
        for part in people_of(path):
            if isinstance(part, Person):
                trace = next((one for one, left in traces if is_of(one, left, part.statements, part.events)), None)
                if trace is not None and not is_trace(part.subject):
                    erased[part.subject.uid] = trace
                if even_erased or part.subject.uid not in erased:
                    await self._check_person(part)
                for _ in range(1 + len(part.statements) + len(part.events) + len(part.receipts)):
                    step()
            else:
                self._check_line(part)
                left_out = not even_erased and about(part.value) in erased
                if isinstance(part.value, MemoryItem) and part.value.tier is Tier.TURN and not left_out:
                    turns[part.value.conversation_uid].append(part.value.id)
                step()
        await self._check_turns(turns)
        return Checked(header=header, erased=erased)

    async def _traces(self) -> Sequence[tuple[Entity, Sequence[FactEvent]]]:
        """Everybody who was erased here, with what is left of their chains."""
        everybody = await self._store.subjects(self._kept.space, self._schema.subject, limit=ALL)
        return [(one, await self._store.events(one.uid)) for one in everybody if is_trace(one)]

    def _check_line(self, line: Line) -> None:
        if getattr(line.value, "space", "") != self._kept.space:
            raise InvalidInput(f"line {line.number}: it belongs to another space than the header says")
        _check_values(line.number, line.value)

    async def _check_person(self, person: Person) -> None:
        subject, where = person.subject, person.number
        if subject.type != self._schema.subject:
            raise InvalidInput(
                f"line {where}: the file is about a {subject.type}, this installation about a {self._schema.subject}; "
                "import it with the schema it was exported from"
            )
        spaces = {subject.space}
        spaces |= {one.space for one in person.statements} | {one.space for one in person.events}
        spaces |= {one.space for one in person.receipts}
        objects = {event.object.space for event in person.events}
        if spaces != {self._kept.space} or objects - {self._kept.space, KNOWLEDGE_SPACE}:
            raise InvalidInput(f"line {where}: something about this subject belongs to another space")
        _check_values(where, person)
        self._check_events(person)
        await self._check_here(person)

    def _check_events(self, person: Person) -> None:
        first = person.number + 1 + len(person.statements)
        for difference in chain_differences(person.events):
            place = int(difference.where.removeprefix("event "))
            number = next((first + at for at, event in enumerate(person.events) if event.seq == place), first)
            raise InvalidInput(f"line {number}: {difference.where} of the chain {difference.problem}; export again")
        for at, event in enumerate(person.events):
            if event.kind is not EventKind.ERASED and event.relation not in self._relations:
                raise InvalidInput(
                    f"line {first + at}: no schema of this store declared '{event.relation}', so that nobody would be "
                    "shown the fact; import it with the schema it was exported from"
                )

    async def _check_here(self, person: Person) -> None:
        """Passes a subject that is new here, or whose chain here begins or goes on as in the file."""
        subject = person.subject
        known = await self._store.subjects(subject.space, subject.type, id_=subject.id)
        if known and not is_trace(subject) and known[0].name != subject.name:
            raise InvalidInput(
                f"line {person.number}: the subject of this id has another name here; import into an empty space"
            )
        here = [event.hash for event in await self._store.events(subject.uid)] if known else []
        if any(there.hash != hash_ for there, hash_ in zip(person.events, here, strict=False)):
            raise InvalidInput(
                f"line {person.number}: the subject of this id has another history here; import into an empty space"
            )

    async def _check_turns(self, turns: dict[str, list[str]]) -> None:
        """Passes conversations whose turns here begin or go on as in the file, for each turn has a number."""
        here: defaultdict[str, dict[int, str]] = defaultdict(dict)
        async for item in self._kept.items():
            if item.tier is Tier.TURN and item.conversation_uid in turns:
                here[item.conversation_uid][item.index] = item.id
        for uid, ids in turns.items():
            known = [id_ for _, id_ in sorted(here[uid].items())]
            if any(one != other for one, other in zip(ids, known, strict=False)):
                raise InvalidInput("a conversation of the file has other turns here; import into an empty space")


def _check_values(number: int, value: object) -> None:
    try:
        check_values(value)
    except InvalidInput as error:
        raise InvalidInput(f"line {number}: {error}") from error
