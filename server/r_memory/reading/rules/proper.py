"""Names that no lexicon knows, by how they are written: persons with a title, firms, securities.

Knows capitals and the few words that stand inside such names; not whether anybody is called so.
"""

import re

from r_memory.reading.language import LanguagePack
from r_memory.reading.sentences import Sentence

_ISIN = re.compile(r"[a-z]{2}[a-z0-9]{9}\d")
_HYPHENS = frozenset({"-", "\u2013"})
_AND = "&"
_LONGEST = 9
"""Units of the longest name."""


class ProperNames:
    """How one language writes names."""

    def __init__(self, pack: LanguagePack) -> None:
        self._titles = pack.words("persons", "titles") | pack.words("proper_names", "titles")
        self._inside = pack.words("proper_names", "inside")
        self._firms = pack.words("proper_names", "firms")
        self._never = pack.words("not_a_name") - self._firms
        self._nobody = frozenset({"i"}) | pack.words("proper_names", "never")
        self._endings = tuple(pack.texts("not_a_name_ending"))

    def end(self, sentence: Sentence, position: int) -> int:
        """One behind the last unit of the name that begins at the position; the position where none does."""
        words, last = sentence.words, min(len(sentence.words), position + _LONGEST)
        if position < last and _ISIN.fullmatch(words[position]):
            return position + 1
        at = position
        while at < last and words[at] in self._titles:
            at += 1
        first = at
        while at < last:
            onward = self._step(sentence, at, begun=at > first)
            if onward == at:
                break
            stops = words[onward - 1].endswith(".") and self._is_firm(words[onward - 1])
            at = onward
            if stops and not (at < last and self._is_firm(words[at])):  # "Acme Corp. Adverse parties: …"
                break
        return at if at > first else position

    def goes_on(self, sentence: Sentence, position: int) -> bool:
        """Whether the position is in the middle of a longer name."""
        before = max(position - 3, 0)
        return any(self.end(sentence, start) > position for start in range(before, position))

    def _step(self, sentence: Sentence, at: int, *, begun: bool) -> int:
        """One behind the next part of a name; the unit itself where there is none."""
        words = sentence.words
        if self._names(sentence, at, begun=begun):
            return at + 1
        if not begun:
            return at
        if words[at] in {"and", _AND} and any(map(self._is_firm, words[at + 1 : at + 2])):
            return at + 2
        if self._is_firm(words[at]):
            return at + 1
        joins = words[at] == _AND or words[at] in _HYPHENS or words[at] in self._inside
        return at + 2 if joins and at + 1 < len(words) and self._names(sentence, at + 1, begun=True) else at

    def _is_firm(self, word: str) -> bool:
        return word.rstrip(".") in self._firms

    def _names(self, sentence: Sentence, at: int, *, begun: bool) -> bool:
        """Whether the unit is written as part of a name; at the beginning of a sentence any word has a capital."""
        unit = sentence.units[at]
        if not unit.capital or not unit.is_word or unit.word in self._nobody:
            return False
        if at and (begun or unit.word not in self._never):
            return True
        follows = sentence.units[at + 1 : at + 2]
        if at and follows and follows[0].capital:  # "Home Office", "New Look"
            return follows[0].word not in self._never
        return unit.word not in self._never and not unit.word.endswith(self._endings)
