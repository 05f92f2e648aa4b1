"""Tells sentences to a fresh memory, alone and beside busy processes: do the same words give the same facts?

Ends with 1 where a sentence differs. `python -m scripts.same_under_load tests/sentences/first.yaml --load 20`.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from r_memory.config.settings import Settings
from r_memory.domain.facts import Fact
from r_memory.facts.facts import Facts
from r_memory.testing.dict_store import DictStore
from r_memory.wiring import SystemClock
from r_memory.wiring.language import open_reader
from r_memory_lab.evals.sentences import rows

Outcome = tuple[object, ...]


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that only compute, while the body runs."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


async def told(texts: Sequence[str]) -> list[Outcome]:
    """What each sentence leaves in the memory of a subject of its own, and what waits of it."""
    facts = Facts(DictStore(), open_reader(Settings()), SystemClock())

    async def one(number: int, text: str) -> Outcome:
        heard = await facts.remembering.remember(text, subject=f"S{number}", subject_name=f"Subject {number}")
        listed = await facts.lists.list_facts(subject=f"S{number}")
        waits = sorted((result.verdict, result.reason) for result in heard.results)
        return (*sorted(map(_shown, listed.facts)), *waits)

    return list(await asyncio.gather(*(one(number, text) for number, text in enumerate(texts))))


def _shown(fact: Fact) -> Outcome:
    return fact.relation, fact.object.name, fact.status.value, str(sorted(fact.attrs.items())), sorted(fact.flags)


def main() -> None:
    """Prints how many sentences are the same."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("files", type=Path, nargs="+", help="sentences, as for `r-memory eval sentences`")
    asked.add_argument("--load", type=int, default=20, help="processes that only compute")
    asked.add_argument("--most", type=int, default=500, help="sentences")
    given = asked.parse_args()
    texts = [row.text for file in given.files for row in rows(file)][: given.most]
    outcomes = []
    for processes in (0, given.load):
        with load(processes):
            began = time.monotonic()
            outcomes.append(asyncio.run(told(texts)))
            took = time.monotonic() - began
            print(f"beside {processes} busy processes: {took:.1f} s, load average {os.getloadavg()[0]:.1f}")
    alone, crowded = outcomes
    others = [text for text, one, other in zip(texts, alone, crowded, strict=True) if one != other]
    print(f"the same: {len(texts) - len(others)} of {len(texts)}")
    print(*others, sep="\n")
    sys.exit(bool(others))


if __name__ == "__main__":
    main()
