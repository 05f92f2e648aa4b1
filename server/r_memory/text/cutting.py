"""Cuts a text into words and marks, for all readers: English spelling, short forms, abbreviations, amounts with units.

A run without blanks loses marks at both ends until the rest is known or has none there; it is then cut at the marks
inside. The time is proportional to the length of the text. It knows how words are compared, not what they mean.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product
from unicodedata import category

_NO_MARK = frozenset("-./@\\%§†‡'\u2019")
"""Punctuation that may be inside a word, or has a rule of its own."""
_FRONT = re.compile(r"\.{2,}|(?:US|C|A)\$|\+(?!\d)|[§%='\u2019]")
_BACK = re.compile(r"(?:\.{2,}|['\u2019][sS]|['\u2019]|(?<=\d)\+|(?<=[^\s.@\\/])\.)\Z")
_LONGEST_ENDING = 8
_LETTER = r"[^\W\d_]"
_UNITS = "%|[mµu]?g|mcg|kg|ml|l|[cdkm]?m|ft|lb|oz|hrs?|h|hours?|days?|units?|iu|percent|[KMGTkmgt][Bb]|[KMT]"
_MARKS_INSIDE = (
    r"\.{2,}|…|->|=>",
    r"[()\[\]{}<>=;!?]",
    r"(?<=\d)[+\-*^](?=[\d-])",
    r"(?<=[a-zß-öø-ÿ'\"])\.(?=[A-ZÀ-ÖØ-Þ'\"])",
    r"(?<=[A-Za-z]{2})[.,:](?=[A-Za-z]{2})",
    rf"(?<={_LETTER}),(?={_LETTER})",
    rf"(?<=[^\W_])(?:-{{1,3}}|\u2013|\u2014{{1,2}}|~)(?={_LETTER})",
    rf"(?<=[^\W_])[:/](?={_LETTER})",
    r"(?<=[A-Za-z])[+*](?=[A-Za-z])",
    r"(?<=[A-Za-z])/(?=[0-9])",
    # "2g", "48hrs": amounts are written without a blank as well.
    rf"(?<=[0-9])(?=(?:{_UNITS})(?![A-Za-z]))",
)
_INSIDE = re.compile(f"({'|'.join(_MARKS_INSIDE)})")

_WHOLE_WORDS = "' '' 's 'd 'm 're 've 'll 'em 'cause a.m. p.m. e.g. i.e. vs. co. and/or w/o ma'am o'clock"
_WHOLE = frozenset(_WHOLE_WORDS.split())
"""Words from which no mark is cut off, in any case."""
_TITLES = "Bros. Co. Corp. Dr. Gen. Gov. Inc. Jr. Ltd. Messrs. Mr. Mrs. Ms. Mt. Prof. Rev. Sen. St."
_MONTHS = "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec."
_ABBREVIATIONS = frozenset(f"{_TITLES} {_MONTHS}".split())


def _joined(*parts: str) -> dict[str, tuple[int, ...]]:
    """All words made of one part of each list, with the lengths of their pieces; `-` stands for no part."""
    choices = product(*(("" if word == "-" else word for word in part.split()) for part in parts))
    return {"".join(pieces): tuple(len(piece) for piece in pieces if piece) for pieces in choices}


_VERBS = "could do does did had may might must need ought should would are is was were have has dare ca sha wo ai"
_OUGHT = "could might must should would not"
_ASKING = "what when why how there these those"
_HOURS = " ".join(map(str, range(25)))
_SHORT_FORMS = {
    **_joined(f"i you he she it we they who where that this {_ASKING}", "'ll 'd 's 're 've 'm", "- 've"),
    **_joined(_VERBS, "n't", "- 've"),
    **_joined(_OUGHT, "'ve"),
    **_joined(_HOURS, "am pm a.m. p.m."),
    **{"".join(two): tuple(map(len, two)) for two in (("let", "'s"), ("y'", "all"), ("c'm", "on"))},
    **{"".join(two): tuple(map(len, two)) for two in (("can", "not"), ("gon", "na"), ("got", "ta"))},
}
"""Short forms in any case, with the lengths of their pieces."""
_UNMARKED = {
    **_joined("i", "m ve d", "- ve"),
    **_joined("he we", "d", "- ve"),
    **_joined(f"you it they who where that this {_ASKING}", "ll d", "- ve"),
    **_joined(f"you we they who where {_ASKING}", "ve"),
    **_joined(f"you they where {_ASKING}", "re"),
    **_joined("he she who what when where why how there that this", "s"),
    **_joined(_VERBS, "nt", "- ve"),
    **_joined(_OUGHT, "ve"),
}
"""The same without the apostrophe, unless that is another word ("well", "its") or, in capitals, an abbreviation (IM,
ID).
"""
_BY_HEART = frozenset({*_WHOLE, *(word.lower() for word in _ABBREVIATIONS), *_SHORT_FORMS, *_UNMARKED})
_LONGEST_KNOWN = 12
_LONGEST = 100
"""Maximum length of a word; functions that compare words by their letters rely on it."""
_SPACE = re.compile(r"\s+|\S+")


def pieces(text: str) -> Iterator[tuple[str, int]]:
    """Words and marks with their positions; blanks are left out, except those that hold the end of a line."""
    for run in _SPACE.finditer(text):
        start, words = run.start(), run[0]
        if _is_one_word(words):
            yield words, start
        elif not words.isspace():
            for piece in _cut(words):
                for part in range(0, len(piece), _LONGEST):
                    yield piece[part : part + _LONGEST], start + part
                start += len(piece)
        elif "\n" in words:
            # One blank belongs to the word before it.
            belongs = int(words[0] == " " and start > 0)
            yield words[belongs:], start + belongs


def _is_one_word(run: str) -> bool:
    """Whether the run needs no cut, as most words."""
    return run.isalpha() and len(run) <= _LONGEST and run.lower() not in _BY_HEART


def _cut(run: str) -> tuple[str, ...]:
    """The pieces of a run without blanks; together they are the run."""
    if run.isalpha():
        return _known(run, 0, len(run)) or (run,)
    start, end = 0, len(run)
    before: list[str] = []
    behind: list[str] = []
    known: tuple[str, ...] = ()
    while start < end and not (known := _known(run, start, end)):
        front = _front(run, start, end)
        back = _back(run, start + front, end)
        if front and (known := _known(run, start + front, end)):
            back = 0
        elif back and (known := _known(run, start, end - back)):
            front = 0
        before += filter(None, [run[start : start + front]])
        behind += filter(None, [run[end - back : end]])
        start, end = start + front, end - back
        if known or not (front or back):
            break
    return (*before, *(known or filter(None, _INSIDE.split(run[start:end]))), *reversed(behind))


def _front(run: str, start: int, end: int) -> int:
    """Number of characters to cut off the front."""
    if found := _FRONT.match(run, start, end):
        return found.end() - start
    return int(_is_mark(run[start]))


def _back(run: str, start: int, end: int) -> int:
    """Number of characters to cut off the end."""
    if start >= end:
        return 0
    if _is_mark(run[end - 1]):
        return 1
    if run[end - 2 : end] == "..":
        return next((end - at for at in range(end, start, -1) if run[at - 1] != "."), end - start)
    # What stands before the ending decides as well, and may be cut off the front already.
    near = max(0, end - _LONGEST_ENDING)
    found = _BACK.search(run, near, end)
    return 0 if found is None else min(end - found.start(), end - start)


def _is_mark(character: str) -> bool:
    kind = category(character)
    return (kind[0] == "P" and character not in _NO_MARK) or kind in {"So", "Sc"} or character in "<>`\u00b4"


def _known(run: str, start: int, end: int) -> tuple[str, ...]:
    """The pieces of a known short form; empty for other words."""
    if not 0 < end - start <= _LONGEST_KNOWN:
        return ()
    word = run[start:end]
    spelt = word.replace("\u2019", "'")
    small = spelt.lower()
    if small not in _BY_HEART:
        return ()
    if small in _WHOLE or word in _ABBREVIATIONS:
        return (word,)
    lengths = _SHORT_FORMS.get(small) or (_UNMARKED.get(small, ()) if spelt[1:].islower() else ())
    ends = accumulate(lengths)
    return tuple(word[end - length : end] for end, length in zip(ends, lengths, strict=True))


_WRITTEN_OUT = {
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
_BEHIND_A_PRONOUN = {"m": "am", "ve": "have", "re": "are", "ll": "will"}
"""Endings of pronouns without an apostrophe ("ive", "theyre"), and the words that they stand for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or a mark."""

    word: str
    """In lower case, short forms written out: `n't` is `not`."""
    start: int
    end: int
    capital: bool
    """Whether it begins with a capital in the text."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a short text of our own, such as a cue."""
    if _is_one_word(text):
        return (_word(text),)
    return tuple(token.word for token in tokens_of(text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """Tokens without spaces; a line break is a token."""
    cut = tuple(pieces(text))
    words = [_word(text) for text, _ in cut]
    for index, word in enumerate(words[:-1]):
        following, (text, start) = words[index + 1], cut[index]
        if following == "not" and word in _BEFORE_NOT:
            words[index] = _BEFORE_NOT[word]
        elif following in _BEHIND_A_PRONOUN and word.isalpha() and cut[index + 1][1] == start + len(text):
            words[index + 1] = _BEHIND_A_PRONOUN[following]
    return tuple(
        Token(word=word, start=start, end=start + len(text), capital=text[:1].isupper())
        for word, (text, start) in zip(words, cut, strict=True)
    )


def _word(text: str) -> str:
    if "\n" in text:
        return "\n\n" if re.search(r"\n[^\S\n]*\n", text) else "\n"
    lower = text.lower()
    return _WRITTEN_OUT.get(lower, lower)
