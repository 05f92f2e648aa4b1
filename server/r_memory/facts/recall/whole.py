"""What a draft leaves out that claims to list all: "Her morning tablets are: ...". Pure.

It knows such claims, and the parts of a day, by words of the language file.
"""

import re
from collections.abc import Iterator, Sequence

from r_memory.domain.blocks import Line, MatchLevel
from r_memory.domain.schema import Schema
from r_memory.protocols import Mention
from r_memory.reading.language import either, listed

__all__ = ["Whole"]

_PARAGRAPH = "\n\n"
_SURE = frozenset({MatchLevel.EXACT, MatchLevel.INGREDIENT})


class Whole:
    """Compares lists with what is recorded, under one schema."""

    def __init__(self, schema: Schema) -> None:
        language, relations = schema.language, schema.relations

        def words(name: str) -> str:
            return either(listed(language, "drafts", "lists_all", name))

        parts = listed(language, "drafts", "parts_of_a_day")
        told = {part: listed(language, "drafts", "parts_of_a_day", part) for part in parts}
        part_words = either(word for known in told.values() for word in known)
        claim = rf"(?:{words('whose')})\s+(?:(?:{words('which')})\s+)*(?:(?P<part>{part_words})\s+)?"
        verbs = rf"(?:\s*:|\s+(?:{words('verbs')})(?!\w))"
        self._claims = re.compile(
            rf"(?<!\w)(?:(?:{words('before')})(?!\w)|{claim}(?:{words('things')}){verbs})", re.IGNORECASE
        )
        self._parts = {
            part: re.compile(rf"(?<!\w)(?:{either(known)})(?!\w)", re.IGNORECASE) for part, known in told.items()
        }
        self._types = {name: frozenset(relation.objects) for name, relation in relations.items()}

    def left_out(self, text: str, lines: Sequence[Line], named: Sequence[Mention]) -> Iterator[tuple[Line, int]]:
        """Each line that such a draft does not name, and where the draft claims to list all.

        Of a part of the day only what may be of that part counts; a claim that names nothing lists nothing.
        """
        for claim in self._claims.finditer(text):
            end = text.find(_PARAGRAPH, claim.end())
            within = range(claim.end(), len(text) if end < 0 else end)
            types = {mention.type for mention in named if mention.start in within}
            parts = self._parts_in(claim["part"] or "")
            for line in lines:
                known = self._parts_in(" ".join([line.fact.evidence, *map(str, line.fact.attrs.values())]))
                apart = parts and known and not parts & known
                if not (types.isdisjoint(self._types[line.fact.relation]) or apart or _is_named(line)):
                    yield line, claim.start()
            return

    def _parts_in(self, words: str) -> frozenset[str]:
        return frozenset(part for part, told in self._parts.items() if told.search(words) is not None)


def _is_named(line: Line) -> bool:
    return any(match.level in _SURE for match in line.matches)
