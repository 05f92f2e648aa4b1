"""Reading a document into the memory: parts with their facts first, then summaries of all levels.

Knows in which order things are stored, and goes on where a call or a process broke off: ids follow from the content,
so that nothing is stored twice. Facts are the business of whoever gives `remember`; nothing made by a shortener ever
reaches it.
"""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from r_memory.domain.documents import Document, DocumentState
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.errors import InvalidInput, ModelError
from r_memory.protocols import Clock, ConversationStore, Shortener
from r_memory.talk.documents.naming import (
    checked_name,
    digest_of,
    document_id,
    part_id,
    place_in_levels,
    source_of,
    summary_id,
    summary_source,
)
from r_memory.talk.documents.reading.values import DocumentText
from r_memory.talk.documents.splitting import Block, DocumentPart, blocks
from r_memory.talk.documents.summarising import (
    DEPTH_LIMIT,
    DID_NOT_SHRINK,
    FORCED_SPLIT,
    NO_SCM,
    Plan,
    ShortText,
    at_once,
    background_of,
    block_summary,
    group_summary,
    grouped,
    theme_of,
)
from r_memory.talk.documents.values import Level, PartFacts, Progress, RememberPart
from r_memory.talk.stream.stream import Stream
from r_memory.talk.stream.values import NewTurn

logger = logging.getLogger(__name__)

_LARGEST = 100_000_000
"""Characters of a document."""
_Made = TypeVar("_Made")


class _OutOfTime(Exception):
    """The call's time is over; what it waits for goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """An item of some level: a summary, or (level 0) the only part of a block that needs none."""

    id: str
    text: str = ""
    """Empty until it is made."""
    parts: tuple[DocumentPart, ...]
    level: int


@dataclass(slots=True)
class _Run:
    """One document during one call."""

    document: Document
    plan: Plan
    about: Entity | None
    blocks: Sequence[Block]
    parts: Sequence[DocumentPart]
    stored: Mapping[str, str]
    """Id to text of the items that an earlier call left."""
    until: float | None = None
    """When time is over, by the timer; `None` for never."""
    done: int = 0
    new: int = 0
    """Steps of this call that nobody had done before."""
    steps: int = 0
    facts: PartFacts = field(default_factory=PartFacts)
    flags: dict[str, None] = field(default_factory=dict)

    def report(self, *, trouble: str = "") -> Progress:
        return Progress(
            document=self.document,
            done=self.done,
            steps=max(self.steps, self.done),
            facts=self.facts,
            trouble=trouble,
        )

    def step(self) -> None:
        self.done += 1
        self.new += 1

    def flag(self, *names: str) -> None:
        self.flags.update(dict.fromkeys(names))
        self.document = replace(self.document, flags=tuple(sorted(self.flags)))


class Ingestion:
    """Reads documents into one space."""

    def __init__(
        self,
        *,
        stream: Stream,
        store: ConversationStore,
        shortener: Shortener,
        clock: Clock,
        remember: RememberPart,
        timer: Callable[[], float] = time.monotonic,
        depth_limit: int = DEPTH_LIMIT,
    ) -> None:
        """`timer` gives seconds that only grow."""
        self._stream = stream
        self._store = store
        self._shortener = shortener
        self._clock = clock
        self._remember = remember
        self._timer = timer
        self._depth_limit = depth_limit
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each document that is being read at this moment."""
        self._asked = _Pending[ShortText]()
        self._parts_read = _Pending[PartFacts]()

    async def ingest(
        self,
        name: str,
        reading: DocumentText,
        *,
        about: Entity | None = None,
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
    ) -> AsyncGenerator[Progress]:
        """Reads a document, and reports after each step; the last report says how it ended.

        Without `about`, nobody's facts are looked for. The same document is read once: the same call, made again, goes
        on where the last one ended, whatever `start_part` (from 1; 0 for wherever that is) says of parts that are
        stored. After `limit_s` seconds it ends with a document that is `partial`; what it was waiting for then goes on,
        and the next call finds it.

        Raises:
            InvalidInput: it has no name, no words or too many, or `start_part` is past its end.
            StoreUnavailable, NotStored: what was reported so far is stored.
        """
        began = self._timer()
        run = await self._run(checked_name(name), reading, about, plan or Plan(), start_part)
        run.until = None if limit_s is None else began + limit_s
        async with self._reading.setdefault(run.document.id, asyncio.Lock()):
            known = await self._known(run)
            if known is not None and known.state is DocumentState.DONE and known.plan == run.document.plan:
                yield Progress(document=known, done=known.parts, steps=known.parts, already=True)
                return
            await self._take_up(run, known)
            # Closed here and now, whoever stops asking: what it holds is released with the lock.
            async with aclosing(self._steps(run)) as steps:
                async for report in steps:
                    yield report

    async def known(self, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        """The document of this id, or all of the space, newest first.

        Raises:
            StoreUnavailable: they could not be read.
        """
        return await self._store.documents(self._stream.space, id_, limit=limit)

    async def levels(self, id_: str) -> tuple[Level, ...]:
        """All summaries of a document as it was last summarised, those of its blocks first.

        A block that says it in its own words already has none of its own: its part stands for it.

        Raises:
            InvalidInput: there is no such document.
            StoreUnavailable: they could not be read.
        """
        documents = await self.known(id_) if id_ else ()
        if not documents:
            raise InvalidInput(f"no document has the id '{id_[:60]}'; take one from the list of documents")
        return tuple(_levels(documents[0], await self._items(documents[0])))

    async def _run(self, name: str, reading: DocumentText, about: Entity | None, plan: Plan, start_part: int) -> _Run:
        text = reading.text
        if not text.strip():
            raise InvalidInput("the document is empty; give one with words")
        if len(text) > _LARGEST:
            raise InvalidInput(f"the document has {len(text)} characters, at most {_LARGEST} are read; split it")
        # In a thread: a large one takes many seconds.
        found = await asyncio.to_thread(blocks, reading.sections, block_tokens=plan.block_tokens)
        parts = [part for block in found for part in block.parts]
        if not 0 <= start_part <= len(parts):
            raise InvalidInput(f"start_part {start_part} is past the end; the document has {len(parts)} parts")
        space, subject_uid, digest = self._stream.space, "" if about is None else about.uid, digest_of(text)
        run = _Run(
            document=Document(
                id=document_id(space=space, subject_uid=subject_uid, name=name, digest=_digest_for(digest, plan)),
                space=space,
                name=name,
                subject_uid=subject_uid,
                digest=digest,
                parts=len(parts),
                plan=_key_of(plan, self._shortener.name),
                made_at=self._clock.now(),
            ),
            plan=plan,
            about=about,
            blocks=found,
            parts=parts,
            stored={},
            steps=len(parts) + len(found) + (len(found) > 1) + plan.meeting,
        )
        run.flag(
            *reading.flags,
            *((FORCED_SPLIT,) if any(block.forced for block in found) else ()),
            *(() if plan.scm else (NO_SCM,)),
        )
        return run

    async def _known(self, run: _Run) -> Document | None:
        found = await self._store.documents(run.document.space, run.document.id, limit=1)
        return found[0] if found else None

    async def _take_up(self, run: _Run, known: Document | None) -> None:
        """Begins a document, or goes on with one that an earlier call began."""
        if known is None:
            await self._store.put_document(run.document)
            return
        run.stored = {item.id: _words(item) for item in await self._items(run.document)}
        same = known.plan == run.document.plan
        run.document = replace(
            run.document, read=min(known.read, len(run.parts)), made_at=known.made_at, theme=known.theme if same else ""
        )
        if same:
            run.flag(*known.flags)
        run.done = run.document.read + bool(run.document.theme)

    async def _items(self, document: Document) -> tuple[MemoryItem, ...]:
        return await self._stream.items(document.id, subject_uid=document.subject_uid)

    async def _steps(self, run: _Run) -> AsyncGenerator[Progress]:
        """Every step that is still to be done, as long as there is time."""
        try:
            async with aclosing(self._read_parts(run)) as reports:
                async for report in reports:
                    yield report
            async with aclosing(self._summarise(run)) as reports:
                async for report in reports:
                    yield report
        except _OutOfTime:
            await self._store.put_document(run.document)
            yield run.report()
        except ModelError as error:
            # Parts and facts are stored; the same call makes the summaries another time.
            await self._store.put_document(run.document)
            logger.warning("Document not summarised", extra={"action": "ingest", "error": type(error).__name__})
            yield run.report(trouble=f"the summaries are not made yet: {error}; read the same document again")

    async def _read_parts(self, run: _Run) -> AsyncGenerator[Progress]:
        number = 0
        for block in run.blocks:
            first, number = number + 1, number + len(block.parts)
            if number <= run.document.read:
                continue
            self._check_time(run)
            await self._stream.append_all([_new_item(run, at) for at in range(first, number + 1)])
            for at in range(max(first, run.document.read + 1), number + 1):
                self._check_time(run)
                await self._read_facts(run, at)
                run.document = replace(run.document, read=at)
                run.step()
                yield run.report()
            await self._store.put_document(run.document)

    async def _read_facts(self, run: _Run, number: int) -> None:
        if run.about is None:
            return
        about, part, key = run.about, run.parts[number - 1], part_id(run.document.id, number)

        async def answer() -> PartFacts:
            return await self._remember(
                part.text,
                about=about,
                source=source_of(run.document.name, part),
                document=run.document.id,
                key=key,
            )

        run.facts += await self._parts_read.result(key, answer, within=self._left(run))

    async def _summarise(self, run: _Run) -> AsyncGenerator[Progress]:
        if run.plan.meeting and not run.document.theme:
            await self._find_theme(run)
            yield run.report()
        nodes: list[_Node] = []
        for position in range(len(run.blocks)):
            nodes.append(await self._block_node(run, position, nodes))
            yield run.report()
        level = 1
        while len(nodes) > 1:
            level += 1
            groups = self._groups(nodes, level)
            above: list[_Node] = []
            for position, group in enumerate(groups, start=1):
                members = [nodes[at] for at in group]
                above.append(await self._group_node(run, level, position, members, only=len(groups) == 1))
                yield run.report()
            nodes = above
        run.document = replace(run.document, state=DocumentState.DONE, root=nodes[0].id, levels=nodes[0].level)
        await self._store.put_document(run.document)
        logger.info("Document read", extra={"action": "ingest", "parts": len(run.parts), "levels": nodes[0].level})
        run.steps = run.done
        yield run.report()

    async def _find_theme(self, run: _Run) -> None:
        async def answer() -> ShortText:
            return ShortText(text=await theme_of(self._shortener, run.blocks[0].text))

        theme = await self._asked.result(f"{run.document.id}.theme", answer, within=self._left(run))
        run.document = replace(run.document, theme=theme.text)
        run.step()
        await self._store.put_document(run.document)

    async def _block_node(self, run: _Run, position: int, before: Sequence[_Node]) -> _Node:
        """The summary of a block, with the block before it as background."""
        block = run.blocks[position]
        background = background_of(run.blocks[position - 1].text, before[-1].text) if before else ""
        first = sum(len(one.parts) for one in run.blocks[:position]) + 1
        parts = [part_id(run.document.id, number) for number in range(first, first + len(block.parts))]

        async def answer() -> ShortText:
            return await block_summary(
                self._shortener, block.text, plan=run.plan, theme=run.document.theme, background=background
            )

        node = _Node(id=summary_id(run.document.id, run.document.plan, 1, position + 1), parts=block.parts, level=1)
        return await self._node(run, node, parts, answer, whole=block.text)

    def _groups(self, nodes: Sequence[_Node], level: int) -> tuple[tuple[int, ...], ...]:
        if level > self._depth_limit:
            return (tuple(range(len(nodes))),)
        return grouped([node.text for node in nodes])

    async def _group_node(self, run: _Run, level: int, position: int, members: Sequence[_Node], *, only: bool) -> _Node:
        if len(members) == 1:
            # Alone among groups of several: it goes one level up as it is.
            return members[0]
        texts = [node.text for node in members]

        async def answer() -> ShortText:
            if level > self._depth_limit:
                return at_once(texts)
            return await group_summary(self._shortener, texts, plan=run.plan, theme=run.document.theme, only=only)

        node = _Node(
            id=summary_id(run.document.id, run.document.plan, level, position),
            parts=tuple(part for member in members for part in member.parts),
            level=level,
        )
        return await self._node(run, node, [member.id for member in members], answer)

    async def _node(
        self,
        run: _Run,
        node: _Node,
        sources: Sequence[str],
        answer: Callable[[], Awaitable[ShortText]],
        *,
        whole: str = "",
    ) -> _Node:
        """The node with its summary, which is made and stored unless it was before.

        A block of one part that says it in its own words already is its own summary.
        """
        if node.id in run.stored:
            run.done += 1
            return replace(node, text=run.stored[node.id])
        self._check_time(run)
        short = await self._asked.result(node.id, answer, within=self._left(run))
        if len(sources) == 1 and short.text == whole.strip():
            # Nothing was stored, so that the next call does it again: it must not use up the call's one step.
            run.done += 1
            return replace(node, id=sources[0], text=short.text, level=0)
        if short.cut:
            run.flag(DID_NOT_SHRINK)
        run.step()
        await self._stream.append(
            NewTurn(
                conversation=run.document.id,
                subject_uid=run.document.subject_uid,
                speaker=summary_source(run.document.name, node.parts),
                observation=short.text,
                tier=Tier.DOCUMENT,
                sources=tuple(sources),
                key=node.id,
            )
        )
        return replace(node, text=short.text)

    def _left(self, run: _Run) -> float | None:
        return None if run.until is None else max(run.until - self._timer(), 0.0)

    def _check_time(self, run: _Run) -> None:
        """Raises:
        _OutOfTime: there is none left, and something was done.
        """
        if run.new and run.until is not None and self._timer() >= run.until:
            raise _OutOfTime


class _Pending(Generic[_Made]):
    """Work that may take longer than a call: it goes on, and the next call finds what it came to."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[_Made]] = {}

    async def result(self, key: str, work: Callable[[], Awaitable[_Made]], *, within: float | None) -> _Made:
        """What the work comes to; begun unless it is going on already.

        Raises:
            _OutOfTime: it takes more than `within` seconds; it goes on.
        """
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(_awaited(work))
            # Looked at even if nobody asks again: else its failure would be complained of.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait([task], timeout=within)
        if not task.done():
            raise _OutOfTime
        self._tasks.pop(key, None)
        return task.result()


async def _awaited(work: Callable[[], Awaitable[_Made]]) -> _Made:
    return await work()


def _new_item(run: _Run, number: int) -> NewTurn:
    part = run.parts[number - 1]
    return NewTurn(
        conversation=run.document.id,
        subject_uid=run.document.subject_uid,
        speaker=source_of(run.document.name, part),
        observation=part.text.strip(),
        tier=Tier.DOCUMENT,
        key=part_id(run.document.id, number),
    )


def _words(item: MemoryItem) -> str:
    return item.observation or item.summary


def _digest_for(digest: str, plan: Plan) -> str:
    """Blocks of a meeting are other ones, and so are their parts."""
    return f"{digest}-meeting" if plan.meeting else digest


def _key_of(plan: Plan, shortener: str) -> str:
    """A plan, and who carries it out, in one line; of a question its digest."""
    return " ".join(
        word
        for word in (
            "meeting" if plan.meeting else "",
            "" if plan.scm else NO_SCM,
            f"question-{digest_of(plan.question)[:12]}" if plan.question else "",
            shortener,
        )
        if word
    )


def _levels(document: Document, items: Sequence[MemoryItem]) -> Iterator[Level]:
    """The summaries of the document's last plan by level, each in the order of the document."""
    found: defaultdict[int, list[tuple[int, MemoryItem]]] = defaultdict(list)
    for item in items:
        place = place_in_levels(item.id, document.id, document.plan)
        if place is not None:
            found[place[0]].append((place[1], item))
    for level, numbered in sorted(found.items()):
        yield Level(number=level, items=tuple(item for _, item in sorted(numbered, key=lambda pair: pair[0])))
