"""Turns the words that name an object into a thing: a term of the lexicon, or a thing of the speaker's own space.

The thing is the thing that was said. Words that are a true synonym of a term are that term; others keep their own name,
and what they are stands beside it: the longest term inside them, sought in the head first. Pure: knows schema and
lexicon, not who says what of the thing.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from r_memory.domain.facts import (
    MEANS,
    MEANT,
    UNMAPPED_TYPE,
    Attribute,
    Attributes,
    Entity,
    Fact,
    Flag,
    concept,
    entity_of_key,
)
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Mention
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.reading.rules.numbered import BESIDE_NUMBER
from r_memory.text.markers import without_blocks

LONGEST = 60
"""Most characters of a thing's name."""
LONGEST_SAID = 160
"""Most characters of what is no name: a note, an instruction, a plan."""
LONGEST_RECORDED = 250
"""Most characters of a thing's name in a record, which includes strength and form."""
LONGEST_MEANING = 80
"""Most characters of a meaning. What a caller explains is often a phrase; without it the fact matches nothing."""
_FEW = 2
"""Most terms of the only type of a relation up to which its thing goes without saying."""
_TOLD_IN = "told_in"
_AS_OBJECT = "as_object"
"""Property of the lexicon: a word of many things to the term that it is as the object of a fact."""
_CLAUSE = re.compile(r"[,;:.!?]")
"""Property of the lexicon: unit of a number to the thing that is counted in it."""
_REMEMBERED = 20_000
"""Names whose kinds are cached; a verification needs the same few thousand."""
_WORD = re.compile(r"[^\W_]+")
_STEM = 4
"""Least letters that two forms of a word share."""
_ENDING = 2
"""Most letters by which forms of a word differ."""
_EDGES = " \t\r\n.,;:!?\"'()[]\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"


class NoThing(Exception):
    """The words name no thing; the message says why, and what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """The thing that an object's words name."""

    entity: Entity
    flags: frozenset[Flag] = frozenset()
    attrs: Attributes = field(default_factory=dict)
    """Attributes of the fact, not of the thing: the meaning of the words."""


@lru_cache(maxsize=4)
def spoken(text: str) -> str:
    """Returns the text in which evidence is searched; cached, as successive proposals quote one utterance."""
    return plain(without_blocks(text))


class Things:
    """Resolves words to things, under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        self._schema = schema
        self._linker = linker
        language = schema.language
        self._common = frozenset(
            plain(word).casefold()
            for other in (language, *schema.languages.values())
            for part in (("common",), ("things", "light"), ("things", "complements"), ("possessives",))
            for word in listed(other, *part)
        )
        self._light = frozenset((*listed(language, "things", "light"), *listed(language, "possessives")))
        self._theirs = frozenset(listed(language, "kin_possessives", "theirs"))
        self._before_a_complement = _any_word(listed(language, "things", "complements"))
        self._without = re.compile(rf"(?<!\w)(?:{_words(listed(language, 'things', 'without'))})[\s-]+(?:\w+[\s-]+)?\Z")
        self._free = re.compile(rf"[\s-]?(?:{_words(listed(language, 'things', 'free'))})(?!\w)")
        tails = [tail for other in schema.languages.values() for tail in listed(other, "things", "compounds")]
        self._compound = re.compile(rf"(?P<head>\w+?)[sn]?-?(?:{_words(plain(tail).casefold() for tail in tails)})")
        self._instead = {
            relation: {
                (type_, term): value
                for type_, properties in schema.lexicon.values.items()
                for value, terms in properties.get(relation, {}).items()
                for term in terms
            }
            for relation in schema.relations
        }
        """By relation and term: what the term stands for under it; a do-not-resuscitate order refuses resuscitation."""
        self._opposing = _any_word(
            word for other in (language, *schema.languages.values()) for word in listed(other, "things", "opposing")
        )
        self._denying = _any_word(listed(language, "assertion", "negated", "forward"))
        self._kinds = lru_cache(_REMEMBERED)(self._kinds_in)
        spoken_here = (language, *schema.languages.values())
        self._pronouns = frozenset(plain(word) for item in spoken_here for word in listed(item, "things", "pronouns"))

    def is_pronoun(self, words: str) -> bool:
        """Whether the words only point at a thing that was named before: "it", "das"."""
        return plain(words).strip(_EDGES).casefold() in self._pronouns

    def named(
        self,
        relation: Relation,
        words: str,
        *,
        space: str,
        within: Sequence[str],
        means: str = "",
        reassures: bool = False,
        whole: bool = False,
        valued: bool = False,
        of_two: bool = False,
        longest: int = 0,
    ) -> Thing:
        """Returns the thing that a non-local voice names.

        `within` are the texts that may hold the words, the best first. With `reassures`, no misspelling is accepted;
        with `whole`, every word of a name must have been said. `valued`: the words hold the value, or several things,
        and the name of what is meant is the voice's. `of_two`: two people share the record, and a name keeps whose the
        thing is. `longest` is the most characters; 0: as many as the relation's
        things have.

        Raises:
            NoThing: the words are too long, name nothing, or stand in none of the texts.
        """
        # Whose a note is stays in it: "her pension" under him, "her subscriptions, his none".
        own = self.in_own_words(relation) or (of_two and not relation.critical)
        name = self.cleaned(words, kept=self._theirs if own else frozenset())
        meant = self._meant(relation, means)
        longest = longest or (LONGEST_SAID if self.in_own_words(relation) else LONGEST)
        if not name:
            raise NoThing("the object is empty; give the words that name it")
        if len(name) > longest:
            raise NoThing(f"the object has {len(name)} characters, at most {longest}; give only the words that name it")
        if (measured := self._measured(relation, name, within)) is not None:
            return self._with_meaning(_of_term(measured), meant)
        if self.is_pronoun(name):
            return self._pointed_at(relation, words, means, space)
        if within and (other := self._stood_for(relation, name, within[0], space, means)) is not None:
            return other
        for text in within:
            if (thing := self._in(spoken(text), relation, name, space, near=not (reassures or meant))) is not None:
                return self._with_meaning(thing, meant)
        if (gathered := self._gathered(relation, name, space, within, whole=whole)) is not None:
            return self._with_meaning(gathered, meant)
        if valued:
            return self._meant_by(relation, name, space)
        raise NoThing(
            f"the object '{words}' is not in the text; quote it as it was said, and give what the words mean in `means`"
        )

    def _stood_for(self, relation: Relation, name: str, evidence: str, space: str, means: str) -> Thing | None:
        """Returns the thing that a term stands for under this relation, with the words said as its meaning.

        `None` for any other name, and where the evidence speaks against the term: whoever refuses the order does not
        refuse what it rules out.
        """
        terms = self._instead.get(relation.name) or {}
        named = [key for item in self._linker.mentions(name) if (key := (item.type, item.name)) in terms]
        if not named:
            return None
        text = spoken(evidence)
        told = [item for item in self._linker.mentions(text) if (item.type, item.name) == named[0]]
        if not told or any(self._is_opposed(text, item) for item in told):
            return None
        said = self.cleaned(means) or text[told[0].start : told[0].end]
        return replace(self.said(relation, terms[named[0]], space), attrs={MEANS: said[:LONGEST_MEANING]})

    def _is_opposed(self, text: str, mention: Mention) -> bool:
        """Whether words of the same clause speak against what is mentioned, or deny it before it is named."""
        start, end = mention.start, mention.end
        before = _CLAUSE.split(text[:start])[-1]
        behind = _CLAUSE.split(text[end:], maxsplit=1)[0]
        return bool(self._opposing.search(f"{before} {behind}") or self._denying.search(before))

    def _gathered(
        self, relation: Relation, name: str, space: str, within: Sequence[str], *, whole: bool
    ) -> Thing | None:
        """Returns the thing of a name whose words stand apart: "lots 11 and 14 in Kettle Hollow"; else `None`.

        One of its words must stand in the first text. With `whole` all of them must stand in some text, else half: the
        others are the caller's, no part of a proper name and no number, and the thing is flagged as what the words were
        taken to mean.
        """
        spelt = [word for word in _WORD.findall(plain(name)) if word.casefold() not in self._common]
        words = [word.casefold() for word in spelt]
        quoted = frozenset(_WORD.findall(spoken(within[0]).casefold())) if within else frozenset[str]()
        heard = quoted.union(*(_WORD.findall(spoken(text).casefold()) for text in within[1:]))
        unsaid = [word for word in spelt if not _is_among(word.casefold(), heard)]
        said = len(words) - len(unsaid)
        if not any(_is_among(word, quoted) for word in words) or 2 * said < len(words):
            return None
        if not all(word.islower() for word in unsaid):
            return None
        if said == len(words):
            term = self._term(name, relation)
            return _of_term(term) if term is not None else self.said(relation, name, space)
        if whole:
            return None
        thing = self.said(relation, name, space)
        return replace(thing, flags=thing.flags | {Flag.MEANT})

    def _pointed_at(self, relation: Relation, words: str, means: str, space: str) -> Thing:
        """Returns the thing that a pronoun means, under its own name."""
        meaning = self.cleaned(means)
        if not meaning or self.is_pronoun(meaning):
            raise NoThing(f"'{words}' names nothing by itself; give the thing in `means`, or the fact in `corrects`")
        return self._meant_by(relation, meaning, space)

    def _meant_by(self, relation: Relation, meaning: str, space: str) -> Thing:
        """Returns the thing that a voice names in words of its own."""
        term = self._term(meaning, relation)
        thing = _of_term(term) if term else self.said(relation, meaning, space)
        return replace(thing, flags=thing.flags | {Flag.MEANT})

    def said(self, relation: Relation, words: str, space: str) -> Thing:
        """Returns the thing of words that are no term, whatever text they stand in."""
        kinds = self.kinds(words, relation.objects)
        type_ = entity_of_key(kinds[0]).type if kinds else self._type_of(relation)
        flags = frozenset({Flag.UNMAPPED} if not kinds else ())
        return Thing(entity=self.own(type_, words, space), flags=flags)

    def own(self, type_: str, words: str, space: str) -> Entity:
        """Returns the entity of these words in the given space."""
        return self.with_kinds(concept(type_, words, space=space))

    def relinked(self, fact: Fact) -> Thing | None:
        """Returns the thing that a stored fact's words name now; `None` if that is its present object."""
        relation, family = self._schema.relations.get(fact.relation), self._schema.family
        if relation is None or relation.rule_status or fact.is_absence or (family and relation.name == family.to):
            return None
        if fact.object.is_said:
            own = next(iter(self._few(relation)), "") if self.counted(relation) else ""
            term = Mention(type=relation.objects[0], name=own, start=0, end=0, surface=own) if own else None
            term = term or self._term(fact.object.name, relation)
            thing = _of_term(term) if term else self.said(relation, fact.object.name, fact.object.space)
            return thing if thing.entity.uid != fact.object.uid else None
        mentions = [
            mention for mention in self._linker.mentions(spoken(fact.evidence)) if mention.type in relation.objects
        ]
        found = {concept(mention.type, mention.name).uid: mention for mention in mentions}
        above = {
            uid: {concept(*broader).uid for broader in self._schema.lexicon.broader((item.type, item.name))}
            for uid, item in found.items()
        }
        kinds = [uid for uid in found if fact.object.uid in above[uid]]
        return _of_term(found[kinds[0]]) if len(kinds) == 1 and fact.object.uid not in found else None

    def with_kinds(self, entity: Entity) -> Entity:
        """Returns the entity with the kinds that its name states; concepts and scopes are unchanged."""
        if not entity.is_said or entity.type not in self._schema.lexicon.terms or entity.type == self._schema.subject:
            return entity  # of another domain, or nothing that this lexicon could say
        kinds = self.kinds(entity.name, (entity.type,))
        return entity if kinds == entity.is_a else replace(entity, is_a=kinds)

    def kinds(self, words: str, types: Sequence[str]) -> tuple[str, ...]:
        """Returns the keys of the concepts of which the words name a kind: the longest term in them, head first.

        "Latex-free gloves" and "bread without gluten" are no kind of latex or gluten.
        """
        return self._kinds(words, tuple(types))

    def cleaned(self, words: str, *, kept: Collection[str] = ()) -> str:
        """Returns the words without surrounding marks, articles and possessives, but with those `kept`."""
        name = " ".join(words.strip(_EDGES).split())
        name += ")" * (name.count("(") - name.count(")") == 1 and f"{name})" in " ".join(words.split()))
        first, _, rest = name.partition(" ")
        while rest and plain(first).casefold() in self._light and plain(first).casefold() not in kept:
            name = rest
            first, _, rest = name.partition(" ")
        return name

    def in_text(self, text: str, words: str, types: Sequence[str]) -> bool:
        """Whether a text names the same thing, in these or other words, or misspelt."""
        heard = spoken(text)
        if _places(heard, words):
            return True
        meant = self._linker.resolve(words, types) if types else ()
        return any(self._heard(heard, mention) is not None for mention in meant)

    def is_lacking_in(self, text: str, name: str) -> bool:
        """Whether a text names a thing only as what something else is without: "gluten" in "gluten-free bread"."""
        heard, bare = plain(text), name.rstrip("-").casefold()
        terms = (item.end for item in self._linker.mentions(heard) if item.name.casefold() == bare)
        ends = {*terms, *(end for _, end in _places(heard, bare))}
        return bool(ends) and all(self._free.match(heard.casefold(), end) for end in ends)

    def _measured(self, relation: Relation, name: str, within: Sequence[str]) -> Mention | None:
        """Returns what is measured: a term that its words name only where something is measured, or the only one.

        What a relation of hardly more than one term is of, such as an age, need not be said: it is named itself, or
        its number is told in any words. `None` for any other relation or words.
        """
        for type_ in relation.objects:
            terms = self._schema.lexicon.values.get(type_, {}).get(BESIDE_NUMBER, {}).get(name.casefold(), ())
            if terms and any(_places(spoken(text), name) for text in within):
                return Mention(type=type_, name=terms[0], start=0, end=0, surface=name)
        names = self._few(relation)
        named = next((item for item in names if item.casefold() == name.casefold()), "")
        # Whatever words tell of it ("32 weeks gone", "seven"), it is this alone.
        if not named and self.counted(relation) and any(_tells(spoken(text), name) for text in within):
            named = next(iter(names), "")
        return Mention(type=relation.objects[0], name=named, start=0, end=0, surface=name) if named else None

    def in_own_words(self, relation: Relation) -> bool:
        """Whether the relation holds whatever is said, such as notes: things of which the lexicon has no terms.

        What somebody is called is a name all the same.
        """
        terms = any(self._schema.lexicon.terms.get(type_) for type_ in relation.objects)
        return relation.open_object and not terms and not relation.called_by

    def _few(self, relation: Relation) -> Sequence[str]:
        """Returns the terms of a relation whose things are of one type with hardly more than one; else none."""
        [type_, *others] = relation.objects
        names = [] if others else [*self._schema.lexicon.terms.get(type_, {})]
        return names if len(names) <= _FEW else []

    def counted(self, relation: Relation) -> str:
        """Returns the attribute whose number tells apart the facts of a relation of one thing, an age; else empty."""
        numbers = (name for name in relation.identity if relation.attrs.get(name) == "number")
        return next(numbers, "") if self._few(relation) else ""

    def told_in(self, relation: Relation, thing: Thing, unit: Attribute | None) -> Thing:
        """Returns the thing as the lexicon calls it where its number is told in this unit, such as an age in weeks."""
        named = self._schema.lexicon.values.get(thing.entity.type, {}).get(_TOLD_IN, {}).get(str(unit), ())
        return (
            replace(thing, entity=concept(thing.entity.type, named[0])) if named and self.counted(relation) else thing
        )

    def _meant(self, relation: Relation, means: str) -> Attributes:
        """Returns the attributes of a fact whose words were explained."""
        meaning = self.cleaned(means)
        if not meaning:
            return {}
        if len(meaning) > LONGEST_MEANING:
            raise NoThing(f"`means` takes a term or a noun phrase of at most {LONGEST_MEANING} characters; shorten it")
        term = self._term(meaning, relation)
        kinds = (concept(term.type, term.name).uid,) if term else self.kinds(meaning, relation.objects)
        return {MEANS: meaning, MEANT: json.dumps(kinds)}

    def _with_meaning(self, thing: Thing, meant: Attributes) -> Thing:
        """Returns the thing with the meaning of its words; a term keeps only what limits it: "balanced for the pot"."""
        if not meant:
            return thing
        if thing.entity.uid in json.loads(str(meant[MEANT])):
            own = self._spellings(thing.entity)
            more = [word for word in _WORD.findall(plain(str(meant[MEANS])).casefold()) if not _is_among(word, own)]
            return replace(thing, attrs={MEANS: meant[MEANS]}) if more else thing
        flags = thing.flags - {Flag.UNMAPPED} if meant[MEANT] != "[]" else thing.flags
        return replace(thing, flags=flags | {Flag.MEANT}, attrs=meant)

    def _spellings(self, term: Entity) -> frozenset[str]:
        """Returns the words that only name a term: those of its spellings, common ones, and those of relations."""
        family, terms = self._schema.family, self._schema.lexicon.terms.get(term.type, {})
        suffixes = family.object_suffix.values() if family else ()
        texts = (term.name, *terms.get(term.name, ()), *suffixes)
        return self._light.union(*(_WORD.findall(plain(text).casefold()) for text in texts))

    def _in(self, text: str, relation: Relation, name: str, space: str, *, near: bool) -> Thing | None:
        """Returns the thing of a name that stands in the text in some form; `None` if it does not (Z24)."""
        term = self._term(name, relation)
        if places := _places(text, name) or self._compounded(text, name):
            if (wider := self._around(text, places, name, relation)) is not None:
                return _of_term(wider)
            if term is not None:
                return _of_term(term)
            misspelt = self._linker.resolve(name, relation.objects) if near else ()
            if len(misspelt) == 1:
                return _of_term(misspelt[0], Flag.FUZZY)
            return self.said(relation, name, space)
        resolved = (term,) if term else self._linker.resolve(name, relation.objects) if near else ()
        heard = [found for item in resolved if (found := self._heard(text, item, near=near)) is not None]
        if len(heard) != 1:
            return None
        return _of_term(heard[0], Flag.FUZZY) if heard[0].fuzzy or term is None else _of_term(heard[0])

    def _term(self, name: str, relation: Relation) -> Mention | None:
        """Returns the term with exactly this name or synonym; "penicillin allergy" under an allergy is penicillin."""
        suffix = self._schema.family.object_suffix.get(relation.name, "") if self._schema.family else ""
        for words in dict.fromkeys((name, _without_end(name, suffix), *self._heads(name))):
            found = self._linker.resolve(words, relation.objects)
            if found and not found[0].fuzzy:
                return found[0]
            if (term := self._as_object(words, relation)) is not None:
                return term
        return None

    def _as_object(self, words: str, relation: Relation) -> Mention | None:
        """Returns the term that the words are as an object of the relation, though a text may mean much else by them.

        "Blood" is refused or reacted to as what is given; a text that orders a blood test orders none of it.
        """
        values, said = self._schema.lexicon.values, plain(words).casefold()
        for type_ in relation.objects:
            for name in values.get(type_, {}).get(_AS_OBJECT, {}).get(said, ()):
                return Mention(type=type_, name=name, start=0, end=len(words), surface=words)
        return None

    def _heads(self, name: str) -> tuple[str, ...]:
        """Returns what a compound of another language may be of: "Penicillinallergie" is of penicillin."""
        compound = self._compound.fullmatch(plain(name).casefold())
        if compound is None:
            return ()
        return tuple(dict.fromkeys(name[: compound.end("head") + more] for more in (0, 1)))

    def _compounded(self, text: str, name: str) -> list[tuple[int, int]]:
        """Returns the places of compounds that are of the name."""
        said = plain(name).casefold()
        words = re.finditer(r"[\w-]+", text.casefold())
        return [
            word.span()
            for word in words
            if (found := self._compound.fullmatch(word[0]))
            and said in {found["head"], word[0][: found.end("head") + 1]}
        ]

    def _around(self, text: str, places: Sequence[tuple[int, int]], name: str, relation: Relation) -> Mention | None:
        """Returns the longer term of which the name is always a part: "milk" in "coconut milk"."""
        mentions = [item for item in self._linker.mentions(text) if item.type in relation.objects]
        wider = [
            next(
                (
                    item
                    for item in mentions
                    if item.start <= start and item.end >= end and item.end - item.start > end - start
                ),
                None,
            )
            for start, end in places
        ]
        found = {(item.type, item.name): item for item in wider if item is not None}
        term = self._term(name, relation)
        if None in wider or len(found) != 1 or (term is not None and (term.type, term.name) in found):
            return None
        [mention] = found.values()
        return mention

    def _heard(self, text: str, term: Mention, *, near: bool = True) -> Mention | None:
        """Returns how the text names a term: by other words, a kind of it, or a misspelling; `None` if it does not."""
        wanted = (term.type, term.name)
        mentions = self._linker.mentions(text)
        if any((mention.type, mention.name) == wanted for mention in mentions):
            return replace(term, fuzzy=False)
        lexicon = self._schema.lexicon
        kinds = {
            (mention.type, mention.name): mention
            for mention in mentions
            if wanted in lexicon.broader((mention.type, mention.name))
        }
        if len(kinds) == 1:
            return next(iter(kinds.values()))
        misspelt = (
            item
            for word in (text.split() if near else ())
            for item in self._linker.resolve(word.strip(_EDGES), (term.type,))
        )
        return replace(term, fuzzy=True) if any((item.type, item.name) == wanted for item in misspelt) else None

    def _type_of(self, relation: Relation) -> str:
        """Returns the type of an unknown thing: the relation's type if it has exactly one."""
        [*types] = relation.objects
        return types[0] if len(types) == 1 and types[0] != self._schema.subject else UNMAPPED_TYPE

    def _kinds_in(self, words: str, types: tuple[str, ...]) -> tuple[str, ...]:
        text = plain(words)
        found = [
            mention
            for mention in self._linker.mentions(text)
            if mention.type in types and not self._is_lacking(text, mention)
        ]
        head = self._before_a_complement.search(text)
        heads = [mention for mention in found if head is None or mention.start < head.start()] or found
        if not heads:
            return ()
        longest = max(heads, key=lambda one: (one.end - one.start, one.end))
        return (concept(longest.type, longest.name).uid,)

    def _is_lacking(self, text: str, mention: Mention) -> bool:
        lowered = text.casefold()
        behind, before = self._free.match(lowered, mention.end), self._without.search(lowered[: mention.start])
        return behind is not None or before is not None


def everyday_words(schema: Schema, common: Iterable[str]) -> frozenset[str]:
    """Returns words that are never a misspelling: the `common` words of the language, and the schema's own."""
    language = schema.language
    listed_words = (word for name in _EVERYDAY for word in listed(language, name))
    said = (
        text
        for name, relation in schema.relations.items()
        for text in (name.replace("_", " "), relation.line, relation.question)
    )
    texts = (schema.about, schema.topics, *schema.scopes.values(), *said)
    own = {word for text in texts for word in re.findall(r"[^\W\d_]+", plain(text).casefold())}
    plurals = {other for word in own for other in (f"{word}s", f"{word}es", f"{word[:-1]}ies")}
    return frozenset({*common, *(plain(word).casefold() for word in listed_words), *own, *plurals})


_EVERYDAY = ("ordinary_words", "not_a_name", "common", "look_alikes", "not_the_thing")


def _of_term(mention: Mention, *flags: Flag) -> Thing:
    return Thing(entity=concept(mention.type, mention.name), flags=frozenset(flags))


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Returns the places of the words in a text, as whole words."""
    wanted, said = plain(words).casefold(), text.casefold()
    places, start = [], said.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        is_whole = not (_in_word(said[start - 1 : start]) or _in_word(said[end : end + 1]))
        places += [(start, end)] if is_whole else []
        start = said.find(wanted, end if is_whole else start + 1)
    return places


def _tells(text: str, words: str) -> bool:
    """Whether the words stand in a text, a number also right before a letter: "72M"."""
    number = words.isdigit() and re.search(rf"(?<![\d.,]){words}(?![\d.,]*\d)", text)
    return bool(number or _places(text, words))


def _is_among(word: str, heard: frozenset[str]) -> bool:
    """Whether a word is heard, or another form of it: the same but for a short end."""
    if word in heard:
        return True
    stem = word[: max(_STEM, len(word) - _ENDING)]
    return len(word) >= _STEM and any(item.startswith(stem) and len(item) - len(stem) <= _ENDING for item in heard)


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _without_end(name: str, ending: str) -> str:
    return name[: -len(ending)] if ending and name.casefold().endswith(ending) else name


def _any_word(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_words(words)})(?!\w)", re.IGNORECASE)


def _words(words: Iterable[str]) -> str:
    """Returns a pattern for any of the words; it matches nothing if there are none."""
    return "|".join(map(re.escape, words)) or "(?!)"
