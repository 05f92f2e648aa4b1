"""What tools share: the memory and who asks, the arguments that several of them take, and how a result leaves.

The one memory of all calls is opened in the background, and again after a failure; what is opened is not known here. A
result is the same compact data in both channels, never longer than a host passes on whole, and comes page by page.
"""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field, WithJsonSchema

from r_memory.errors import InvalidInput, RMemoryError, StoreUnavailable
from r_memory.memory import Memory
from r_memory.serving.tools.access import caller, space_of
from r_memory.serving.tools.errors import reading
from r_memory.text.inert import inert

logger = logging.getLogger(__name__)

OpenMemory = Callable[[], AbstractAsyncContextManager[Memory]]
"""Gives a context that opens a memory on entry and closes it on exit."""

PATIENCE = 45.0
"""Seconds that a call waits for the opening; hosts give up on a call after 60 (reported)."""


class SharedMemory:
    """Opens early, so that the first call need not wait; a call after a failure tries again."""

    def __init__(self, open_memory: OpenMemory, *, ask: str = "", patience: float = PATIENCE) -> None:
        self.ask = ask
        """What to ask people while nothing can be read."""
        self.watched: set[str] = set()
        """Resources that the client of a handshake-era connection wants to hear of."""
        self._open_memory = open_memory
        self._patience = patience
        self._released = asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Memory | RMemoryError] | None = None
        self._first: asyncio.Future[Memory | RMemoryError] | None = None

    def start(self) -> asyncio.Future[Memory | RMemoryError]:
        """Begins to open, unless it is open or opening; gives what comes of it."""
        if self._opened is None or self._holder is None or self._holder.done():
            self._opened = asyncio.get_running_loop().create_future()
            self._first = self._first or self._opened
            self._holder = asyncio.create_task(self._hold(self._opened))
        return self._opened

    async def get(self) -> Memory:
        """The open memory.

        Raises:
            RMemoryError: why it could not be opened; the next call tries again.
        """
        opened = self.start()
        if not opened.done():
            # A call that is cancelled, or gives up, does not end the opening for all others.
            await asyncio.wait([opened], timeout=self._patience)
        if not opened.done():
            raise StoreUnavailable("the store did not open in time; try again in a moment")
        outcome = opened.result()
        if isinstance(outcome, RMemoryError):
            raise outcome
        return outcome

    async def of_caller(self) -> Memory:
        """Returns the open memory, in the space of the caller."""
        memory, by = await self.get(), caller()
        return memory if by is None else memory.in_space(space_of(by))

    @property
    def starting(self) -> bool:
        """Whether the first opening is still under way, so that slowness says nothing of the store yet."""
        return self._first is not None and not self._first.done()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Opens while the body runs, and closes after it."""
        self.start()
        try:
            yield
        finally:
            await self.close()

    async def close(self) -> None:
        """Closes the memory, or gives up opening it; harmless if there is none."""
        if self._holder is None:
            return
        self._released.set()
        if self._opened is not None and not self._opened.done():
            self._holder.cancel()
        await asyncio.wait([self._holder])

    async def _hold(self, opened: asyncio.Future[Memory | RMemoryError]) -> None:
        """Opens and closes in one task, as a context must be."""
        try:
            async with self._open_memory() as memory:
                opened.set_result(memory)
                await self._released.wait()
        except Exception as error:  # the border of the memory: whoever waits for it is told, whatever went wrong
            message = "Memory was not closed in order" if opened.done() else "Memory could not be opened"
            logger.exception(message, extra={"action": "opening", "error": type(error).__name__})
            if not opened.done():
                told = StoreUnavailable("the memory could not be opened; the server's log says where")
                told.__cause__ = error
                opened.set_result(error if isinstance(error, RMemoryError) else told)
        finally:
            if not opened.done():
                opened.set_result(StoreUnavailable("the server is closing; start it again"))


Call = Context[SharedMemory]
_CLIENT_LIMIT = 80

Subject = Annotated[str, Field(max_length=200, description="Id or exact name.")]
AnySubject = Annotated[str, Field(max_length=200, description='Id or exact name; "": nobody.')]
About = Annotated[
    tuple[Annotated[str, Field(max_length=2_000)], ...],
    Field(max_length=200),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
    Field(description="Its contents; no topics."),
]
Subjects = Annotated[
    tuple[Annotated[str, Field(max_length=200)], ...],
    Field(max_length=50),
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
    Field(description="Several."),
]
SubjectName = Annotated[str, Field(max_length=200, description="Of somebody new, with a new id.")]
AnotherThan = Annotated[
    Sequence[Annotated[str, Field(max_length=200)]],
    Field(max_length=100),
    # Listed without its bounds: lists of tools are short of room.
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
    Field(description="Ids of all others of that name."),
]
Speaker = Annotated[str, Field(max_length=200, description="Who said it.")]
ConversationId = Annotated[str, Field(max_length=200, description="Its id.")]
Name = Annotated[str, Field(max_length=64)]
Profile = Annotated[str, Field(max_length=64, description="default, scm, cim, mimir, or of the settings.")]
Cursor = Annotated[str, Field(max_length=200, description="next_cursor.")]


def shared_by(call: Call) -> SharedMemory:
    """The memory of the server, open or not."""
    return call.request_context.lifespan_context


@asynccontextmanager
async def memory_for(call: Call, told: AbstractContextManager[None] | None = None) -> AsyncIterator[Memory]:
    """The memory, where what goes wrong is `told` as a tool says it; by default as one says it that reads."""
    with told or reading(shared_by(call).ask):
        yield await shared_by(call).of_caller()


def client_of(call: Call) -> str:
    """Name and version that the client gave of itself, inert; empty if it gave none. It is a name, not a right.

    Where a token is asked for, the name of its bearer stands before it.
    """
    by = caller()
    bearer = [] if by is None else [by.client_id]
    params = call.request_context.session.client_params
    client = [] if params is None else [params.client_info.name, params.client_info.version]
    return inert(" ".join((*bearer, *client)), _CLIENT_LIMIT)


def shows_forms(call: Call) -> bool:
    """Whether the host shows forms to whoever sits there; one that knows only addresses (`url`) does not."""
    capabilities = call.client_capabilities
    asks = capabilities.elicitation if capabilities is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


# --- how a result leaves ---------------------------------------------------------------------------------------------


MAX_RESULT = 24_000
"""Characters of a result; longer ones are cut by hosts, in the middle of a risk."""
LIST, WAITING, HISTORY = "from", "unread", "history"
"""What cursors of the lists of facts, of statements that wait, and of the events of a fact begin with: no bare number,
which somebody might guess."""
_SLACK = 100
"""Characters kept for the number of items left out."""
T = TypeVar("T")
Item = TypeVar("Item", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)


def answer(result: BaseModel) -> CallToolResult:
    """The result as structured content, and as its JSON text for hosts that show only that.

    Fields that hold their default are left out: absent means none.
    """
    data = _data(result)
    return _sent(data, _json(data))


def first_that_fits(results: Iterable[BaseModel]) -> CallToolResult | None:
    """The answer with the first of ever shorter results that can be sent whole; `None` where none can."""
    for data in map(_data, results):
        if len(text := _json(data)) <= MAX_RESULT:
            return _sent(data, text)
    return None


def text_of(result: BaseModel) -> str:
    """The result as it is sent: its JSON, without fields that hold their default."""
    return _json(_data(result))


def _data(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json", exclude_defaults=True)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _sent(data: dict[str, Any], text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def length(result: BaseModel) -> int:
    """Characters of the result as it is sent."""
    return len(text_of(result))


def fits(result: BaseModel) -> bool:
    """Whether the result can be sent whole."""
    return length(result) <= MAX_RESULT


def fitting(items: Sequence[BaseModel], *, room: int, fewest: int = 1) -> int:
    """How many of the first items fit into so many characters; by default at least one, so that a list always ends."""
    taken = 0
    for count, item in enumerate(items):
        taken += length(item) + 1
        if taken > room and count >= fewest:
            return count
    return len(items)


def shortened(result: Result, part: str, *, room: int = MAX_RESULT, counted: str = "omitted") -> Result:
    """The result with as many of the first items of one list as fit into so many characters.

    How many are left out is added to the field `counted`, if one is named.
    """
    if length(result) <= room:
        return result
    items = getattr(result, part)
    bare = result.model_copy(update={part: []})
    kept = fitting(items, room=room - length(bare) - _SLACK)
    count = {counted: getattr(result, counted) + len(items) - kept} if counted else {}
    return bare.model_copy(update={part: items[:kept], **count})


def page_of(
    values: Sequence[T], shape: Callable[[T], Item], cursor: str, of: str, *, limit: int, room: int, fewest: int = 1
) -> tuple[list[Item], str]:
    """The part of the list that a cursor leads to, in shape, as much as is asked for and fits; and the next cursor.

    It holds the `fewest` whatever room there is; 0 for a page on which something else stands already.
    """
    found = re.fullmatch(rf"{re.escape(of)}-([0-9]{{1,9}})", cursor or f"{of}-0")
    if found is None:
        raise InvalidInput(
            "the cursor is not one of this list; start again without cursor, or use next_cursor as it came"
        )
    start = int(found[1])
    page = [shape(value) for value in values[start : start + limit]]
    page = page[: fitting(page, room=room, fewest=fewest)]
    following = start + len(page)
    return page, f"{of}-{following}" if following < len(values) else ""
