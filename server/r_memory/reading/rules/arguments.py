"""What stands in a slot: a term, a list of terms, a pronoun, or words that no lexicon knows.

Knows coordination and the words around a name; nothing of the relation that the slot belongs to.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from r_memory.domain.schema import Lexicon
from r_memory.protocols import Mention
from r_memory.reading.language import LanguagePack, Phrases
from r_memory.reading.linking import Gazetteer
from r_memory.reading.rules.proper import ProperNames
from r_memory.reading.rules.templates import Slot
from r_memory.reading.sentences import Sentence, Unit

_LONGEST_NAME = 3
"""Most words in an unknown name."""
_MOST_ITEMS = 40
_BETWEEN_ITEMS = 7
"""Units between two items of a list, doses and periods included."""
_HARD = frozenset({",", "or", "and", "n", "&", "/", "+", "nor", "and/or", "plus", "then", "also"})
_NOTE_MARKS = frozenset({"-", "->", "=>", "=", ":", ">"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """The words that fill a slot, at units `first` to `last` (excluded)."""

    first: int
    last: int
    mentions: tuple[Mention, ...] = ()
    """One term; several for an ambiguous misspelling; none for a pronoun or unknown words."""
    text: str = ""
    """The words as they stand, for an unknown name."""
    pronoun: bool = False
    named: bool = False
    """Written as a proper name: the whole name is the object."""
    fuzzy: bool = False
    negated: bool = False
    """Excluded from the list: "penicillin, not sulfa"."""
    alternative: bool = False
    """One of several items joined by "or"."""
    note: tuple[int, int] = (0, 0)
    """Units of a remark about this item alone, in brackets or behind a dash."""

    @property
    def end(self) -> int:
        """Index behind the last unit that belongs to it."""
        return max(self.last, self.note[1])


class Arguments:
    """Fills slots in the sentences of one language."""

    def __init__(self, pack: LanguagePack, gazetteer: Gazetteer, lexicon: Lexicon) -> None:
        self._gazetteer = gazetteer
        self._connectors = pack.phrases("list_connectors")
        self._openers: Phrases[str] = pack.finder(
            {text: [text] for text in (*pack.texts("determiners"), *pack.texts("slot_openers"))}
        )
        self._pronouns = pack.words("pronouns")
        self._amounts = frozenset(" ".join(pack.cut(text)) for texts in pack.table("units").values() for text in texts)
        self._describing = pack.words("describing")
        self._articles = pack.words("possessives") | {"a", "an"}
        self._owning = self._articles | {"the"}
        self._onward = pack.words("joiners") | {"about", "over", "for", "in", "at", "on", "from", "who", "who's"}
        self._pointing = pack.words("pointing")
        self._unnamed = pack.words("not_a_name")
        self._unlike = tuple(pack.texts("not_a_name_ending"))
        self._names = ProperNames(pack)
        self._turns = pack.words("turns")
        self._verbs = pack.words("finite_verbs")
        self._tags = frozenset(
            type_ for type_, properties in lexicon.values.items() if "severity" in properties or "kind" in properties
        )

    def fills(
        self, sentence: Sentence, position: int, slot: Slot, *, leading: bool = False
    ) -> Iterator[tuple[Filler, ...]]:
        """Yields the lists of fillers that can fill the slot from the position on, longest first."""
        items = list(self._items(sentence, position, slot, leading=leading))
        for count in range(len(items) if slot.many else min(len(items), 1), 0, -1):
            listed = tuple(items[:count])
            yield listed
            if listed[-1].note[1]:  # what stands behind the last item may be the template's own words
                yield (*listed[:-1], replace(listed[-1], note=(0, 0)))

    def _closes(self, sentence: Sentence, position: int) -> bool:
        """Whether what stands there goes on about a name and tells nothing of its own: not "…, Mr Harper told me"."""
        behind = sentence.words[position : position + 1]
        return not behind or not behind[0][0].isalnum() or behind[0] in self._onward

    def _items(self, sentence: Sentence, position: int, slot: Slot, *, leading: bool) -> Iterator[Filler]:
        item = self._item(sentence, position, slot, leading=leading)
        count = 0
        while item is not None and count < _MOST_ITEMS:
            yield item
            count += 1
            if not slot.many or item.pronoun:
                return
            item = self._next(sentence, item, slot, leading=leading)

    def _next(self, sentence: Sentence, item: Filler, slot: Slot, *, leading: bool) -> Filler | None:
        """Returns the item behind a connector; `None` if there is none."""
        position, hard, negated, alternative = item.end, False, False, False
        while position < len(sentence.units) and position < item.end + _BETWEEN_ITEMS:
            found = self._connectors.at(sentence.words, position)
            if found is not None:
                hard = hard or sentence.words[position] in _HARD or found.end - found.start > 1
                alternative = alternative or sentence.words[position] == "or"
                position = found.end
            elif sentence.words[position] in {"not", "no"} and hard:
                again = sentence.words[position] == "no" and sentence.words[item.first - 1] == "no"  # "no x, no y"
                negated, position = not again, position + 1
            elif sentence.words[position : position + 2] == ("but", "not"):
                hard, negated, position = True, True, position + 2
            else:
                break
        if not hard:
            return None
        following = self._item(sentence, position, slot, leading=leading, listed=True)
        if following is None or following.pronoun:
            return None
        return replace(following, negated=negated, alternative=alternative)

    def _item(
        self, sentence: Sentence, position: int, slot: Slot, *, leading: bool, listed: bool = False
    ) -> Filler | None:
        start = position
        for _ in range(_LONGEST_NAME + 3):
            found = self._named(sentence, position, slot, leading=leading and not listed)
            found = found or (None if leading else self._introduced(sentence, position, slot))
            found = found or self._term(sentence, position, slot)
            if found is not None:
                return found
            opened = position if leading and not listed else self._opened(sentence, position)
            if opened == position:
                break
            position = opened
        described = None if leading and not listed else self._described(sentence, position, slot)
        if described is not None:
            return described
        if position >= len(sentence.units):
            position = start
        if position >= len(sentence.units):
            return None
        pronoun = None if listed else self._pronoun(sentence, start, slot)
        if pronoun is not None:
            return pronoun
        return self._unknown(sentence, position, slot, leading=leading, listed=listed)

    def _opened(self, sentence: Sentence, position: int) -> int:
        """Returns the index behind a determiner, an amount or "such as"; the position if none stands there."""
        if position >= len(sentence.units):
            return position
        found = self._openers.at(sentence.words, position)
        if found is not None:
            return found.end
        return position + (sentence.words[position][0].isdigit() or sentence.words[position] in self._amounts)

    def _described(self, sentence: Sentence, position: int, slot: Slot) -> Filler | None:
        """Returns a term behind one or two describing words: "low-dose aspirin", "liquid amoxicillin"."""
        for at in range(position, min(position + _LONGEST_NAME, len(sentence.units))):
            unit = sentence.units[at]
            told = unit.word in self._turns or (unit.word.endswith("ed") and unit.word not in self._describing)
            if unit.mention is not None or told or not (unit.word == "-" or self._may_name(unit)):
                return None
            found = self._term(sentence, at + 1, slot)
            if found is not None:
                return found
        return None

    def _term(self, sentence: Sentence, position: int, slot: Slot) -> Filler | None:
        """Returns a term of the slot's types; `None` if there is none."""
        unit = sentence.units[position] if position < len(sentence.units) else None
        if unit is None or not _fits(unit, slot):
            return None
        mentions = () if unit.mention is None else (unit.mention,)
        filler = Filler(first=position, last=position + 1, mentions=mentions)
        return replace(filler, note=self._note(sentence, position + 1))

    def _named(self, sentence: Sentence, position: int, slot: Slot, *, leading: bool) -> Filler | None:
        """Returns an unknown proper name, if the slot accepts one: "Harper & Co", "Mr Jones", "Bank of Ardmore"."""
        if not slot.named or (leading and self._names.goes_on(sentence, position)):
            return None
        last = self._names.end(sentence, position)
        known = last == position + 1 and sentence.units[position].mention is not None
        if last == position or known:
            return None
        unknown = all(unit.mention is None for unit in sentence.units[position:last])
        if unknown and last < len(sentence.units) and _fits(sentence.units[last], slot):
            last += 1  # "Chinese equity"
        text = _text(sentence, position, last).rstrip(".")
        return Filler(first=position, last=last, text=text, named=True, note=self._note(sentence, last))

    def _introduced(self, sentence: Sentence, position: int, slot: Slot) -> Filler | None:
        """A name behind what its bearer is: "my old business partner, Carl Harper", "the firm, Harper & Co"."""
        if not slot.named or not position or self._owning.isdisjoint(sentence.words[position - 1 : position]):
            return None
        at = position
        while at < min(position + _LONGEST_NAME + 2, len(sentence.units)) and sentence.units[at].is_word:
            if sentence.units[at].capital or sentence.units[at].mention or sentence.words[at] in self._verbs:
                return None
            at += 1
        if sentence.words[at : at + 1] != (",",) or at == position:
            return None
        name = self._named(sentence, at + 1, replace(slot, many=False), leading=False)
        if name is None or not self._closes(sentence, name.last):
            return None
        return replace(name, first=position)

    def _pronoun(self, sentence: Sentence, position: int, slot: Slot) -> Filler | None:
        if slot.name != "object" or sentence.words[position] not in self._pronouns:
            return None
        following = sentence.units[position + 1] if position + 1 < len(sentence.units) else None
        points = sentence.words[position] in self._pointing
        if points and following is not None and following.is_word and following.word not in self._verbs:
            return None
        return Filler(first=position, last=position + 1, pronoun=True)

    def _unknown(self, sentence: Sentence, position: int, slot: Slot, *, leading: bool, listed: bool) -> Filler | None:
        """Returns unknown words: as the nearest term if misspelt, else as they are."""
        if not slot.guess or (slot.named and leading and self._names.goes_on(sentence, position)):
            return None
        last = self._name_end(sentence, position)
        if last == position:
            return None
        misspelt = self._misspelt(sentence, position, last, slot)
        if misspelt is not None:
            return replace(misspelt, note=self._note(sentence, misspelt.last))
        if not slot.open or (leading and not self._looks_named(sentence, position, last)):
            return None
        if listed and not self._ends_item(sentence, last):
            return None
        text = _text(sentence, position, last).rstrip(".")
        return Filler(first=position, last=last, text=text, note=self._note(sentence, last))

    def _name_end(self, sentence: Sentence, position: int) -> int:
        """Returns the index behind the last word that may belong to an unknown name."""
        at, words = position, 0
        while at < len(sentence.units) and words < _LONGEST_NAME:
            unit = sentence.units[at]
            if unit.mention is not None or not self._may_name(unit):
                break
            at, words = at + 1, words + 1
        return at

    def _may_name(self, unit: Unit) -> bool:
        word = unit.word
        if not unit.is_word or word in self._unnamed or word[0].isdigit() or len(word) < 2:
            return False
        return unit.capital or not word.endswith(self._unlike)

    def _misspelt(self, sentence: Sentence, position: int, last: int, slot: Slot) -> Filler | None:
        for end in range(last, position, -1):
            found = self._gazetteer.resolve(_text(sentence, position, end), sorted(slot.types))
            if found:
                return Filler(first=position, last=end, mentions=found, fuzzy=True)
        return None

    def _looks_named(self, sentence: Sentence, position: int, last: int) -> bool:
        """Whether an unknown word before "allergy" or the like is written as a name."""
        unit = sentence.units[position]
        if last != position + 1 or unit.word in self._describing:
            return False
        before = sentence.words[position - 1] if position else ""
        return (unit.capital and position > 0) or before in self._articles

    def _ends_item(self, sentence: Sentence, last: int) -> bool:
        if last >= len(sentence.units) or not sentence.units[last].is_word:
            return True
        return self._connectors.at(sentence.words, last) is not None

    def _note(self, sentence: Sentence, position: int) -> tuple[int, int]:
        """Returns the units of a remark on one item: in brackets, or a reaction behind a dash."""
        words = sentence.words
        if position >= len(words):
            return (0, 0)
        if words[position] in {"(", "["}:
            closing = next((at for at in range(position, len(words)) if words[at] in {")", "]"}), len(words) - 1)
            return (position, closing + 1)
        if words[position] in _NOTE_MARKS:
            end = position + 1
            while end < len(words) and words[end] in _NOTE_MARKS:
                end += 1
            tagged = sentence.units[end].mention if end < len(words) else None
            if tagged is not None and tagged.type in self._tags:
                return (position, end + 1)
        return (0, 0)


def _fits(unit: Unit, slot: Slot) -> bool:
    mention = unit.mention
    if mention is None or mention.type not in slot.types:
        return False
    return not slot.only or mention.name == slot.only


def _text(sentence: Sentence, first: int, last: int) -> str:
    """Returns the words of some units as a term would be written."""
    parts: list[str] = []
    end = sentence.units[first].start
    for unit in sentence.units[first:last]:
        parts.append((" " if unit.start > end else "") + unit.word)
        end = unit.end
    return "".join(parts)
