"""A whole memory without a language, a model or a database: any facts, beside a conversational memory of doubles."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r_memory.domain.intents import IntentTable, Policy
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.memories import MemoryItem
from r_memory.domain.schema import Schema
from r_memory.domain.summaries import ConversationSummary
from r_memory.facts.facts import Facts
from r_memory.memory import Memory
from r_memory.protocols import (
    Clock,
    ConversationStore,
    Extractor,
    IntentClassifier,
    Judge,
    Linker,
    StreamStore,
    SummaryWriter,
    Validation,
)
from r_memory.reading.reader import Reader
from r_memory.reading.worker import ReadingWorker
from r_memory.space.space import Space
from r_memory_talk.conversations import Conversations
from r_memory_talk.documents.ingesting import Ingestion
from r_memory_talk.profiles import PROFILES, Profile
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.stream import Stream
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.talk import Talk
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Tiers
from tests.scripted import ScriptedClassifier, ScriptedExtractor, ScriptedJudge, TrustingValidator, WordLinker


class SilentWriter:
    """A writer of summaries that never has anything to add."""

    name = "silent/1"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return {}


def numbered(prefix: str) -> Callable[[], str]:
    """Gives `prefix-1`, `prefix-2` and so on."""
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def scripted_reader(
    schema: Schema,
    *,
    extractor: Extractor | None = None,
    table: IntentTable | None = None,
    knowledge: Knowledge | None = None,
    linker: Linker | None = None,
    validator: Validation | None = None,
    classifier: IntentClassifier | None = None,
    worker: ReadingWorker | None = None,
    **more: Any,  # noqa: ANN401 - further fields of `Reader`
) -> Reader:
    """A reader that reads nothing, asks for nothing and trusts everything, but for what is given."""
    return Reader(
        schema=schema,
        table=table or IntentTable(version="none", policy=Policy(), intents={}),
        knowledge=knowledge or Knowledge(name="none", version="none"),
        linker=linker or WordLinker({}),
        extractor=extractor or ScriptedExtractor({}),
        validator=validator or TrustingValidator(),
        classifier=classifier or ScriptedClassifier(),
        worker=worker or ReadingWorker(),
        quick=worker or ReadingWorker(),
        **more,
    )


def memory_over(
    facts: Facts,
    clock: Clock,
    *,
    stream: StreamStore,
    conversations: ConversationStore,
    judge: Judge | None = None,
    writer: SummaryWriter | None = None,
    profiles: Mapping[str, Profile] = PROFILES,
) -> Memory:
    """The memory of these facts, with a conversational memory in these stores; nothing is audited."""
    items = Stream(space=facts.space, store=stream, embedder=None, clock=clock, new_id=numbered("item"))

    async def turns(name: str, subject_uid: str) -> Sequence[MemoryItem]:
        return await items.conversation(name, subject_uid=subject_uid)

    shortener = ExtractiveShortener()
    talk = Talk(
        facts=facts,
        stream=items,
        conversations=Conversations(
            stream=items,
            store=conversations,
            judge=judge or ScriptedJudge(),
            keeper=SummaryKeeper(
                store=conversations, writer=writer or SilentWriter(), clock=clock, space=facts.space, turns=turns
            ),
            shortener=shortener,
            tiers=Tiers(items, LocalMemoryWriter(shortener)),
            clock=clock,
            new_id=numbered("decision"),
            profiles=profiles,
        ),
        documents=Ingestion(
            stream=items,
            store=conversations,
            shortener=shortener,
            clock=clock,
            remember=facts.remembering.record,
        ),
    )
    return Memory(facts, lambda: talk, Space(facts=facts, stream=stream, conversations=conversations, clock=clock))
