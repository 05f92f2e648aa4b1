"""What stands at the edges of an installation: its clock, store, language model and embedder."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from r_memory.config.settings import Settings
from r_memory.domain.instants import Instant
from r_memory.protocols import Embedder
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library

if TYPE_CHECKING:  # at run time see `open_model`
    from r_memory.providers.openai import OpenAIChat


class SystemClock:
    """The machine's clock."""

    def now(self) -> Instant:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


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
        max_tokens=settings.model_max_tokens,
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
    server = Endpoint(
        uri=settings.store_uri,
        user=settings.store_user,
        password=settings.store_password,
        database=settings.store_database or None,
    )
    source: EndpointSource = EmbeddedArcade(settings.store_dir) if settings.embedded else FixedEndpoint(server)
    bolt = Bolt(source, limit_s=settings.read_timeout_s)
    try:
        yield CypherStore(bolt, load_library(lambda path: settings.files.read(path).text, settings.files.defaults))
    finally:
        await bolt.close()


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
        from r_memory.providers.openai import ModelEndpoint, OpenAIEmbedder  # noqa: PLC0415

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
