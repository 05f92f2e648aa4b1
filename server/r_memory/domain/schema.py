"""The declared schema: types, relations and the language that states them, as frozen values.

It knows the meaning of a schema; `config/` reads the YAML, and `reading/rules` compiles the phrasing (templates, cues,
headers), which is kept here as written. Nothing in this module belongs to a domain.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Literal

from r_memory.domain.facts import MEANS, MEANT, REGISTER_TYPE, SCOPE_TYPE, UNMAPPED_TYPE, Attributes, Fact, Status
from r_memory.errors import UnknownName

Negation = Literal["absent", "ignore", "plain"]
"""Effect of a negation cue on a relation: `absent` states an absence, `ignore` means that the cue belongs to the
relation (a prohibition), `plain` allows plain negation only.
"""

_WORD = re.compile(r"[\w'-]+")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_FIELDS = {item.name for item in fields(Fact)} - {"object", "valid"}
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
"""Names that the stored relationship uses; no relation may declare an attribute with one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sentence of the schema with its expected fact.

    It is used for tests of the schema, few-shot prompts and documentation.
    """

    text: str
    expect: Attributes | None
    """`object` and attributes of the expected fact; `None`: the sentence states no fact of this relation."""
    status: Status = Status.ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A word that states the relation, together with all `needs` in the same clause, in any order."""

    words: tuple[str, ...]
    needs: tuple[str, ...]
    counted: str = ""
    """Unit of a small number directly before the object, if no unit is given: "four Panadol"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """How a natural language states one relation. The grammar of templates is in `docs/reference/schema.md`."""

    templates: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    """Templates that state that the fact has ended; denied, they state that it continues."""
    names: Mapping[str, str] = field(default_factory=dict)
    """By template: the name by which rules refer to it; most templates have none."""
    cue: Cue | None = None
    mention: bool = False
    """Whether a bare mention of an object states the relation."""
    headers: tuple[str, ...] = ()
    none: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By scope: the literal statements of absence that name it."""
    none_templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    denied_as: tuple[str, ...] = ()
    """Words for the whole kind, by which a voice that counts may deny it."""
    denied_with: tuple[str, ...] = ()
    """Words that may stand beside these in such a denial."""
    denied_of: tuple[str, ...] = ()
    """Words for what such a thing does; denied of a scope, they deny the kind of it."""
    denied_by: tuple[str, ...] = ()
    """Further words that deny it, as the result of a check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One edge type of the graph."""

    name: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    """Concrete types; unions are resolved."""
    belongs: str = ""
    """What belongs to it and where it ends, in at most 160 characters; it separates it from neighbouring relations."""
    open_object: bool = False
    """Whether a word outside the lexicon is kept as `unmapped`."""
    critical: bool = False
    """Whether it is always traversed, whatever the action type."""
    revocable: bool = False
    """Whether whoever stated it may end it by words although it is critical: an instruction, and no risk."""
    passes: bool = False
    """Whether it may be taken out, lifted or moved, although it is critical: a check only warns of it once later words
    say that it is over. It stays in view until a person decides.
    """
    derived: bool = False
    """Whether it comes only from reclassification, and never directly from a sentence."""
    attrs: Mapping[str, str] = field(default_factory=dict)
    """By attribute: its kind, a type of the lexicon or one of `severity number count unit period hours year date end
    text`.
    """
    identity: tuple[str, ...] = ()
    """Attributes that tell facts of one triple apart."""
    negation: Negation = "absent"
    suppressed_by: tuple[str, ...] = ()
    in_use_against: tuple[str, ...] = ()
    """Relations whose facts speak against a use of the object; empty: the object of this relation is not in use."""
    single: str = ""
    """Attribute of which a thing has one value only: two recorded values do not go together. Empty: none."""
    rule_status: bool = False
    """Whether it states a rule of the domain instead of a fact about the subject: kept unconfirmed, flagged `rule`."""
    object_prefix: str = ""
    """Put before the object's name if the words ask for it; see `prefixed`."""
    prefix_words: tuple[str, ...] = ()
    """Words of which one must be in the evidence for the prefix; empty: the prefix is always set."""
    phrasing: Phrasing = Phrasing()
    line: str
    """Template of a shown fact: `{subject}`, `{object}` and attributes are filled in; `[…]` is shown only if all in it
    are.
    """
    review_after_days: int | None = None
    """Age in days from which a fact is shown with "verify"; `None`: never."""
    severity_unstated: str = ""
    """Shown for `{severity}` if the grade is severe and no reaction was named; empty shows the grade."""
    bears: Literal["named", "always", "dated", "placed"] = "named"
    """On which actions it bears: those that name its object; all that read its edge (a deadline, a status); those on
    one of its days, because all requests that name a day read it; `placed`: as `named`, and all requests that ask where
    something is read it.
    """
    across: Literal["", "searched", "beside", "tie"] = ""
    """How a check across subjects uses it; empty: not at all. `beside`: shown with every tie of its subject; `tie`: its
    subject is searched for as well.
    """
    people: str = ""
    """Attribute that says who its objects are, such as `brother`; these people may be subjects themselves."""
    called_by: str = ""
    """Attribute that says who uses an alias; given if the objects of the relation are aliases of the subject."""
    unpleasant: bool = False
    """Whether a draft that names the object gets a warning only, unless the experience had the worst grade."""
    question: str = ""
    """What to ask if nothing is recorded."""
    examples: tuple[Example, ...] = ()

    @property
    def is_guarded(self) -> bool:
        """Whether words alone never end its facts: it is critical, and no instruction."""
        return self.critical and not self.revocable

    def prefixed(self, name: str, evidence: str) -> str:
        """The name with the prefix of the relation if a word of the evidence asks for it, otherwise the name alone.

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
        """The line without the bracketed parts that have a slot without a value; slots are not filled.

        >>> takes = Relation(name="TAKES", subjects=(), objects=(), line="Takes {object}[ {dose}][, {often}].")
        >>> takes.told({"object": "warfarin", "often": "daily"})
        'Takes {object}, {often}.'
        """
        return _OPTIONAL.sub(lambda part: part[1] if values.keys() >= set(_SLOT.findall(part[1])) else "", self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassification:
    """A rule applied after extraction: a fact that matches `when` (and not `unless`) gets the relation `to`."""

    relation: str
    when: Mapping[str, str | tuple[str, ...]]
    """Keys: `status`, `said`, `object.type`, `<attribute>.kind`."""
    unless: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    to: str
    status: Status | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRule:
    """Where a relative's fact is recorded, so that it never becomes the subject's own."""

    to: str = ""
    """Relation for it; empty: it is not recorded."""
    sources: tuple[str, ...] = ()
    object_suffix: Mapping[str, str] = field(default_factory=dict)
    review: tuple[str, ...] = ()
    """Relations on which a relative's fact bears, so that a person must look at it."""
    by_marriage: bool = False
    """Whether facts about spouses are treated in the same way as those about blood relatives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgingRule:
    """Joins a question about a cause, such as "what happens when you take it?", with its answer."""

    relation: str
    needs: str
    """Type of the effects."""
    exposure: tuple[str, ...]
    """Words for a treatment: if several things are given by one of them, none is the certain cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComentionRule:
    """The weaker tier: a stem or a type beside a watched entity states the relation, unconfirmed."""

    relation: str
    stems: tuple[str, ...]
    types: tuple[str, ...]
    effects: tuple[str, ...] = ()
    """Phrases for an unnamed effect: "a funny turn"."""
    given: tuple[str, ...] = ()
    """Phrases for an unnamed cause: "the drip"."""


Term = tuple[str, str]
"""Type and canonical name."""


@dataclass(frozen=True, kw_only=True)  # no slots: `words` is kept
class Lexicon:
    """The vocabulary of one domain."""

    terms: Mapping[str, Mapping[str, tuple[str, ...]]]
    """By type: synonyms by canonical name. Terms of up to three letters written in capitals match only in capitals."""
    values: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = field(default_factory=dict)
    """By type, property (`severity`, `kind`) and value: the canonical names that have the value."""
    kinds: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    """By term: the broader terms of which it is a kind."""
    brands: Mapping[Term, tuple[Term, ...]] = field(default_factory=dict)
    """By brand: the terms that it is sold as."""

    @property
    def spellings(self) -> Iterator[tuple[str, str, str]]:
        """Type, canonical name and spelling of each term, the name first, each spelling once."""
        for type_, names in self.terms.items():
            for name, synonyms in names.items():
                yield from ((type_, name, text) for text in dict.fromkeys((name, *synonyms)))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of all spellings, in lower case."""
        return frozenset(word for *_, spelling in self.spellings for word in spelling.casefold().split())

    def value_of(self, type_: str, property_: str, canonical: str) -> str | None:
        """The value of a property of a term or else of a broader term; `None` if the lexicon has none."""
        graded = self.values.get(type_, {}).get(property_, {})
        if not graded:
            return None
        for name in (name for kind, name in self.broader((type_, canonical)) if kind == type_):
            for value, names in graded.items():
                if name in names:
                    return value
        return None

    def broader(self, term: Term) -> tuple[Term, ...]:
        """The term and all its broader terms and ingredients of brands, nearest first."""
        found = [term]
        for item in found:  # which grows by what is above each
            found += [above for above in (*self.kinds.get(item, ()), *self.brands.get(item, ())) if above not in found]
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityScale:
    """Grades, mildest first, and the words that state them."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def grades(self) -> tuple[str, ...]:
        """All grades, mildest first."""
        return tuple(self.words)

    def rank(self, grade: object) -> int:
        """Higher is worse; an unknown grade ranks as the worst."""
        grades = self.grades
        return grades.index(str(grade)) if grade in grades else len(grades) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The natural language of a schema: assertion cues, persons, connectors. Nothing in it belongs to a domain."""

    code: str
    sections: Mapping[str, object]
    """Loaded and checked by `config/`: strings, numbers, and lists and mappings of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The schema of a whole domain."""

    name: str
    version: str
    """First twelve digits of a sha256 over the files it was loaded from."""
    subject: str
    """Type of the subjects of facts."""
    owner: str = ""
    """Id of the subject of calls that name none; empty: every call must name one."""
    unions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    """Types without terms in the lexicon, such as `Policy`."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By type: further labels of its nodes, such as `Drug` for `DrugClass`."""
    relations: Mapping[str, Relation]
    lexicon: Lexicon
    language: Language
    languages: Mapping[str, Language] = field(default_factory=dict)
    """By code: the other languages whose denials, persons and requests are known."""
    severity: SeverityScale = SeverityScale()
    scopes: Mapping[str, str] = field(default_factory=dict)
    """By scope of an absence: its name as shown, such as `drugs` for `any_drug`."""
    covers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By scope of an absence: the concrete types that it covers; a scope that is missing here covers all."""
    scope_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By scope of an absence: words for its things."""
    reclassify: tuple[Reclassification, ...] = ()
    family: FamilyRule | None = None
    bridging: BridgingRule | None = None
    comention: ComentionRule | None = None
    review_types: tuple[str, ...] = ()
    """Types that the safety net watches."""
    review_alone: tuple[str, ...] = ()
    """Phrases that make a sentence wait by themselves, whatever and whomever it names."""
    review_tells: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Those of these phrases that tell of a term without its name, with its type and name."""
    review_over: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Those of these phrases that say that a term is over without its name, with its type and name."""
    review_words: tuple[str, ...] = ()
    """Words for a risk, beside those of the language; a word that ends in `-` is a prefix."""
    voices: tuple[str, ...] = ()
    """Labels of speakers whose "we" means the subject's side: a lawyer for a client."""
    compared_by: str = ""
    """What things are compared by, such as `its ingredients`; empty: by their names."""
    unavailable: str
    """What to ask if memory cannot be read."""
    about: str = ""
    """What is remembered, in a few words for the tools' texts: `allergies, implants, limits`."""
    knowledge: str = ""
    """Name of the knowledge pack in `schema/knowledge/`; empty if there is none."""
    lexicon_name: str = ""
    """Name of the lexicon in `schema/lexicon/`."""
    intents: str = "intents.yaml"
    """Path of the table of action types, below the home."""

    @property
    def naming(self) -> Relation | None:
        """The relation of aliases; `None` if the schema has none."""
        return next((relation for relation in self.relations.values() if relation.called_by), None)

    def relation(self, name: str) -> Relation:
        """The relation with this name.

        Raises:
            UnknownName: there is none; the message lists the known names.
        """
        try:
            return self.relations[name]
        except KeyError:
            raise UnknownName("relation", name, sorted(self.relations)) from None

    def concrete(self, type_: str) -> tuple[str, ...]:
        """The concrete types of a type or union."""
        members = self.unions.get(type_)
        return (type_,) if members is None else tuple(kind for member in members for kind in self.concrete(member))

    def widest(self, relation: Relation) -> str:
        """Returns the widest scope of an absence under this relation; empty if there is none."""
        own = (*relation.phrasing.none, *relation.phrasing.none_templates) or tuple(self.scopes)
        return next((scope for scope in own if scope not in self.covers), next(iter(own), ""))

    def includes(self, scope: str, other: str) -> bool:
        """Whether a "none" of this scope is one of the other scope as well."""
        return scope == other or scope not in self.covers

    def speaks_of(self, scope: str, type_: str) -> bool:
        """Whether a "none" of this scope covers things of this type."""
        return scope not in self.covers or type_ in self.covers[scope]

    def node_labels(self, type_: str) -> tuple[str, ...]:
        """Labels of a node of this type, its own first; every node also has the label `Entity`."""
        return (type_, *self.labels.get(type_, ()))

    @property
    def critical(self) -> tuple[str, ...]:
        """Names of the relations that are always traversed, in the order of the schema."""
        return tuple(name for name, relation in self.relations.items() if relation.critical)

    @property
    def topics(self) -> str:
        """What is remembered, in a few words: the schema's own, or the names of the critical relations."""
        return self.about or ", ".join(self.critical)

    @property
    def types(self) -> tuple[str, ...]:
        """All concrete types: declared, of the lexicon, of subjects and objects, of scopes and unmapped words, and of
        the register if the schema allows a check across subjects.
        """
        named = {self.subject, SCOPE_TYPE, UNMAPPED_TYPE, *self.declared, *self.lexicon.terms}
        for relation in self.relations.values():
            named.update(relation.subjects, relation.objects, [REGISTER_TYPE] if relation.across else ())
        return tuple(sorted(named))
