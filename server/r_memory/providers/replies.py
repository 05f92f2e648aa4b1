"""The object in a model's answer: strict first, then what stands between the outermost braces, mended once.

Knows JSON and the habits of models; nothing of what the object should say.
"""

import json
from collections.abc import Iterator, Mapping

import json_repair

from r_memory.errors import BadReply

MENDED = 4_000
"""Most characters of an answer that is repaired; repair time is quadratic, here at worst 0.6 s (json-repair 0.64)."""


def object_in(text: str) -> tuple[Mapping[str, object], bool]:
    """Returns the JSON object of an answer, without text around it, and whether it was repaired.

    The object is never completed, as the missing part may be a fact or its denial.

    Raises:
        BadReply: there is no object, or it is truncated.

    >>> object_in('Sure! ```json\\n{"facts": [],}\\n```')
    ({'facts': []}, True)

    Raises:
        BadReply: there is none, or it breaks off: what is missing may be a fact, or its denial.
    """
    for attempt, mended in _attempts(text):
        if isinstance(attempt, dict):
            return attempt, mended
    raise BadReply("the model answered with no JSON object; try a model that follows instructions", said=text)


def _attempts(text: str) -> Iterator[tuple[object, bool]]:
    yield _strict(text), False
    start = text.find("{")
    if start < 0:
        return
    inner = text[start : text.rfind("}") + 1] or text[start:]
    yield _strict(inner), False
    if _breaks_off(text[start:]):
        raise BadReply("the model's answer breaks off in the middle; use a model that keeps to a form", said=text)
    if len(inner) > MENDED:
        return
    try:
        yield json_repair.loads(inner, skip_json_loads=True), True
    except (ValueError, RecursionError):
        return


def _strict(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _breaks_off(text: str) -> bool:
    """Whether the object at the beginning of a text is never closed.

    >>> _breaks_off('{"facts": [{"object": "latex"'), _breaks_off('{"facts": [{"object": "{"},]} Done.')
    (True, False)
    """
    open_brackets, in_text, escaped = 0, False, False
    for sign in text:
        if in_text:
            in_text = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            in_text = True
        elif sign in "{[":
            open_brackets += 1
        elif sign in "}]":
            open_brackets -= 1
            if not open_brackets:
                return False
    return True
