"""Rules on what was found: one reading for each place, pronouns, reclassification, relatives, contradictions.

Pure functions from candidates to candidates, in the order of the schema. Knows candidates, not words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.facts import DENIAL, RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Reclassification, Relation, Schema, SeverityScale, Term
from r_memory.reading.experiencer import Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.candidates import Candidate, Scene, reassuring
from r_memory.reading.rules.corrections import Corrections
from r_memory.reading.sentences import Sentence

_BACK = 2
"""Sentences back in which a pronoun's antecedent is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A place that may hold a risk and gives no fact."""

    sentence: int
    reason: str


class PostRules:
    """Combines the candidates of an utterance, under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        self._not_blood = frozenset(pack.texts("persons", "not_blood"))
        self._same = pack.phrases("ellipsis_same")
        self._corrections = Corrections(schema, pack)
        self._schema = schema
        bridging = schema.bridging
        self._exposures = pack.finder({} if bridging is None else {"": bridging.exposure})
        self._said = {
            text: pack.finder({text: [text]})
            for rule in schema.reclassify
            for condition in (rule.when, rule.unless)
            for text in _listed(condition.get("said", ()))
        }

    def applied(
        self, scenes: Sequence[Scene], found: Sequence[Candidate], *, orders: bool, asked: Sequence[Scene] = ()
    ) -> tuple[tuple[Candidate, ...], tuple[Doubt, ...]]:
        """Returns the standing candidates of one utterance, and the places for review.

        `orders`: the utterance gives the system orders. `asked` are the other speaker's last words, for pronouns.
        """
        doubts: list[Doubt] = []
        candidates = list(self._resolved(scenes, found, doubts, asked))
        candidates += self._also(scenes, candidates)
        candidates = self._strongest(self._corrections.applied(scenes, candidates))
        candidates = list(_one_agent(candidates))
        candidates = [self._one_exposure(scenes, candidate, candidates) for candidate in candidates]
        candidates = self._unsuppressed(candidates)
        candidates = [self._reclassified(scenes, candidate) for candidate in candidates]
        candidates = [kin for candidate in candidates for kin in self._of_family(candidate, doubts)]
        candidates = list(_without_absences(candidates))
        candidates = [self._beside_named(scenes, candidate, candidates) for candidate in candidates]
        candidates = list(_stated(candidates, self._schema, doubts, orders=orders))
        return tuple(_agreeing(candidates, doubts)), tuple(doubts)

    # what a pronoun means

    def _resolved(
        self, scenes: Sequence[Scene], found: Iterable[Candidate], doubts: list[Doubt], asked: Sequence[Scene]
    ) -> Iterator[Candidate]:
        for candidate in found:
            if candidate.name:
                yield candidate
                continue
            meant = self._antecedents(scenes, candidate) or self._asked_about(asked, candidate)
            if not meant and self._matters(candidate):
                doubts.append(Doubt(sentence=candidate.sentence, reason=f"'{candidate.said}' may name a risk"))
            for type_, name in meant:
                named = replace(candidate, name=name, type=type_).flagged(Flag.COREF)
                yield named.doubted() if len(meant) > 1 else named

    def _matters(self, candidate: Candidate) -> bool:
        """Whether it is a risk of the subject with an unknown object: "it gave me hives"."""
        relation = self._schema.relations[candidate.relation]
        said = bool(candidate.attrs) or (not candidate.weak and relation.negation == "absent")
        return relation.critical and said and candidate.counts and candidate.status in RISK

    def _antecedents(self, scenes: Sequence[Scene], candidate: Candidate) -> Sequence[Term]:
        """Returns the terms that fit the relation: before the pronoun in this sentence, else in the one before."""
        types = self._schema.relations[candidate.relation].objects
        for index in range(candidate.sentence, max(candidate.sentence - _BACK, -1), -1):
            sentence = scenes[index].sentence
            end = candidate.at if index == candidate.sentence else len(sentence.units)
            if terms := _terms(sentence, types, end):
                return terms
        return ()

    def _asked_about(self, asked: Sequence[Scene], candidate: Candidate) -> Sequence[Term]:
        """Returns the other speaker's last terms, for a pronoun in the first words of an answer."""
        types = self._schema.relations[candidate.relation].objects
        found = [_terms(scene.sentence, types, len(scene.sentence.units)) for scene in asked[-_BACK:]]
        return next((terms for terms in reversed(found) if terms and candidate.sentence < _BACK), ())

    def _also(self, scenes: Sequence[Scene], candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yields another person's statement that the speaker shares: "and so am I"."""
        for candidate in candidates:
            words = scenes[candidate.sentence].sentence.words
            if candidate.who in {Who.FAMILY, Who.OTHER} and any(
                found.start >= candidate.last for found in self._same.every(words)
            ):
                yield replace(candidate, who=Who.SUBJECT, relative="")

    def _one_exposure(
        self, scenes: Sequence[Scene], candidate: Candidate, candidates: Sequence[Candidate]
    ) -> Candidate:
        """Returns the candidate in doubt if several things were given at once."""
        if candidate.effect < 0:
            return candidate
        words = scenes[candidate.sentence].sentence.words
        together = {
            other.name
            for other in candidates
            if (other.sentence, other.first, other.effect) == (candidate.sentence, candidate.first, candidate.effect)
        }
        several = len(together) > 1 and self._exposures.at(words, candidate.first) is not None
        return candidate.doubted() if several else candidate

    # one reading for each place

    def _strongest(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the strongest of several readings of one relation at one place; weak doubtful ones go first."""
        best: dict[tuple[int, str, str, int, bool], Candidate] = {}
        for candidate in candidates:
            own = candidate.who is Who.SUBJECT
            key = (candidate.sentence, candidate.relation, candidate.name, candidate.at, own)
            if key not in best or _strength(candidate) > _strength(best[key]):
                best[key] = candidate
        return list(best.values())

    def _unsuppressed(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates that no stronger relation explains: not "take" in "cannot take"."""
        present = {(candidate.sentence, candidate.relation, candidate.name) for candidate in candidates}
        worded: dict[int, list[Candidate]] = {}
        for candidate in candidates:
            if candidate.source != "mention":
                worded.setdefault(candidate.sentence, []).append(candidate)
        present |= {
            (mentioned.sentence, other.relation, mentioned.name)
            for mentioned in candidates
            if mentioned.source == "mention"
            for other in worded.get(mentioned.sentence, ())
            if other.first <= mentioned.at < other.last
        }
        return [
            candidate
            for candidate in candidates
            if not any(
                (candidate.sentence, other, candidate.name) in present
                for other in self._schema.relations[candidate.relation].suppressed_by
            )
        ]

    def _beside_named(
        self, scenes: Sequence[Scene], candidate: Candidate, candidates: Sequence[Candidate]
    ) -> Candidate:
        """Returns an absence in doubt beside an unexplained name: "no allergies, bar penicillin"."""
        if candidate.type != SCOPE_TYPE or candidate.status not in DENIAL or not candidate.asserted:
            return candidate
        explained = {
            at for item in candidates if item.sentence == candidate.sentence and item.name for at in _places(item)
        }
        types = self._schema.relations[candidate.relation].objects
        left = any(at not in explained for at, _ in scenes[candidate.sentence].sentence.terms(types))
        return replace(candidate, asserted=False, why="an absence beside something named") if left else candidate

    # the declarative rules of the schema

    def _reclassified(self, scenes: Sequence[Scene], candidate: Candidate) -> Candidate:
        for rule in self._schema.reclassify if candidate.type != SCOPE_TYPE else ():
            if rule.relation == candidate.relation and self._holds(rule, scenes, candidate):
                status = rule.status or candidate.status
                kinds = self._schema.relations[rule.to].attrs
                attrs = {name: value for name, value in candidate.attrs.items() if name in kinds}
                candidate = replace(candidate, relation=rule.to, status=status, attrs=attrs)
        return candidate

    def _holds(self, rule: Reclassification, scenes: Sequence[Scene], candidate: Candidate) -> bool:
        sentence = scenes[candidate.sentence].sentence
        return all(self._meets(sentence, candidate, key, value) for key, value in rule.when.items()) and not any(
            self._meets(sentence, candidate, key, value) for key, value in rule.unless.items()
        )

    def _meets(self, sentence: Sentence, candidate: Candidate, key: str, value: str | tuple[str, ...]) -> bool:
        wanted = _listed(value)
        if key == "status":
            return candidate.status.value in wanted
        if key == "object.type":
            return candidate.type in {concrete for name in wanted for concrete in self._schema.concrete(name)}
        if key == "said":
            words = _own_words(sentence, candidate)
            return any(self._said[text].stand_in(words) for text in wanted)
        if key == "template":
            return candidate.template in wanted
        name, _, property_ = key.partition(".")
        kind = self._schema.relations[candidate.relation].attrs.get(name, "")
        return any(
            self._schema.lexicon.value_of(type_, property_, str(candidate.attrs.get(name, ""))) in wanted
            for type_ in self._schema.concrete(kind)
        )

    def _of_family(self, candidate: Candidate, doubts: list[Doubt]) -> Iterator[Candidate]:
        """Yields a relative's fact under the schema's own relation for it; never as the subject's."""
        of_kin = candidate.who is Who.FAMILY
        if candidate.who is Who.OTHER and candidate.relative and candidate.status in RISK:  # a lawyer's "my wife"
            self._doubt_of_kin(candidate, doubts)
        if not of_kin:
            yield replace(candidate, also=())
        for relative in ((candidate.relative,) if of_kin else ()) + candidate.also:
            yield from self._of_relative(replace(candidate, relative=relative, also=()), doubts)

    def _of_relative(self, candidate: Candidate, doubts: list[Doubt]) -> Iterator[Candidate]:
        rule = self._schema.family
        if rule is None or candidate.status not in RISK:
            return
        kept = bool(rule.to) and candidate.relation in (*rule.sources, rule.to)
        kept = kept and (rule.by_marriage or candidate.relative not in self._not_blood)
        if not kept or candidate.type == SCOPE_TYPE:
            self._doubt_of_kin(candidate, doubts)
            return
        suffix = rule.object_suffix.get(candidate.relation, "")
        relation = self._schema.relations[rule.to]
        attrs = {name: value for name, value in candidate.attrs.items() if name in relation.attrs}
        if "relative" in relation.attrs:
            attrs["relative"] = candidate.relative
        type_ = relation.objects[0] if suffix else candidate.type
        yield replace(
            candidate, relation=rule.to, name=candidate.name + suffix, type=type_, attrs=attrs, who=Who.SUBJECT
        )

    def _doubt_of_kin(self, candidate: Candidate, doubts: list[Doubt]) -> None:
        rule = self._schema.family
        if rule is not None and candidate.relation in rule.review and candidate.asserted:
            doubts.append(Doubt(sentence=candidate.sentence, reason=f"said of somebody close: {candidate.relative}"))


def _one_agent(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yields the candidates; several causes of one effect, from different readings, are all in doubt (Z40)."""
    agents: dict[int, set[tuple[int, str]]] = {}
    for candidate in candidates:
        if candidate.effect >= 0 and candidate.asserted:
            agents.setdefault(candidate.effect, set()).add((candidate.first, candidate.name))
    for candidate in candidates:
        rivals = agents.get(candidate.effect, set())
        several = len({first for first, _ in rivals}) > 1 and len({name for _, name in rivals}) > 1
        doubtful = several and candidate.status is Status.ACTIVE
        yield candidate.doubted().flagged(Flag.COREF) if doubtful else candidate


def _places(candidate: Candidate) -> range:
    """Returns the units that a candidate explains: those of its object, or of a scope's words; else none."""
    if candidate.type == SCOPE_TYPE:
        return range(candidate.first, candidate.last if candidate.source != "answer" else candidate.first)
    return range(candidate.at, candidate.at + 1)


def _strength(candidate: Candidate) -> tuple[bool, bool, bool, int]:
    return (not candidate.weak, candidate.asserted, candidate.ended, candidate.last - candidate.first)


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _own_words(sentence: Sentence, candidate: Candidate) -> tuple[str, ...]:
    """Returns the words about one object: in the brackets behind it, else its whole clause."""
    words, behind = sentence.words, candidate.at + 1
    if candidate.at >= 0 and words[behind : behind + 1] == ("(",):
        closing = next((at for at in range(behind, len(words)) if words[at] == ")"), len(words))
        return words[candidate.at : closing]
    first, last = sentence.clause(candidate.first)
    return words[first : max(last, candidate.last)]


def _terms(sentence: Sentence, types: Sequence[str], end: int) -> Sequence[Term]:
    """Returns the different terms of the types before a unit, in order."""
    return tuple({(mention.type, mention.name): None for at, mention in sentence.terms(types) if at < end})


def _without_absences(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yields the candidates without absences that a stated risk of the relation contradicts."""
    risky = {
        candidate.relation
        for candidate in candidates
        if candidate.counts and candidate.status in RISK and candidate.type != SCOPE_TYPE
    }
    yield from (item for item in candidates if item.type != SCOPE_TYPE or item.relation not in risky)


def _stated(candidates: Iterable[Candidate], schema: Schema, doubts: list[Doubt], *, orders: bool) -> list[Candidate]:
    """Returns the candidates that are stated of the subject; adds a doubt for a dropped one that may matter."""
    reasons = [(candidate, _reason(candidate, schema, orders=orders)) for candidate in candidates]
    stated = [candidate for candidate, reason in reasons if reason is None]
    explained = {(candidate.sentence, candidate.name) for candidate in stated}
    doubts += [
        Doubt(sentence=candidate.sentence, reason=reason)
        for candidate, reason in reasons
        if reason and not (candidate.weak and (candidate.sentence, candidate.name) in explained)
    ]
    return stated


def _reason(candidate: Candidate, schema: Schema, *, orders: bool) -> str | None:
    """Returns `None` if the candidate stands; else why not, or an empty text if it needs no review."""
    if candidate.who is Who.STRANGER:
        return "names somebody else; whose fact is it?" if candidate.asserted else ""
    if candidate.who is Who.OTHER:
        return ""
    if not candidate.asserted:
        return "" if candidate.quiet else candidate.why
    return _unsafe(candidate, schema, orders=orders)


def _unsafe(candidate: Candidate, schema: Schema, *, orders: bool) -> str | None:
    """Returns why a denial of a risk is not safe to take; `None` if it is."""
    if candidate.status is Status.UNCONFIRMED and candidate.relation in reassuring(schema):
        return "may speak against a risk, and nobody says so for certain"
    against = candidate.status in DENIAL or candidate.relation in reassuring(schema)
    if against and orders:
        return "an order to the memory cannot state that something is not so"
    if candidate.status in DENIAL and candidate.weak:
        return "may say that something is not so, but not in a form that is safe to take"
    return None


def _agreeing(candidates: Sequence[Candidate], doubts: list[Doubt]) -> Iterator[Candidate]:
    """Yields the risk of a risk and its denial in one utterance, and adds a doubt; risks come first."""
    risky = {(candidate.relation, candidate.name) for candidate in candidates if candidate.status in RISK}
    denied = [candidate for candidate in candidates if candidate.status not in RISK]
    yield from (candidate for candidate in candidates if candidate.status in RISK)
    for candidate in denied:
        if (candidate.relation, candidate.name) in risky:
            doubts.append(Doubt(sentence=candidate.sentence, reason="says that something is so and that it is not"))
        else:
            yield candidate


def by_fact(candidates: Iterable[Candidate], schema: Schema) -> Iterator[Candidate]:
    """Yields one candidate for each fact: the most certain, with the attributes of the others."""
    merged: dict[tuple[object, ...], Candidate] = {}
    for candidate in candidates:
        relation = schema.relations[candidate.relation]
        told_apart = tuple(candidate.attrs.get(name) for name in relation.identity)
        key = (candidate.relation, candidate.name, candidate.type, *told_apart)
        known = merged.get(key)
        merged[key] = candidate if known is None else _merged(known, candidate, relation, schema.severity)
    yield from merged.values()


def _merged(one: Candidate, other: Candidate, relation: Relation, scale: SeverityScale) -> Candidate:
    """Returns both in one: active before unconfirmed, all attributes, and the graver severity."""
    later = other.status is Status.ACTIVE and one.status is not Status.ACTIVE
    first, second = (other, one) if later else (one, other)
    attrs = {**second.attrs, **first.attrs}
    for name, kind in relation.attrs.items():
        grades = [candidate.attrs[name] for candidate in (one, other) if kind == "severity" and name in candidate.attrs]
        if grades:
            attrs[name] = max(grades, key=scale.rank)
    return replace(first, attrs=attrs)
