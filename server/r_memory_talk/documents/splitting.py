"""A document in blocks, as summaries take them, and blocks in parts, as they are stored, searched and read for facts.

Blocks and parts end where sentences end (SCM 33); a part stands in one place of the document. Pure; every word of the
document is in exactly one part.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.documents import TextSection
from r_memory.text.sentences import passages, stretches
from r_memory.text.tokens import count

BLOCK_TOKENS = 3000
MEETING_TOKENS = 2800
"""As in SCM's code, for books, and for meetings, whose prompts include a theme."""
PART_TOKENS = 400
PART_CHARS = 4000
"""Fewer than an utterance may have, so that each part can be read for facts at once."""
_FILLED = 1 / 3
"""Share of a part from which it ends with a paragraph."""
_INTRODUCTION = 60
"""Characters of a line without a full stop, such as `Allergies:`, that belongs to the next line."""
_INTRODUCTIONS = 2
"""Number of successive lines of that kind."""
_STOPPED = re.compile(r"[.!?…。！？][\"'”’)\]」』]*\s*$")  # noqa: RUF001 - full-width and typographic marks are meant
_NARROWEST = 40
"""Characters of a paragraph's widest line below which it is not wrapped."""
_FULL = 0.95
"""Share of the widest line from which a line is full, as printed letters differ in width."""
_ITEM = re.compile(r"\s*(?:[-*•#>|+]|\d{1,3}[.)]\s|[^\W\d_][\w ]{0,30}:\s)")
"""The beginning of a list or table entry, a heading, or `Name: `."""
_COLUMNS = re.compile(r"\S(?:\t| {3,})\S|[\[(][ xX]?[\])]")
"""What a row of a table or a line of a form holds: columns or boxes."""
_ENDED = re.compile(r"[.!?…:;。！？：；][\"'”’)\]」』]*$")  # noqa: RUF001 - full-width and typographic marks are meant
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Text that is summarised at once."""

    parts: tuple[TextSection, ...]
    forced: bool = False
    """It starts or ends within a sentence that is longer than a block."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class _SplitPiece:
    """A sentence, or a piece of a sentence that is too long for a part."""

    text: str
    tokens: int
    section: TextSection
    line: int
    forced: bool = False
    """It belongs to a sentence longer than a block."""


def blocks(
    sections: Sequence[TextSection], *, block_tokens: int = BLOCK_TOKENS, part_tokens: int = PART_TOKENS
) -> tuple[Block, ...]:
    """Returns the document in blocks of at most `block_tokens` tokens, each of whole sentences.

    A sentence longer than a block is cut at its best pauses; `forced` marks these blocks.

    >>> found = blocks([TextSection(text="One here. Two here. Three here.")], block_tokens=8)
    >>> [block.text for block in found]
    ['One here. Two here. ', 'Three here.']
    """
    numbers = itertools.count(1)
    packed = _packed(_sentences(sections, block_tokens), block_tokens)
    return tuple(
        Block(
            parts=tuple(replace(part, number=next(numbers)) for part in _parts(pieces, part_tokens)),
            forced=any(piece.forced for piece in pieces),
        )
        for pieces in packed
    )


def _packed(sentences: Iterable[Sequence[_SplitPiece]], block_tokens: int) -> Iterator[Sequence[_SplitPiece]]:
    held: list[_SplitPiece] = []
    for sentence in sentences:
        if held and _tokens(held) + _tokens(sentence) > block_tokens:
            yield held
            held = []
        held += sentence
    if held:
        yield held


def _tokens(pieces: Iterable[_SplitPiece]) -> int:
    return sum(piece.tokens for piece in pieces)


def _parts(pieces: Sequence[_SplitPiece], part_tokens: int) -> Iterator[TextSection]:
    held: list[_SplitPiece] = []
    tokens = chars = 0
    for piece in pieces:
        if held and held[-1].section is not piece.section:
            yield _part(held)
            held, tokens, chars = [], 0, 0
        while held and (tokens + piece.tokens > part_tokens or chars + len(piece.text) > PART_CHARS):
            at = _end(held)
            yield _part(held[:at])
            held = held[at:]
            tokens, chars = _tokens(held), sum(len(item.text) for item in held)
        held.append(piece)
        tokens, chars = tokens + piece.tokens, chars + len(piece.text)
    if held:
        yield _part(held)


def _end(held: Sequence[_SplitPiece]) -> int:
    """Returns how many pieces make a part: up to the last paragraph, and not up to a line that introduces the next."""
    for at in range(len(held), max(int(len(held) * _FILLED), 1), -1):
        if _BLANK_LINE.search(held[at - 1].text) and not _introduces(held[at - 1]):
            return at
    # Several short lines in a row are a list, and introduce nothing.
    for at in range(len(held), max(len(held) - _INTRODUCTIONS, 1) - 1, -1):
        if not _introduces(held[at - 1]):
            return at
    return len(held)


def _introduces(piece: _SplitPiece) -> bool:
    bare = piece.text.strip()
    if bare.endswith((":", "：")):  # noqa: RUF001 - the full-width colon is meant
        return True
    return len(bare) < _INTRODUCTION and "\n" in piece.text and not _STOPPED.search(bare)


def _part(pieces: Sequence[_SplitPiece]) -> TextSection:
    return replace(pieces[0].section, text="".join(piece.text for piece in pieces), line=pieces[0].line)


def _sentences(sections: Iterable[TextSection], block_tokens: int) -> Iterator[Sequence[_SplitPiece]]:
    for section in sections:
        start, line = 0, section.line
        for text in stretches(unwrapped(section.text)):
            if text.strip():
                yield from _pieces(text, section, line, block_tokens)
            # Counted in the words as they stood: wrapped lines count as well.
            line += section.text.count("\n", start, start + len(text))
            start += len(text)


def _pieces(text: str, section: TextSection, line: int, block_tokens: int) -> Iterator[Sequence[_SplitPiece]]:
    """Yields a sentence in pieces that fit into a part; pieces of one longer than a block may be separated."""
    tokens, size = count(text), PART_CHARS
    if forced := tokens > block_tokens:
        # So many characters as make a block of this very text, with some room to spare.
        size = min(size, max(int(len(text) * block_tokens / tokens * 0.8), 1))
    cut = [text[span.start : span.end] for span in passages(text, size)]
    pieces = [_SplitPiece(item, count(item), section, line, forced=forced) for item in cut]
    yield from [[piece] for piece in pieces] if forced else [pieces]


def unwrapped(text: str) -> str:
    """Returns the text with a space for each line end inside a sentence where the line was full.

    >>> unwrapped("The patient has been severely allergic to\\nPenicillin since 2019.\\nNo latex.")
    'The patient has been severely allergic to Penicillin since 2019.\\nNo latex.'
    """
    parts: list[str] = []
    for words, lines in itertools.groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        found = list(lines)
        parts += _joined(found) if words else found
    return "\n".join(parts)


def _joined(lines: Sequence[str]) -> list[str]:
    width = max(map(len, lines))
    found = [lines[0]]
    for before, line in itertools.pairwise(lines):
        if width >= _NARROWEST and _goes_on(before.rstrip(), line, width):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return found


def _goes_on(before: str, line: str, width: int) -> bool:
    """Whether a line continues the one before.

    The line before has no ending mark, and this line's first word did not fit there or is in small letters.
    """
    first = re.search(r"\S+", line)
    if _COLUMNS.search(before.strip()) or _COLUMNS.search(line.strip()):
        return False
    if first is None or _ENDED.search(before) or _ITEM.match(line):
        return False
    if first.group()[0].islower() and len(before) > width // 2:
        return True
    return len(before) + 1 + len(first.group()) > _FULL * width
