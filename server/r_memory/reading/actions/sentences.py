"""Cuts an utterance into sentences of plain words, short forms written out, and says where terms of the lexicon stand.

Knows tokens and contractions, not what words mean.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from r_memory.domain.schema import Language
from r_memory.protocols import Mention
from r_memory.reading.actions.keywords import SIMPLE
from r_memory.reading.language import listed, paired

_TOKEN = re.compile(r"\d[\d.,/]*\d(?![^\W_])|\d+(?:[.,]\d+)*(?=[^\W\d_])|[^\W_]+(?:['./-][^\W_]+)*|'[^\W_]+|[.?!;\n]+")
_END = re.compile(r"[.?!;\n]+")
_PAUSE = re.compile(r"\.{2,}")
_CLAUSE = re.compile("[,:\u2014]| -+ ")
_LONGEST = 6
"""Words in a short form, at most."""
Span = tuple[int, int]
Forms = Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]
"""First word of a short form to pairs of the short form and its full form, longest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSentence:
    """One sentence in small letters, without commas and fillers; every word is followed by one space."""

    text: str
    spots: tuple[tuple[Mention, Span], ...] = ()
    """Terms of the lexicon, with their place in `text`."""
    clauses: tuple[int, ...] = (0,)
    """Offsets where clauses begin: 0, and behind commas, colons and dashes."""
    questions: bool = False
    """It ends in a question mark."""
    words: tuple[tuple[Span, Span], ...] = ()
    """Place of each word in `text` and in the utterance."""

    @property
    def length(self) -> int:
        """Number of words."""
        return self.text.count(" ")


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    opens: bool
    """A comma, colon or dash stands before it."""


class Sentences:
    """Cuts utterances of one language; `short_forms` and `endings` say what is written out."""

    def __init__(self, language: Language) -> None:
        self._fillers = frozenset(listed(language, "fillers"))
        self._forms = _forms(paired(language, "requests", "short_forms"))
        self._endings = paired(language, "requests", "endings")
        self._ended = tuple(ending for ending, _ in self._endings)

    def of(self, text: str, mentions: Sequence[Mention]) -> tuple[PlainSentence, ...]:
        """Returns the sentences that hold words, in order.

        A run of full stops is a pause and does not end a sentence.
        """
        return tuple(sentence for sentence in self._cut(text, mentions) if sentence.text)

    def _cut(self, text: str, mentions: Sequence[Mention]) -> Iterator[PlainSentence]:
        held: list[_Token] = []
        for token in _tokens(text):
            if not _END.fullmatch(token.word):
                held.append(token)
            elif not _PAUSE.fullmatch(token.word):
                yield self._sentence(held, mentions, questions="?" in token.word)
                held = []
        yield self._sentence(held, mentions)

    def _sentence(
        self, tokens: Sequence[_Token], mentions: Sequence[Mention], *, questions: bool = False
    ) -> PlainSentence:
        full = [(word, token) for token in tokens for word in self._full(token.word)]
        text, words, index = "", list[tuple[Span, _Token]](), 0
        while index < len(full):
            taken, written = self._written([word for word, _ in full[index : index + _LONGEST]])
            for word in written:
                words.append(((len(text), len(text) + len(word) + 1), full[index][1]))
                text += f"{word} "
            index += taken
        opening = (place[0] for (_, last), (place, token) in pairwise(words) if token.opens and token is not last)
        return PlainSentence(
            text=text,
            spots=tuple(_spots(words, mentions)),
            clauses=(0, *opening),
            questions=questions,
            words=tuple((place, (token.start, token.end)) for place, token in words),
        )

    def _full(self, word: str) -> Sequence[str]:
        """A word with its ending written out: "don't" is "do not"."""
        for ending, full in self._endings if word.endswith(self._ended) else ():
            if word.endswith(ending):
                return [*filter(None, [word.removesuffix(ending)]), full]
        return (word,)

    def _written(self, words: Sequence[str]) -> tuple[int, Sequence[str]]:
        """Returns how many of the next words form one short form, and its full form.

        The full form of a filler is empty.
        """
        for form, written in self._forms.get(words[0], ()):
            if tuple(words[: len(form)]) == form:
                return len(form), written
        return 1, () if words[0] in self._fillers else words[:1]


def _tokens(text: str) -> Iterator[_Token]:
    plain, last = text.translate(SIMPLE), 0
    for match in _TOKEN.finditer(plain):
        opens = _CLAUSE.search(plain, last, match.start()) is not None
        yield _Token(word=match.group().casefold(), start=match.start(), end=match.end(), opens=opens)
        last = match.end()


def _spots(words: Sequence[tuple[Span, _Token]], mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Span]]:
    starts, ends = [token.start for _, token in words], [token.end for _, token in words]
    for mention in mentions:
        first, behind = bisect_right(ends, mention.start), bisect_left(starts, mention.end)
        if first < behind:
            yield mention, (words[first][0][0], words[behind - 1][0][1])


def _forms(pairs: Sequence[tuple[str, str]]) -> Forms:
    forms: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for short, full in sorted(pairs, key=lambda pair: -len(pair[0].split())):
        words = tuple(short.casefold().split())
        forms.setdefault(words[0], []).append((words, tuple(full.split())))
    return forms
