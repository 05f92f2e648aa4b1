"""The safety net: a statement that names something watched over, sounds like a risk and gave no fact is for a person.

Silence is the one answer that is never given.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from r_memory.domain.schema import Schema
from r_memory.protocols import Mention
from r_memory.reading.assertion import DENIAL, UNREAL, AssertionCue, CueSide, Kind
from r_memory.reading.binding import Binding
from r_memory.reading.experiencer import PersonWord, Who
from r_memory.reading.language import LanguagePack, PhraseMatch, Phrases
from r_memory.reading.rules.candidates import Candidate, Scene
from r_memory.reading.sentences import Sentence

_UNREAL = frozenset({AssertionCue(kind=Kind.HYPOTHETICAL), AssertionCue(kind=Kind.GENERAL, side=CueSide.EITHER)})
_BY_NATURE = AssertionCue(kind=Kind.GENERAL, side=CueSide.BEHIND)
_NOT_SO = frozenset({Kind.NEGATED, Kind.REFUTED, Kind.PLANNED})
_BRIEF = 6
"""Most units of a sentence about taking something that has room for nothing else."""
_FEWEST = 3
_BACK = 2
"""Sentences before an effect in which its cause may stand."""
_MOST = 40
"""Most units of a sentence that is no run of speech without full stops."""
_NEAR = 3
"""Units between a given thing and its effect, or between "after" and the thing."""
_STEM, _TERM, _PHRASE = "stem", "term", "phrase"
WATCHED = "names something watched over, and not all of it was understood"
"""The reason for review of a sentence of which no part was understood."""
UNNAMED = "tells of an effect, perhaps of something that was given and is not named"
BINDING = "binds somebody, and no critical fact was read from it"
"""The reason for review of a sentence with words that bind, such as a promise or a limit."""


class Net:
    """Finds sentences that must be reviewed, under one schema in one language."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        texts = (*pack.texts("risk_words"), *pack.texts("exception"), *schema.review_words)
        self._types, self._lexicon = schema.review_types, schema.lexicon
        self._critical = frozenset(relation.name for relation in schema.relations.values() if relation.critical)
        self._telling = () if schema.comention is None else schema.comention.types
        self._stems = tuple(text.removesuffix("-") for text in texts if text.endswith("-"))
        self._exceptions = pack.phrases("exception")
        self._none = pack.words("nothing_at_all")
        self._grave, self._unnamed = pack.phrases("grave_words"), pack.phrases("unnamed")
        effects = () if schema.comention is None else tuple(schema.comention.stems)
        # "reacted" to something named says more than "reaction"; of something unnamed, each is for a person.
        begun = (stem for stem in self._stems if any(effect.startswith(stem) for effect in effects))
        self._effects = (*effects, *begun)
        told, given = ((), ()) if schema.comention is None else (schema.comention.effects, schema.comention.given)
        self._told, self._given = pack.finder({_PHRASE: told}), pack.finder({"": given})
        self._no_names = pack.words("not_a_name")
        self._stops, self._pronouns = pack.phrases("assertion", "stops"), pack.words("pronouns")
        self._causing, self._determiners = pack.words("causing"), pack.words("determiners")
        self._idle = pack.words("purposes") | pack.words("treating") | pack.words("relief") | pack.words("consequences")
        self._ordering, self._giving = pack.words("requests", "verbs"), pack.words("giving")
        self._bare = frozenset(tuple(pack.cut(text)) for text in pack.texts("bare_no"))
        self._binding = Binding(schema.language)
        self._alone = pack.finder({_PHRASE: schema.review_alone})
        self._words: Phrases[str] = pack.finder({text: [text] for text in texts if not text.endswith("-")})

    def caught(
        self, scenes: Sequence[Scene], candidates: Iterable[Candidate], *, wide: bool = False
    ) -> Iterator[tuple[Scene, str]]:
        """Yields sentences with a risk that no candidate explains, asserted or not, and the reason for review.

        `wide`: a short sentence that names a watched thing counts too, unless it only tells of a plan, of relief, or of
        a purpose.
        """
        grave = {scene.index for scene in scenes if self._is_grave(scene)}
        named: dict[int, set[str]] = {}
        harmful: set[int] = set()
        everywhere: set[str] = set()
        for candidate in candidates:
            graver = not candidate.counts and candidate.sentence in grave
            if not graver:  # in a grave sentence only what is stated explains anything
                named.setdefault(candidate.sentence, set()).add(candidate.name)
            if candidate.name and candidate.relation in self._critical:
                harmful.add(candidate.sentence)
            everywhere.add(candidate.name)
        for scene in scenes:
            known = named.get(scene.index, set())
            unread = wide and not known and self._unread(scene, everywhere)
            if scene.index not in harmful and self._lacks_name(scene):
                yield scene, UNNAMED
            elif self.catches(scene, known) or unread or self._may_follow(scene, scenes, named):
                yield scene, WATCHED
            elif scene.index not in harmful and (self._binds(scene, scenes) or self._tells_alone(scene)):
                yield scene, BINDING

    def _binds(self, scene: Scene, scenes: Sequence[Scene]) -> bool:
        """Whether a sentence that asks nothing binds somebody on the subject's side, or follows on one that does: it
        tells what is left free, or what is right instead.

        What binds a neighbour is the neighbour's; who must not know of something is told of others, and so is what the
        listener is told not to do.
        """
        words = " ".join(scene.sentence.words)
        lifts = self._binding.lifts(words)
        if scene.cues.regions or not (lifts or self._binding.binds(words) or self._follows_on(scene, scenes)):
            return False
        others = [person for person in scene.persons if person.who not in {Who.SUBJECT, Who.DOUBTFUL}]
        speaks = any(person.who is Who.SUBJECT for person in scene.persons)
        return speaks or not others or self._binding.instructs(words) or self._binding.is_secret(words)

    def _tells_alone(self, scene: Scene) -> bool:
        """Whether a sentence that asks nothing has a phrase that is for a person, whatever and whomever it names."""
        return not scene.cues.regions and self._alone.stand_in(scene.sentence.words)

    def _follows_on(self, scene: Scene, scenes: Sequence[Scene]) -> bool:
        before = " ".join(scenes[scene.index - 1].sentence.words) if scene.index else ""
        frees = self._binding.frees(" ".join(scene.sentence.words))
        return self._binding.takes_back(before) or (frees and self._binding.binds(before))

    def _may_follow(self, scene: Scene, scenes: Sequence[Scene], named: Mapping[int, set[str]]) -> bool:
        """Whether an unexplained effect directly follows its possible cause: "… ceftriaxone. She had hives." """
        earlier = scenes[max(scene.index - _BACK, 0) : scene.index]
        given = any(True for before in earlier for _ in before.sentence.terms(self._types))
        return given and scene.index not in named and self.tells(scene, ())

    def is_any(self, words: Sequence[str]) -> bool:
        """Whether the words name only an unspecified thing that was given: "some tablets"."""
        led_in = self._given.at(words, 0) if words else None
        if led_in is not None and led_in.end > 1:  # "put in the drip"
            rest = words[led_in.end :]
            return all(word in self._no_names or self._given.at(rest, at) for at, word in enumerate(rest))
        named = [word for word in words if word not in self._determiners]
        return bool(named) and self._no_names.issuperset(named) and self._given.stand_in(named)

    def _unread(self, scene: Scene, named: Collection[str]) -> bool:
        unreal = scene.cues.say(UNREAL | {Kind.PLANNED})
        words = scene.sentence.words
        if scene.cues.regions or unreal or not _FEWEST <= len(words) <= _MOST:
            return False
        unread = any(mention.name not in named for _, mention in scene.sentence.terms(self._types))
        idle = words[0] in self._ordering or not self._idle.isdisjoint(words)
        idle = idle or (len(words) <= _BRIEF and not self._giving.isdisjoint(words))  # "I took ibuprofen yesterday."
        return unread and not idle and self._about_subject(scene)

    def watches(self, mentions: Iterable[Mention]) -> bool:
        """Whether one of the mentions is of a watched type."""
        return any(mention.type in self._types for mention in mentions)

    def sounds_risky(self, scene: Scene) -> bool:
        """Whether a sentence names a watched thing or holds a word for a risk, of any person."""
        return any(True for _ in scene.sentence.terms(self._types)) or self._worded(scene.sentence)

    def tells(self, scene: Scene, candidates: Iterable[Candidate]) -> bool:
        """Whether a plain sentence about the subject names a serious effect that no candidate explains."""
        if scene.cues.regions or scene.cues.say(UNREAL | _NOT_SO) or not self._about_subject(scene):
            return False
        if any(candidate.sentence == scene.index for candidate in candidates):
            return False
        told = scene.sentence.terms(self._telling)
        return any(not self._lexicon.value_of(mention.type, "kind", mention.name) for _, mention in told)

    def _is_grave(self, scene: Scene) -> bool:
        """Whether the words say that something could kill, also under a condition."""
        return self._grave.stand_in(scene.sentence.words)

    def catches(self, scene: Scene, named: Collection[str]) -> bool:
        """Whether a sentence holds an unexplained risk; `named` are its terms that gave something."""
        unreal = not _UNREAL.isdisjoint(cue.value for cue in scene.cues.found)
        if scene.cues.regions or (unreal and not self._is_grave(scene)):
            return False
        if not self._about_subject(scene):
            return False
        watched = {mention.name for _, mention in scene.sentence.terms(self._types)}
        return (bool(watched.difference(named)) and (self._is_grave(scene) or self._risky(scene.sentence))) or (
            not named and self._leaves_out(scene)
        )

    def _lacks_name(self, scene: Scene) -> bool:
        """Whether it tells of an effect of an unnamed thing: "allergic to whatever they gave me"."""
        words = scene.sentence.words
        others = [person for person in scene.persons if self._unnamed.at(words, person.at) is None]  # but "someone"
        if scene.cues.regions or scene.cues.say(UNREAL) or not self._about_subject(scene, others):
            return False
        unnamed = [*self._unnamed.every(words)]
        denials = [
            cue
            for cue in scene.cues.found
            if (cue.value.kind in _NOT_SO or cue.value == _BY_NATURE)
            and not any(item.start <= cue.start < item.end for item in unnamed)  # "no idea what it was"
        ]
        if any(cue.value != DENIAL for cue in denials):
            return False
        return any(
            self._has_no_agent(scene.sentence, effect, unnamed)
            for effect in self._effects_in(scene.sentence)
            if not any(self._denies(scene.sentence, cue.start, effect.start) for cue in denials)
        )

    def _denies(self, sentence: Sentence, denial: int, effect: int) -> bool:
        """Whether a denial reaches the effect; it does not in "could not have it because she reacted"."""
        same = denial < effect and sentence.clauses[denial] == sentence.clauses[effect]
        return same and not self._stops.stand_in(sentence.words[denial:effect])

    def _effects_in(self, sentence: Sentence) -> Iterator[PhraseMatch[str]]:
        """Yields the words for an effect: a stem ("reacted"), a term ("hives") or a phrase ("a funny turn")."""
        for at, word in enumerate(sentence.words):
            if word.startswith(self._effects):
                yield PhraseMatch(start=at, end=at + 1, value=_STEM)
        for at, _ in sentence.terms(self._telling):
            yield PhraseMatch(start=at, end=at + 1, value=_TERM)
        yield from self._told.longest(sentence.words)

    def _has_no_agent(self, sentence: Sentence, effect: PhraseMatch[str], unnamed: Sequence[PhraseMatch[str]]) -> bool:
        """Whether the effect may be that of an unnamed thing that was given.

        Unless the words say that the thing is unknown, the effect must follow it: "ill after a jab".
        """
        words = sentence.words
        if effect.value == _STEM and any(item.start >= effect.end for item in unnamed):
            return True
        if effect.value == _STEM and not self._pronouns.isdisjoint(words[effect.end : effect.end + _NEAR]):
            return True  # "they could not give her the blood, she reacted to it"
        if effect.value != _STEM and not self._idle.isdisjoint(words[effect.end : effect.end + _NEAR]):
            return False  # "made me feel better"
        verbs = (PhraseMatch(start=at, end=at + 1, value="") for at, word in enumerate(words) if word in self._giving)
        given = [(verb, bool(unnamed)) for verb in verbs if unnamed]
        given += [(item, bool(unnamed) or self._follows(words, item, effect)) for item in self._given.longest(words)]
        return any(
            counts and self._idle.isdisjoint(words[min(each.end, effect.end) : max(each.start, effect.start)])
            for each, counts in given
        )

    def _follows(self, words: Sequence[str], given: PhraseMatch[str], effect: PhraseMatch[str]) -> bool:
        """Whether the effect is told as a result of the thing: "ill after the jab", "the drip did something to me"."""
        between = words[min(given.end, effect.end) : max(given.start, effect.start)]
        if effect.end <= given.start:
            close = effect.value == _PHRASE and len(between) < _NEAR
            return close or not self._causing.isdisjoint(between[-_NEAR:])
        after = not self._causing.isdisjoint(words[max(given.start - _NEAR, 0) : given.start])
        return len(between) <= _NEAR and (after or effect.value == _PHRASE)

    def _leaves_out(self, scene: Scene) -> bool:
        """Whether it denies everything except something: "none, apart from kiwi"."""
        words = scene.sentence.words
        found = min((found.start for found in self._exceptions.every(words)), default=0)
        return any(words[at] in self._none for at in range(found)) or words[:found] in self._bare

    def _about_subject(self, scene: Scene, persons: Sequence[PersonWord] | None = None) -> bool:
        """Whether no other person is mentioned, by name or pronoun.

        The "I" of a relative means the subject where the subject is mentioned.
        """
        persons = scene.persons if persons is None else persons
        if any(person.third and person.who is Who.SUBJECT for person in persons):
            persons = [person for person in persons if not person.speaks]
        if scene.focus.relative and any(person.third for person in persons):
            return False
        return all(person.reports or person.who in {Who.SUBJECT, Who.DOUBTFUL} for person in persons)

    def _risky(self, sentence: Sentence) -> bool:
        return any(True for _ in sentence.terms(self._telling)) or self._worded(sentence)

    def _worded(self, sentence: Sentence) -> bool:
        """Whether a word of the sentence tells of a risk."""
        stems = any(word.startswith(self._stems) for word in sentence.words)
        return stems or self._words.stand_in(sentence.words)
