"""An embedder without a model: words are hashed to dimensions.

Honest in one respect: texts that share words are near, others are not. Knows no meaning, no language and no weights.
"""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from r_memory.protocols import Floats

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """An `Embedder` for tests, and for where no other can be had."""

    def __init__(self, *, dimensions: int = 64, model: str = "") -> None:
        self.dimensions = dimensions
        self.model = model or f"hashing/1/{dimensions}"

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text; a text without a word gives zeros."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                place, sign = _place(word, self.dimensions)
                row[place] += sign
        return rows


def _place(word: str, dimensions: int) -> tuple[int, float]:
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little") % dimensions, 1.0 if digest[8] % 2 else -1.0
