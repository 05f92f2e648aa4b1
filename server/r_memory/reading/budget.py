"""How much of one text is read, counted in what reading it costs: words, things and sentences, never time.

So the same words give the same facts on any machine, however busy it is. What is beyond stays in view, unread.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from r_memory.reading.sentences import Sentence

UNREAD = "too much for one reading: from here on nothing was read; a person decides, or tell it in parts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most words, terms and sentences that are read of one text."""

    words: int = 4_000
    """Words and marks; a term of the lexicon counts as one."""
    things: int = 1_000
    """Terms of the lexicon."""
    sentences: int = 1_000


def budget_for(characters: int) -> Budget:
    """Returns the budget for texts of up to this many characters.

    Prose uses half of it; a list of laboratory values fits.
    """
    return Budget(words=characters // 2, things=characters // 8, sentences=characters // 8)


def within(budget: Budget, sentences: Iterable[Sentence]) -> tuple[tuple[Sentence, ...], int | None]:
    """Returns the whole sentences that fit the budget, in order, and the offset of the first unread sentence.

    The first sentence is always read. The offset is `None` if all were read.
    """
    read: list[Sentence] = []
    words = things = 0
    for sentence in sentences:
        words += len(sentence.units)
        things += sum(unit.mention is not None for unit in sentence.units)
        spent = words > budget.words or things > budget.things or len(read) >= budget.sentences
        if read and spent:
            return tuple(read), sentence.start
        read.append(sentence)
    return tuple(read), None
