"""Run by the Python of `mcp-memory-service`, not ours: stores texts from standard input in its database, all at once.

Its tool compares each new text with all that are there, so that telling it of 5 000 patients one by one took minutes.
What lies there afterwards is what the tool leaves.
"""

import asyncio
import json
import sys

from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash


async def _fill(database: str) -> int:
    """Returns the number of refused texts."""
    storage = SqliteVecMemoryStorage(database)
    await storage.initialize()
    told = map(json.loads, sys.stdin)
    memories = [
        Memory(
            content=text,
            content_hash=generate_content_hash(text),
            tags=[name],
            metadata={"conversation_id": name},
        )
        for name, text in told
    ]
    return sum(not stored for stored, _ in await storage.store_batch(memories))


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(_fill(sys.argv[1]))))
