"""A taught reader that is loaded when it first reads: most commands read nothing."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # ships no types

from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Place, TaughtClaim
from r_memory.reading.taught.reader import TaughtReader
from r_memory.reading.taught.weights import Weights, load_readers


class LazyReader:
    """Reads as the `TaughtReader` of a domain does; each reading holds its own thread to one for matrices."""

    def __init__(self, weights: Weights, domain: str) -> None:
        self._weights = weights
        self._domain = domain
        self._labels = weights.labels.domains[domain]

    @property
    def version(self) -> str:
        """Of the weights, as recorded on events."""
        return self._weights.labels.version

    @property
    def thresholds(self) -> Mapping[str, Thresholds]:
        """As in `TaughtReader`."""
        return self._labels.thresholds

    @property
    def speakers(self) -> tuple[str, ...]:
        """As in `TaughtReader`."""
        return self._labels.speakers

    def read(
        self,
        text: str,
        *,
        question: str = "",
        speaker: str = "",
        mentions: Sequence[Place] = (),
        unasked: Sequence[Place] = (),
    ) -> tuple[TaughtClaim, ...]:
        """As in `TaughtReader`."""
        reader = self._reader
        # Threads wait for each other over matrices this small: 33 ms a layer against .15 on a busy machine, measured.
        with self._libraries.limit(limits=1, user_api="blas"):
            return reader.read(text, question=question, speaker=speaker, mentions=mentions, unasked=unasked)

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        return ThreadpoolController()

    @cached_property
    def _reader(self) -> TaughtReader:
        return load_readers(self._weights)[self._domain]
