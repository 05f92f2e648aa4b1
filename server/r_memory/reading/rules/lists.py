"""Bare lists: a sentence, or the rest of one, that is nothing but the names of things.

Knows where such a list begins and ends and what it names; the relation comes from elsewhere.
"""

from collections.abc import Iterator, Sequence

from r_memory.domain.facts import Status
from r_memory.domain.schema import Schema
from r_memory.reading.experiencer import Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.arguments import Arguments, Filler
from r_memory.reading.rules.candidates import Candidate, Scene, named
from r_memory.reading.rules.triggers import Triggers
from r_memory.reading.sentences import Sentence

MARKS = frozenset({",", ".", "!", "-", "..."})
"""Units that part the words of an answer and say nothing."""


class BareLists:
    """The bare lists of one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, triggers: Triggers, arguments: Arguments) -> None:
        self._schema = schema
        self._triggers = triggers
        self._arguments = arguments
        self._leading, self._trailing = pack.phrases("answers", "leading"), pack.phrases("answers", "trailing")
        self._doubting = pack.phrases("assertion", "unconfirmed", "backward")

    def items(self, sentence: Sentence, start: int, relation: str) -> Iterator[tuple[Filler, bool]]:
        """Items of a list that takes up the whole rest of a sentence; with each, whether doubt was said."""
        words, position = sentence.words, start
        while position < len(words) and (found := self._leading.at(words, position)) is not None:
            position = found.end
        items: Sequence[Filler] = ()
        if position < len(words):
            slot = self._triggers.slot(self._schema.relations[relation], many=True)
            items = next(self._arguments.fills(sentence, position, slot), ())
        if not items or items[0].pronoun or not self._ends(words, items[-1].end):
            return
        doubtful = self._doubting.stand_in(words)
        for item in items:
            yield item, doubtful

    def _ends(self, words: Sequence[str], position: int) -> bool:
        """Nothing but "I think", "that's it" and the like stands behind the position."""
        while position < len(words):
            tail = self._trailing.at(words, position)
            if tail is None and words[position] not in MARKS | {"?"}:
                return False
            position = position + 1 if tail is None else tail.end
        return True


def named_by(
    item: Filler, scene: Scene, *, relation: str, relative: str, doubtful: bool = False
) -> Iterator[Candidate]:
    """What an item of a list names under a relation, of the subject or of a relative; one that may be several things
    is unconfirmed."""
    status = Status.UNCONFIRMED if doubtful else Status.ACTIVE
    base = Candidate(
        relation=relation,
        name="",
        status=Status.NEGATED if item.negated else status,
        who=Who.FAMILY if relative else Who.SUBJECT,
        relative=relative,
        source="answer",
        sentence=scene.index,
        first=item.first,
        last=item.last,
        at=item.first,
    )
    yield from named(base, item, scene.sentence)
