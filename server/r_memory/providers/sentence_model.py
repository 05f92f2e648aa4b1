"""A sentence-transformers model on this machine's disk, an optional extra. The only importer of that package.

Reads the folder it is given and asks no hub.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from r_memory.errors import ConfigurationError, adding
from r_memory.protocols import Floats


class SentenceEmbedder:
    """An `Embedder` over one folder; it loads the model at the first text."""

    def __init__(self, path: str) -> None:
        """Reads nothing yet; `~` is the user's home folder."""
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise ConfigurationError(f"R_MEMORY_EMBEDDER_MODEL: there is no folder {folder.name}; give the model's own")
        self.model = f"sentence-transformers/{folder.name}"
        self.dimensions = 0
        self._folder = folder
        self._loaded: Any = None
        # The model takes all cores for one batch; a second one beside it gains nothing.
        self._busy = asyncio.Lock()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns the vectors, as `Embedder.embed`."""
        async with self._busy:
            return await asyncio.to_thread(self._rows, list(texts))

    def _rows(self, texts: list[str]) -> Floats:
        if self._loaded is None:
            self._loaded = _load(self._folder)
        rows = np.asarray(self._loaded.encode(texts, show_progress_bar=False), dtype=np.float32)
        self.dimensions = self.dimensions or int(rows.shape[-1])
        return rows.reshape(len(texts), self.dimensions)


def _load(folder: Path) -> Any:  # noqa: ANN401 - the package is not there when types are checked
    try:
        # Imported late: it brings torch, which takes seconds.
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(
            f"the embedder needs the package sentence-transformers; {adding('sentence-transformers')}"
        ) from error
    try:
        return SentenceTransformer(str(folder), local_files_only=True)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"the folder {folder.name} holds no sentence-transformers model") from error
