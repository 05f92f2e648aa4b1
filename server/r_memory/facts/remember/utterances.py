"""Utterances of a text (speaker, words, position), which of them can be stored, and their ids and keys.

An utterance is short enough to be read at once; a repeated call stores nothing twice. Pure; nothing is stored here.
"""

import hashlib
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from r_memory.domain.corrections import Doubted
from r_memory.domain.events import Episode, Role
from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Claim, Remembered
from r_memory.protocols import Turn
from r_memory.text.sentences import ends_sentences, goes_on, passages

_ZONES_MS = 86_400_000
"""How far a caller's clock may be ahead of this machine's, in milliseconds; a day covers all time zones."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_EPISODE_NAMESPACE = uuid.UUID("0b1c4f7e-53d5-5a0e-8c7a-2f3f8a6f9d11")


def checked_text(text: str, *, limit: int) -> str:
    """The text, if it can be stored verbatim.

    Raises:
        InvalidInput: it is empty, longer than `limit` characters, or contains NUL or a lone surrogate.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"the text is a {type(text).__name__}; give the words that were said, as text")
    if not text.strip():
        raise InvalidInput("the text is empty; give the words that were said")
    if len(text) > limit:
        raise InvalidInput(f"the text has {len(text)} characters, at most {limit} are taken; split it at sentences")
    if broken := _UNSTORABLE.search(text):
        kind = "a NUL character" if broken[0] == "\x00" else "half of a surrogate pair"
        raise InvalidInput(f"the text holds {kind} at position {broken.start()}; remove it and send the text again")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A checked utterance about one subject, ready to be remembered."""

    text: str
    subject: Entity
    role: Role = "user"
    speaker: str = ""
    conversation: str = ""
    key: str = ""
    """The caller's idempotency key."""
    said_at: Instant | None = None
    """`None` means now."""
    claims: tuple[Claim, ...] | None = None
    """Facts that the caller read in the text; empty if it states nothing, `None` if the caller did not read it."""
    is_request: bool = False
    """Whether the words are a request to a model, which usually states nothing."""
    whole: bool = True
    """Whether the caller's reading covers all of the words."""
    doubted: tuple[Doubted, ...] = ()
    """Sentences that take back recorded facts."""
    standing: frozenset[tuple[str, str]] = frozenset()
    """Relation and thing of each active critical fact on record; filled in where a claim is an absence."""
    before: tuple[Turn, ...] | None = None
    """The turns before, oldest first; `None` uses those of the stored conversation."""

    def __post_init__(self) -> None:
        named = {"speaker": self.speaker, "conversation_id": self.conversation, "idempotency_key": self.key}
        for name, value in named.items():
            if not isinstance(value, str):
                raise InvalidInput(f"{name} is a {type(value).__name__}; give text, or leave it out")

    def episode(self, *, now: Instant, changed_seq: int) -> Episode:
        """The episode of these words; its first reading counts as begun.

        Its id is made of the caller's key, or without a key of the words, the speaker and the day. `changed_seq` (of
        the subject's chain) is part of the id, so that the same words are read again after a person changed a fact.
        """
        said_at = now if self.said_at is None else self.said_at
        if said_at > now + _ZONES_MS:
            raise InvalidInput(f"nobody said anything on {iso_day(said_at)} yet; give the time at which it was said")
        speaker = self.speaker or self.role
        place = (self.conversation, self.role, speaker, self.text, iso_day(said_at), str(changed_seq))
        same = ("key", self.key) if self.key else place
        return Episode(
            id=str(uuid.uuid5(_EPISODE_NAMESPACE, "\x1f".join((self.subject.uid, *same)))),
            space=self.subject.space,
            subject_uid=self.subject.uid,
            conversation=self.conversation,
            speaker=speaker,
            role=self.role,
            text=self.text,
            said_at=said_at,
            recorded_at=now,
            attempts=1,
        )


Form = Literal["dialogue", "lines", "whole"]
"""Form of a text: turns that begin with the speaker (`doctor: ...`), one utterance a line, or one speaker
throughout.
"""

_SAID_BY = re.compile(r"\s*(?P<speaker>[^\W\d_][\w-]{0,31})\s*:\s*(?P<text>.*)", re.DOTALL)
_ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextUtterance:
    """An utterance of a text."""

    text: str
    start: int
    """Position in the text, in characters."""
    line: int
    """Line number, from 1."""
    speaker: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceResult:
    """The result of one utterance of a text."""

    spoken: TextUtterance
    remembered: Remembered


def utterances(
    text: str, *, form: Form = "dialogue", speaker: str = "", role: Role = "user", size: int
) -> tuple[TextUtterance, ...]:
    """Every utterance in order, of at most `size` characters; longer ones go on in the next, cut where one pauses.

    In a dialogue, a line that does not begin with who speaks goes on with the speaker before it, and what an
    `assistant:` says has that role and is no evidence.

    >>> text = "doctor: Any allergies?\\npatient: To latex."
    >>> [(said.speaker, said.text, said.start) for said in utterances(text, size=100)]
    [('doctor', 'Any allergies?', 8), ('patient', 'To latex.', 32)]
    """
    if form == "whole":
        said: Iterable[TextUtterance] = (TextUtterance(text=text, start=0, line=1, speaker=speaker, role=role),)
    else:
        lines = _lines(text, speaker, role)
        said = _dialogue(lines) if form == "dialogue" else _unwrapped(lines, text)
    return tuple(part for whole in said for part in _parts(whole, size))


def checked(spoken: Sequence[TextUtterance], *, limit: int) -> Sequence[TextUtterance]:
    """The utterances, if all of them can be stored.

    Raises:
        InvalidInput: there is no utterance, or one cannot be stored; the message names its line.
    """
    if not spoken:
        raise InvalidInput("the text is empty; give the words that were said")
    for said in spoken:
        try:
            checked_text(said.text, limit=limit)
        except InvalidInput as error:
            raise InvalidInput(f"line {said.line}: {error}" if len(spoken) > 1 else str(error)) from error
    return spoken


def keys(spoken: Sequence[TextUtterance], *, text: str, key: str, form: Form) -> Iterator[str]:
    """Idempotency key of each utterance; with these keys an interrupted text is continued and nothing is stored twice.

    A single utterance has the caller's key. Without a caller's key, the key is made of the text and the position,
    because two questions may have the same answer; lines without a speaker need no key. The first part of an utterance
    has the caller's own key, so that other words under this key are rejected however long either text is.
    """
    if len(spoken) == 1 or (not key and form == "lines"):
        yield from (key for _ in spoken)
        return
    whole = key or _digest(text)
    line = 0
    for place, said in enumerate(spoken):
        if key and form == "whole" and not place:
            yield key
            continue
        yield f"{whole}#{said.line}" if said.line != line else f"{whole}#{said.line}+{said.start}"
        line = said.line


def transcript_id(text: str, form: Form) -> str:
    """Name of the conversation of a text that has none of its own, so that a later reading finds its place."""
    return "" if form == "lines" else f"transcript-{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def before(spoken: Sequence[TextUtterance], position: int, *, turns: int) -> tuple[Turn, ...]:
    """The last `turns` utterances before a position, oldest first."""
    earlier = spoken[max(0, position - turns) : position]
    return tuple(Turn(role=said.role, speaker=said.speaker, text=said.text) for said in earlier)


def _lines(text: str, speaker: str, role: Role) -> Iterator[TextUtterance]:
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if line.strip():
            lead = len(line) - len(line.lstrip())
            yield TextUtterance(text=line.strip(), start=start + lead, line=number, speaker=speaker, role=role)
        start += len(line)


def _unwrapped(lines: Iterable[TextUtterance], text: str) -> Iterator[TextUtterance]:
    """The lines, each joined with those in which it continues."""
    prose, whole, line = ends_sentences(text), None, None
    for following in lines:
        if prose and whole and line and goes_on(line.text, following.text):
            whole = replace(whole, text=text[whole.start : following.start + len(following.text)])
        else:
            yield from filter(None, (whole,))
            whole = following
        line = following
    yield from filter(None, (whole,))


def _dialogue(lines: Iterable[TextUtterance]) -> Iterator[TextUtterance]:
    speaker: str | None = None
    role: Role = "user"
    for line in lines:
        said_by = _SAID_BY.fullmatch(line.text)
        if said_by:
            speaker = said_by["speaker"].casefold()
            role = "assistant" if speaker == _ASSISTANT else line.role
            line = replace(line, text=said_by["text"], start=line.start + said_by.start("text"))  # noqa: PLW2901 - less its label
        if line.text:
            yield line if speaker is None else replace(line, speaker=speaker, role=role)


def _parts(said: TextUtterance, size: int) -> Iterator[TextUtterance]:
    if len(said.text) <= size:
        yield said
        return
    for span in passages(said.text, size):
        line = said.line + said.text.count("\n", 0, span.start)
        yield replace(said, text=said.text[span.start : span.end], start=said.start + span.start, line=line)
