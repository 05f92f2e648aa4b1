"""Forks a process for each step that is to be killed; the part `killed` starts it.

    python -m r_memory_lab.bench.dying

Settings come from the environment. Reads one line of JSON for each process, {step, file, after_s}, and prints one, a
`Death`. It opens no store itself, so that what it forks starts as a process of its own would, without its imports.
"""

import asyncio
import gc
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from r_memory.config.settings import Settings
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader
from r_memory_lab.bench.steps import STEPS, opened

_PATIENCE_S = 300.0
_BLOCK = 1 << 16


def main() -> None:
    """Forks until standard input ends."""
    settings = Settings.from_environment()
    reader = open_reader(settings)
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(_died(settings, reader, json.loads(line))), flush=True)


def _died(settings: Settings, reader: Reader, order: Mapping[str, Any]) -> dict[str, Any]:
    """Returns whether the process was killed in the step, the seconds that it had, and what it said it had done."""
    heard, telling = os.pipe()
    child = os.fork()
    if not child:
        os.close(heard)
        try:
            asyncio.run(_work(settings, reader, order, telling))
        except BaseException:  # noqa: BLE001 - nothing of a fork may go on in the loop of its parent
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(telling)
    said, lasted = _killed_after(child, heard, order["after_s"])
    os.close(heard)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    lines = [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith(b"\n")]
    return {"status": status, "lasted_s": lasted, "done": lines[1:]}


def _killed_after(child: int, heard: int, after_s: float | None) -> tuple[bytes, float]:
    """Kills a process so many seconds after it said its first word, unless it ends before; returns what it said."""
    said, began, patience = b"", 0.0, _PATIENCE_S
    while select.select([heard], [], [], patience)[0] and (block := os.read(heard, _BLOCK)):
        began = began or time.monotonic()
        said += block
        if after_s is not None:
            patience = max(0.0, began + after_s - time.monotonic())
    lasted = time.monotonic() - began
    os.kill(child, signal.SIGKILL)  # of one that ended by itself, nothing is left but its status
    while block := os.read(heard, _BLOCK):
        said += block
    return said, lasted


async def _work(settings: Settings, reader: Reader, order: Mapping[str, Any], telling: int) -> None:
    def tell(done: Mapping[str, Any]) -> None:
        os.write(telling, f"{json.dumps(done)}\n".encode())

    async with opened(settings, reader) as (_, space):
        tell({})
        await STEPS[order["step"]](space(), Path(order["file"]), tell)
        os._exit(0)  # as it is: closing is no part of the step


if __name__ == "__main__":
    main()
