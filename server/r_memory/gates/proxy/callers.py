"""Who calls, and whom a request is about. Pure."""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from r_memory.config.access_tokens import hash_of
from r_memory.domain.gates import CallerKey
from r_memory.errors import InvalidInput, SubjectRequired

SUBJECT_HEADER = "x-r-memory-subject"
CONVERSATION_HEADER = "x-r-memory-conversation"
SPEAKER_HEADER = "x-r-memory-speaker"
OWN_HEADERS = frozenset({SUBJECT_HEADER, CONVERSATION_HEADER, SPEAKER_HEADER})
SUBJECT_FIELD, CONVERSATION_FIELD = "r_memory_subject", "r_memory_conversation"
_LONGEST = 200


def caller_of(authorization: str, keys: Sequence[CallerKey]) -> CallerKey | None:
    """Returns the caller of a key; `None` if the key is missing or unknown."""
    hashed = hash_of(authorization.removeprefix("Bearer ").removeprefix("bearer ").strip())
    return next((key for key in keys if hmac.compare_digest(key.sha256, hashed)), None)


def subject_of(headers: Sequence[str], metadata: object, caller: CallerKey | None, single: str) -> str:
    """Returns the subject of a request, from headers, metadata or the caller's key.

    Raises:
        SubjectRequired: none is given, and the installation has several subjects.
        InvalidInput: two different subjects are given.
    """
    said = [*headers, field_of(metadata, SUBJECT_FIELD), caller.subject if caller else ""]
    named = dict.fromkeys(text.strip() for text in said if text.strip())
    if len(named) > 1:
        raise InvalidInput("the request names two subjects; name one, in one place")
    if not named and not single:
        raise SubjectRequired(
            f"whom is this about? Send the header {SUBJECT_HEADER}, or `{SUBJECT_FIELD}` in `metadata`, or name the "
            "subject of this API key in gates.yaml, or set single_subject"
        )
    return next(iter(named), single)[:_LONGEST]


def field_of(metadata: object, name: str) -> str:
    """Returns a text field of the request's metadata; empty if there is none."""
    value: Any = metadata.get(name) if isinstance(metadata, Mapping) else None
    return value[:_LONGEST] if isinstance(value, str) else ""
