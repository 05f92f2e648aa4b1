"""Marks that a form puts beside a name: a box that is ticked or not, a yes or a no.

Knows where a mark stands and what it says; nothing of what is asked.
"""

from enum import StrEnum

from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.arguments import Filler
from r_memory.reading.sentences import Sentence

_EMPTY, _TICKED = frozenset("☐□◻"), frozenset("☑☒✓✔✗✘")
_OPENS, _CLOSES = "[", "]"
_LEADS = frozenset({":", "-", "=", "?"})
"""Marks that may stand between a name and its answer."""
_PARTS = frozenset({",", ";", ".", "/", "|", "&", "(", ")"})
"""Marks that may stand behind an answer."""


class FormMark(StrEnum):
    """The meaning of a mark beside a name."""

    YES = "yes"
    NO = "no"
    EMPTY = "not ticked"


class FormMarks:
    """Reads the marks of forms, in one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._answers = {
            word: mark
            for mark, name in ((FormMark.YES, "yes"), (FormMark.NO, "no"))
            for word in pack.words("marks", name)
        }

    def of(self, sentence: Sentence, item: Filler, *, listed: bool) -> FormMark | None:
        """Returns the mark of an item; `None` without one.

        A bare word counts in a list, behind a colon, or where other items have one too.
        """
        box = self._box(sentence, item)
        if box is not None:
            return box
        mark = self._answer(sentence, item.last)
        if mark is None or listed or sentence.words[item.last] in _LEADS:
            return mark
        named = (at for at, unit in enumerate(sentence.units) if unit.mention is not None)
        return mark if sum(self._answer(sentence, at + 1) is not None for at in named) > 1 else None

    def _box(self, sentence: Sentence, item: Filler) -> FormMark | None:
        """Returns the box before the item if the line begins with one, else the box behind it."""
        words = sentence.words
        if words[0] == _OPENS or words[0] in _EMPTY | _TICKED:
            before = words[: item.first]
            if before[-1:] == (_CLOSES,):
                return FormMark.EMPTY if before[-2:-1] == (_OPENS,) else FormMark.YES
            return _drawn(before[-1]) if before else None
        behind = words[item.last :]
        if behind[:1] == (_OPENS,):
            return FormMark.EMPTY if behind[1:2] == (_CLOSES,) else None
        return _drawn(behind[0]) if behind else None

    def _answer(self, sentence: Sentence, position: int) -> FormMark | None:
        words = sentence.words
        while position < len(words) and words[position] in _LEADS:
            position += 1
        mark = self._answers.get(words[position]) if position < len(words) else None
        behind = sentence.units[position + 1 : position + 2]
        ends = not behind or behind[0].word in _PARTS or behind[0].mention is not None or "\n" in behind[0].word
        return mark if ends else None


def _drawn(word: str) -> FormMark | None:
    return FormMark.EMPTY if word in _EMPTY else FormMark.YES if word in _TICKED else None
