"""The one place that knows every concrete class: settings in, a whole memory out.

Nothing else chooses an adapter. What is slow (the store's start, the language, the model) is started side by side.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ulid import ULID

from r_memory.administration.administration import Administration
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.prompt_file import INTENTS, load_prompt
from r_memory.config.settings import Settings
from r_memory.desk import Desk
from r_memory.document_facts import DocumentFacts
from r_memory.documents.ingesting import Ingestion
from r_memory.domain.facts import Route
from r_memory.domain.instants import Instant
from r_memory.domain.prompts import Prompt
from r_memory.errors import RMemoryError
from r_memory.extraction.chat import ChatExtractor
from r_memory.extraction.extractor import RuleExtractor
from r_memory.extraction.linking import Gazetteer
from r_memory.extraction.opinion import RuleOpinion
from r_memory.extraction.validation import Validator
from r_memory.intents.cache import obtain
from r_memory.intents.chat import ChatOpinion
from r_memory.intents.classifier import KeywordsAndLinear
from r_memory.intents.embedded import EmbeddedExamples
from r_memory.intents.linear import LinearModel
from r_memory.memory import Limits, Memory
from r_memory.protocols import (
    ChatModel,
    Clock,
    Embedder,
    IntentClassifier,
    IntentOpinion,
    RemoteExtractor,
    Traversal,
)
from r_memory.recall.drafts import Drafts
from r_memory.recall.recaller import Recaller
from r_memory.record.changes import Changes
from r_memory.record.recorder import Recorder
from r_memory.record.retrying import keep_trying
from r_memory.store import audits as audit_files
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal
from r_memory.stream.stream import Stream
from r_memory.subjects import Subjects
from r_memory.wiring_conversation import Helpers, asks_model, conversations, helpers

if TYPE_CHECKING:  # at run time see `open_model`
    from r_memory.providers.openai import OpenAIChat

logger = logging.getLogger(__name__)

_AGAIN = 50
"""Statements that a model is asked about again at one time."""
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
    prompt: Prompt | None
    """What a language model is asked; `None` where none is."""
    desk: Desk
    """Where all of them read; one for all spaces."""
    models: tuple[RemoteExtractor, ...] = ()
    opinions: tuple[IntentOpinion, ...] = ()
    embedder: Embedder | None = None
    """Of the conversational memory."""
    helpers: Helpers | None = None
    """Who judges and summarises there."""


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
        chat = await stack.enter_async_context(open_model(settings)) if _asks_model(settings) else None
        if chat is not None:
            language = _with_model(settings, language, chat)
        embedder = await stack.enter_async_context(open_embedder(settings))
        language = replace(language, embedder=embedder, helpers=helpers(settings, chat))
        memories: dict[str, Memory] = {}

        def in_space(space: str) -> Memory:
            if space not in memories:
                here = replace(settings, space=space)
                memories[space] = _memory(here, store, language, retired, elsewhere=in_space)
                stack.push_async_callback(_ended, asyncio.create_task(_resume(memories[space])))
                if language.models:
                    # It only ever ends so: nothing is gained by waiting for it.
                    stack.push_async_callback(_ended, asyncio.create_task(_retry(memories[space])), patience_s=0)
            return memories[space]

        yield in_space(settings.space)


def _asks_model(settings: Settings) -> bool:
    return Route.MODEL in settings.routes or "model" in settings.opinions or asks_model(settings)


@asynccontextmanager
async def open_model(settings: Settings) -> "AsyncIterator[OpenAIChat]":
    """The language model that the settings name; nothing is sent before it is asked."""
    # Imported late: the client takes a second, and most installations ask no model.
    from r_memory.providers.openai import ModelEndpoint, OpenAIChat  # noqa: PLC0415

    endpoint = ModelEndpoint(
        url=settings.model_url,
        model=settings.model_name,
        key=settings.model_key,
        limit_s=settings.model_timeout_s,
        retries=settings.model_retries,
    )
    chat = OpenAIChat(endpoint, clock=SystemClock())
    try:
        yield chat
    finally:
        await chat.close()


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
    opinion = RuleOpinion(extractor, domain.schema)
    model = obtain(settings.cache_dir, domain.intents, domain.schema, lambda: _trained(domain, gazetteer))
    return _Language(
        domain=domain,
        gazetteer=gazetteer,
        extractor=extractor,
        validator=Validator(domain.schema, gazetteer, opinion),
        classifier=KeywordsAndLinear(domain.intents, domain.schema, model),
        prompt=load_prompt(settings.files) if Route.MODEL in settings.routes else None,
        desk=Desk(),
        opinions=(_embedded(domain),) if "embedder" in settings.opinions else (),
    )


def _embedded(domain: Loaded) -> IntentOpinion:
    # Imported late: an installation that asks for no opinion needs no embedder.
    from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415

    return EmbeddedExamples(domain.intents, WordLlamaEmbedder())


def _with_model(settings: Settings, language: _Language, chat: ChatModel) -> _Language:
    if "model" in settings.opinions:
        opinion = ChatOpinion(language.domain.intents, load_prompt(settings.files, INTENTS), chat)
        language = replace(language, opinions=(*language.opinions, opinion))
    if language.prompt is None:
        return language
    extractor = ChatExtractor(chat, language.prompt, language.domain.schema, language.gazetteer)
    return replace(language, models=(extractor,))


def _trained(domain: Loaded, gazetteer: Gazetteer) -> LinearModel | None:
    # Imported late: scikit-learn takes seconds, and a cached model needs none of it.
    from r_memory.intents.training import trained  # noqa: PLC0415

    return trained(domain.intents, domain.schema, gazetteer)


def _memory(
    settings: Settings,
    store: CypherStore,
    language: _Language,
    retired: Sequence[str],
    *,
    elsewhere: Callable[[str], Memory],
) -> Memory:
    domain, clock = language.domain, SystemClock()
    recaller = _recaller(settings, store, language, retired)
    recorder = Recorder(
        store=store,
        extractors=[language.extractor] if Route.RULES in settings.routes else [],
        validator=language.validator,
        schema=domain.schema,
        clock=clock,
        context_turns=settings.context_turns,
        models=language.models,
        desk=language.desk,
    )
    stream = _stream(settings, store, language.embedder, clock)
    helping = language.helpers or helpers(settings, None)
    subjects = Subjects(store=store, space=settings.space, type_=domain.schema.subject, single=settings.single_subject)
    return Memory(
        space=settings.space,
        store=store,
        auditor=store,
        audits=audit_files.load_audits(
            settings.files.listing(audit_files.FOLDER, ".cypher"),
            lambda path: settings.files.read(path).text,
            domain.schema.name,
        ),
        subjects=subjects,
        recorder=recorder,
        recaller=recaller,
        drafts=Drafts(
            recaller=recaller,
            extractor=language.extractor,
            linker=language.gazetteer,
            schema=domain.schema,
            rows=tuple(domain.intents.intents),
            desk=language.desk,
        ),
        changes=Changes(
            store=store, validator=language.validator, schema=domain.schema, clock=clock, desk=language.desk
        ),
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        retired=retired,
        single_subject=bool(settings.single_subject),
        limits=Limits(text=settings.max_text, conversation_s=settings.conversation_timeout_s),
        elsewhere=elsewhere,
        stream=stream,
        documents=Ingestion(
            stream=stream,
            store=store.conversations,
            shortener=helping.shortener,
            clock=clock,
            remember=DocumentFacts(recorder),
        ),
        conversations=conversations(settings, helping, store=store.conversations, stream=stream, clock=clock),
        administration=Administration(
            space=settings.space,
            store=store,
            stream=store.stream,
            conversations=store.conversations,
            subjects=subjects,
            schema=domain.schema,
            knowledge=domain.knowledge,
            clock=clock,
            retired=frozenset(retired),
        ),
    )


def _recaller(settings: Settings, store: CypherStore, language: _Language, retired: Sequence[str]) -> Recaller:
    domain = language.domain
    return Recaller(
        store=store,
        classifier=language.classifier,
        linker=language.gazetteer,
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        clock=SystemClock(),
        new_id=lambda: str(ULID()),
        traversals=_traversals(settings, domain),
        retired=retired,
        opinions=language.opinions,
        opinion_limit_s=settings.opinion_timeout_s,
        limit_s=settings.read_timeout_s,
        desk=language.desk,
    )


def _stream(settings: Settings, store: CypherStore, embedder: Embedder | None, clock: Clock) -> Stream:
    return Stream(space=settings.space, store=store.stream, embedder=embedder, clock=clock, new_id=lambda: str(ULID()))


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncIterator[Embedder | None]:
    """The embedder that the settings name; nothing is loaded or sent before it is asked. `None` for `none`.

    Raises:
        ConfigurationError: the folder of its model does not exist.
    """
    # Imported late, all three: an installation uses one of them.
    if settings.embedder == "wordllama":
        from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415

        yield WordLlamaEmbedder()
    elif settings.embedder == "sentence-transformers":
        from r_memory.providers.sentence_model import SentenceEmbedder  # noqa: PLC0415

        yield SentenceEmbedder(settings.embedder_model)
    elif settings.embedder == "openai":
        from r_memory.providers.openai import ModelEndpoint  # noqa: PLC0415
        from r_memory.providers.openai_embeddings import OpenAIEmbedder  # noqa: PLC0415

        embedder = OpenAIEmbedder(
            ModelEndpoint(
                url=settings.model_url,
                model=settings.embedder_model,
                key=settings.model_key,
                limit_s=settings.model_timeout_s,
                retries=settings.model_retries,
            )
        )
        try:
            yield embedder
        finally:
            await embedder.close()
    else:
        yield None


def _traversals(settings: Settings, domain: Loaded) -> dict[str, Traversal]:
    paths = {intent.traversal for intent in domain.intents.intents.values() if intent.traversal}
    return {path: Traversal(path=path, text=settings.files.read(path).text) for path in sorted(paths)}


async def _resume(memory: Memory) -> None:
    try:
        await memory.resume()
    except RMemoryError as error:
        logger.warning("Open episodes stay open", extra={"action": "resume", "error": type(error).__name__})


@asynccontextmanager
async def stream_loading(memory: Memory) -> AsyncIterator[None]:
    """The conversational memory is read beside the first calls: who searches first would wait for all of it."""
    loading = asyncio.create_task(_loaded(memory))
    try:
        yield
    finally:
        await _ended(loading)


async def _loaded(memory: Memory) -> None:
    try:
        await memory.stream.refresh()
    except RMemoryError as error:
        logger.warning("Stream is read when first searched", extra={"action": "load", "error": type(error).__name__})


async def _retry(memory: Memory) -> None:
    """Tries what a model could not read, as long as the memory is open."""
    await keep_trying(lambda: memory.resume(again_only=True, limit=_AGAIN))


async def _ended(task: asyncio.Task[Any], *, patience_s: float = _PARTING_S) -> None:
    """Stops the task if it still runs; what it raised was told to whoever awaited it."""
    # A moment first: cancelled while it connects, the driver leaves the socket open (neo4j 6.4.1, measured).
    await asyncio.wait([task], timeout=patience_s)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
