"""The safety net: a statement that names something watched over, sounds like a risk and gave no fact is for a person.

Silence is the one answer that is never given.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from r_memory.domain.schema import Schema
from r_memory.extraction.assertion import Kind
from r_memory.extraction.experiencer import Who
from r_memory.extraction.language import LanguagePack
from r_memory.extraction.phrases import Phrases
from r_memory.extraction.rules.candidates import Candidate, Scene
from r_memory.extraction.sentences import Sentence
from r_memory.protocols import Mention

_UNREAL = frozenset({Kind.HYPOTHETICAL, Kind.GENERAL})


class Net:
    """What one schema watches over, in one language."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        texts = (*pack.texts("risk_words"), *pack.texts("exception"), *schema.review_words)
        self._types, self._lexicon = schema.review_types, schema.lexicon
        self._telling = () if schema.comention is None else schema.comention.types
        self._stems = tuple(text.removesuffix("-") for text in texts if text.endswith("-"))
        self._exceptions = pack.phrases("exception")
        self._none = pack.words("nothing_at_all")
        self._bare = frozenset(tuple(pack.cut(text)) for text in pack.texts("bare_no"))
        self._words: Phrases[str] = pack.finder({text: [text] for text in texts if not text.endswith("-")})

    def caught(self, scenes: Sequence[Scene], candidates: Iterable[Candidate]) -> Iterator[Scene]:
        """Sentences that hold a risk which no candidate explains, asserted or not."""
        named: dict[int, set[str]] = {}
        for candidate in candidates:
            named.setdefault(candidate.sentence, set()).add(candidate.name)
        yield from (scene for scene in scenes if self.catches(scene, named.get(scene.index, set())))

    def watches(self, mentions: Iterable[Mention]) -> bool:
        """Whether something watched over is among these."""
        return any(mention.type in self._types for mention in mentions)

    def tells(self, scene: Scene, candidates: Iterable[Candidate]) -> bool:
        """Whether a plain sentence about the subject names a graver effect that no candidate of it explains."""
        if scene.cues.regions or scene.cues.found or not self._about_subject(scene):
            return False
        if any(candidate.sentence == scene.index for candidate in candidates):
            return False
        return any(
            unit.mention is not None and unit.mention.type in self._telling and not self._is_light(unit.mention)
            for unit in scene.sentence.units
        )

    def _is_light(self, mention: Mention) -> bool:
        return bool(self._lexicon.value_of(mention.type, "kind", mention.name))

    def catches(self, scene: Scene, named: Collection[str]) -> bool:
        """Whether a sentence holds an unexplained risk; `named` are the terms in it that gave something."""
        if scene.cues.regions or not _UNREAL.isdisjoint(cue.value for cue in scene.cues.found):
            return False
        watched = {
            unit.mention.name
            for unit in scene.sentence.units
            if unit.mention is not None and unit.mention.type in self._types
        }
        if not self._about_subject(scene):
            return False
        return (bool(watched.difference(named)) and self._risky(scene.sentence)) or (
            not named and self._leaves_out(scene)
        )

    def _leaves_out(self, scene: Scene) -> bool:
        """Whether it denies all but something, whatever that is called: "none, apart from kiwi"."""
        words = scene.sentence.words
        found = min((found.start for found in self._exceptions.every(words)), default=0)
        return any(words[at] in self._none for at in range(found)) or words[:found] in self._bare

    def _about_subject(self, scene: Scene) -> bool:
        """Nobody else is spoken of, neither here nor by a pronoun."""
        if scene.focus.relative and any(person.third for person in scene.persons):
            return False
        return all(person.reports or person.who in {Who.SUBJECT, Who.DOUBTFUL} for person in scene.persons)

    def _risky(self, sentence: Sentence) -> bool:
        if any(unit.mention is not None and unit.mention.type in self._telling for unit in sentence.units):
            return True
        if any(word.startswith(self._stems) for word in sentence.words):
            return True
        return any(True for _ in self._words.every(sentence.words))
