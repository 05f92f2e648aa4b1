"""Words that name something measured only beside a number: "potassium 6.3", not "I take potassium".

Knows which words may stand between the two and which amounts are taken rather than measured; the schema's lexicon says
what is measured, the language how it is written.
"""

import re
from collections.abc import Iterator, Sequence

from r_memory.domain.schema import Schema, Term
from r_memory.protocols import Mention
from r_memory.reading.language import LanguagePack, Phrases, listed
from r_memory.text.cutting import Token

BESIDE_NUMBER = "beside_number"
"""Property of the lexicon: word to the thing that it names beside a number."""
_FARTHEST = 6
"""Most words between the name and its number."""
_NUMBER = re.compile(r"\d{1,6}(?:[.,]\d{1,3})?")
_SECTION = "measured"


class Numbered:
    """Finds these words in sentences, under one schema in one language."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        declared = ((type_, of_type.get(BESIDE_NUMBER, {})) for type_, of_type in schema.lexicon.values.items())
        self._names: Phrases[Term] = Phrases(
            (pack.cut(word), (type_, names[0])) for type_, words in declared for word, names in words.items() if names
        )
        language = schema.language
        self._led_by = frozenset(listed(language, _SECTION, "led_by"))
        self._between = frozenset(listed(language, _SECTION, "between"))
        self._measured = pack.finder({"": listed(language, "sheets", "laboratory")})
        units = (*pack.table("units").values(), *pack.table("hours").values(), listed(language, _SECTION, "taken"))
        self._taken = pack.finder({"": [text for texts in units for text in texts]})

    def among(self, tokens: Sequence[Token], mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        """Returns the mentions with those beside a number; a longer name keeps its meaning."""
        found = [item for item in self._found(tokens) if not any(_is_longer(other, item) for other in mentions)]
        kept = (other for other in mentions if not any(_meet(item, other) for item in found))
        return tuple(sorted((*kept, *found), key=lambda mention: mention.start)) if found else tuple(mentions)

    def _found(self, tokens: Sequence[Token]) -> Iterator[Mention]:
        words = [token.word for token in tokens]
        for hit in self._names.longest(words):
            if self._led_by.isdisjoint(words[hit.start - 1 : hit.start]) and self._is_measured(words, hit.end):
                start, end = tokens[hit.start].start, tokens[hit.end - 1].end
                surface = " ".join(words[hit.start : hit.end])
                yield Mention(type=hit.value[0], name=hit.value[1], start=start, end=end, surface=surface)

    def _is_measured(self, words: Sequence[str], position: int) -> bool:
        """Whether a number follows that is no amount of something taken."""
        farthest = min(position + _FARTHEST, len(words))
        while position < farthest and words[position] in self._between:
            position += 1
        if position == len(words) or not _NUMBER.fullmatch(words[position]):
            return False
        behind = position + 1
        if behind == len(words) or self._measured.at(words, behind) is not None:
            return True
        return self._taken.at(words, behind) is None


def _meet(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end


def _is_longer(one: Mention, other: Mention) -> bool:
    return _meet(one, other) and one.end - one.start > other.end - other.start
