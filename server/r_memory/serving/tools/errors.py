"""What goes wrong, as the model that called reads it: the one place where errors become tool errors.

An error of `RMemoryError` keeps its message; all others stay without text, so that nothing leaks.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from r_memory.errors import FactMoved, InvalidInput, NotStored, RMemoryError, SubjectTaken, SubjectUnknown
from r_memory.text.inert import without_secrets
from r_memory.text.unavailable import REASON_LIMIT, UNAVAILABLE

_MISTAKES_SHOWN = 8


def reading(ask: str) -> AbstractContextManager[None]:
    """Whatever keeps memory from being read becomes the sentence, ended by `ask`; bad input keeps its own message."""
    return saying(f"{UNAVAILABLE}: {{}}. {ask}".rstrip())


def writing() -> AbstractContextManager[None]:
    """Makes tool errors of what keeps words from being stored: each says that nothing was stored."""
    sentence = "Nothing was stored: {}. Keep the statement in view and call again with the same text."
    return saying(sentence, own_words=(InvalidInput, NotStored), declares=True)


@contextmanager
def saying(
    sentence: str, *, own_words: tuple[type[RMemoryError], ...] = (InvalidInput,), declares: bool = False
) -> Iterator[None]:
    """What keeps a call from being carried out is said: bad input in its own words, all else as the sentence.

    Args:
        sentence: holds `{}` for the reason.
        own_words: errors that say themselves what became of the call.
        declares: whether the call may name somebody new.

    Raises:
        ToolError: with the way out.
    """
    try:
        yield
    except own_words as error:
        raise ToolError(message_of(error, declares=declares)) from error
    except RMemoryError as error:
        raise ToolError(sentence.replace("{}", without_secrets(str(error), REASON_LIMIT))) from error


def invalid_arguments(error: ValidationError) -> ToolError:
    """Which arguments are wrong and why, without the values that were given."""
    mistakes = error.errors(include_url=False, include_input=False, include_context=False)
    places = [".".join(map(str, mistake["loc"])) for mistake in mistakes[:_MISTAKES_SHOWN]]
    told = "; ".join(f"{place}: {mistake['msg']}" for place, mistake in zip(places, mistakes, strict=False))
    return ToolError(f"Invalid arguments. {told}. Call again with what the input schema allows.")


def message_of(error: RMemoryError, *, declares: bool = False) -> str:
    """The error as a sentence, ended by what a caller of a tool can do; only one that `declares` may name somebody new.

    >>> message_of(SubjectUnknown("no Patient has the id or name 'X'"))
    "no Patient has the id or name 'X'; call again with a known id or exact name."
    """
    message = "; ".join(filter(None, (str(error), _way_out(error, declares=declares))))
    return message if message.endswith(".") else message + "."


def _way_out(error: RMemoryError, *, declares: bool) -> str:
    if isinstance(error, SubjectUnknown):
        new = "; to declare a new one, give its id as subject and its name as subject_name" if declares else ""
        return f"call again with a known id or exact name{new}"
    if isinstance(error, FactMoved):
        return (
            "read it again (memory_list_facts with this fact_id), and call again with the new version if it still holds"
        )
    if isinstance(error, SubjectTaken):
        ids = json.dumps(error.candidates, ensure_ascii=False)
        other = f"give another_than {ids}" if error.may_share else "give an id and a fuller name that nobody has"
        return f"if one of them is meant, call again with that id and no subject_name; if somebody else is, {other}"
    return ""
