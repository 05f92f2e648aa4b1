"""A document in blocks, as the summaries take them, and blocks in parts, as they are stored, searched and read for
facts.

Blocks and parts end where sentences end (SCM 33); a part stands in one place of the document. Pure; every word of the
document is in exactly one part.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from r_memory.talk.documents.reading.values import TextSection
from r_memory.talk.documents.unwrapping import unwrapped
from r_memory.text.passages import passages
from r_memory.text.sentences import stretches
from r_memory.text.tokens import count

BLOCK_TOKENS = 3000
MEETING_TOKENS = 2800
"""As in SCM's code: books, and meetings, whose prompts carry a theme as well."""
PART_TOKENS = 400
PART_CHARS = 4000
"""Below what one utterance may have, so that each part can be read for facts at once."""
_FILLED = 1 / 3
"""Share of a part from which it rather ends with a paragraph than later."""
_INTRODUCTION = 60
"""Characters of a line without a full stop, such as `Allergies:`, that belongs to what follows it."""
_INTRODUCTIONS = 2
"""Such lines that may follow one another."""
_STOPPED = re.compile(r"[.!?…。！？][\"'”’)\]」』]*\s*$")  # noqa: RUF001 - full-width and typographic marks are meant
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A few sentences that stand together in one place."""

    text: str
    page: int = 0
    heading: str = ""
    line: int = 1
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What is summarised at once."""

    parts: tuple[DocumentPart, ...]
    forced: bool = False
    """It ends or begins within a sentence that is longer than a block."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(part.text for part in self.parts)

    @property
    def tokens(self) -> int:
        """Its length."""
        return sum(part.tokens for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a piece of one that is too long for a part."""

    text: str
    tokens: int
    section: TextSection
    line: int


@dataclass(slots=True)
class _Sentence:
    pieces: list[_Piece]
    forced: bool = False
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = sum(piece.tokens for piece in self.pieces)


def blocks(
    sections: Sequence[TextSection], *, block_tokens: int = BLOCK_TOKENS, part_tokens: int = PART_TOKENS
) -> tuple[Block, ...]:
    """The document in blocks of at most so many tokens, each of whole sentences.

    A sentence longer than a block is cut at its best pauses, and its blocks say so.

    >>> found = blocks([TextSection(text="One here. Two here. Three here.")], block_tokens=8)
    >>> [block.text for block in found]
    ['One here. Two here. ', 'Three here.']
    """
    return tuple(_packed(_sentences(sections, block_tokens), block_tokens, part_tokens))


def _packed(sentences: Iterable[_Sentence], block_tokens: int, part_tokens: int) -> Iterator[Block]:
    held: list[_Sentence] = []
    tokens = 0
    for sentence in sentences:
        if held and tokens + sentence.tokens > block_tokens:
            yield _block(held, part_tokens)
            held, tokens = [], 0
        held.append(sentence)
        tokens += sentence.tokens
    if held:
        yield _block(held, part_tokens)


def _block(sentences: Sequence[_Sentence], part_tokens: int) -> Block:
    pieces = [piece for sentence in sentences for piece in sentence.pieces]
    return Block(parts=tuple(_parts(pieces, part_tokens)), forced=any(sentence.forced for sentence in sentences))


def _parts(pieces: Sequence[_Piece], part_tokens: int) -> Iterator[DocumentPart]:
    held: list[_Piece] = []
    tokens = chars = 0
    for piece in pieces:
        if held and held[-1].section is not piece.section:
            yield _part(held)
            held, tokens, chars = [], 0, 0
        while held and (tokens + piece.tokens > part_tokens or chars + len(piece.text) > PART_CHARS):
            at = _end(held)
            yield _part(held[:at])
            held = held[at:]
            tokens, chars = sum(one.tokens for one in held), sum(len(one.text) for one in held)
        held.append(piece)
        tokens, chars = tokens + piece.tokens, chars + len(piece.text)
    if held:
        yield _part(held)


def _end(held: Sequence[_Piece]) -> int:
    """How many of the pieces make a part: up to the last paragraph, and never up to a line that introduces the next."""
    for at in range(len(held), max(int(len(held) * _FILLED), 1), -1):
        if _BLANK_LINE.search(held[at - 1].text) and not _introduces(held[at - 1]):
            return at
    # Several short lines in a row are a list, and introduce nothing.
    for at in range(len(held), max(len(held) - _INTRODUCTIONS, 1) - 1, -1):
        if not _introduces(held[at - 1]):
            return at
    return len(held)


def _introduces(piece: _Piece) -> bool:
    bare = piece.text.strip()
    if bare.endswith((":", "：")):  # noqa: RUF001 - the full-width colon is meant
        return True
    return len(bare) < _INTRODUCTION and "\n" in piece.text and not _STOPPED.search(bare)


def _part(pieces: Sequence[_Piece]) -> DocumentPart:
    first = pieces[0]
    return DocumentPart(
        text="".join(piece.text for piece in pieces),
        page=first.section.page,
        heading=first.section.heading,
        line=first.line,
        tokens=sum(piece.tokens for piece in pieces),
    )


def _sentences(sections: Iterable[TextSection], block_tokens: int) -> Iterator[_Sentence]:
    for section in sections:
        start, line = 0, section.line
        for text in stretches(unwrapped(section.text)):
            if text.strip():
                yield from _cut(text, section, line, block_tokens)
            # Counted in the words as they stood: wrapped lines count as well.
            line += section.text.count("\n", start, start + len(text))
            start += len(text)


def _cut(text: str, section: TextSection, line: int, block_tokens: int) -> Iterator[_Sentence]:
    tokens = count(text)
    if tokens <= block_tokens:
        yield _Sentence([_Piece(one, count(one), section, line) for one in _slices(text, PART_CHARS)])
        return
    # So many characters as make a block of this very text, with some room to spare.
    size = max(int(len(text) * block_tokens / tokens * 0.8), 1)
    for one in _slices(text, min(size, PART_CHARS)):
        yield _Sentence([_Piece(one, count(one), section, line)], forced=True)


def _slices(text: str, size: int) -> Iterator[str]:
    if len(text) <= size:
        yield text
        return
    for span in passages(text, size):
        yield text[span.start : span.end]
