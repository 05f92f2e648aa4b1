"""Entities, facts, and what precedes a fact.

A `Proposal` is what a route read in an utterance. The validator turns it into an `Observation` or a `Rejection`.
Observations become events (`events.py`), and `folding.py` computes the `Fact` from the events.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from r_memory.domain.instants import ALWAYS, Instant, Period
from r_memory.errors import InvalidInput

if TYPE_CHECKING:  # it is made of facts
    from r_memory.domain.corrections import Correction

Attribute = str | int | float | bool
Attributes = Mapping[str, Attribute]

KNOWLEDGE_SPACE = "knowledge"
"""The reserved space of the domain's concepts; no tenant may have this name."""
IS_A = "IS_A"
"""Leads from a thing that was said, or from a narrower term, to a broader one; every closure follows it
without limit.
"""
HAS_INGREDIENT = "HAS_INGREDIENT"
"""Leads from a compound to its contents."""
MEANS = "means"
"""Attribute of a fact whose words are garbled, foreign or indirect: their meaning, in words."""
MEANT = "meant"
"""Attribute beside `means`: unique keys of the concepts that it names, as a JSON list."""
BEFORE = "before"
"""Attribute of an alias that is the person's name from now on, for everybody: the name before it."""
SAID = "said"
"""Attribute of details that the relation has no attribute for, as they were said: `except: fish`."""
SCOPE_TYPE = "Scope"
"""Type of the object of a statement of absence: `any`, `any_drug`, or another scope of the schema."""
UNMAPPED_TYPE = "Unmapped"
"""Type of an object that is in no lexicon, if the relation takes objects of several types."""
REGISTER_TYPE = "Register"
"""Type of the entity that receipts of a check across subjects are about; no subject has this type."""
_FACT_NAMESPACE = uuid.UUID("6f1b6c3e-7d0e-5c5a-9b61-0c7f5a2d9e10")


class Status(StrEnum):
    """What is believed about a fact; only `entered_in_error` is left out of the default view."""

    ACTIVE = "active"
    UNCONFIRMED = "unconfirmed"
    NEGATED = "negated"
    REFUTED = "refuted"
    RESOLVED = "resolved"
    ENTERED_IN_ERROR = "entered_in_error"


RISK = frozenset({Status.ACTIVE, Status.UNCONFIRMED})
"""Statuses under which a fact speaks for a risk."""
DENIAL = frozenset({Status.NEGATED, Status.REFUTED, Status.RESOLVED})
"""Statuses under which a fact speaks against a risk."""


class Route(StrEnum):
    """How a fact reached the memory."""

    RULES = "rules"
    MODEL = "model"
    CLIENT = "client"
    PERSON = "person"
    IMPORT = "import"
    RECORD = "record"
    """A field of a structured file: the record's statement, beside what a person said."""


PERSON = "person/1"
"""The extractor of facts that a person read."""


class Flag(StrEnum):
    """Doubts that are stored with a fact."""

    FUZZY = "fuzzy"
    """The object was misspelt and was taken for the nearest term."""
    UNMAPPED = "unmapped"
    """The object is a word that is not in the lexicon."""
    COREF = "coref"
    """The object was referred to by a pronoun."""
    BRIDGED = "bridged"
    """A reaction and an exposure from neighbouring sentences were joined."""
    NET = "net"
    """Found by co-mention only, the weaker tier."""
    DISAGREE = "disagree"
    """The local reader reads the evidence differently."""
    LOCAL = "local"
    """Only the local reader read it, and a voice that counts did not; it waits for a person."""
    TAUGHT = "taught"
    """Only the taught reader read it; no closed rule did."""
    MODEL_ONLY = "model_only"
    """Only a language model read it; no rule or person confirms it."""
    MEANT = "meant"
    """The reader named the meaning of the words; the words themselves say something else, or nothing."""
    RULE = "rule"
    """A person stated a rule of the domain; it is unverified and never becomes part of the knowledge pack."""
    REATTRIBUTED = "reattributed"
    """A person moved it here from the record of another subject, where the words are."""


class _Keyed:
    """Keeps the key of an entity, which a recall asks for some hundred times."""

    __slots__ = ("_uid",)
    _uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(_Keyed):
    """A node that facts connect: a subject, a concept, or the scope of an absence."""

    space: str
    """The tenant, or `knowledge`."""
    type: str
    """A type of the schema; also the node's label."""
    id: str
    """Unique within space and type: the caller's id for subjects, the casefolded name for concepts."""
    name: str
    """Name shown to people."""
    aliases: tuple[str, ...] = ()
    codes: Attributes = field(default_factory=dict)
    """Codes of terminologies, such as `rxcui`."""
    is_a: tuple[str, ...] = ()
    """For a thing of a space: unique keys of the concepts that its words name."""

    @property
    def is_said(self) -> bool:
        """Whether it is named by a speaker's words; false for concepts and scopes."""
        return self.space != KNOWLEDGE_SPACE and self.type != SCOPE_TYPE

    @property
    def uid(self) -> str:
        """Key that is unique over all spaces."""
        try:
            return self._uid
        except AttributeError:
            object.__setattr__(self, "_uid", entity_uid(self.space, self.type, self.id))
            return self._uid


def entity_uid(space: str, type_: str, id_: str) -> str:
    """The unique key of an entity; its parts are percent-escaped, so that two entities never share a key.

    >>> entity_uid("clinic", "Patient", "JD001")
    'clinic/Patient/JD001'
    """
    key = f"{space}/{type_}/{id_}"
    if key.count("/") == 2 and "%" not in key:
        return key
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in (space, type_, id_))


def entity_of_key(uid: str) -> Entity:
    """The entity of a unique key, with its id as its name.

    >>> entity_of_key("clinic/Patient/JD001").name
    'JD001'

    Raises:
        InvalidInput: the text is no key of an entity.
    """
    parts = [unquote(part) for part in uid.split("/")]
    if len(parts) != 3:
        raise InvalidInput("an entity's key has three parts: space, type and id")
    space, type_, id_ = parts
    return Entity(space=space, type=type_, id=id_, name=id_)


def concept(type_: str, canonical: str, *, space: str = KNOWLEDGE_SPACE, aliases: tuple[str, ...] = ()) -> Entity:
    """The entity of a term: its id is the casefolded name, its name starts with a capital (a scope's and eGFR do not).

    >>> concept("DrugClass", "penicillin").uid, concept("DrugClass", "penicillin").name
    ('knowledge/DrugClass/penicillin', 'Penicillin')
    """
    as_written = type_ == SCOPE_TYPE or canonical[1:2].isupper()
    name = canonical if as_written else canonical[:1].upper() + canonical[1:]
    return Entity(space=space, type=type_, id=canonical.casefold(), name=name, aliases=aliases)


def reads_like_its_id(entity: Entity) -> bool:
    """Whether the name of an entity that is no subject follows from its id, as `concept` makes it.

    >>> reads_like_its_id(concept("Drug", "penicillin")), reads_like_its_id(concept("Scope", "any_drug"))
    (True, True)
    """
    return entity.name.casefold() in {entity.id, (entity.id[:1].upper() + entity.id[1:]).casefold()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters `start` to `end` (excluded) of the stored utterance."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A triple that a route read in an utterance, before validation."""

    relation: str
    object: str
    """The object's words as said; from the offline reader a canonical name if it found a term."""
    object_type: str = ""
    """A type of the schema if the route knows it; otherwise the validator links it."""
    status: str = Status.ACTIVE
    attrs: Attributes = field(default_factory=dict)
    evidence: str
    """The words of the utterance that state the triple, verbatim."""
    span: Span | None = None
    """Position of the evidence; if `None`, the validator finds it."""
    route: Route
    extractor: str
    """Name and version of the extractor, such as `rules/1`."""
    template: str = ""
    """The template or cue that matched, for the decision log."""
    prompt_digest: str = ""
    confidence: float = 1.0
    flags: frozenset[Flag] = frozenset()
    means: str = ""
    """The reader's meaning of garbled or foreign words: a term or a noun phrase; empty if the words are plain."""
    corrects: "Correction | None" = None
    """The recorded fact that the words correct, and the effect on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTriple:
    """A relation and an object, their status and attributes, and the words that state them."""

    relation: str
    object: Entity
    status: Status
    attrs: Attributes = field(default_factory=dict)
    valid: Period = ALWAYS
    flags: frozenset[Flag] = frozenset()
    evidence: str
    """The words that state the status, verbatim."""
    route: Route
    extractor: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(StatedTriple):
    """A validated claim about one subject, ready to become an event."""

    subject: Entity
    span: Span
    prompt_digest: str = ""
    identity: tuple[str, ...] = ()
    """Names of the attributes that tell two facts with the same triple apart."""
    fact_id: str = field(init=False)
    """Derived from the content: the same statement gives the same fact."""

    def __post_init__(self) -> None:
        told_apart = {name: self.attrs[name] for name in self.identity if name in self.attrs}
        own = fact_id(self.subject.uid, self.relation, self.object.uid, told_apart)
        object.__setattr__(self, "fact_id", own)


def fact_id(subject_uid: str, relation: str, object_uid: str, identity: Attributes) -> str:
    """uuid5 over the texts of subject (with its space), relation, object and identity attributes."""
    # Escaped, because uuid5 refuses lone surrogates and an object may be any word that was said.
    key = json.dumps([subject_uid, relation, object_uid, dict(sorted(identity.items()))])
    return str(uuid.uuid5(_FACT_NAMESPACE, key))


def meant_by(attrs: Attributes) -> tuple[str, ...]:
    """The keys under `meant` of a fact's attributes; empty if there are none or the value is malformed."""
    if not (written := attrs.get(MEANT)):
        return ()
    try:
        keys = json.loads(str(written))
    except ValueError:
        return ()
    return tuple(map(str, keys)) if isinstance(keys, list) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A proposal that did not become a fact; the utterance is kept."""

    relation: str
    object: str
    reason: str
    """What was wrong and what would be accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """Words that gave no fact and may hold a risk; a person decides."""

    text: str
    """The sentence, verbatim."""
    span: Span
    reason: str
    answered: bool = False
    """Whether the result of a given fact already covers it."""
    slight: bool = False
    """Whether it names no watched thing and no critical risk; in a mere request it then does not wait."""


class LocalVoice(StrEnum):
    """What the local reader (closed rules and taught reader together) says about a thing under a relation.

    In order of precedence: of several claims about one thing, the first counts.
    """

    ABSENCE = "an absence, by a closed form"
    RISK = "a risk, sure"
    NAME = "a risk, sure, by its bare name"
    DOUBT = "a risk, unsure"
    OTHER = "somebody else's, sure"
    NOTHING = "states nothing, sure"
    LEANS = "an absence, unsure"
    SILENT = "nothing, unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalClaim:
    """What the local reader says about one thing, for comparison with a voice that counts."""

    relation: str
    """The relation; empty if it is about the words as a whole."""
    name: str
    """Canonical name of the term, a scope, or the words in lower case."""
    words: str = ""
    """The words as written; empty if unknown."""
    span: Span
    """Position of the words, or of the whole sentence if the words are unknown."""
    asked: bool = False
    """Whether the span is in the turn before."""
    voice: LocalVoice
    scope: bool = False
    """Whether it is about a whole scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Everything that one route read in an utterance."""

    proposals: tuple[Proposal, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    language: str = "en"
    rejections: tuple[Rejection, ...] = ()
    """What the route read but could not propose."""
    alone: str = ""
    """Why a part of the route could not read, such as the taught reader without its weights; empty if all parts did."""
    claims: tuple[LocalClaim, ...] = ()
    """What the local reader says about each thing, stored or not; other routes give only proposals."""
    analysis: object = field(default=None, compare=False, repr=False)
    """Notes of the route for its own reuse: it need not read again to judge proposals of other routes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple(StatedTriple):
    """A claim with its subject, speaker and time."""

    fact_id: str
    space: str
    subject_uid: str
    speaker: str
    said_at: Instant
    episode_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Triple):
    """What is believed now, or was at an instant: the fold of a fact's events."""

    contradicted: bool = False
    """Whether it was both asserted and denied."""
    observations: int
    """Number of observations; changes do not count."""
    first_recorded_at: Instant
    last_recorded_at: Instant
    last_seq: int
    """Sequence number of the newest event: the `version` that a change must name."""
    changed_by: str = ""
    """Who decided the present status; empty if it follows from what was said."""
    changed_because: str = ""
    changed_at: Instant | None = None

    @property
    def short_id(self) -> str:
        """The first eight characters of the id, as shown."""
        return self.fact_id[:8]

    @property
    def is_unmapped(self) -> bool:
        """Whether its object is a word that is not in the lexicon."""
        return self.object.type == UNMAPPED_TYPE or (self.object.is_said and Flag.UNMAPPED in self.flags)

    @property
    def meant(self) -> tuple[str, ...]:
        """Unique keys of the concepts that the object's words mean, if the reader named them."""
        return meant_by(self.attrs)

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Its entry in the present state, as `holdings.py` counts it."""
        return self.relation, self.fact_id, self.object.uid, self.last_seq

    @property
    def is_absence(self) -> bool:
        """Whether it says "none" about a whole scope."""
        return self.object.type == SCOPE_TYPE
