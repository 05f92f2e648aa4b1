"""A taught reader that is loaded when it first reads: most commands read nothing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # ships no types

from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Place, TaughtClaim
from r_memory.reading.taught.reader import TaughtReader
from r_memory.reading.taught.weights import Weights, load_readers


class LazyReader:
    """Reads as the `TaughtReader` of a domain does, in several threads at once."""

    def __init__(self, weights: Weights, domain: str) -> None:
        self._weights = weights
        self._domain = domain
        self._labels = weights.labels.domains[domain]
        self._lock = Lock()
        self._readings = 0

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
        self, text: str, *, question: str = "", speaker: str = "", mentions: Sequence[Place] = ()
    ) -> tuple[TaughtClaim, ...]:
        """As in `TaughtReader`."""
        reader = self._reader
        with self._alone():
            return reader.read(text, question=question, speaker=speaker, mentions=mentions)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Matrices are multiplied by one thread as long as anything is read.

        Threads wait for each other over matrices this small: 33 ms a layer against .15 on a busy machine, measured.
        """
        with self._lock:
            self._readings += 1
            if self._readings == 1:
                self._limits = self._libraries.limit(limits=1, user_api="blas")
        try:
            yield
        finally:
            with self._lock:
                self._readings -= 1
                if not self._readings:
                    self._limits.restore_original_limits()

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        return ThreadpoolController()

    @cached_property
    def _reader(self) -> TaughtReader:
        return load_readers(self._weights)[self._domain]
