"""Whether something is said in a form that is safe to take: nothing that is not understood may lead into it.

"It is not true that …", "pretend …", "from now on say …" hold a plain denial, "suspicion of …", "we consider …" a plain
risk. Instead of listing what may turn a statement round, this knows the few words that leave it as it is. A
denial with any other word before it, or a second denial, is for a person to read; a risk is then unconfirmed.
"""

from collections.abc import Collection, Iterator

from r_memory.reading.assertion import Cues, NamedStretch
from r_memory.reading.language import LanguagePack
from r_memory.reading.sentences import Sentence

_PERSONS = (
    "subject_nouns",
    "speaker",
    "she",
    "he",
    "they",
    "titles",
    "female_kin",
    "male_kin",
    "kin",
    "female_partners",
    "male_partners",
    "clinicians",
    "reporter_verbs",
)
_BEHIND = 4
"""Units behind a statement in which words may unsettle it."""
_NEAR = 5
"""Units before a bare name that may change its meaning."""
_ENDS = frozenset({",", ";", "-", "(", ")", ".", "!", "?", '"', "'", "\n", "*", ">", "->", "=", "/", "+", "&"})


class SafeForms:
    """Decides whether a statement stands in a safe form, in one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._breaks = pack.words("clause_breaks") - pack.words("relative_words")
        self._joiners = {"and", "or"} | pack.words("clause_breaks")
        self._harmless = frozenset(_harmless(pack)) - self._joiners
        self._known = pack.phrases("assertion", "harmless")
        self._persons = pack.words("clause_subjects")
        self._asides = frozenset((word,) for word in (*self._persons, "no", ","))
        self._paired = pack.words("assertion", "alternatives")
        self._unsettled = pack.phrases("assertion", "unsettled")
        self._leading = pack.words("assertion", "leading")
        self._behind = pack.words("assertion", "behind_scope")

    def leads(self, sentence: Sentence, stretch: NamedStretch, names: frozenset[str]) -> bool:
        """Whether only understood words lead up to a risk; `names` are the subject's."""
        first = self._beginning(sentence, stretch.first)
        if stretch.mention:
            first = max(first, stretch.first - _NEAR)
        first = max(first, self._announced(sentence, first, stretch.first))
        return self._understood(sentence, (first, stretch.first), self._leading | names)

    def covers(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        """Whether no word behind the name of a scope narrows it."""
        last = stretch.last
        while last < len(sentence.words) and sentence.words[last] not in _ENDS | self._joiners | {":"}:
            last += 1
        return self._understood(sentence, (stretch.last, last), self._behind)

    def accepts(self, sentence: Sentence, cues: Cues, stretch: NamedStretch, names: frozenset[str]) -> bool:
        """Whether a denial is safe:

        only harmless words and at most one denial lead up to it, and nothing unsettles it.
        """
        first = self._beginning(sentence, stretch.first)
        denials = {
            cue.end for cue in cues.denials if first <= cue.start < stretch.last and not self._idle(sentence, cue.start)
        }
        if len(denials) > 1 or self._cut_off(sentence, cues, stretch) or not self.settled(sentence, stretch):
            return False
        return self._understood(sentence, (first, stretch.first), names)

    def settled(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        """Whether no words close behind limit it to a time or make it uncertain."""
        return not self._unsettled.stand_in(sentence.words[stretch.last : stretch.last + _BEHIND])

    def taken_back(self, sentence: Sentence, stretch: NamedStretch, effects: str, objects: Collection[str]) -> bool:
        """Whether it goes on with an effect that nothing else is named for: "no allergy to it, but he had a rash".

        `effects` is the type of effects, `objects` are those of what has them.
        """
        turn = next((at for at in range(stretch.last, len(sentence.words)) if sentence.words[at] in self._breaks), None)
        if turn is None:
            return False
        named = {unit.mention.type for unit in sentence.units[turn:] if unit.mention is not None}
        return effects in named and named.isdisjoint(objects)

    def _cut_off(self, sentence: Sentence, cues: Cues, stretch: NamedStretch) -> bool:
        """Whether a bracket opens between every denial and the stretch: "no lines in that arm (fistula)"."""
        opened = max((at for at in range(stretch.first) if sentence.words[at] == "("), default=-1)
        if opened < 0 or ")" in sentence.words[opened : stretch.first]:
            return False
        denied = [cue.start for cue in cues.denials if cue.start < stretch.first]
        return bool(denied) and max(denied) < opened

    def _idle(self, sentence: Sentence, position: int) -> bool:
        """Whether it is the second half of "neither … nor", or the "no" of "no I have none"."""
        words = sentence.words
        return words[position] in self._paired or words[position + 1 : position + 2] in self._asides

    def _beginning(self, sentence: Sentence, position: int) -> int:
        """Returns the first unit of the words that lead up to the position."""
        while position and sentence.words[position - 1] not in _ENDS | self._joiners:
            new = sentence.words[position] in self._persons and sentence.units[position - 1].mention is not None
            if new:  # unpunctuated speech: "not pregnant she has no allergies"
                return position
            position -= 1
        return position

    def _announced(self, sentence: Sentence, first: int, last: int) -> int:
        """Where a whole clause begins behind a colon ("before we start: I am …"); `first` where none does."""
        words = sentence.words
        begins = [at for at in range(first + 1, last) if words[at - 1] == ":" and words[at] in self._persons]
        return begins[-1] if begins else first

    def _understood(self, sentence: Sentence, reach: tuple[int, int], others: frozenset[str]) -> bool:
        """Whether every word of the reach is harmless or among `others`."""
        position, last = reach
        while position < last:
            found = self._known.at(sentence.words, position)
            if found is None and not (self._is_harmless(sentence, position) or sentence.words[position] in others):
                return False
            position = position + 1 if found is None else found.end
        return True

    def _is_harmless(self, sentence: Sentence, position: int) -> bool:
        unit = sentence.units[position]
        named = unit.capital and position > 0
        plain = unit.mention is not None or not unit.is_word or unit.word[0].isdigit()
        return plain or named or unit.word in self._harmless


def _harmless(pack: LanguagePack) -> Iterator[str]:
    for section in ("fillers_before_question", "determiners", "pronouns", "clause_subjects", "possessives"):
        yield from pack.words(section)
    for section, name in (("assertion", "before_scope"), ("question", "auxiliaries"), ("question", "subjects")):
        yield from pack.words(section, name)
    for name in _PERSONS:
        yield from pack.words("persons", name)
    for others in pack.table("persons", "called").values():
        yield from others
    for path in (("assertion", "light"), ("assertion", "harmless"), ("assertion", "negated", "forward")):
        yield from (word for text in pack.texts(*path) for word in pack.cut(text))
