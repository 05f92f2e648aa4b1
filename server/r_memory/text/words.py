"""Words of a text, as all readers share them.

Knows how words are compared, not what they mean; `cutting.py` knows how they are cut. Offsets are those of the given
text, and nothing of it is kept.
"""

import re
from dataclasses import dataclass

from r_memory.text.cutting import pieces

_SHORT_FORMS = {
    "n't": "not",
    "nt": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "w/": "with",
    "w/o": "without",
}
_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or a mark."""

    word: str
    """In small letters, short forms written out: `n't` is `not`."""
    start: int
    end: int
    capital: bool
    """Begins with a capital as written."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a short text of our own, such as a cue."""
    return tuple(token.word for token in tokens_of(text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """Tokens without spaces; a line break is one."""
    cut = tuple(pieces(text))
    words = [_word(text) for text, _ in cut]
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        if following == "not" and word in _BEFORE_NOT:
            words[index] = _BEFORE_NOT[word]
        elif word == "i" and following == "m":
            words[index + 1] = "am"
    return tuple(
        Token(word=word, start=start, end=start + len(text), capital=text[:1].isupper())
        for word, (text, start) in zip(words, cut, strict=True)
    )


def _word(text: str) -> str:
    if "\n" in text:
        return "\n\n" if re.search(r"\n[^\S\n]*\n", text) else "\n"
    lower = text.lower()
    return _SHORT_FORMS.get(lower, lower)
