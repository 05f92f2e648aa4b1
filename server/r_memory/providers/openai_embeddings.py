"""Any embedder behind an OpenAI-compatible address (`/embeddings`).

Never repeats what a server says in its errors, which may quote the key or somebody's words.
"""

import asyncio
from collections.abc import Sequence

import numpy as np
import openai

from r_memory.errors import BadReply, ModelError, ModelRefused, ModelUnavailable
from r_memory.protocols import Floats
from r_memory.providers.openai import RETRIED, ModelEndpoint

_AT_ONCE = 128
"""Texts in one request; servers take no more than some hundreds."""
_NO_KEY = "none"
"""The client insists on a key; a server of one's own needs none."""
_UNUSABLE = "the server's answer holds no vectors; check that R_MEMORY_MODEL_URL ends where its API begins"


class OpenAIEmbedder:
    """One model at one address. Implements `protocols.Embedder`; `close` when done."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self.model = f"openai/{endpoint.model}"
        self.dimensions = 0
        self._endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key or _NO_KEY,
            base_url=endpoint.url,
            timeout=endpoint.limit_s,
            max_retries=endpoint.retries,
        )
        # Taken from the environment, and no business of whatever server this is.
        self._client.organization = self._client.project = None

    async def close(self) -> None:
        """Releases the connections."""
        await self._client.close()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """As in `Embedder`; texts are sent in parts, and each part has the endpoint's time."""
        parts = [await self._part(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        rows = [row for part in parts for row in part]
        if len({len(row) for row in rows}) > 1:
            raise BadReply("the server gave vectors of different lengths; check the embedder's model")
        self.dimensions = len(rows[0]) if rows else self.dimensions
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    async def _part(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            async with asyncio.timeout(self._endpoint.limit_s):
                answer = await self._client.embeddings.create(
                    model=self._endpoint.model,
                    # Servers refuse an empty text.
                    input=[text or " " for text in texts],
                    # The client would ask for base64, which not every server knows.
                    encoding_format="float",
                )
        except (TimeoutError, openai.APITimeoutError):
            raise ModelUnavailable(
                f"the embedder did not answer within {self._endpoint.limit_s:g} s; check its server"
            ) from None
        except openai.APIConnectionError:
            raise ModelUnavailable(
                "the embedder's server could not be reached; check that it runs, and R_MEMORY_MODEL_URL"
            ) from None
        except openai.APIStatusError as error:
            raise _refusal(error.status_code) from None
        except (openai.OpenAIError, ValueError):
            # The client could not make sense of the answer: a page of HTML, a body cut off.
            raise BadReply(_UNUSABLE) from None
        return _rows(answer, len(texts))


def _rows(answer: object, number: int) -> list[list[float]]:
    """The vectors in the order of the texts.

    Raises:
        BadReply: some are missing, or are no numbers.
    """
    found = getattr(answer, "data", None)
    if not isinstance(found, list) or len(found) != number:
        raise BadReply(_UNUSABLE)
    ordered = sorted(found, key=lambda one: one.index)
    rows = [one.embedding for one in ordered]
    if not all(isinstance(row, list) and row and all(isinstance(x, int | float) for x in row) for row in rows):
        raise BadReply(_UNUSABLE)
    return rows


def _refusal(status: int) -> ModelError:
    if status in {401, 403}:
        return ModelRefused(f"the embedder's server refused the key (status {status}); check R_MEMORY_MODEL_KEY")
    if status in RETRIED or status >= 500:
        return ModelUnavailable(f"the embedder's server is overloaded or broken (status {status}); try again later")
    return ModelRefused(
        f"the embedder's server refused the request (status {status}); check R_MEMORY_MODEL_URL and "
        "R_MEMORY_EMBEDDER_MODEL"
    )
