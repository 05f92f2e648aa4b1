"""The local embedder: WordLlama's static token vectors, averaged. The only importer of `wordllama`.

The weights lie inside the installed package and nothing is ever fetched. They derive from the token embeddings of
Llama-family models; what is not in their vocabulary (most of Chinese) hardly has a meaning here.
"""

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from r_memory.errors import ConfigurationError
from r_memory.protocols import Floats

DIMENSIONS = 256
_LARGE = 4_000
"""Characters above which embedding runs in a thread, as it would block the event loop for some milliseconds."""


class WordLlamaEmbedder:
    """An `Embedder` without network: about 15 µs a text, half a second to load at the first."""

    def __init__(self) -> None:
        self.model = f"wordllama/{version('wordllama')}/{DIMENSIONS}"
        self.dimensions = DIMENSIONS
        self._loaded: Any = None

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns one row for each text; zeros for a text without a known token."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        if self._loaded is None or sum(map(len, texts)) > _LARGE:
            return await asyncio.to_thread(self._rows, list(texts))
        return self._rows(list(texts))

    def _rows(self, texts: list[str]) -> Floats:
        if self._loaded is None:
            self._loaded = _load()
        rows = np.asarray(self._loaded.embed(texts), dtype=np.float32)
        # An empty text has no tokens to average: 0/0.
        return np.nan_to_num(rows, nan=0.0)


def _load() -> Any:  # noqa: ANN401 - the package has no types
    # Imported late: it takes most of a second, and an installation may use another embedder.
    import wordllama  # noqa: PLC0415

    # Without the folder this version looks elsewhere and then asks the network (0.4.0, measured).
    folder = Path(wordllama.__file__).parent
    try:
        return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    except FileNotFoundError as error:
        raise ConfigurationError("the package wordllama lacks its weights; install it again from its wheel") from error
