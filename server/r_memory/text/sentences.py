"""Cuts texts into sentences, words and passages, in any script; finds the language of a prompt about a text.

Pure, and linear in the length of the text; offsets are kept. It knows nothing of the content of a sentence.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Literal

from r_memory.domain.facts import Span

CUT = "…"
"""Marks a text that was cut off."""
PromptLanguage = Literal["en", "zh"]
_LATIN_SHARE = 0.6
"""Share of Latin letters above which a prompt is English (SCM-26)."""
_AROUND = 500
"""Characters before and after a position that are searched for the borders of its sentence."""
_LINE = 50
"""Characters below which a line ends a sentence; longer lines may be wrapped."""

_HAN = "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CLOSERS = "\"'”’)\\]»"  # noqa: RUF001 - typographic quotes are meant
_WIDE_STOPS = "。！？｡"  # noqa: RUF001 - full-width stops are meant
_WIDE_CLOSERS = "」』”’）】"  # noqa: RUF001 - full-width ones are meant
_UNIT = re.compile(rf"(?:[{_HAN}][\u3001-\u303f\uff01-\uff0f\uff1a-\uff1f]{{0,3}}|[^\s{_HAN}]{{1,30}}){CUT}?")
"""A counted word: a word, a Chinese or Japanese character, or thirty characters of a run without blanks."""
_PAUSE = re.compile(rf"(?<=[.!?…{_CLOSERS}])\s++|(?<!\s)[^\S\n]*+\n\s*+|[{_WIDE_STOPS}]++[{_WIDE_CLOSERS}]*+")
"""Where a sentence may end: blanks behind a stop, the ends of lines, full-width stops."""
_BREAK = re.compile(rf"[\s{_WIDE_STOPS}]")
_CLAUSE_END = re.compile(rf"(?:[,;:!?\n]|\.(?=\s))\s*+|\s[-\u2013\u2014]\s|[、，；：{_WIDE_STOPS}]")  # noqa: RUF001 - full-width marks are meant
_STOPPED = re.compile(rf"(?:^|[\s(\"'“‘])(?P<word>\S*?)(?P<stop>[.!?…])[{_CLOSERS}]{{0,5}}$")  # noqa: RUF001
_NEW_LINE = re.compile(r"(?:[-*•#>|]|\d{1,3}[.)]\s|\[|[^\s:：]{1,30}(?:\s[^\s:：]{1,30})?[:：]\s)")  # noqa: RUF001
_SHORT_WORDS = """
mr mrs ms dr prof st no vs etc e.g i.e approx ca cf fig vol inc ltd co jr sr jan feb mar apr jun jul aug sep sept oct
nov dec bzw z.b d.h usw nr mme mlle sra
"""
_SHORT = frozenset(_SHORT_WORDS.split())
"""Abbreviations after which a full stop ends no sentence."""
_ANY_HAN = re.compile(f"[{_HAN}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, with single blanks between words; none for a blank text.

    Chinese and Japanese sentences end at their own stops; short and blank lines, list entries and `Name:` start a new
    sentence.

    >>> sentences("Dr. Lee called. It is 3.5 mg!")
    ('Dr. Lee called.', 'It is 3.5 mg!')
    >>> len(sentences("我不吃鱼。你也是。"))
    2
    """
    return tuple(" ".join(part.split()) for part in _parts(text) if part.strip())


def part_around(cut: Callable[[str], Iterable[str]], text: str, place: int) -> str:
    """The part, such as a sentence, around the position, without blanks; a long one is cut on both sides of it."""
    end = first = max(place - _AROUND, 0)
    for part in cut(text[first : place + _AROUND]):
        end += len(part)
        if place < end:
            return part.strip()
    return ""


def stretches(text: str) -> Iterator[str]:
    """The text cut after each sentence and its following blanks; joined, the parts give the text."""
    return (part for part in _parts(text) if part)


def may_end(piece: str, text: str) -> bool:
    """Whether a sentence of the text may end that did not before the text's last piece was added."""
    return _BREAK.search(piece) is not None or "\n" in text


def clauses(text: str) -> Iterator[str]:
    """The text cut after each comma, colon, dash, stop or line end; joined, the parts give the text.

    >>> list(clauses("Avoid aspirin, give Dr. Lee 2.5 mg."))
    ['Avoid aspirin, ', 'give Dr. ', 'Lee 2.5 mg.']
    """
    start = 0
    for end in _CLAUSE_END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def words_in(text: str) -> int:
    """The number of words of a text; each Chinese or Japanese character counts as a word.

    A run without blanks counts once for every thirty characters.

    >>> words_in("three small words"), words_in("我不吃鱼"), words_in("x" * 61), words_in("")
    (3, 4, 3, 0)
    """
    return sum(1 for _ in _UNIT.finditer(text))


def cut(text: str, words: int) -> str:
    """The first `words` words of a text, with `…` if there are more; at least one word if the text has any.

    >>> cut("one two three", 2), cut("one two", 2), cut("我不吃鱼", 2)
    ('one two…', 'one two', '我不…')
    """
    end = 0
    for number, unit in enumerate(_UNIT.finditer(text), start=1):
        if number > max(words, 1):
            return text[:end].rstrip() + CUT
        end = unit.end()
    return text


def language_of(text: str) -> PromptLanguage:
    """The language of a prompt about a text (SCM-26): English if more than 60 % of it are Latin letters, else Chinese.

    Blanks do not count. A text without Chinese or Japanese characters, even an empty one, gives English: the paper's
    system knows these two languages only.

    >>> language_of("I like apples."), language_of("我喜欢苹果"), language_of(""), language_of("Я люблю яблоки")
    ('en', 'zh', 'en', 'en')
    """
    if not _ANY_HAN.search(text):
        return "en"
    visible = sum(not char.isspace() for char in text)
    return "en" if len(_LATIN.findall(text)) > _LATIN_SHARE * visible else "zh"


def _parts(text: str) -> Iterator[str]:
    start = 0
    for pause in _PAUSE.finditer(text):
        if _ends(text, pause):
            yield text[start : pause.end()]
            start = pause.end()
    yield text[start:]


def _ends(text: str, pause: re.Match[str]) -> bool:
    if not pause.group()[0].isspace():
        return True
    lines = pause.group().count("\n")
    stopped = _STOPPED.search(text[max(0, pause.start() - 40) : pause.start()])
    if lines:
        return lines > 1 or stopped is not None or _begins_anew(text, pause)
    if stopped is None:
        return False
    return stopped["stop"] != "." or not (
        _abbreviated(stopped["word"]) or text[pause.end() : pause.end() + 1].islower()
    )


def _begins_anew(text: str, pause: re.Match[str]) -> bool:
    before = pause.start() - (text.rfind("\n", max(0, pause.start() - _LINE), pause.start()) + 1)
    return before < _LINE or _NEW_LINE.match(text, pause.end(), pause.end() + 70) is not None


def _abbreviated(word: str) -> bool:
    return word.casefold() in _SHORT or (len(word) == 1 and word.isupper())


_LINES = (re.compile(r"\n\s*\n"), re.compile(r"\n"))
"""Preferred places for a cut, best first: a paragraph, a line."""
_WORD = re.compile(r"\s")


def passages(text: str, size: int) -> tuple[Span, ...]:
    """Stretches of at most `size` characters that cover the text in order without gaps; none for a blank text.

    >>> [text[span.start : span.end] for text in ["One two. Three four."] for span in passages(text, 12)]
    ['One two. ', 'Three four.']
    """
    found: list[Span] = []
    start = 0
    while start < len(text):
        end = _end(text, start, size)
        if text[start:end].strip():
            found.append(Span(start=start, end=end))
        start = end
    return tuple(found)


def _end(text: str, start: int, size: int) -> int:
    if len(text) - start <= size:
        return len(text)
    window = text[start : start + size]
    for ends in _pauses(window):
        # From a third on, so that passages do not become crumbs.
        if last := max((end for end in ends if size // 3 < end), default=0):
            return start + last
    return start + size


def _pauses(window: str) -> Iterator[Iterator[int]]:
    """Positions for a cut, best kind first: after a paragraph, a line, a sentence, a clause, a word."""
    yield from ((found.end() for found in line.finditer(window)) for line in _LINES)
    for parts in (stretches(window), clauses(window)):
        *whole, _ = accumulate(map(len, parts))
        yield iter(whole)
    yield (found.end() for found in _WORD.finditer(window))


_ENDS = re.compile(r"[.!?;:)\"'\u2026\u3002]\s*$", re.MULTILINE)
_SHORTEST = 3
"""Minimum words of a line that can continue in the next."""
_LINE_END = re.compile(r"(?<=\S)[ \t]*\r?\n[ \t]*(?=[^\W\d_])")


def ends_sentences(text: str) -> bool:
    """Whether a line of the text ends like a sentence."""
    return _ENDS.search(text) is not None


def goes_on(line: str, following: str) -> bool:
    """Whether a line continues in the following line: "My brother / is allergic". For texts whose lines end sentences.

    A line continues if it does not end like a sentence and the next begins in lower case. A writer without full stops
    writes one statement a line, and a line of one or two words belongs to a list.
    """
    return following[:1].islower() and not _ENDS.search(line[-2:]) and len(line.split()) >= _SHORTEST


def unwrapped(text: str) -> str:
    """The text with a blank for each character of a line end within a sentence; its length is unchanged.

    >>> unwrapped("My brother, who is 40,\\nis allergic to codeine.\\nLatex is fine.")
    'My brother, who is 40, is allergic to codeine.\\nLatex is fine.'
    """
    if "\n" not in text or not ends_sentences(text):
        return text

    def joined(end: re.Match[str]) -> str:
        line = text[text.rfind("\n", 0, end.start()) + 1 : end.start()]
        return " " * len(end[0]) if goes_on(line, text[end.end() : end.end() + 1]) else end[0]

    return _LINE_END.sub(joined, text)
