"""The one place that knows every concrete class: settings in, a whole memory out.

Nothing else chooses an adapter. What is slow (the store's start, the language, the model) is started side by side.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ulid import ULID

from r_memory.config.loading import Loaded, load_domain
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.domain.instants import Instant
from r_memory.errors import RMemoryError
from r_memory.extraction.extractor import RuleExtractor
from r_memory.extraction.linking import Gazetteer
from r_memory.extraction.opinion import RuleOpinion
from r_memory.extraction.validation import Validator
from r_memory.intents.cache import obtain
from r_memory.intents.classifier import KeywordsAndLinear
from r_memory.intents.linear import LinearModel
from r_memory.memory import Limits, Memory
from r_memory.protocols import IntentClassifier, Traversal
from r_memory.recall.recaller import Recaller
from r_memory.record.recorder import Recorder
from r_memory.store import audits as audit_files
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal
from r_memory.subjects import Subjects

logger = logging.getLogger(__name__)

_PARTING_S = 1.0


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Everything that reads words, made for one domain."""

    domain: Loaded
    gazetteer: Gazetteer
    extractor: RuleExtractor
    validator: Validator
    classifier: IntentClassifier


@asynccontextmanager
async def open_memory(settings: Settings) -> AsyncIterator[Memory]:
    """A memory for one installation, ready to use; its store is released at the end.

    Statements that a crash left unread are read in the background.

    Raises:
        ConfigurationError: a file or setting is wrong.
        StoreUnavailable: the store could not be reached or started.
    """
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        # Side by side, as each takes most of a second.
        starting = asyncio.create_task(store.health())
        stack.push_async_callback(_ended, starting)
        language = await asyncio.to_thread(_language, settings)
        await starting
        retired = await store.prepare(language.domain.schema)
        await store.load_knowledge(language.domain.knowledge)
        memory = _memory(settings, store, language, retired)
        resuming = asyncio.create_task(_resume(memory))
        stack.push_async_callback(_ended, resuming)
        yield memory


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[CypherStore]:
    """The bare store of one installation, for tools that fill or inspect it; `prepare` makes it ready.

    Nothing is started before the first call; an embedded database that is hosted already is attached to.
    """
    bolt = Bolt(_source(settings), limit_s=settings.read_timeout_s)
    try:
        yield CypherStore(bolt, load_library(lambda path: settings.files.read(path).text))
    finally:
        await bolt.close()


def _source(settings: Settings) -> EndpointSource:
    if settings.embedded:
        return EmbeddedArcade(settings.store_dir)
    return FixedEndpoint(
        Endpoint(
            uri=settings.store_uri,
            user=settings.store_user,
            password=settings.store_password,
            database=settings.store_database or None,
        )
    )


def _language(settings: Settings) -> _Language:
    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)
    gazetteer = Gazetteer(domain.schema.lexicon)
    extractor = RuleExtractor(domain.schema, gazetteer)
    opinion = RuleOpinion(extractor)
    model = obtain(settings.cache_dir, domain.intents, domain.schema, lambda: _trained(domain, gazetteer))
    return _Language(
        domain=domain,
        gazetteer=gazetteer,
        extractor=extractor,
        validator=Validator(domain.schema, gazetteer, opinion),
        classifier=KeywordsAndLinear(domain.intents, domain.schema, model),
    )


def _trained(domain: Loaded, gazetteer: Gazetteer) -> LinearModel | None:
    # Imported late: scikit-learn takes seconds, and a cached model needs none of it.
    from r_memory.intents.training import trained  # noqa: PLC0415

    return trained(domain.intents, domain.schema, gazetteer)


def _memory(settings: Settings, store: CypherStore, language: _Language, retired: Sequence[str]) -> Memory:
    domain, clock = language.domain, SystemClock()
    return Memory(
        space=settings.space,
        store=store,
        auditor=store,
        audits=audit_files.load_audits(
            settings.files.listing(audit_files.FOLDER, ".cypher"), lambda path: settings.files.read(path).text
        ),
        subjects=Subjects(
            store=store, space=settings.space, type_=domain.schema.subject, single=settings.single_subject
        ),
        recorder=Recorder(
            store=store,
            extractors=[language.extractor] if Route.RULES in settings.routes else [],
            validator=language.validator,
            schema=domain.schema,
            clock=clock,
            context_turns=settings.context_turns,
        ),
        recaller=Recaller(
            store=store,
            classifier=language.classifier,
            linker=language.gazetteer,
            schema=domain.schema,
            table=domain.intents,
            knowledge=domain.knowledge,
            clock=clock,
            new_id=lambda: str(ULID()),
            traversals=_traversals(settings, domain),
            retired=retired,
            limit_s=settings.read_timeout_s,
        ),
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        retired=retired,
        single_subject=bool(settings.single_subject),
        limits=Limits(text=settings.max_text),
    )


def _traversals(settings: Settings, domain: Loaded) -> dict[str, Traversal]:
    paths = {intent.traversal for intent in domain.intents.intents.values() if intent.traversal}
    return {path: Traversal(path=path, text=settings.files.read(path).text) for path in sorted(paths)}


async def _resume(memory: Memory) -> None:
    try:
        await memory.resume()
    except RMemoryError as error:
        logger.warning("Open episodes stay open", extra={"action": "resume", "error": type(error).__name__})


async def _ended(task: asyncio.Task[Any]) -> None:
    """Stops the task if it still runs; what it raised was told to whoever awaited it."""
    # A moment first: cancelled while it connects, the driver leaves the socket open (neo4j 6.4.1, measured).
    await asyncio.wait([task], timeout=_PARTING_S)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
