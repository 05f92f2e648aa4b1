"""Two servers that are started at once on an empty folder, as a client does that opens two windows."""

import asyncio
from pathlib import Path

import pytest

from r_memory.domain.knowledge import Knowledge
from r_memory.store.bolt import Bolt
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from tests.store.stores import LIBRARY, PATIENCE_S
from tests.store.world import PENICILLIN, SCHEMA

pytestmark = pytest.mark.anyio
PACK = Knowledge(name="first", version="1", concepts={PENICILLIN.uid: PENICILLIN}, links=())


async def test_what_a_first_start_makes_is_made_once_and_both_servers_have_it(tmp_path: Path) -> None:
    """Found by attack: each made everything, one was refused at its commit, and the first write took 20 seconds."""
    bolts = [Bolt(EmbeddedArcade(tmp_path), limit_s=PATIENCE_S) for _ in range(3)]

    async def start(bolt: Bolt) -> None:
        store = CypherStore(bolt, LIBRARY)
        await store.prepare(SCHEMA)
        await store.load_knowledge(PACK)

    await asyncio.gather(*map(start, bolts))

    claims = await bolts[0].read_only(
        "MATCH (pack:Pack) RETURN pack.name AS name, pack.claimed AS claimed", {}, keep=lambda _: True, limit=9
    )
    assert claims.rows == (("first", 1),)
    for bolt in reversed(bolts):
        await bolt.close()
