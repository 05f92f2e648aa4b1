"""What a draft says it does without: "CT without contrast", "a latex-free catheter". Pure.

Such words order nothing. They are told by the phrases of the language file, section `drafts.left_out`; where the
sentence denies, sets a condition, tells what was, or may come back to the thing, nothing is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from r_memory.domain.facts import concept
from r_memory.domain.knowledge import MEMBER_OF, Knowledge
from r_memory.protocols import Linker
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader
from r_memory.text.sentences import clauses, stretches

__all__ = ["LeftOut", "Ordered"]

_SECTION = ("drafts", "left_out")
_MOST = 3
"""Maximum number of words of a thing that is left out."""
_WORDS = re.compile(r"[\w'-]+(?:\s+[\w'-]+){0,2}")
_ADJECTIVE_OF = re.compile(r"\s+([\w-]+)")
_GROUPS = ((MEMBER_OF, 2),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """A draft without what it says it does without."""

    words: str
    """The draft with blanks in place of that, so that every position stays."""
    left_out: frozenset[str] = frozenset()
    """Keys of the things that it leaves out."""


class LeftOut:
    """Finds what drafts do without, under one schema and pack."""

    def __init__(self, reader: Reader) -> None:
        def words(name: str) -> str:
            return either(listed(reader.schema.language, *_SECTION, name))

        self._linker: Linker = reader.linker
        self._knowledge: Knowledge = reader.knowledge
        self._without = re.compile(rf"(?<![\w-])(?:{words('without')})\s+", re.IGNORECASE)
        self._none = re.compile(rf"(?<![\w-])(?:{words('none')})\s+", re.IGNORECASE)
        self._joined = re.compile(rf"(?<![\w-])(?:{words('joined')})(?:-|\s+)?(?=\w)", re.IGNORECASE)
        self._behind = re.compile(rf"(?P<join>-|\s+)(?:{words('behind')})(?![\w-])", re.IGNORECASE)
        self._denied = re.compile(rf"(?<!\w)(?:{words('denied')})(?!\w)|n['\u2019]t\b", re.IGNORECASE)
        self._told = re.compile(rf"(?<!\w)(?:{words('told')})(?!\w)", re.IGNORECASE)
        self._back = re.compile(rf"(?<!\w)(?:{words('back')})(?!\w)", re.IGNORECASE)
        self._ends = re.compile(rf"\s*(?:[.,;:)!\n]|$|(?:{words('ends')})(?!\w))", re.IGNORECASE)
        self._ends_more = re.compile(rf"\s+(?:{words('ends_more')})(?!\w)", re.IGNORECASE)
        self._no_noun = re.compile(rf"(?:{words('no_noun')})", re.IGNORECASE)

    def ordered(self, text: str) -> Ordered:
        """The draft without what it says it does without."""
        kept, left = list(text), set[str]()
        for place, uid in self._found(text):
            left.add(uid)
            kept[place.start : place.stop] = " " * len(place)
        return Ordered(words="".join(kept) if left else text, left_out=frozenset(left))

    def are_all(self, wanted: frozenset[str], left_out: frozenset[str]) -> bool:
        """Whether all these concepts are left out, by themselves or by a group of them."""
        above = [self._knowledge.closure(uid, _GROUPS) for uid in wanted]
        return bool(above) and all(not left_out.isdisjoint(each) for each in above)

    def _found(self, text: str) -> Iterator[tuple[range, str]]:
        start = 0
        for sentence in stretches(text):
            for place, uid in self._in_sentence(sentence):
                yield range(start + place.start, start + place.stop), uid
            start += len(sentence)

    def _in_sentence(self, sentence: str) -> Iterator[tuple[range, str]]:
        for pattern, more in ((self._without, True), (self._none, False)):
            for found in pattern.finditer(sentence):
                thing = self._thing_at(sentence, found.end())
                if thing is None or not self._ends_at(sentence, thing[0].stop, more=more):
                    continue
                before = _clause_before(sentence, found.start())
                told = self._denied.search(before) or self._told.search(before)
                begins = more and not before.strip() and sentence[thing[0].stop :].lstrip()[:1] == ","
                if not (told or begins or self._back.search(sentence, thing[0].stop)):
                    yield range(found.start(), thing[0].stop), thing[1]
        for found in self._joined.finditer(sentence):
            thing = self._word_at(sentence, found.end())
            if thing is not None and not self._denied.search(_clause_before(sentence, found.start())):
                yield range(found.start(), thing[0].stop), thing[1]
        for found in self._behind.finditer(sentence):
            thing = self._thing_before(sentence, found.start())
            if thing is None or self._denied.search(_clause_before(sentence, thing[0].start)):
                continue
            if found["join"] == "-" or self._qualifies(sentence, found.end()):
                yield range(thing[0].start, found.end()), thing[1]

    def _ends_at(self, sentence: str, place: int, *, more: bool) -> bool:
        """Whether the name of the thing ends here: what follows is none of its words."""
        ends = self._ends.match(sentence, place) is not None
        return ends or (more and self._ends_more.match(sentence, place) is not None)

    def _qualifies(self, sentence: str, place: int) -> bool:
        """Whether a noun follows, of which the words before say what it is free of: "latex free gloves"."""
        noun = _ADJECTIVE_OF.match(sentence, place)
        return noun is not None and self._no_noun.fullmatch(noun[1]) is None

    def _thing_at(self, sentence: str, place: int) -> tuple[range, str] | None:
        """The thing whose name, of up to three words, begins here; the longest."""
        found = _WORDS.match(sentence, place)
        words = list(re.finditer(r"\S+", found[0])) if found is not None else []
        for last in reversed(words):
            if (uid := self._thing(sentence[place : place + last.end()])) is not None:
                return range(place, place + last.end()), uid
        return None

    def _word_at(self, sentence: str, place: int) -> tuple[range, str] | None:
        """The thing whose name is the single word that begins here."""
        found = re.compile(r"\w+").match(sentence, place)
        uid = self._thing(found[0]) if found is not None else None
        return None if found is None or uid is None else (range(*found.span()), uid)

    def _thing_before(self, sentence: str, place: int) -> tuple[range, str] | None:
        """The thing whose name, of up to three words, ends here; the longest."""
        words = list(re.finditer(r"\w+", sentence[:place]))[-_MOST:]
        for first in words:
            if (uid := self._thing(sentence[first.start() : place])) is not None:
                return range(first.start(), place), uid
        return None

    def _thing(self, words: str) -> str | None:
        """The key of the thing that these words name as a whole."""
        mentions = self._linker.mentions(words)
        whole = len(mentions) == 1 and (mentions[0].start, mentions[0].end) == (0, len(words))
        return concept(mentions[0].type, mentions[0].name).uid if whole else None


def _clause_before(sentence: str, place: int) -> str:
    """The words of a clause before a place in it."""
    end = 0
    for clause in clauses(sentence):
        start, end = end, end + len(clause)
        if place < end:
            return sentence[start:place]
    return sentence[:place]
