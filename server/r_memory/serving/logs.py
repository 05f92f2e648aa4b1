"""How a serving process logs: on standard error, a constant message with its facts beside it, and nobody's words.

Texts of exceptions are left out, since drivers put values and addresses into them; types and places stay.
"""

import logging
import traceback
from collections.abc import Iterator
from types import TracebackType

from typing_extensions import override

from r_memory.errors import ConfigurationError, StoreError

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def log_to_standard_error() -> None:
    """Sends all warnings and our own information to standard error; replaces earlier logging settings."""
    handler = logging.StreamHandler()
    handler.setFormatter(WordlessFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("r_memory").setLevel(logging.INFO)
    # At INFO the SDK logs the texts of tool errors.
    logging.getLogger("mcp").setLevel(logging.WARNING)


class WordlessFormatter(logging.Formatter):
    """Formats the message with the facts in `extra`; of an exception only its type and place."""

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        """Returns the message followed by its facts."""
        facts = "".join(f" {name}={value!r}" for name, value in vars(record).items() if name not in _PLAIN)
        return super().formatMessage(record) + facts

    @override
    def formatException(self, ei: _Raised) -> str:
        """Returns the types and places of an exception and its causes, the first cause first."""
        return "" if ei[1] is None else "\n".join(_skeleton(ei[1]))


def _skeleton(error: BaseException) -> Iterator[str]:
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None:
        yield from _skeleton(earlier)
        yield "which led to"
    # Errors of these two kinds promise a message without words and secrets.
    message = f": {error}" if isinstance(error, StoreError | ConfigurationError) else ""
    yield type(error).__qualname__ + message
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _skeleton(inner)
