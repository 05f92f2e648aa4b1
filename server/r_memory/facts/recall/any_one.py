"""Limits on any single thing ("no one issuer above 5 %") beside the share that a draft gives to a thing that it names.

Pure. The thing needs no place in a lexicon: a name is enough. What is single the pack says, by the concepts for which
requests of a type stand even where their words name none of them.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from r_memory.domain.facts import Entity, Fact, concept
from r_memory.domain.knowledge import MEMBER_OF
from r_memory.facts.recall.amounts import Amount, Amounts
from r_memory.facts.recall.ceilings import Comparison
from r_memory.protocols import Mention
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader
from r_memory.text.sentences import stretches

__all__ = ["AnyOne"]

_NAME = re.compile(r"(?<=[\w,;:(] )[^\W\d_a-z][\w&-]+")


class AnyOne:
    """Compares drafts with such limits, under one schema and pack."""

    def __init__(self, reader: Reader) -> None:
        language = reader.schema.language
        self._knowledge = reader.knowledge
        self._amounts = Amounts(language)
        self._any = frozenset(uid for uids in reader.knowledge.actions.values() for uid in uids)
        reaching, of_it = (either(listed(language, "drafts", name)) for name in ("reaching", "of_the_whole"))
        self._reaching = re.compile(rf"\b(?:{reaching})\s+$", re.IGNORECASE)
        self._of_the_whole = re.compile(rf"\s*(?:{of_it})\b", re.IGNORECASE)
        self._more = re.compile(rf"\b(?:{either(listed(language, 'drafts', 'for_more'))})\b", re.IGNORECASE)

    def is_limit(self, fact: Fact) -> bool:
        """Whether the fact limits the share of any single thing."""
        if fact.object.uid not in self._any or "max" not in fact.attrs:
            return False
        bound = self._amounts.read(f"{fact.attrs['max']} {fact.attrs.get('unit', '')}")
        return bound is not None and bound.kind in self._amounts.uncounted

    def compared(self, text: str, limit: Fact, subject: Entity, named: Sequence[Mention]) -> tuple[Comparison, range]:
        """How the share of the one thing that the draft names stands to the limit, and where it stands."""
        own = {word.casefold() for name in (subject.name, *subject.aliases) for word in name.split()}
        found = [(place, share, reached) for place, share, reached in self._shares(text, limit, own, named)]
        for place, share, _ in found:
            if self._amounts.breaks(share, limit):
                return "broken", place
        alone = len(found) == 1 and found[0][2] and len(list(self._alike(text, limit))) == 1
        kept = alone and self._amounts.keeps(found[0][1], limit) and self._more.search(text) is None
        return "kept" if kept else "open", found[0][0] if found else range(0)

    def _alike(self, text: str, limit: Fact) -> Iterator[tuple[range, Amount]]:
        """The amounts of the draft that are measured as the limit is."""
        bound = self._amounts.read(f"{limit.attrs['max']} {limit.attrs.get('unit', '')}")
        return ((at, each) for at, each in self._amounts.sums(text) if bound is not None and each.kind == bound.kind)

    def _shares(
        self, text: str, limit: Fact, own: Collection[str], named: Sequence[Mention]
    ) -> Iterator[tuple[range, Amount, bool]]:
        """The shares of the whole in the sentences that name one thing, each with whether it is where that ends up."""
        start = 0
        for sentence in stretches(text):
            if self._names_one(sentence, start, own, named):
                for at, each in self._alike(sentence, limit):
                    reached = self._reaching.search(sentence[: at.start]) is not None
                    if reached or self._of_the_whole.match(sentence, at.stop) is not None:
                        yield range(start + at.start, start + at.stop), each, reached
            start += len(sentence)

    def _names_one(self, sentence: str, start: int, own: Collection[str], named: Sequence[Mention]) -> bool:
        """Whether the sentence has a name that is neither the subject's nor that of a group."""
        for found in _NAME.finditer(sentence):
            at = start + found.start()
            groups = (self._is_group(each) for each in named if each.start <= at < each.end)
            if found[0].casefold() not in own and not any(groups):
                return True
        return False

    def _is_group(self, thing: Mention) -> bool:
        return bool(list(self._knowledge.incoming(concept(thing.type, thing.name).uid, MEMBER_OF)))
