"""The safety net: a statement that names something watched over, sounds like a risk and gave no fact is for a person.

Also for a person: a sentence in a language that the rules cannot read. Silence is the one answer that is never given.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from r_memory.domain.schema import Schema
from r_memory.extraction.assertion import Kind
from r_memory.extraction.experiencer import Who
from r_memory.extraction.language import LanguagePack
from r_memory.extraction.phrases import Phrases
from r_memory.extraction.rules.candidates import Candidate, Scene
from r_memory.extraction.sentences import Sentence

_UNREAL = frozenset({Kind.HYPOTHETICAL, Kind.GENERAL})
_SHORTEST = 3
"""Words from which a sentence of Latin letters can be told to be foreign."""
_SHARE = 0.2
"""Share of its words that must be common words of the other language."""
_MOST_LATIN = 0.5
"""Share of letters of other scripts from which a sentence counts as foreign."""


class Net:
    """What one schema watches over, in one language."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        texts = pack.texts("risk_words")
        self._types = schema.review_types
        self._telling = () if schema.comention is None else schema.comention.types
        self._stems = tuple(text.removesuffix("-") for text in texts if text.endswith("-"))
        self._words: Phrases[str] = pack.finder({text: [text] for text in texts if not text.endswith("-")})

    def caught(self, scenes: Sequence[Scene], candidates: Iterable[Candidate]) -> Iterator[Scene]:
        """Sentences that hold a risk which no candidate explains, asserted or not."""
        named: dict[int, set[str]] = {}
        for candidate in candidates:
            named.setdefault(candidate.sentence, set()).add(candidate.name)
        yield from (scene for scene in scenes if self.catches(scene, named.get(scene.index, set())))

    def catches(self, scene: Scene, named: Collection[str]) -> bool:
        """Whether a sentence holds an unexplained risk; `named` are the terms in it that gave something."""
        if scene.cues.regions or not _UNREAL.isdisjoint(cue.value for cue in scene.cues.found):
            return False
        watched = {
            unit.mention.name
            for unit in scene.sentence.units
            if unit.mention is not None and unit.mention.type in self._types
        }
        return bool(watched.difference(named)) and self._about_subject(scene) and self._risky(scene.sentence)

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


class LanguageCheck:
    """Tells sentences of other languages from those of the pack's own."""

    def __init__(self, pack: LanguagePack) -> None:
        self._own = pack.words("common")
        self._foreign = {code: frozenset(texts) for code, texts in pack.table("foreign").items()}

    def language(self, sentence: Sentence) -> str:
        """Code of the foreign language a sentence is in, `?` for one that is not known; empty for the pack's own."""
        words = [unit.word for unit in sentence.units if unit.is_word]
        letters = [character for word in words for character in word if character.isalpha()]
        if letters and sum(not _latin(character) for character in letters) > _MOST_LATIN * len(letters):
            return "?"
        return self._latin_language(words)

    def _latin_language(self, words: Sequence[str]) -> str:
        if len(words) < _SHORTEST:
            return ""
        own = sum(word in self._own for word in words)
        scores = {
            code: len({word for word in words if word in known and word not in self._own})
            for code, known in self._foreign.items()
        }
        code = max(scores, key=lambda name: scores[name], default="")
        share = scores.get(code, 0) / len(words)
        return code if scores.get(code, 0) > max(own, 1) and share >= _SHARE else ""


def _latin(character: str) -> bool:
    return character < "\u0250"
