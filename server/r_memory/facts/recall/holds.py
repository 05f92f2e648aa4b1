"""What an order forbids to be done with the things that it covers, such as destroying papers under a hold. Pure.

The pack says which orders forbid what: its rules that stop only words which name both the deed and a covered thing.
"""

import re
from collections.abc import Iterable, Sequence

from r_memory.domain.facts import Fact, concept
from r_memory.domain.knowledge import MEMBER_OF
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.worded import Worded
from r_memory.protocols import Mention
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader

__all__ = ["Holds"]

_STEPS = ((MEMBER_OF, 2),)


class Holds:
    """Compares drafts with orders, under one schema and pack."""

    def __init__(self, reader: Reader, names: FactNames) -> None:
        self._knowledge = reader.knowledge
        self._names = names
        rules = [rule for rule in reader.knowledge.rules if rule.own and rule.named]
        self._orders = frozenset(uid for rule in rules for uid in rule.start.concepts)
        self._deeds = frozenset(uid for rule in rules for uid in rule.end.concepts)
        self._worded = Worded.under(reader)
        leaving = either(listed(reader.schema.language, "drafts", "leaving_as_is"))
        self._leaving = re.compile(rf"(?<!\w)(?:{leaving})(?!\w)", re.IGNORECASE)

    def covers(self, text: str, fact: Fact, details: Iterable[str], named: Sequence[Mention]) -> bool:
        """Whether the draft names, beside the deed, what the fact is about: by its details, or else by its words."""
        for deed in self._deeds_in(named):
            text = f"{text[: deed.start]}{' ' * (deed.end - deed.start)}{text[deed.end :]}"
        told = " ".join([fact.object.name, *details]) if any(details) else f"{fact.object.name} {fact.evidence}"
        return self._names.bears_in(text, told) is not None

    def are_kept(self, text: str, fact: Fact, named: Sequence[Mention]) -> bool:
        """Whether the fact is such an order and none about more, and the draft leaves everything as it is."""
        if not self._orders or self._leaving.search(text) is None or any(self._deeds_in(named)):
            return False
        words = " ".join((fact.object.name, *map(str, fact.attrs.values()), fact.evidence))
        if self._leaving.search(words) is not None:
            return False
        above = self._knowledge.above(fact.object, _STEPS, (*fact.meant, *self._worded.named(fact)))
        return not self._orders.isdisjoint(above)

    def _deeds_in(self, named: Sequence[Mention]) -> list[Mention]:
        return [each for each in named if concept(each.type, each.name).uid in self._deeds]
