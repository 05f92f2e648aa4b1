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


class UnknownKey(InvalidInput):
    """The API key is none of those that may use the proxy."""


def caller_of(authorization: str, keys: Sequence[CallerKey]) -> CallerKey | None:
    """Who calls; `None` where the proxy asks for no key.

    Raises:
        UnknownKey: keys are asked for, and this is none of them.
    """
    if not keys:
        return None
    hashed = hash_of(authorization.removeprefix("Bearer ").removeprefix("bearer ").strip())
    found = next((key for key in keys if hmac.compare_digest(key.sha256, hashed)), None)
    if found is None:
        raise UnknownKey("the API key is none of those that gates.yaml names; add its sha256 under `keys`")
    return found


def subject_of(headers: Sequence[str], metadata: object, caller: CallerKey | None, single: str) -> str:
    """Whom a request is about: as the header, the metadata and the caller's key say, who must agree.

    Raises:
        SubjectRequired: nobody says it, and the installation has many.
        InvalidInput: two are named.
    """
    said = [*headers, field_of(metadata, SUBJECT_FIELD), caller.subject if caller else ""]
    named = dict.fromkeys(one.strip() for one in said if one.strip())
    if len(named) > 1:
        raise InvalidInput("the request names two subjects; name one, in one place")
    if not named and not single:
        raise SubjectRequired(
            f"whom is this about? Send the header {SUBJECT_HEADER}, or `{SUBJECT_FIELD}` in `metadata`, or name the "
            "subject of this API key in gates.yaml, or set single_subject"
        )
    return next(iter(named), single)[:_LONGEST]


def field_of(metadata: object, name: str) -> str:
    """A text of the request's metadata; empty where there is none."""
    value: Any = metadata.get(name) if isinstance(metadata, Mapping) else None
    return value[:_LONGEST] if isinstance(value, str) else ""
