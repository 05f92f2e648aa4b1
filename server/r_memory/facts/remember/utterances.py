"""What may be stored as an utterance, and under which id, so that a repeated call stores nothing twice.

Knows text and keys; neither extraction nor storage.
"""

import uuid

from r_memory.domain.events import Role
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import InvalidInput

_EPISODE_NAMESPACE = uuid.UUID("0b1c4f7e-53d5-5a0e-8c7a-2f3f8a6f9d11")


def checked_text(text: str, *, limit: int) -> str:
    """The text, if it can be stored verbatim.

    Raises:
        InvalidInput: empty, longer than `limit` characters, or holding NUL or a lone surrogate, which no store keeps.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"the text is a {type(text).__name__}; give the words that were said, as text")
    if not text.strip():
        raise InvalidInput("the text is empty; give the words that were said")
    if len(text) > limit:
        raise InvalidInput(f"the text has {len(text)} characters, at most {limit} are taken; split it at sentences")
    for position, character in enumerate(text):
        if character == "\x00" or "\ud800" <= character <= "\udfff":
            kind = "a NUL character" if character == "\x00" else "half of a surrogate pair"
            raise InvalidInput(f"the text holds {kind} at position {position}; remove it and send the text again")
    return text


def episode_id(
    *,
    subject_uid: str,
    conversation: str,
    role: Role,
    speaker: str,
    text: str,
    key: str,
    said_at: Instant,
    changed_seq: int,
) -> str:
    """A key of the caller's own decides alone; without one, the same words said by the same person on the same day.

    `changed_seq` (of the subject's chain) is part of it, so that words repeated after a person changed a fact are
    heard again.
    """
    if key:
        said = [subject_uid, "key", key]
    else:
        said = [subject_uid, conversation, role, speaker, text, iso_day(said_at), str(changed_seq)]
    return str(uuid.uuid5(_EPISODE_NAMESPACE, "\x1f".join(said)))
