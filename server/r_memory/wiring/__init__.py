"""Makes a memory from settings. Only this package knows all concrete classes and chooses adapters.

Slow parts (the store's start, the language, the model) are started in parallel.
"""

import asyncio
import importlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from r_memory.config.gates_file import load_gates
from r_memory.config.settings import Settings
from r_memory.domain.instants import Instant
from r_memory.errors import RMemoryError
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.facts.remember.retrying import keep_trying
from r_memory.gates.gates import Gates
from r_memory.memory import Memory
from r_memory.protocols import Embedder, unhurried
from r_memory.providers import ModelEndpoint
from r_memory.providers.sentence_model import SentenceEmbedder
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.reading.reader import Reader
from r_memory.space.space import Space
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library
from r_memory.wiring.language import open_reader, reader_under, with_model

logger = logging.getLogger(__name__)

_AGAIN = 50
"""Maximum number of statements that a model is asked about again at a time."""
_PARTING_S = 1.0


@asynccontextmanager
async def open_memory(settings: Settings, profiles: "Mapping[str, Profile] | None" = None) -> AsyncIterator[Memory]:
    """A memory of one installation, ready for use; its store is released at the end.

    Statements that a crash left unread are read in the background. `profiles` are the modes of conversation that a call
    may name beside those of the settings; `None` for the shipped ones.

    Raises:
        ConfigurationError: a file or setting is wrong.
        StoreUnavailable: the store cannot be reached or started, or was written by a version without logs.
    """
    _check_modes(settings, profiles)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        # Side by side, as each takes most of a second.
        starting = asyncio.create_task(store.health())
        stack.push_async_callback(_ended, starting)
        reader = await asyncio.to_thread(open_reader, settings)
        await starting
        retired = await store.prepare(reader.schema)
        await store.load_knowledge(reader.knowledge)
        chat = await _asked_model(settings, stack)
        reader = reader if chat is None else with_model(settings, reader, chat)
        embedder = await stack.enter_async_context(open_embedder(settings))
        audits = load_audits(settings.files.listing(FOLDER, ".cypher"), settings.files.text, reader.schema.name)
        memories: dict[str, Memory] = {}

        @cache
        def talk_over() -> "Callable[[Facts], Talk]":
            talk = {"embedder": embedder, "chat": chat, "clock": clock, "profiles": profiles}
            return cast("Callable[[Facts], Talk]", _talk_package().talks(settings, store, **talk))

        def in_space(space: str) -> Memory:
            if space not in memories:
                single, limits = settings.single_subject or reader.schema.owner, _limits(settings)

                def facts_of(reads: Reader) -> Facts:
                    return Facts(
                        store, reads, clock, space=space, single_subject=single, limits=limits, retired=retired
                    )

                async def under_table(table: str) -> Facts:
                    return facts_of(await asyncio.to_thread(reader_under, settings, reader, table))

                facts = facts_of(reader)
                whole = Space(
                    facts=facts,
                    stream=store.stream,
                    conversations=store.conversations,
                    clock=clock,
                    auditor=store,
                    audits=audits,
                )
                memories[space] = Memory(
                    facts, lambda: talk_over()(facts), whole, elsewhere=in_space, under=under_table
                )
                _go_on_reading(memories[space], stack, has_models=bool(reader.models))
            return memories[space]

        yield in_space(settings.space)


def _check_modes(settings: Settings, profiles: "Mapping[str, Profile] | None") -> None:
    """Raises ConfigurationError if a mode of conversation is wrong; without modes nothing is loaded for it."""
    if settings.conversation or profiles is not None or settings.profile != "default":
        profiles_of(settings, profiles)


async def _asked_model(settings: Settings, stack: AsyncExitStack) -> "OpenAIChat | None":
    """The language model of an installation that asks one; it is closed with the stack."""
    helped_by = {*settings.routes, *settings.opinions, settings.controller, settings.summaries}
    return await stack.enter_async_context(open_model(settings.with_small_model)) if "model" in helped_by else None


def _go_on_reading(memory: Memory, stack: AsyncExitStack, *, has_models: bool) -> None:
    """Has statements read in the background that were left unread, until the stack is closed."""
    # A store that is slow while everything starts would leave them unread until the next start.
    with unhurried():
        resuming = asyncio.create_task(_tried(memory.resume, "Open episodes stay open", "resume"))
    stack.push_async_callback(_ended, resuming)
    if has_models:
        again = partial(memory.resume, again_only=True, limit=_AGAIN)
        # It only ever ends so: nothing is gained by waiting for it.
        stack.push_async_callback(_ended, asyncio.create_task(keep_trying(again)), patience_s=0)


@asynccontextmanager
async def open_gates(settings: Settings) -> AsyncIterator[Gates]:
    """Both gates of one installation, for the middleware of an agent, with a memory of their own.

    Raises as `open_memory`.
    """
    async with open_memory(settings) as memory:
        yield gates_over(memory, settings)


def gates_over(memory: Memory, settings: Settings) -> Gates:
    """Returns both gates over an open memory, by the policy as its file has it now.

    Raises:
        ConfigurationError: the policy is wrong; with file and line.
    """

    async def opened() -> Memory:
        return memory

    return Gates(opened, load_gates(settings.files, memory.schema), ask=memory.schema.unavailable)


def profiles_of(settings: Settings, profiles: "Mapping[str, Profile] | None" = None) -> "Mapping[str, Profile]":
    """Returns the modes of conversation that a call may name.

    Raises:
        ConfigurationError: a mode is wrong.
    """
    found: Mapping[str, Profile] = _talk_package().profiles_of(settings, profiles)
    return found


def _talk_package() -> ModuleType:
    """Imports and returns the module of the conversational memory, which only `Memory.talk` needs."""
    return importlib.import_module("r_memory_talk.opening")


def _limits(settings: Settings) -> Limits:
    return Limits(
        text=settings.max_text,
        context_turns=settings.context_turns,
        read_s=settings.read_timeout_s,
        opinion_s=settings.opinion_timeout_s,
        conversation_s=settings.conversation_timeout_s,
    )


async def _tried(work: Callable[[], Awaitable[object]], left: str, action: str) -> None:
    """Runs background work; if it fails, logs what is `left` undone."""
    try:
        await work()
    except RMemoryError as error:
        logger.warning(left, extra={"action": action, "error": type(error).__name__})


@asynccontextmanager
async def stream_loading(memory: Memory) -> AsyncIterator[None]:
    """Loads the conversational memory in the background, so that the first search need not wait for all of it."""
    work = _tried(memory.talk.stream.refresh, "Stream is read when first searched", "load")
    loading = asyncio.create_task(work)
    try:
        yield
    finally:
        await _ended(loading)


async def _ended(task: asyncio.Task[Any], *, patience_s: float = _PARTING_S) -> None:
    """Cancels the task if it still runs; its errors were reported already."""
    # A moment first: cancelled while it connects, the driver leaves the socket open (neo4j 6.4.1, measured).
    await asyncio.wait([task], timeout=patience_s)
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()


if TYPE_CHECKING:  # at run time see `open_model` and `_talk_package`
    from r_memory.providers.openai import OpenAIChat
    from r_memory_talk.profiles import Profile
    from r_memory_talk.talk import Talk


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


def endpoint_of(settings: Settings, model: str) -> ModelEndpoint:
    """A model at the server of the settings, with its time limit."""
    return ModelEndpoint(
        url=settings.model_url,
        model=model,
        key=settings.model_key,
        limit_s=settings.model_timeout_s,
        retries=settings.model_retries,
        max_tokens=settings.model_max_tokens,
    )


@asynccontextmanager
async def open_model(settings: Settings) -> "AsyncIterator[OpenAIChat]":
    """The language model of the settings; no request is sent before it is used."""
    # Imported late: the client takes a second, and most installations ask no model.
    from r_memory.providers.openai import OpenAIChat  # noqa: PLC0415 - as said

    chat = OpenAIChat(endpoint_of(settings, settings.model_name), clock=SystemClock())
    try:
        yield chat
    finally:
        await chat.close()


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[CypherStore]:
    """The bare store of one installation, for tools that fill or inspect it; call `prepare` before use.

    Nothing is started before the first call; an embedded database with a host is attached to.
    """
    async with open_bolt(settings, limit_s=settings.read_timeout_s) as bolt:
        yield CypherStore(bolt, load_library(settings.files.text, settings.files.defaults))


@asynccontextmanager
async def open_bolt(settings: Settings, *, limit_s: float) -> AsyncIterator[Bolt]:
    """The connections of one installation, closed at the end; `limit_s` is the time limit of a query in seconds."""
    server = Endpoint(
        uri=settings.store_uri,
        user=settings.store_user,
        password=settings.store_password,
        database=settings.store_database or None,
    )
    source: EndpointSource = EmbeddedArcade(settings.store_dir) if settings.embedded else FixedEndpoint(server)
    bolt = Bolt(source, limit_s=limit_s)
    try:
        yield bolt
    finally:
        await bolt.close()


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncIterator[Embedder | None]:
    """The embedder of the settings; `None` for `none`. Nothing is loaded or sent before it is used."""
    if settings.embedder == "wordllama":
        yield WordLlamaEmbedder()
    elif settings.embedder == "sentence-transformers":
        yield SentenceEmbedder(settings.embedder_model)
    elif settings.embedder == "openai":
        from r_memory.providers.openai import OpenAIEmbedder  # noqa: PLC0415 - as in `open_model`

        embedder = OpenAIEmbedder(endpoint_of(settings, settings.embedder_model))
        try:
            yield embedder
        finally:
            await embedder.close()
    else:
        yield None
