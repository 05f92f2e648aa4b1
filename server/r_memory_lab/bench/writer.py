"""One of several processes that write to one memory until their standard input ends; the part `kills` starts them.

    python -m r_memory_lab.bench.writer NAME

Settings come from the environment. Prints one line of JSON for each write that was acknowledged, and nothing else; a
write that was not is tried again under the same key, as a host would.
"""

import asyncio
import itertools
import json
import sys
import threading

from r_memory.config.settings import Settings
from r_memory.errors import StoreError
from r_memory.facts.remember.results import Remembered
from r_memory.memory import Memory
from r_memory.wiring import open_memory
from r_memory_lab.bench.talk import FACTS

SHARED = "shared"
"""A patient of all writers; each writer also has its own."""


def main() -> None:
    """Writes until standard input ends."""
    asyncio.run(_run(Settings.from_environment(), sys.argv[1]))


async def _run(settings: Settings, name: str) -> None:
    ended = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=[ended], daemon=True).start()
    numbers = itertools.count()
    number = next(numbers)
    while not ended.is_set():
        try:
            async with open_memory(settings) as memory:
                while not ended.is_set():
                    _acknowledge(name, await _written(memory, name, number))
                    number = next(numbers)
        except StoreError as error:
            print(f"{name}: {type(error).__name__}", file=sys.stderr, flush=True)


def _wait_for_the_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


async def _written(memory: Memory, name: str, number: int) -> Remembered:
    patient = SHARED if number % 2 else name
    return await memory.remember(
        f"{FACTS[number % len(FACTS)]} That was note {number} of {name}.",
        subject=patient,
        subject_name=patient,
        speaker="patient",
        conversation_id=name,
        idempotency_key=f"{name}/{number}",
    )


def _acknowledge(name: str, heard: Remembered) -> None:
    line = {
        "subject_uid": heard.subject.uid,
        "conversation": name,
        "episode": heard.episode_id,
        "facts": [fact.fact_id for fact in heard.facts],
    }
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
