"""Small values for tests of what is kept beside the stream, and the stores that keep it."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from r_memory.domain.memories import Document, MemoryItem
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import CandidateScore, Form, Judgement, TurnDecision
from r_memory.protocols import ConversationStore, StreamStore
from r_memory.store.bolt import Bolt, Endpoint, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.testing.dict_store import DictStore
from tests.store.stores import LIBRARY
from tests.store.stream_world import an_item
from tests.store.world import NOW, SCHEMA

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Kept:
    """One store's conversational memory."""

    stream: StreamStore
    conversations: ConversationStore

    async def tell(self, space: str, turns: int, **changes: object) -> MemoryItem:
        """So many turns of one conversation; gives the last."""
        told = [(await self.stream.add_memories([an_item(space, "I row.", **changes)]))[0] for _ in range(turns)]
        return told[-1]


@asynccontextmanager
async def opened_kept(endpoint: Endpoint | None) -> AsyncIterator[Kept]:
    """A store of its own connections; the oracle where there is no endpoint."""
    if endpoint is None:
        oracle = DictStore()
        yield Kept(oracle.stream, oracle.conversations)
        return
    bolt = Bolt(FixedEndpoint(endpoint))
    store = CypherStore(bolt, LIBRARY)
    try:
        await store.prepare(SCHEMA)
        yield Kept(store.stream, store.conversations)
    finally:
        await store.close()


def a_summary(space: str, version: int = 1, *, upto: int = 1, **changes: object) -> KeptSummary:
    """A version with something in every kind of field."""
    fields: dict[str, object] = {
        "space": space,
        "conversation": "c",
        "content": ConversationSummary(version=version, core_discussion="billing", key_data=(f"version {version}",)),
        "upto": upto,
        "made_at": NOW + version,
        "made_by": "local/1",
    }
    return KeptSummary(**{**fields, **changes})  # type: ignore[arg-type]  # a mapping of keyword arguments


def a_decision(space: str, turn: int = 1, **changes: object) -> TurnDecision:
    """A decision with an id of its own; later ones are made later."""
    number = next(_numbers)
    fields: dict[str, object] = {
        "id": f"decision-{number}",
        "space": space,
        "conversation": "c",
        "turn": turn,
        "at": NOW + number,
        "profile": "default",
        "gate": Judgement(yes=True, by="local/1", score=0.75),
    }
    return TurnDecision(**{**fields, **changes})  # type: ignore[arg-type]  # a mapping of keyword arguments


def weighed(number: int, form: Form = Form.NOT_CHOSEN) -> CandidateScore:
    return CandidateScore(
        id=f"memory-{number}",
        score=1 / (number + 1),
        components={"recency": 0.995**number, "relevance": 1e-17 * number, "lexical": 0},
        form=form,
        tokens=number,
    )


def a_document(space: str, **changes: object) -> Document:
    """A document with an id of its own; later ones are made later."""
    number = next(_numbers)
    fields: dict[str, object] = {
        "id": f"document-{number}",
        "space": space,
        "name": "minutes.txt",
        "digest": "00ff" * 16,
        "parts": 12,
        "made_at": NOW + number,
    }
    return Document(**{**fields, **changes})  # type: ignore[arg-type]  # a mapping of keyword arguments
