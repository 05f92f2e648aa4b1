"""The declared schema: types, relations and the language that states them, as frozen values.

Knows what a schema means, not how it is written: `config/` reads the YAML. The phrasing parts (templates, cues,
headers) are kept as written here and compiled by `reading/rules`. Nothing in this module knows a domain.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Literal

from r_memory.domain.facts import MEANS, MEANT, REGISTER_TYPE, SCOPE_TYPE, UNMAPPED_TYPE, Attributes, Fact, Status
from r_memory.errors import UnknownName

Negation = Literal["absent", "ignore", "plain"]
"""What a negation cue does to a relation: `absent` states an absence, `ignore` is part of it (a prohibition), `plain`
only plain negation counts."""

_WORD = re.compile(r"[\w'-]+")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_FIELDS = {one.name for one in fields(Fact)} - {"object", "valid"}
_TIMES = {name for name in _FIELDS if name.endswith("_at")} | {"valid_from", "valid_to"}
FORBIDDEN_ATTRIBUTES = frozenset(
    {
        *_FIELDS,
        *_TIMES,
        *(f"{name}_iso" for name in _TIMES),
        "accepted_at",
        "digest",
        "mapped_to",
        "overridden_at",
        "overridden_because",
        "overridden_by",
        "unmapped",
        MEANS,
        MEANT,
    }
)
"""Names that the stored relationship uses itself; no relation may declare an attribute of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One sentence of the schema with what it must give: tests of the schema, few-shots and documentation in one."""

    text: str
    expect: Attributes | None
    """`object` and attributes of the one fact expected; `None` expects none of this relation."""
    status: Status = Status.ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A word that, with all `needs` in the same clause in any order, states the relation."""

    words: tuple[str, ...]
    needs: tuple[str, ...]
    counted: str = ""
    """Unit of a small number that stands right before the object without one: "four Panadol"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """How a natural language states one relation; grammar of a template: see `docs/reference/schema.md`."""

    templates: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    """Templates that say that it was so and is over; denied, they say that it still is."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Template to the name by which rules refer to it; most have none."""
    cue: Cue | None = None
    mention: bool = False
    """The bare mention of an object is the assertion."""
    headers: tuple[str, ...] = ()
    none: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Scope to the literal statements of absence that name it."""
    none_templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One edge type of the graph."""

    name: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    """Types, unions already resolved to concrete ones."""
    belongs: str = ""
    """What belongs in it and where it ends, in at most 160 characters: what decides between neighbours."""
    open_object: bool = False
    """Keep a word outside the lexicon as `unmapped` rather than lose it."""
    critical: bool = False
    """Always traversed, whatever the action type."""
    derived: bool = False
    """Comes from reclassification only, never from a sentence directly."""
    attrs: Mapping[str, str] = field(default_factory=dict)
    """Attribute to kind: a type of the lexicon, or `severity number count unit period hours year date end text`."""
    identity: tuple[str, ...] = ()
    """Attributes that tell two facts of one triple apart."""
    negation: Negation = "absent"
    suppressed_by: tuple[str, ...] = ()
    in_use_against: tuple[str, ...] = ()
    """Its object is in use (taken, given, held, ordered): relations of a thing that speak against its use."""
    single: str = ""
    """Attribute of which one thing has only one value: two that are recorded do not go together; empty: none."""
    rule_status: bool = False
    """It states a rule of the domain rather than something about the subject: kept unconfirmed, flagged `rule`."""
    object_prefix: str = ""
    """Set before the name of what is no object of its own, where the words say so."""
    prefix_words: tuple[str, ...] = ()
    """Words of which one must stand in the evidence for the prefix; none: it is always set."""
    phrasing: Phrasing = Phrasing()
    line: str
    """`{subject}`, `{object}` and attribute names are filled in when a fact is shown, `[…]` where all in it are."""
    review_after_days: int | None = None
    """Age from which a fact is shown with "verify"; `None` means that it does not age."""
    severity_unstated: str = ""
    """Shown for `{severity}` where it was graded severe and no reaction was named; empty shows the grade."""
    bears_always: bool = False
    """It bears on every action that reads its edge, whatever is named: a deadline, a status."""
    across: Literal["", "searched", "beside", "tie"] = ""
    """How a check across everybody looks along it; empty: never. `beside`: it is shown with whatever is found of its
    subject; `tie`: who stands at its subject end is looked for as well."""
    people: str = ""
    """The attribute that says who its objects are, such as `brother`: people who may be subjects themselves."""
    called_by: str = ""
    """Its objects are what somebody calls the subject: the attribute that says who does."""
    unpleasant: bool = False
    """A draft that names the object gets a warning, unless what happened was of the worst grade."""
    question: str = ""
    """What to ask where nothing is recorded."""
    examples: tuple[Example, ...] = ()

    def prefixed(self, name: str, evidence: str) -> str:
        """The name with the prefix of the relation where a word of the evidence says so, else the name alone.

        >>> hold = Relation(
        ...     name="PREP", subjects=(), objects=(), line="", object_prefix="hold ", prefix_words=("stop", "hold")
        ... )
        >>> hold.prefixed("metformin", "Stop metformin first."), hold.prefixed("antibiotics", "antibiotics first")
        ('hold metformin', 'antibiotics')
        """
        bare = name.removeprefix(self.object_prefix)
        said = f" {' '.join(_WORD.findall(evidence.casefold()))} "
        stated = not self.prefix_words or any(f" {word} " in said for word in self.prefix_words)
        return self.object_prefix + bare if stated else bare

    def told(self, values: Mapping[str, str]) -> str:
        """The line without the parts in brackets of which something has no value; slots are left as they are.

        >>> takes = Relation(name="TAKES", subjects=(), objects=(), line="Takes {object}[ {dose}][, {often}].")
        >>> takes.told({"object": "warfarin", "often": "daily"})
        'Takes {object}, {often}.'
        """
        return _OPTIONAL.sub(lambda part: part[1] if values.keys() >= set(_SLOT.findall(part[1])) else "", self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassification:
    """A declarative rule after extraction: what matches `when` (and not `unless`) becomes `to`."""

    relation: str
    when: Mapping[str, str | tuple[str, ...]]
    """Keys: `status`, `said`, `object.type`, `<attribute>.kind`."""
    unless: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    to: str
    status: Status | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRule:
    """Where a relative's fact goes, so that it never becomes the subject's own."""

    to: str = ""
    """Relation that takes it; empty: none does."""
    sources: tuple[str, ...] = ()
    object_suffix: Mapping[str, str] = field(default_factory=dict)
    review: tuple[str, ...] = ()
    """Relations that a relative's fact bears on without being the subject's: a person must look at it."""
    by_marriage: bool = False
    """What is told of a spouse or the like goes there as well, not only of those of the same blood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgingRule:
    """What an effect is told of: "what happens when you take it?" and its answer."""

    relation: str
    needs: str
    """Type of the effects."""
    exposure: tuple[str, ...]
    """Words for a treatment: given several things by one of them, none is the cause for certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComentionRule:
    """The weaker tier: one of the stems or types beside a watched entity states the relation, unconfirmed."""

    relation: str
    stems: tuple[str, ...]
    types: tuple[str, ...]
    effects: tuple[str, ...] = ()
    """Phrases that tell of an effect by no name: "a funny turn"."""
    given: tuple[str, ...] = ()
    """What may have had an effect though nobody can name it: "the drip"."""


Term = tuple[str, str]
"""Type and canonical name."""


@dataclass(frozen=True, kw_only=True)  # no slots: `words` is kept
class Lexicon:
    """The vocabulary of one domain."""

    terms: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Type to canonical name to synonyms. Terms of at most three letters in capitals match in capitals only."""
    values: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = field(default_factory=dict)
    """Type to property (`severity`, `kind`) to value to the canonical names that have it."""
    kinds: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    """Term to the broader terms that it is a kind of, each a thing of its own."""
    brands: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    """Term that something is sold as, to what that is."""

    @property
    def spellings(self) -> Iterator[tuple[str, str, str]]:
        """Type and canonical name of each term with every way to write it, the name first, each once."""
        for type_, names in self.terms.items():
            for name, synonyms in names.items():
                yield from ((type_, name, text) for text in dict.fromkeys((name, *synonyms)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that any spelling holds, in small letters."""
        return frozenset(word for *_, spelling in self.spellings for word in spelling.casefold().split())

    def value_of(self, type_: str, property_: str, canonical: str) -> str | None:
        """What the lexicon says of a term, such as the severity of a reaction, or else of what it is a kind of; `None`
        where it says nothing.
        """
        graded = self.values.get(type_, {}).get(property_, {})
        if not graded:
            return None
        for name in (name for kind, name in self.broader((type_, canonical)) if kind == type_):
            for value, names in graded.items():
                if name in names:
                    return value
        return None

    def broader(self, term: Term) -> tuple[Term, ...]:
        """The term and everything that it is a kind or a brand of, nearest first."""
        found = [term]
        for one in found:  # which grows by what is above each
            found += [above for above in (*self.kinds.get(one, ()), *self.brands.get(one, ())) if above not in found]
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityScale:
    """Grades, mildest first, and the words that state them."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def grades(self) -> tuple[str, ...]:
        """Mildest first."""
        return tuple(self.words)

    def rank(self, grade: object) -> int:
        """Higher is worse; an unknown grade ranks as the worst."""
        grades = self.grades
        return grades.index(str(grade)) if grade in grades else len(grades) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The natural language of a schema: assertion cues, persons, connectors. Nothing here belongs to a domain."""

    code: str
    sections: Mapping[str, object]
    """As loaded and checked by `config/`: strings, numbers, lists and mappings of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A whole domain."""

    name: str
    version: str
    """First twelve digits of a sha256 over the files it was loaded from."""
    subject: str
    """Type of those whom facts are about."""
    owner: str = ""
    """Id of the one whom a call without a subject is about; empty: every call names one."""
    unions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    """Types that the schema names without terms in the lexicon, such as `Policy`."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Type to further labels of its nodes, such as `DrugClass` to `Drug`."""
    relations: Mapping[str, Relation]
    lexicon: Lexicon
    language: Language
    severity: SeverityScale = SeverityScale()
    scopes: Mapping[str, str] = field(default_factory=dict)
    """Scope of an absence to how it is shown: `any_drug` to `drugs`."""
    covers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Scope of an absence to the concrete types that it speaks of; a scope that is not here speaks of all."""
    reclassify: tuple[Reclassification, ...] = ()
    family: FamilyRule | None = None
    bridging: BridgingRule | None = None
    comention: ComentionRule | None = None
    review_types: tuple[str, ...] = ()
    """What the safety net watches over."""
    review_words: tuple[str, ...] = ()
    """What tells it of a risk, beside the words of the language; one that ends in `-` is a beginning."""
    voices: tuple[str, ...] = ()
    """Labels of speakers whose "we" is the subject's side: a lawyer for a client."""
    compared_by: str = ""
    """By what things are compared, such as `its ingredients`; empty: by themselves."""
    unavailable: str
    """What to ask when memory cannot be read."""
    about: str = ""
    """What is remembered, in a few words for the texts of the tools: `allergies, implants, limits`."""
    knowledge: str = ""
    """Name of the knowledge pack in `schema/knowledge/`; empty: the domain has none."""
    lexicon_name: str = ""
    """Name of the lexicon in `schema/lexicon/`."""
    intents: str = "intents.yaml"
    """The table of action types, below the home."""

    @property
    def naming(self) -> Relation | None:
        """The relation that says what somebody calls the subject; `None` where the schema has none."""
        return next((relation for relation in self.relations.values() if relation.called_by), None)

    def relation(self, name: str) -> Relation:
        """The relation of this name; raises UnknownName, which lists the known ones."""
        try:
            return self.relations[name]
        except KeyError:
            raise UnknownName("relation", name, sorted(self.relations)) from None

    def concrete(self, type_: str) -> tuple[str, ...]:
        """The types that a type or union stands for."""
        members = self.unions.get(type_)
        return (type_,) if members is None else tuple(kind for member in members for kind in self.concrete(member))

    def speaks_of(self, scope: str, type_: str) -> bool:
        """Whether "none" of this scope is said of things of this type."""
        return scope not in self.covers or type_ in self.covers[scope]

    def node_labels(self, type_: str) -> tuple[str, ...]:
        """Labels of a node of this type, its own first; every node is an `Entity` as well."""
        return (type_, *self.labels.get(type_, ()))

    @property
    def critical(self) -> tuple[str, ...]:
        """Names of the relations that are always traversed, in the order of the file."""
        return tuple(name for name, relation in self.relations.items() if relation.critical)

    @property
    def topics(self) -> str:
        """What is remembered, in a few words: as the schema says it, or the names of what it calls critical."""
        return self.about or ", ".join(self.critical)

    @property
    def types(self) -> tuple[str, ...]:
        """Every concrete type: declared, of the lexicon, of subjects and of objects, the scope of an absence, the
        unmapped word; where people are looked across, the register."""
        named = {self.subject, SCOPE_TYPE, UNMAPPED_TYPE, *self.declared, *self.lexicon.terms}
        for relation in self.relations.values():
            named.update(relation.subjects, relation.objects, [REGISTER_TYPE] if relation.across else ())
        return tuple(sorted(named))
