"""Reading a document into the memory: parts with their facts first, then summaries of all levels.

Knows in which order things are stored, and goes on where a call or a process broke off: ids follow from the content,
so that nothing is stored twice. Facts are found by whoever hears everybody's statements; nothing made by a shortener
ever reaches it.
"""

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from r_memory.domain.documents import DID_NOT_SHRINK, FORCED_SPLIT, DocumentText, PartFacts, Plan, Progress, TextSection
from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant
from r_memory.domain.memories import Document, DocumentState, MemoryItem, Tier
from r_memory.errors import InvalidInput, ModelError
from r_memory.facts.remember.results import Remembered
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import ABOVE, Clock, ConversationStore, Shortener, Turn
from r_memory_talk.documents.naming import (
    checked_name,
    digest_of,
    part_id,
    place_in_levels,
    source_of,
    summary_id,
)
from r_memory_talk.documents.splitting import Block, blocks
from r_memory_talk.documents.summarising import (
    ShortText,
    background_of,
    block_summary,
    block_tokens,
    group_summary,
    grouped,
    theme_of,
)
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn

logger = logging.getLogger(__name__)

_LARGEST = 100_000_000
"""Most characters of a document."""
_Made = TypeVar("_Made")


class _OutOfTime(Exception):
    """The call's time is over; its pending work continues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A part of the document, or a summary of parts."""

    id: str
    text: str
    parts: tuple[TextSection, ...]


@dataclass(kw_only=True, eq=False)
class Ingestion:
    """Reads documents into one space."""

    stream: Stream
    store: ConversationStore
    shortener: Shortener
    clock: Clock
    remember: Callable[[Statement], Awaitable[Remembered]]
    """Stores and reads the words of a part, as said by the document."""
    above: Callable[[str, str], str] = lambda _text, _before: ""
    """Returns the headings in force at the end of a text that begins below others (`SheetReader.above`)."""
    timer: Callable[[], float] = time.monotonic
    """Monotonic seconds."""

    def __post_init__(self) -> None:
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each document that is being read at this moment."""
        self._pending: dict[str, asyncio.Future[Any]] = {}
        """Work that takes longer than a call: it goes on, and the next call finds what it came to."""

    async def ingest(
        self,
        name: str,
        reading: DocumentText,
        *,
        about: Entity | None = None,
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
        said_at: Instant | None = None,
        speaker: str = "",
    ) -> AsyncGenerator[Progress]:
        """Reads a document and yields a report after each step; the last report says how it ended.

        Without `about`, no facts are read. A document is read once: the same call continues where the last one ended,
        and `start_part` (from 1; 0 for the next part) does not repeat stored parts. After `limit_s` seconds the
        document ends as `partial`; pending work continues, and the next call uses it. `said_at` and `speaker` are the
        document's date and author.

        Raises:
            InvalidInput: the document has no name, no words or too many, or `start_part` is past its end.
            StoreUnavailable, NotStored: what was reported so far is stored.
        """
        until = None if limit_s is None else self.timer() + limit_s
        name, plan = checked_name(name), plan or Plan()
        found = await _blocks_of(reading, plan, start_part)
        document = self._document(name, reading, found, about, plan)
        async with self._reading.setdefault(document.id, asyncio.Lock()):
            known = next(iter(await self.known(document.id)), None)
            if known is not None and known.state is DocumentState.DONE and known.plan == document.plan:
                yield Progress(document=known, done=known.parts, steps=known.parts, already=True)
                return
            run = _Run(
                of=self,
                document=document,
                plan=plan,
                about=about,
                blocks=found,
                until=until,
                said_at=said_at,
                speaker=speaker,
            )
            await run.take_up(known)
            # Closed here and now, whoever stops asking: what it holds is released with the lock.
            async with aclosing(run.reports()) as reports:
                async for report in reports:
                    yield report

    async def known(self, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        """Returns the document with this id, or all documents of the space, newest first."""
        return await self.store.documents(self.stream.space, id_, limit=limit)

    async def levels(self, id_: str) -> tuple[Document, dict[int, Sequence[MemoryItem]]]:
        """Returns a document and its last summaries by level, from 1, in the document's order.

        A block that is its own summary has none on level 1; its part stands for it.

        Raises:
            InvalidInput: no document has the id.
        """
        if not (id_ and (known := await self.known(id_))):
            raise InvalidInput(f"no document has the id '{id_[:60]}'; take one from the list of documents")
        (document,) = known
        found: defaultdict[int, dict[int, MemoryItem]] = defaultdict(dict)
        for item in await self.items(document):
            if (place := place_in_levels(item.id, document.id, document.plan)) is not None:
                found[place[0]][place[1]] = item
        return document, {level: [found[level][number] for number in sorted(found[level])] for level in sorted(found)}

    async def items(self, document: Document) -> tuple[MemoryItem, ...]:
        """Returns all stored items of a document."""
        return await self.stream.items(document.id, subject_uid=document.subject_uid)

    async def result(self, key: str, work: Callable[[], Awaitable[_Made]], *, until: float | None) -> _Made:
        """Returns the result of the work under `key`; starts the work unless it is running.

        Raises:
            _OutOfTime: `until` has passed; the work continues.
        """
        task = self._pending.get(key)
        if task is None:
            task = self._pending[key] = asyncio.ensure_future(work())
            # Looked at even if nobody asks again: else its failure would be complained of.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait([task], timeout=None if until is None else max(until - self.timer(), 0.0))
        if not task.done():
            raise _OutOfTime
        self._pending.pop(key, None)
        return cast("_Made", task.result())

    def _document(
        self, name: str, reading: DocumentText, found: Sequence[Block], about: Entity | None, plan: Plan
    ) -> Document:
        space, subject_uid, digest = self.stream.space, "" if about is None else about.uid, digest_of(reading.text)
        # Blocks of a meeting are other ones, and so are their parts.
        content = f"{digest}-meeting" if plan.meeting else digest
        # The same document about the same subject is read once; its id names the conversation of its items as well.
        id_ = digest_of(f"{space}\x1f{subject_uid}\x1f{name}\x1f{content}")[:24]
        forced = [FORCED_SPLIT] if any(block.forced for block in found) else []
        return Document(
            id=f"document-{id_}",
            space=space,
            name=name,
            subject_uid=subject_uid,
            digest=digest,
            parts=sum(len(block.parts) for block in found),
            plan=_key_of(plan, self.shortener.name),
            made_at=self.clock.now(),
            flags=tuple(sorted({*reading.flags, *forced})),
        )


@dataclass(slots=True, kw_only=True)
class _Run:
    """One document during one call."""

    of: Ingestion
    document: Document
    plan: Plan
    about: Entity | None
    blocks: Sequence[Block]
    until: float | None
    """End of the call's time, by the timer; `None` for no limit."""
    said_at: Instant | None = None
    """The document's date."""
    speaker: str = ""
    """The document's author."""
    stored: Mapping[str, str] = field(default_factory=dict)
    """Id to text of the items from earlier calls."""
    done: int = 0
    is_new: bool = False
    """Whether this call did a step that no earlier call had done."""
    facts: PartFacts = field(default_factory=PartFacts)
    above: str = ""
    """The headings in force at the beginning of the part that is read next."""

    async def take_up(self, known: Document | None) -> None:
        """Starts a document, or continues one that an earlier call started."""
        if known is None:
            await self._keep()
            return
        self.stored = {item.id: item.observation or item.summary for item in await self.of.items(self.document)}
        self.document = replace(self.document, read=min(known.read, self.document.parts), made_at=known.made_at)
        if known.plan == self.document.plan:
            self.document = replace(self.document, theme=known.theme)
            self._flag(*known.flags)
        self.done = self.document.read + bool(self.document.theme)

    async def reports(self) -> AsyncGenerator[Progress]:
        """Does every remaining step while there is time, and yields a report after each."""
        try:
            for work in (self._read_parts, self._summarise):
                async with aclosing(work()) as steps:
                    async for _ in steps:
                        yield self._report()
        except _OutOfTime:
            await self._keep()
            yield self._report()
        except ModelError as error:
            # Parts and facts are stored; the same call makes the summaries another time.
            await self._keep()
            logger.warning("Document not summarised", extra={"action": "ingest", "error": type(error).__name__})
            yield self._report(trouble=f"the summaries are not made yet: {error}; read the same document again")

    async def _read_parts(self) -> AsyncGenerator[None]:
        for block in self.blocks:
            due = [part for part in block.parts if part.number > self.document.read]
            for part in block.parts[: len(block.parts) - len(due)]:
                self._pass(part)
            if not due:
                continue
            self._check_time()
            await self.of.stream.append_all(
                [
                    self._item(self._id_of(part), source_of(self.document.name, part), part.text.strip())
                    for part in block.parts
                ]
            )
            for part in due:
                self._check_time()
                if self.about is not None:
                    await self._read_facts(part, self.about)
                self._pass(part)
                self.document = replace(self.document, read=part.number)
                self._step()
                yield
            await self._keep()

    def _pass(self, part: TextSection) -> None:
        """Goes on behind a part, under the headings that its end stands below."""
        if self.about is not None:
            self.above = self.of.above(part.text, self.above)

    async def _read_facts(self, part: TextSection, about: Entity) -> None:
        key, source = self._id_of(part), source_of(self.document.name, part)
        # Each part by itself but for its headings: what another page says is no answer to a question on this one.
        said = Statement(
            text=part.text,
            subject=about,
            role="document",
            speaker=f"{self.speaker} ({source})" if self.speaker else source,
            said_at=self.said_at,
            conversation=self.document.id,
            key=key,
            before=(Turn(role="document", speaker=ABOVE, text=self.above),) if self.above else (),
        )
        self.facts = _and_of(self.facts, await self._result(key, partial(self.of.remember, said)))

    async def _summarise(self) -> AsyncGenerator[None]:
        if self.plan.meeting and not self.document.theme:
            found = partial(theme_of, self.of.shortener, self.blocks[0].text)
            self.document = replace(self.document, theme=await self._result(f"{self.document.id}.theme", found))
            self._step()
            await self._keep()
            yield
        level, nodes = 0, list[_Node]()
        groups = [
            [_Node(id=self._id_of(part), text=part.text, parts=(part,)) for part in block.parts]
            for block in self.blocks
        ]
        while not level or len(groups) > 1 or len(groups[0]) > 1:
            level, nodes = level + 1, []
            for members in groups:
                nodes.append(await self._node(level, members, nodes, only=len(groups) == 1))
                yield
            groups = [[nodes[at] for at in group] for group in grouped([node.text for node in nodes])]
        root = nodes[0].id
        # A document of one part is its own summary.
        level = 0 if root == part_id(self.document.id, 1) else level
        self.document = replace(self.document, state=DocumentState.DONE, root=root, levels=level)
        await self._keep()
        logger.info("Document read", extra={"action": "ingest", "parts": self.document.parts, "levels": level})
        yield

    async def _node(self, level: int, members: Sequence[_Node], before: Sequence[_Node], *, only: bool) -> _Node:
        """Returns the members with their summary, which is made and stored unless it exists.

        A block of one part may be its own summary. A summary alone among groups of several moves up a level unchanged.
        """
        if level > 1 and len(members) == 1:
            return members[0]
        id_ = summary_id(self.document.id, self.document.plan, level, len(before) + 1)
        parts = tuple(part for member in members for part in member.parts)
        if id_ in self.stored:
            self.done += 1
            return _Node(id=id_, text=self.stored[id_], parts=parts)
        self._check_time()
        made = await self._result(id_, self._short(level, members, before, only=only))
        if level == len(members) == 1 and made.text == members[0].text.strip():
            # Nothing was stored, so that the next call does it again: it must not use up the call's one step.
            self.done += 1
            return replace(members[0], text=made.text)
        if made.cut:
            self._flag(DID_NOT_SHRINK)
        self._step()
        sources = tuple(member.id for member in members)
        await self.of.stream.append(
            self._item(id_, f"{source_of(self.document.name, *parts)}, summary", made.text, sources)
        )
        return _Node(id=id_, text=made.text, parts=parts)

    def _short(
        self, level: int, members: Sequence[_Node], before: Sequence[_Node], *, only: bool
    ) -> Callable[[], Awaitable[ShortText]]:
        """Returns the function that summarises a block, with the block before as background, or a group."""
        plan, theme, texts = self.plan, self.document.theme, [member.text for member in members]
        if level > 1:
            return partial(group_summary, self.of.shortener, texts, plan=plan, theme=theme, only=only)
        background = background_of(self.blocks[len(before) - 1].text, before[-1].text) if before else ""
        text = "".join(texts)
        return partial(block_summary, self.of.shortener, text, plan=plan, theme=theme, background=background)

    def _id_of(self, part: TextSection) -> str:
        return part_id(self.document.id, part.number)

    def _item(self, id_: str, speaker: str, words: str, sources: tuple[str, ...] = ()) -> NewTurn:
        return NewTurn(
            conversation=self.document.id,
            subject_uid=self.document.subject_uid,
            speaker=speaker,
            observation=words,
            tier=Tier.DOCUMENT,
            sources=sources,
            key=id_,
        )

    async def _result(self, key: str, work: Callable[[], Awaitable[_Made]]) -> _Made:
        return await self.of.result(key, work, until=self.until)

    async def _keep(self) -> None:
        await self.of.store.put_document(self.document)

    def _report(self, *, trouble: str = "") -> Progress:
        known = self.document.parts + len(self.blocks) + (len(self.blocks) > 1) + self.plan.meeting
        steps = self.done if self.document.state is DocumentState.DONE else max(known, self.done)
        return Progress(
            document=self.document,
            done=self.done,
            steps=steps,
            facts=self.facts,
            trouble=trouble,
            said_at=self.said_at,
        )

    def _step(self) -> None:
        self.done += 1
        self.is_new = True

    def _flag(self, *names: str) -> None:
        self.document = replace(self.document, flags=tuple(sorted({*self.document.flags, *names})))

    def _check_time(self) -> None:
        """Ends the call after at least one step.

        Raises:
            _OutOfTime: the time is over.
        """
        if self.is_new and self.until is not None and self.of.timer() >= self.until:
            raise _OutOfTime


async def _blocks_of(reading: DocumentText, plan: Plan, start_part: int) -> Sequence[Block]:
    text = reading.text
    if not text.strip():
        raise InvalidInput("the document is empty; give one with words")
    if len(text) > _LARGEST:
        raise InvalidInput(f"the document has {len(text)} characters, at most {_LARGEST} are read; split it")
    # In a thread: a large one takes many seconds.
    found = await asyncio.to_thread(blocks, reading.sections, block_tokens=block_tokens(plan))
    parts = sum(len(block.parts) for block in found)
    if not 0 <= start_part <= parts:
        raise InvalidInput(f"start_part {start_part} is past the end; the document has {parts} parts")
    return found


def _key_of(plan: Plan, shortener: str) -> str:
    """Returns a plan and its shortener as one line; a question as its digest."""
    words = (
        "meeting" if plan.meeting else "",
        f"question-{digest_of(plan.question)[:12]}" if plan.question else "",
        shortener,
    )
    return " ".join(filter(None, words))


def _and_of(facts: PartFacts, remembered: Remembered) -> PartFacts:
    """Returns the facts of the parts so far together with those of one more part."""
    verdicts = Counter(result.verdict for result in remembered.results)
    return PartFacts(
        stored=facts.stored + verdicts["stored"],
        duplicate=facts.duplicate + verdicts["duplicate"],
        waits=facts.waits + verdicts["waits"],
        conflicts=tuple(dict.fromkeys((*facts.conflicts, *(fact.fact_id for fact in remembered.conflicts)))),
    )
