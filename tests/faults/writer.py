"""A process that writes to the embedded store until its standard input ends; run by the fault tests.

    python -m tests.faults.writer FOLDER NAME

Prints one line for each write that the store acknowledged: its id. Nothing else may appear on standard output: in the
server that is the wire of the protocol.
"""

import asyncio
import sys
import threading
from pathlib import Path

from neo4j import AsyncGraphDatabase, AsyncManagedTransaction
from neo4j.exceptions import AuthError, ConstraintError, ServiceUnavailable, SessionExpired, TransientError

from r_memory.store.embedded import EmbeddedArcade


async def work(tx: AsyncManagedTransaction, id_: str) -> None:
    await (await tx.run("CREATE (episode:Episode {id: $id}) SET episode.text = $id", id=id_)).consume()
    await (await tx.run("CREATE (event:FactEvent {chain_key: $id})", id=id_)).consume()


async def main(folder: Path, name: str) -> None:
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    source = EmbeddedArcade(folder)
    endpoint = await source.endpoint(refresh=False)
    number = 0
    while not ended.is_set():
        async with AsyncGraphDatabase.driver(
            endpoint.uri, auth=(endpoint.user, endpoint.password), notifications_min_severity="OFF", max_transaction_retry_time=2
        ) as driver:
            try:
                if number == 0:
                    await driver.execute_query("CREATE CONSTRAINT e IF NOT EXISTS FOR (n:Episode) REQUIRE n.id IS UNIQUE", database_="memory")
                    await driver.execute_query("CREATE CONSTRAINT f IF NOT EXISTS FOR (n:FactEvent) REQUIRE n.chain_key IS UNIQUE", database_="memory")
                while not ended.is_set():
                    id_ = f"{name}-{number}"
                    async with driver.session(database="memory") as session:
                        try:
                            await session.execute_write(work, id_)
                        except ConstraintError:
                            pass
                    print(id_, flush=True)
                    number += 1
            except (ServiceUnavailable, SessionExpired, AuthError, TransientError) as error:
                print(type(error).__name__, file=sys.stderr, flush=True)
                endpoint = await source.endpoint(refresh=True)
    await source.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
