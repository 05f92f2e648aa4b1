"""Vectors of an embedder, each looked at before anybody uses it.

What cannot be had or used costs the vector, never the item or the search, and is logged. Knows no store.
"""

import asyncio
import logging
from collections.abc import Sequence

import numpy as np

from r_memory.domain.memories import Vector
from r_memory.errors import ConfigurationError, InvalidInput, ModelError
from r_memory.protocols import Embedder, Floats
from r_memory.talk.stream.index import normalised

logger = logging.getLogger(__name__)

_TROUBLE = (ModelError, ConfigurationError, TimeoutError)
"""An embedder that does not answer, not in time, or is not installed as it should be."""


class Meaning:
    """An embedder, or none, behind its checks."""

    def __init__(self, embedder: Embedder | None, *, limit_s: float) -> None:
        """`limit_s` bounds the embedding of items and questions, in seconds."""
        self._embedder = embedder
        self._limit_s = limit_s
        self.model = embedder.model if embedder else ""
        """The present embedder's; empty without one."""
        self.dimensions = embedder.dimensions if embedder else 0
        """Of every vector; 0 until the first one where the embedder does not say."""

    async def of_items(self, texts: Sequence[str]) -> list[Vector | None]:
        """A usable vector for each text, or `None` and a warning."""
        try:
            async with asyncio.timeout(self._limit_s):
                return await self.of_all(texts)
        except _TROUBLE as error:
            _warn("Items are stored without vectors", error)
            return [None] * len(texts)

    async def of_all(self, texts: Sequence[str]) -> list[Vector | None]:
        """A usable vector for each text, or `None` and a warning where one cannot be used.

        Raises:
            ModelError, ConfigurationError: the embedder gave nothing at all.
        """
        if self._embedder is None or not texts:
            return [None] * len(texts)
        rows = await self._embedder.embed(texts)
        if len(rows) != len(texts):
            logger.warning("The embedder gave another number of vectors", extra={"action": "stream_embed"})
            return [None] * len(texts)
        found: list[Vector | None] = []
        for row in rows:
            try:
                found.append(self._vector(row))
            except InvalidInput as error:
                _warn("A vector was refused", error)
                found.append(None)
        return found

    async def of_question(self, text: str, *, before: str = "", weight: int = 1) -> tuple[Floats | None, str]:
        """The question's vector at length 1, or `None` and why there is none; without an embedder, no reason.

        The question counts `weight` times as much as what was said `before` it, however long that is.
        """
        if self._embedder is None:
            return None, ""
        try:
            async with asyncio.timeout(self._limit_s):
                rows = await self._embedder.embed([text, before] if before else [text])
            vectors = [self._vector(row) for row in rows]
        except (*_TROUBLE, InvalidInput) as error:
            _warn("Meaning was left out of a search", error)
            return None, str(error) or f"the embedder did not answer within {self._limit_s:g} s; look at its server"
        weights = (weight, 1) if before else (1,)
        units = (normalised(np.frombuffer(vector.data, dtype="<f4")) for vector in vectors)
        total = sum((weight * unit for weight, unit in zip(weights, units, strict=True)), np.float32(0))
        return normalised(np.asarray(total, dtype=np.float32)), ""

    def _vector(self, row: Floats) -> Vector:
        """The row as a vector.

        Raises:
            InvalidInput: it is not finite, all zeros, or of another length than the others.
        """
        vector = Vector(model=self.model, data=np.asarray(row, dtype="<f4").tobytes())
        self.dimensions = self.dimensions or vector.dimensions
        if vector.dimensions != self.dimensions:
            raise InvalidInput(
                f"a vector of {self.model} has {vector.dimensions} numbers instead of {self.dimensions}; "
                "give an embedder of other dimensions another model name"
            )
        return vector


def _warn(message: str, error: Exception) -> None:
    """Messages of these errors hold numbers and names of models, nothing that people said."""
    extra = {"action": "stream_embed", "error": type(error).__name__, "reason": str(error)}
    logger.warning(message, extra=extra)
