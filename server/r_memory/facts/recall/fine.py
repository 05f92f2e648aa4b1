"""What a draft puts where it is asked to be: needed money in an account that it can be drawn from any day. Pure.

The pack says what is fine beside what (`IS_FINE_WITH`); the draft must put something
there, and say nothing that ties it.
"""

import re
from collections.abc import Collection, Sequence

from r_memory.domain.facts import Fact, concept
from r_memory.facts.recall.worded import Worded
from r_memory.protocols import Linker, Mention
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader

__all__ = ["FinePlaces"]


class FinePlaces:
    """Compares drafts with what asks for a place, under one schema and pack."""

    def __init__(self, reader: Reader) -> None:
        def words(name: str) -> str:
            return either(listed(reader.schema.language, "drafts", name))

        self._knowledge = reader.knowledge
        self._linker: Linker = reader.linker
        self._worded = Worded.under(reader)
        self._ends = {
            need_relation: rule.end.concepts
            for rule in reader.knowledge.rules
            if rule.named and not rule.own
            for need in rule.when
            for need_relation in need.relations
        }
        """By relation of what is needed: the ends of the rules that stop beside it."""
        self._putting = re.compile(rf"\b(?:{words('putting_in')})\s+(?:\w+\s+){{0,2}}$", re.IGNORECASE)
        self._tying = re.compile(rf"(?<!\w)(?:{words('tying')})(?!\w)", re.IGNORECASE)
        self._asking = re.compile(rf"(?<!\w)(?:{words('before_anything')})(?!\w)", re.IGNORECASE)

    def are_asked_for(self, text: str, fact: Fact, named: Sequence[Mention]) -> bool:
        """Whether all places that the draft names are fine beside the fact, and it puts something in one of them."""
        wanted = self._wanted(fact)
        fine = [each for each in named if self._is_fine(each, wanted)] if wanted else []
        types = {each.type for each in fine}
        if not fine or any(each.type in types and each not in fine for each in named):
            return False
        put = (self._putting.search(text[: each.start]) is not None for each in fine)
        return all(put) and self._tying.search(text) is None

    def _wanted(self, fact: Fact) -> Collection[str]:
        """What the fact asks for, by its relation or by its words; empty if these ask for more."""
        if (ends := self._ends.get(fact.relation)) is not None:
            return ends
        if not (told := frozenset(self._worded.named(fact))):
            return ()
        words = fact.object.name
        for mention in reversed(self._linker.mentions(words)):
            if concept(mention.type, mention.name).uid in told:
                words = f"{words[: mention.start]} {words[mention.end :]}"
        return () if self._asking.search(words) is not None else told

    def _is_fine(self, place: Mention, wanted: Collection[str]) -> bool:
        uid = concept(place.type, place.name).uid
        return any(self._knowledge.is_fine_with(uid, (end,)) for end in wanted)
