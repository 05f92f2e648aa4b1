"""Whose the words are that somebody quotes: "Mia said 'I can't have crab'" is about Mia.

Knows quotation marks and words of reporting; nothing of what is said. Who reports without a name or a word for a
relative ("she said '…'", "the patient: '…'") is taken for the subject.
"""

import re

from r_memory.domain.facts import Entity, Span
from r_memory.domain.once import once_for
from r_memory.domain.schema import Schema
from r_memory.reading.language import listed
from r_memory.reading.whose import whose_under

__all__ = ["Quoting", "quoting_under"]

_QUOTES = str.maketrans("\u2018\u2019", "''")
_QUOTED = re.compile(
    '"[^"\n]+"|[\u201c\u201e][^\u201c\u201d\n]+[\u201c\u201d]|\u00ab[^\u00ab\u00bb\n]+\u00bb'
    r"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NEAR = 4
"""Words before or behind a quotation among which its speaker is named."""
_STOPS = re.compile(r"[.!?;\n]")


class Quoting:
    """Finds quoted statements of other people than the subject, under one schema."""

    def __init__(self, schema: Schema) -> None:
        language, self._whose = schema.language, whose_under(schema)
        self._reporting = frozenset(listed(language, "own_words", "reporting"))
        self._reporting |= frozenset(listed(language, "persons", "reporter_verbs"))
        self._speaker = frozenset(listed(language, "whose", "speaker"))
        self._speaker |= frozenset(listed(language, "kin_possessives", "mine"))
        self._nobody = frozenset(listed(language, "not_a_name"))

    def of_another(self, text: str, span: Span, subject: Entity, called: frozenset[str] = frozenset()) -> bool:
        """Whether the place is quoted in the first person from somebody else; `called` are words for the subject."""
        plain = text.translate(_QUOTES)
        for quote in _QUOTED.finditer(plain):
            if not (quote.start() < span.end and span.start < quote.end()):
                continue
            if self._speaker.isdisjoint(word.casefold() for word in _WORD.findall(quote[0])):
                continue
            before = _WORD.findall(_STOPS.split(plain[: quote.start()])[-1])[-_NEAR:]
            behind = _WORD.findall(_STOPS.split(plain[quote.end() :])[0])[:_NEAR]
            if any(self._is_by_another(words, subject, called) for words in (before, behind)):
                return True
        return False

    def _is_by_another(self, words: list[str], subject: Entity, called: frozenset[str]) -> bool:
        """Whether words beside a quotation say that another person than the subject said it."""
        own = {part for name in (subject.name, *subject.aliases) for part in name.casefold().split()} | called
        reporting = [at for at, word in enumerate(words) if word.casefold() in self._reporting]
        beside = [words[at - 1] for at in reporting if at] + words[1:2] * (0 in reporting)
        return any(
            word.casefold() not in own
            and ((word[:1].isupper() and word.casefold() not in self._nobody | self._speaker) or self._is_kin(word))
            for word in beside
        )

    def _is_kin(self, word: str) -> bool:
        return self._whose.is_relative(word.casefold())


quoting_under = once_for(Quoting)
"""Returns the finder of a schema, made once."""
