"""Checks that logs, chains and the present state are as they were recorded, and recreates the state from the chains.

Only `rebuild` writes: it writes the present state, from chains that are whole.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import MappingProxyType

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import ChainHead, Difference, EventKind, chain_differences
from r_memory.domain.facts import Entity, Fact, entity_of_key
from r_memory.domain.folding import fold_all
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import Checkpoint, Log, Problem, path, problems, root
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput, LedgerBroken
from r_memory.protocols import Inspection, SpaceInspection, Store
from r_memory.space.contents import Step, unseen

_RECORDS_AT_ONCE = 500
"""Number of records read together, but at least those of one subject: larger pages are slower."""
_USUAL = 10
"""Assumed number of records of a subject whose number is unknown."""
_LOOKS = 3
"""Maximum number of reads of a subject that does not add up: a concurrent write may be seen in parts."""
_BUSY_S = 0.005
"""Seconds of work after which other tasks get a turn."""
Named = Callable[[Entity], Entity]
"""Returns an entity with the concepts that its words mean under the present lexicon."""


def as_stored(entity: Entity) -> Entity:
    """Returns the entity unchanged."""
    return entity


RESTORE = "restore from a backup of the database, or import an export made before into an empty store"


@dataclass(slots=True, kw_only=True)
class Verification:
    """What `verify` checked, and the differences it found."""

    subjects: int = 0
    events: int = 0
    facts: int = 0
    records: int = 0
    """Number of checked records: declarations, statements, their statuses, events, receipts, conversations."""
    differences: tuple[Difference, ...] = ()
    kinds: Counter[str] = field(default_factory=Counter)
    logs: set[str] = field(default_factory=set)

    @property
    def whole(self) -> bool:
        """Whether no difference was found."""
        return not self.differences

    def add(self, look: Inspection, differences: Iterable[Difference]) -> None:
        """Adds the result of one subject."""
        self.subjects += 1
        self.events += len(look.events)
        self.facts += len({event.fact_id for event in look.events if event.kind is not EventKind.ERASED})
        self.records += len(look.log.entries)
        self.differences += tuple(differences)
        self.kinds.update(map(attrgetter("kind"), look.log.records))
        self.kinds["entry"] += len(look.log.entries)
        self.logs.add(look.log.head.id)


async def verify(
    store: Store,
    subjects: Iterable[Entity],
    *,
    named: Named = as_stored,
    sizes: Mapping[str, int] = MappingProxyType({}),
    since: Checkpoint | None = None,
    step: Step = unseen,
) -> Verification:
    """Recomputes logs, chains and states of subjects of one space, and compares them with the stored ones.

    `named` returns the concepts of an entity; `sizes` gives the number of records by subject. With `since`, it also
    checks that the logs have lost nothing since that checkpoint. `step` is called after each subject.
    """
    found = Verification()
    async with aclosing(_looks(store, subjects, sizes)) as looks:
        async for first in looks:
            look, differences = first, _differences(first, since, named)
            for _ in range(_LOOKS - 1):
                if differences:
                    [look] = await store.inspect([look.subject])
                    differences = _differences(look, since, named)
            found.add(look, differences)
            step()
    return found


def _pages(subjects: Iterable[Entity], sizes: Mapping[str, int]) -> Iterator[Sequence[Entity]]:
    """The subjects in order, in groups with a limited total number of records."""
    page: list[Entity] = []
    records = 0
    for subject in subjects:
        size = max(1, sizes.get(subject.uid, _USUAL))
        if page and records + size > _RECORDS_AT_ONCE:
            yield page
            page, records = [], 0
        page.append(subject)
        records += size
    if page:
        yield page


async def _looks(
    store: Store, subjects: Iterable[Entity], sizes: Mapping[str, int]
) -> AsyncGenerator[Inspection, None]:
    """Inspections of the subjects; the store reads the next group while one is processed."""
    pages = (asyncio.create_task(store.inspect(page)) for page in _pages(subjects, sizes))
    coming = next(pages, None)
    began = time.monotonic()
    try:
        while coming is not None:
            looks = await coming
            coming = next(pages, None)
            for look in looks:
                if time.monotonic() - began > _BUSY_S:
                    await asyncio.sleep(0)
                    began = time.monotonic()
                yield look
    finally:
        if coming is not None:
            coming.cancel()


async def verify_space(
    store: Store,
    schema: Schema,
    knowledge: Knowledge,
    space: str,
    *,
    named: Named = as_stored,
    since: Checkpoint | None = None,
    step: Step = unseen,
) -> Verification:
    """The same for all subjects, and for what belongs to no subject: declarations, counts, the knowledge pack.

    With `since`, it also checks that nothing before that checkpoint was changed or removed.
    """
    first = look = await store.inspect_space(space, schema.subject)
    found = await verify(store, first.subjects, named=named, sizes=first.sizes, since=since, step=step)
    wrong = _space_problems(first, found, look, since)
    for _ in range(_LOOKS):
        if wrong:  # perhaps only with what was written meanwhile
            look = await store.inspect_space(space, schema.subject)
            wrong = _space_problems(first, found, look, since)
    wrong += await store.inspect_knowledge(knowledge)
    found.records += len(look.log.entries)
    found.differences += tuple(Difference(subject_uid=space, where=item.where, problem=item.what) for item in wrong)
    return found


def _space_problems(
    first: SpaceInspection, everybody: Verification, look: SpaceInspection, since: Checkpoint | None
) -> list[Problem]:
    """Problems of a space, which was inspected before and after all its subjects."""
    seen = everybody.kinds + Counter(entry=len(look.log.entries))
    found = [*problems(look.log), *look.problems, *_uncounted(first.counts, seen, look.counts)]
    if since is not None:
        found += since.problems(look.log)
        if gone := since.logs.keys() - everybody.logs - {look.log.head.id}:
            what = f"lack {len(gone)} that were there at the checkpoint of {since.made_at}: somebody was taken away"
            found.append(Problem(where="logs", what=what))
    return found


def _uncounted(before: Mapping[str, int], seen: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Problem]:
    """Problems of records that belong to no subject: there are more, or fewer, than the subjects have."""
    for kind, number in sorted(after.items()):
        if not before.get(kind, 0) <= seen.get(kind, 0) <= number:
            yield Problem(
                where="space", what=f"has {number} of kind {kind}, and its subjects lead to {seen.get(kind, 0)}"
            )


def _differences(look: Inspection, since: Checkpoint | None, named: Named) -> tuple[Difference, ...]:
    """All differences of a subject, each once; those that make its events untrustworthy come first."""
    logged = tuple(problems(look.log))
    broken = tuple(_broken(look, logged))
    remedy = f"; {RESTORE}" if broken else "; run `r-memory rebuild`"
    others = (
        *(replace(item, what=item.what + remedy) for item in _state_problems(look)),
        *(replace(item, what=item.what + remedy) for item in _misnamed(look.facts, named)),
        *logged,
        *look.problems,
        *(since.problems(look.log) if since else ()),
    )
    uid = look.subject.uid
    found: dict[tuple[str, str], Difference] = {}
    for item in (*broken, *(Difference(subject_uid=uid, where=other.where, problem=other.what) for other in others)):
        found.setdefault((item.where, item.problem), item)
    return tuple(found.values())


def _broken(look: Inspection, logged: Iterable[Problem]) -> Iterator[Difference]:
    """All differences that make the events untrustworthy."""
    uid = look.subject.uid
    yield from chain_differences(look.events)
    # What a read is held against is no event, and is what a rebuild writes anew.
    if replace(look.head, held="") != replace(ChainHead().after(look.events), held=""):
        yield Difference(subject_uid=uid, where="end of the chain", problem="is not that of its events")
    for problem in logged:
        if problem.kind == "event" and problem.what.startswith(("was altered", "the event")):
            yield Difference(subject_uid=uid, where=problem.where, problem=problem.what)


async def checkpoint(store: Store, schema: Schema, space: str, *, made_at: str, step: Step = unseen) -> Checkpoint:
    """Size and root of every log of a space at present; `step` is called after each subject."""
    look = await store.inspect_space(space, schema.subject)
    logs = {look.log.head.id: _state(look.log)} if look.log.entries else {}
    async with aclosing(_looks(store, look.subjects, look.sizes)) as looks:
        async for item in looks:
            logs[item.log.head.id] = _state(item.log)
            step()
    return Checkpoint(space=space, made_at=made_at, logs=logs)


def _state(log: Log) -> tuple[int, str]:
    return len(log.entries), root(log.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A proof that a receipt is in the log as it was recorded; the root can be computed from it."""

    receipt: Receipt
    log: str
    place: int
    """Position of its entry, from 1."""
    size: int
    leaf: str
    path: tuple[str, ...]
    """The inclusion proof: hashes on the path to the root (RFC 6962, section 2.1.1)."""
    root: str
    covered: bool
    """Whether the given checkpoint includes the entry, and the log begins as it did then."""


async def prove(store: Store, space: str, receipt_id: str, since: Checkpoint | None) -> Proof:
    """The proof of one receipt.

    Raises:
        InvalidInput: no receipt has the id.
        LedgerBroken: the receipt or its log is not as it was recorded.
    """
    receipt = await store.receipt(space, receipt_id)
    if receipt is None:
        raise InvalidInput(f"no receipt of this space has the id '{receipt_id[:40]}'; take it from a block")
    [look] = await store.inspect([entity_of_key(receipt.subject_uid)])
    record = next((item for item in look.log.records if item.where == f"receipt {receipt_id}"), None)
    wrong = [
        f"{problem.where} {problem.what}"
        for problem in (*problems(look.log), *(since.problems(look.log) if since else ()))
    ]
    if record is None or wrong:
        raise LedgerBroken(f"the receipt cannot be proven: {wrong[0] if wrong else 'nothing leads to it'}; {RESTORE}")
    nodes = [entry.node for entry in look.log.entries]
    return Proof(
        receipt=receipt,
        log=look.log.head.id,
        place=record.seq,
        size=len(nodes),
        leaf=record.leaf,
        path=tuple(path(nodes, record.seq - 1)),
        root=root(look.log.entries),
        covered=since is not None and since.logs.get(look.log.head.id, (0, ""))[0] >= record.seq,
    )


async def rebuild(store: Store, schema: Schema, subjects: Iterable[Entity], *, named: Named = as_stored) -> int:
    """Recreates the present state of the subjects from the ledger; returns the number of facts written.

    `named` returns the concepts of an entity.

    Raises:
        LedgerBroken: a chain is not whole; the state of that subject is unchanged, and the others are rebuilt.
    """
    written, refused = 0, []
    for subject in subjects:
        try:
            written += await _rebuilt(store, schema, subject, named)
        except LedgerBroken as error:
            refused.append(error)
    if refused:
        raise refused[0]
    return written


async def _rebuilt(store: Store, schema: Schema, subject: Entity, named: Named) -> int:
    """Rebuilds one subject, and repeats if another writer was faster: the state must include the newest event."""
    while True:
        await _check_chain(store, subject)
        events = await store.events(subject.uid)
        facts = [replace(fact, object=named(fact.object)) for fact in fold_all(events, scale=schema.severity.grades)]
        await store.replace_state(subject, facts)
        if (await store.chain(subject.uid, ())).head.seq == (events[-1].seq if events else 0):
            return len(facts)


async def _check_chain(store: Store, subject: Entity) -> None:
    """Checks that the events of a subject can be trusted: a state made of others could hide a risk that is still shown.

    Raises:
        LedgerBroken: they cannot.
    """
    broken: list[Difference] = []
    for _ in range(_LOOKS):
        [look] = await store.inspect([subject])
        broken = list(_broken(look, problems(look.log)))
        if not broken:
            return
    raise LedgerBroken(
        f"the chain of {subject.id} does not hold ({broken[0].where}: {broken[0].problem}), so that its present state "
        f"was left as it is; {RESTORE}"
    )


def _misnamed(facts: Iterable[Fact], named: Named) -> Iterator[Problem]:
    """Problems of facts whose things have other concepts under the present lexicon than those stored."""
    for fact in facts:
        if named(fact.object) != fact.object:
            what = "is of a thing that is something else by its words, under the lexicon in use, than what is stored"
            yield Problem(where=f"fact {fact.fact_id[:8]}", what=what)


def _state_problems(look: Inspection) -> Iterator[Problem]:
    wanted = {fact.fact_id: fact for fact in look.expected}
    present = {fact.fact_id: fact for fact in look.facts}
    times = Counter(fact.fact_id for fact in look.facts)
    if look.head.held != ChainHead().after(look.events).held:
        yield Problem(where="counts", what="of facts along each relation are not those of the events")
    for fact_id in sorted(wanted.keys() | present.keys()):
        fact, there = wanted.get(fact_id), present.get(fact_id)
        if there is None:
            what = "is in the ledger and missing from the present state"
        elif times[fact_id] > 1:
            what = f"is in the present state {times[fact_id]} times"
        elif fact is None:
            what = "is in the present state without any event behind it"
        elif fact is not there and fact != there:
            what = "differs from what its events add up to"
        else:
            continue
        yield Problem(where=f"fact {fact_id[:8]}", what=what)
