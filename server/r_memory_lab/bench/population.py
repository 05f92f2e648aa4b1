"""Which made-up patients a store holds that grows to a size: those who are asked about, and many more around them."""

import random
from collections.abc import Iterator

from r_memory.domain.schema import Schema
from r_memory_lab.bench.charts import BenchChart, charts, patient_id

AROUND = 5
"""Facts of most patients: 200,000 patients have a million facts."""
CHART_SIZES = (AROUND, 20, 100)
"""Facts of a patient. Half of Synthea's patients have at most 13, and 95 of 100 at most 28."""
_LARGE = 200
"""Most patients with each larger chart size, which together have at most a tenth of the facts."""


class Population:
    """The patients of one space by chart size, numbered in order of creation."""

    def __init__(self, schema: Schema, *, space: str, seed: int) -> None:
        self._schema, self._space, self._seed = schema, space, seed
        self._next = 0
        self._of_size: dict[int, list[range]] = {size: [] for size in CHART_SIZES}

    def grown(self, facts: int) -> tuple[int, Iterator[BenchChart]]:
        """Returns the number of charts that are missing to this number of facts, and a lazy iterator of them."""
        ranges = [(size, self._added(size, number)) for size, number in _wanted(facts).items()]
        made = (chart for size, numbers in ranges for chart in self._charts(size, numbers))
        return sum(len(numbers) for _, numbers in ranges), made

    def anyone(self, size: int) -> Iterator[str]:
        """Yields endless random ids of patients with this chart size."""
        chance = random.Random(f"{self._seed}/{self._next}/{size}")
        ranges = self._of_size[size]
        while True:
            yield patient_id(chance.choice(chance.choices(ranges, [len(item) for item in ranges])[0]))

    @property
    def patients(self) -> int:
        """Number of patients."""
        return self._next

    def _added(self, size: int, number: int) -> range:
        new = range(self._next, self._next + max(0, number - sum(map(len, self._of_size[size]))))
        self._next = new.stop
        self._of_size[size] += [new] if new else []
        return new

    def _charts(self, size: int, numbers: range) -> Iterator[BenchChart]:
        return charts(
            self._schema, space=self._space, first=numbers.start, count=len(numbers), facts=size, seed=self._seed
        )


def _wanted(facts: int) -> dict[int, int]:
    """Returns chart size to number of patients, for a store with this many facts.

    >>> _wanted(1_000), _wanted(1_000_000)
    ({20: 5, 100: 1, 5: 160}, {20: 200, 100: 200, 5: 195200})
    """
    large = {size: max(1, min(_LARGE, facts // 10 // size)) for size in CHART_SIZES if size != AROUND}
    rest = facts - sum(size * number for size, number in large.items())
    return {**large, AROUND: max(1, rest // AROUND)}
