"""The clauses of a sentence: the stretches of words within which a denial, an end or a tolerance is said of a thing.

Pure; knows marks, conjunctions, and how a clause of its own begins. What a cue means stands in `context.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HARD = frozenset({".", "!", "?", ";", "(", ")", "[", "]", '"', "-", ">", "…", "\n"})
"""Marks behind which a clause begins."""
_OPENING = frozenset({"(", "[", '"'})
"""Marks that begin a clause and belong to it."""
_COMMA = ","


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseWords:
    """The words of one language that divide sentences into clauses."""

    breaks: frozenset[str]
    """Conjunctions that always begin a clause: "but"."""
    joiners: frozenset[str]
    """Conjunctions that join clauses or words: "and"."""
    subjects: frozenset[str]
    verbs: frozenset[str]
    negators: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Words `first` to `end` (excluded) of a sentence."""

    first: int
    end: int
    joined: bool
    """Whether it follows a comma or a conjunction; false behind another mark and at the start."""


@dataclass(frozen=True, slots=True)
class _Piece:
    first: int
    end: int
    mark: str
    """What it begins with: a comma, a joiner or a break; empty behind another mark."""


def clauses(words: Sequence[str], known: ClauseWords) -> tuple[Clause, ...]:
    """Returns the clauses of a sentence, in order; together they hold all its words.

    A comma or "and" begins a clause if a subject, a verb or a denial follows, and if more than a name stands before it
    ("Ibuprofen, I never could" is one clause).
    """
    found: list[Clause] = []
    for piece in _pieces(words, known):
        if found and piece.mark and not _begins(words, found[-1], piece, known):
            found[-1] = Clause(first=found[-1].first, end=piece.end, joined=found[-1].joined)
        else:
            found.append(Clause(first=piece.first, end=piece.end, joined=bool(piece.mark)))
    return tuple(found)


def _pieces(words: Sequence[str], known: ClauseWords) -> Iterator[_Piece]:
    first, mark = 0, ""
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        opened = at > first
        if (before in _HARD and word not in _HARD and opened) or (word in _OPENING and opened):
            yield _Piece(first, at, mark)
            first, mark = at, ""
        elif (word in known.breaks or word in known.joiners or before == _COMMA) and opened:
            if before in known.breaks | known.joiners and words[first] == before:
                continue  # "and because"
            yield _Piece(first, at, mark)
            first, mark = at, word if word in known.breaks | known.joiners else _COMMA
    if first < len(words):
        yield _Piece(first, len(words), mark)


def _begins(words: Sequence[str], before: Clause, piece: _Piece, known: ClauseWords) -> bool:
    """Whether the piece begins a clause of its own."""
    if piece.mark in known.breaks:
        return True
    said = [word for word in words[piece.first : piece.end] if word not in known.joiners and word[0].isalnum()]
    told = [word for word in words[before.first : before.end] if word[0].isalnum()]
    if not said or not told:
        return False
    if said[0] in known.negators:
        return len(said) > 1
    own = said[0] in known.subjects or any(_is_verb(word, known) for word in said)
    if not own:
        return False
    if all(word in known.negators for word in told):
        return True  # "No, it was taken out"
    whole = any(word in known.subjects or word in known.negators or _is_verb(word, known) for word in told)
    return whole or (piece.mark == _COMMA and said[0] not in known.subjects and not _is_verb(said[0], known))


def _is_verb(word: str, known: ClauseWords) -> bool:
    return word in known.verbs or (len(word) > 4 and word.endswith("ed"))
