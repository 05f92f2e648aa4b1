"""Further opinions on a request: from a language model, and from an embedder. They open rows, and close none.

The model sees the request and the table, never a fact or a subject; what it names outside the table is dropped. The
embedder compares the request with the table's examples; how near is near enough comes from the examples themselves,
each compared with all the others. Both implement `protocols.IntentOpinion`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from r_memory.domain.intents import IntentTable
from r_memory.domain.prompts import Prompt, filled
from r_memory.protocols import ChatMessage, ChatModel, Embedder, Floats, ReplyForm, strict
from r_memory.text.fitting import units
from r_memory.text.inert import inert

_EXAMPLES = 3
"""Examples of each action type in the prompt."""
_LONGEST = 2000
"""Characters of a request that the model is shown."""


class ChatOpinion:
    """Asks one model with one prompt about one table."""

    name = "model"

    def __init__(self, table: IntentTable, prompt: Prompt, model: ChatModel) -> None:
        self._model = model
        self._known = tuple(name for name, row in table.intents.items() if not row.silent)
        self._prompt = replace(
            prompt, told=filled(prompt.told, {"intents": "\n".join(_line(table, name) for name in self._known)})
        )

    async def names(self, query: str) -> Sequence[str]:
        """Returns the rows of the table that the model names, each once.

        Raises:
            ModelError: the model gave no answer.
        """
        question = filled(self._prompt.asked, {"text": inert(query, _LONGEST)})
        messages = [ChatMessage(role="system", text=self._prompt.told), ChatMessage(role="user", text=question)]
        names = {"type": "array", "items": {"type": "string", "enum": list(self._known)}}
        form = ReplyForm(name="intents", schema=strict({"intents": names}))
        reply = await self._model.reply(messages, form=form)
        named = reply.data.get("intents")
        said = {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()
        return tuple(name for name in self._known if name in said)


def _line(table: IntentTable, name: str) -> str:
    row = table.intent(name)
    such_as = "; ".join(row.examples[:_EXAMPLES])
    return f"- {name}: {row.description}" + (f" Such as: {such_as}." if such_as else "")


OPENED = 0.7
"""Share of the table's own examples whose row must be opened when each is read without itself.

With .7 true rows named rise from .93 to .99 on our requests and the development set at 2.3 rows a request; .9 opens 8.
"""
_NONE = -1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Examples:
    rows: tuple[str, ...]
    """Action type of each example."""
    vectors: Floats
    """One unit vector for each example."""
    margin: float
    """How far below the nearest row another may lie and still be opened."""


class EmbeddedExamples:
    """Compares requests with the examples of one table.

    The examples are embedded at the first request.
    """

    name = "embedder"

    def __init__(self, table: IntentTable, embedder: Embedder) -> None:
        self._table = table
        self._embedder = embedder
        self._examples: _Examples | None = None
        self._loading = asyncio.Lock()

    async def names(self, query: str) -> Sequence[str]:
        """Returns the rows whose nearest example is within the margin of the best row.

        Silent rows are left out. Empty if the embedder gives the words no vector.

        Raises:
            ModelError: the embedder gave no answer.
            ConfigurationError: the embedder is not installed as it should be.
        """
        examples = await self._known()
        vector = units(await self._embedder.embed([query]))[0]
        if examples is None or not vector.any():
            return ()
        near = _nearest(examples.vectors @ vector, examples.rows)
        best = max(near.values())
        return tuple(
            name
            for name, nearness in near.items()
            if nearness >= best - examples.margin and not self._table.intent(name).silent
        )

    async def _known(self) -> _Examples | None:
        """The examples; `None` for a table without any."""
        async with self._loading:
            pairs = [(name, text) for name, row in self._table.intents.items() for text in row.examples]
            if self._examples is None and pairs:
                vectors = units(await self._embedder.embed([text for _, text in pairs]))
                rows = tuple(name for name, _ in pairs)
                self._examples = _Examples(rows=rows, vectors=vectors, margin=_margin(vectors, rows))
            return self._examples


def _nearest(nearness: Floats, rows: Sequence[str]) -> dict[str, float]:
    """Action type to the nearness of its nearest example."""
    near: dict[str, float] = {}
    for name, value in zip(rows, nearness.tolist(), strict=True):
        near[name] = max(value, near.get(name, _NONE))
    return near


def _margin(vectors: Floats, rows: Sequence[str]) -> float:
    """The margin under which the right row is opened for `OPENED` of the examples, each read without itself."""
    nearness = vectors @ vectors.T
    np.fill_diagonal(nearness, _NONE)
    behind = sorted(_behind(_nearest(line, rows), name) for line, name in zip(nearness, rows, strict=True))
    return behind[min(len(behind) - 1, int(OPENED * len(behind)))]


def _behind(near: dict[str, float], name: str) -> float:
    return max(near.values()) - near[name]
