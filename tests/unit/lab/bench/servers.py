"""A memory server that is no process: for the tests of what calls servers."""

from collections.abc import Callable, Iterable

from r_memory_lab.bench.charts import BenchChart


class ScriptedServer:
    """Notes what it was asked, and answers badly where it is told to."""

    def __init__(self, name: str, heard: list[str], fails: Callable[[int], bool] = lambda _: False) -> None:
        self.name = name
        self._heard = heard
        self._fails = fails

    async def fill(self, charts: Iterable[BenchChart]) -> None:
        self._heard.append(f"{self.name} told of {len(list(charts))}")

    async def look_up(self, number: int) -> bool:
        self._heard.append(f"{self.name} {number}?")
        return not self._fails(number)

    async def write(self, number: int) -> bool:
        self._heard.append(f"{self.name} {number}!")
        return not self._fails(number)

    async def add(self, number: int) -> bool:
        self._heard.append(f"{self.name} {number}+")
        return True

    async def kept(self, number: int) -> bool:
        return not self._fails(number)
