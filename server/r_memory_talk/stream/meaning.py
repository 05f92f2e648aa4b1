"""Vectors of an embedder, each looked at before anybody uses it.

What cannot be had or used costs the vector, never the item or the search, and is logged. Knows no store.
"""

import asyncio
import logging
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

import numpy as np

from r_memory.domain.memories import MemoryItem, Vector
from r_memory.errors import ConfigurationError, InvalidInput, ModelError
from r_memory.protocols import Embedder, Floats
from r_memory.text.fitting import units

logger = logging.getLogger(__name__)

LIMIT_S = 10.0
"""Seconds after which an item is stored, and a question asked, without a vector."""
_TROUBLE = (ModelError, ConfigurationError, TimeoutError)
"""Errors of an embedder that fails, is late, or is not installed correctly."""


class ItemVectors:
    """Computes and checks vectors; without an embedder there are none."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self.model = embedder.model if embedder else ""
        """The present embedder's; empty without one."""
        self.dimensions = embedder.dimensions if embedder else 0
        """Of every vector; 0 until the first one where the embedder does not say."""

    async def of_items(self, items: Sequence[MemoryItem]) -> list[Vector | None]:
        """Returns a checked vector for each item; `None`, with a warning, if it cannot be computed."""
        try:
            async with asyncio.timeout(LIMIT_S):
                return await self.of_all(items)
        except _TROUBLE as error:
            _warn("Items are stored without vectors", error)
            return [None] * len(items)

    async def of_all(self, items: Sequence[MemoryItem]) -> list[Vector | None]:
        """Returns a checked vector for each item, or `None` with a warning; raises the embedder's errors.

        For an item without a summary it is the mean over its messages, so that a long answer does not outweigh the
        question.
        """
        if self._embedder is None or not items:
            return [None] * len(items)
        parts = [(item.summary,) if item.summary else item.messages for item in items]
        rows = await self._embedder.embed(list(chain.from_iterable(parts)))
        if len(rows) != sum(map(len, parts)):
            logger.warning("The embedder gave another number of vectors", extra={"action": "stream_embed"})
            return [None] * len(items)
        found: list[Vector | None] = []
        for start, end in pairwise([0, *accumulate(map(len, parts))]):
            try:
                found.append(self._vector(rows[start:end]))
            except InvalidInput as error:
                _warn("A vector was refused", error)
                found.append(None)
        return found

    async def of_question(self, text: str, *, before: str = "", weight: int = 1) -> tuple[Floats | None, str]:
        """Returns the question's vector at length 1, or `None` and the reason; without an embedder no reason.

        The question counts `weight` times as much as the text `before` it, whatever its length.
        """
        if self._embedder is None:
            return None, ""
        try:
            async with asyncio.timeout(LIMIT_S):
                rows = await self._embedder.embed([text, before] if before else [text])
            vector = self._vector(rows, (weight, 1)[: len(rows)])
        except (*_TROUBLE, InvalidInput) as error:
            _warn("Meaning was left out of a search", error)
            return None, str(error) or f"the embedder did not answer within {LIMIT_S:g} s; look at its server"
        return units(np.frombuffer(vector.data, dtype="<f4")), ""

    def _vector(self, rows: Floats, weights: Sequence[int] = ()) -> Vector:
        """Returns the weighted mean of the rows, each at length 1.

        Raises:
            InvalidInput: a row is no valid vector.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            mean = np.average(units(np.asarray(rows, dtype=np.float32)), axis=0, weights=weights or None)
        vector = Vector(model=self.model, data=mean.astype("<f4").tobytes())
        self.dimensions = self.dimensions or vector.dimensions
        if vector.dimensions != self.dimensions:
            raise InvalidInput(
                f"a vector of {self.model} has {vector.dimensions} numbers instead of {self.dimensions}; "
                "give an embedder of other dimensions another model name"
            )
        return vector


def _warn(message: str, error: Exception) -> None:
    """Logs a warning; messages of these errors hold only numbers and model names."""
    extra = {"action": "stream_embed", "error": type(error).__name__, "reason": str(error)}
    logger.warning(message, extra=extra)
