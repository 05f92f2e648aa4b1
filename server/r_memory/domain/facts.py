"""Entities, facts and what is proposed before a fact exists.

A `Proposal` is what a route read in an utterance; the validator turns it into an `Observation` or a `Rejection`;
observations become events (`events.py`), and `folding.py` computes the `Fact` from them.
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
"""The reserved space of the domain's concepts; no tenant may carry this name."""
IS_A = "IS_A"
"""From a thing that was said, or a narrower term, to what it is; followed wherever closures are taken, any number of
steps."""
HAS_INGREDIENT = "HAS_INGREDIENT"
"""From a compound to what it contains."""
MEANS = "means"
"""Attribute of a fact whose words are garbled, point elsewhere or are of another language: what is meant, in words."""
MEANT = "meant"
"""Attribute beside it: unique keys of the concepts that this names, as a JSON list."""
SCOPE_TYPE = "Scope"
"""Type of the object of a statement of absence: `any`, `any_drug`, or another scope that the schema names."""
UNMAPPED_TYPE = "Unmapped"
"""Type of a thing that no lexicon knows, where the relation takes things of several types."""
REGISTER_TYPE = "Register"
"""Type of what receipts of a check across everybody are about; no subject of a schema is of it."""
_FACT_NAMESPACE = uuid.UUID("6f1b6c3e-7d0e-5c5a-9b61-0c7f5a2d9e10")


class Status(StrEnum):
    """What is believed about a fact; only `entered_in_error` leaves the default view."""

    ACTIVE = "active"
    UNCONFIRMED = "unconfirmed"
    NEGATED = "negated"
    REFUTED = "refuted"
    RESOLVED = "resolved"
    ENTERED_IN_ERROR = "entered_in_error"


RISK = frozenset({Status.ACTIVE, Status.UNCONFIRMED})
"""Statuses under which a fact speaks for a risk."""
DENIAL = frozenset({Status.NEGATED, Status.REFUTED, Status.RESOLVED})
"""Statuses under which a fact speaks against one."""


class Route(StrEnum):
    """How a fact reached the memory."""

    RULES = "rules"
    MODEL = "model"
    CLIENT = "client"
    PERSON = "person"
    IMPORT = "import"
    RECORD = "record"
    """A field of a structured file says so: the record's own voice, beside what a person said."""


PERSON = "person/1"
"""What reads a fact when a person does."""


class Flag(StrEnum):
    """Reservations that travel with a fact."""

    FUZZY = "fuzzy"
    """The object was misspelt and resolved to the nearest term."""
    UNMAPPED = "unmapped"
    """The object is a word that the lexicon does not know."""
    COREF = "coref"
    """The object is what a pronoun was taken to mean."""
    BRIDGED = "bridged"
    """A reaction and an exposure from neighbouring sentences were joined."""
    NET = "net"
    """Found by the weaker, co-mention tier."""
    DISAGREE = "disagree"
    """The local reader reads the evidence differently."""
    LOCAL = "local"
    """Only the local reader read it, beside a voice that counts and lists nothing of it; it waits for a person."""
    TAUGHT = "taught"
    """The taught reader alone read it; no closed rule says so."""
    MODEL_ONLY = "model_only"
    """Only a language model read it; neither a rule nor a person bears it out."""
    MEANT = "meant"
    """What its words mean was named by who read them; the words themselves say something else, or nothing."""
    RULE = "rule"
    """A person stated a rule of the domain; it is unverified and never merged with the knowledge pack."""
    REATTRIBUTED = "reattributed"
    """A person moved it here from another subject, in whose record the words were said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A node that facts connect: a subject, a concept, or the scope of an absence."""

    space: str
    """Tenant, or `knowledge`."""
    type: str
    """A type of the schema; also the node's label."""
    id: str
    """Unique within space and type: the caller's id for subjects, the casefolded name for concepts."""
    name: str
    """As shown to people."""
    aliases: tuple[str, ...] = ()
    codes: Attributes = field(default_factory=dict)
    """Codes of terminologies, such as `rxcui`."""
    is_a: tuple[str, ...] = ()
    """Of a thing of a space's own: unique keys of the concepts that its words say it is."""

    @property
    def is_said(self) -> bool:
        """Whether it is named by somebody's words, rather than a concept or the scope of an absence."""
        return self.space != KNOWLEDGE_SPACE and self.type != SCOPE_TYPE

    @property
    def uid(self) -> str:
        """Unique key over all spaces."""
        return entity_uid(self.space, self.type, self.id)


def entity_uid(space: str, type_: str, id_: str) -> str:
    """The unique key of an entity; parts are percent-escaped so that no two entities share one.

    >>> entity_uid("clinic", "Patient", "JD001")
    'clinic/Patient/JD001'
    """
    key = f"{space}/{type_}/{id_}"
    if key.count("/") == 2 and "%" not in key:
        return key
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in (space, type_, id_))


def entity_of_key(uid: str) -> Entity:
    """What a unique key alone says of an entity.

    >>> entity_of_key("clinic/Patient/JD001").name
    'JD001'

    Raises:
        InvalidInput: it is no key of an entity.
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
    """Whether an entity that is no subject is called by its id, as `concept` makes it.

    >>> reads_like_its_id(concept("Drug", "penicillin")), reads_like_its_id(concept("Scope", "any_drug"))
    (True, True)
    """
    return entity.name.casefold() in {entity.id, (entity.id[:1].upper() + entity.id[1:]).casefold()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters `start` to `end` (excluded) of the utterance as stored."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A triple that a route read in an utterance, before validation."""

    relation: str
    object: str
    """The object's words, as they were said; of the offline reader a canonical name, where it found a term."""
    object_type: str = ""
    """Type of the schema if the route knows it; empty lets the validator link it."""
    status: str = Status.ACTIVE
    attrs: Attributes = field(default_factory=dict)
    evidence: str
    """Words of the utterance that say so, verbatim."""
    span: Span | None = None
    """Where the evidence stands; `None` lets the validator find it."""
    route: Route
    extractor: str
    """Name and version of what read it, such as `rules/1`."""
    template: str = ""
    """Which template or cue matched, for the decision log."""
    prompt_digest: str = ""
    confidence: float = 1.0
    flags: frozenset[Flag] = frozenset()
    means: str = ""
    """What garbled or foreign words mean, by whoever read them: a term or a noun phrase; empty where they say it."""
    corrects: "Correction | None" = None
    """The recorded fact that the words correct, and what becomes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Relation and object, how they are meant, and the words that say so."""

    relation: str
    object: Entity
    status: Status
    attrs: Attributes = field(default_factory=dict)
    valid: Period = ALWAYS
    flags: frozenset[Flag] = frozenset()
    evidence: str
    """Words behind the status, verbatim."""
    route: Route
    extractor: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Claim):
    """A validated claim about one subject, ready to become an event."""

    subject: Entity
    span: Span
    prompt_digest: str = ""
    identity: tuple[str, ...] = ()
    """Names of the attributes that tell two facts with the same triple apart."""
    fact_id: str = field(init=False)
    """Derived, so that saying the same again is the same fact."""

    def __post_init__(self) -> None:
        told_apart = {name: self.attrs[name] for name in self.identity if name in self.attrs}
        own = fact_id(self.subject.uid, self.relation, self.object.uid, told_apart)
        object.__setattr__(self, "fact_id", own)


def fact_id(subject_uid: str, relation: str, object_uid: str, identity: Attributes) -> str:
    """uuid5 over subject (which holds the space), relation, object and identity attributes, as text."""
    # Escaped, because uuid5 refuses lone surrogates and an object may be any word that was said.
    key = json.dumps([subject_uid, relation, object_uid, dict(sorted(identity.items()))])
    return str(uuid.uuid5(_FACT_NAMESPACE, key))


def meant_by(attrs: Attributes) -> tuple[str, ...]:
    """The keys under `meant` of a fact's attributes; none where there are none, or where somebody else wrote there."""
    if not (written := attrs.get(MEANT)):
        return ()
    try:
        keys = json.loads(str(written))
    except ValueError:
        return ()
    return tuple(map(str, keys)) if isinstance(keys, list) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A proposal that did not become a fact; the utterance is kept all the same."""

    relation: str
    object: str
    reason: str
    """What was wrong and what would be accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """Words that may hold a risk and gave no fact; a person decides."""

    text: str
    """The sentence, verbatim."""
    span: Span
    reason: str
    answered: bool = False
    """The result of a given fact says so already."""
    slight: bool = False
    """Names nothing watched over, and nobody hears a critical risk in it: words that only ask need not wait for it."""


class LocalVoice(StrEnum):
    """What the local reader (closed forms and taught reader together) says of a thing under a relation."""

    RISK = "a risk, sure"
    NAME = "a risk, sure, by its bare name"
    DOUBT = "a risk, unsure"
    ABSENCE = "an absence, by a closed form"
    LEANS = "an absence, unsure"
    OTHER = "somebody else's, sure"
    NOTHING = "states nothing, sure"
    SILENT = "nothing, unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalClaim:
    """What the local reader says of one thing, for the table beside a voice that counts."""

    relation: str
    """Empty where it speaks of the words as a whole."""
    name: str
    """Canonical name of the term, a scope, or the words in small letters."""
    words: str = ""
    """As they stand; empty where they are not known."""
    span: Span
    """The words; the whole sentence where they are not known."""
    asked: bool = False
    """The span is one of the turn before."""
    voice: LocalVoice
    scope: bool = False
    """It speaks of a whole scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that one route read in one utterance."""

    proposals: tuple[Proposal, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    language: str = "en"
    rejections: tuple[Rejection, ...] = ()
    """What the route read and could not even propose."""
    alone: str = ""
    """Why a part of the route could not read, as the taught reader without its weights; empty where all of it did."""
    claims: tuple[LocalClaim, ...] = ()
    """What the local reader says of each thing, stored or not; other routes give proposals alone."""
    analysis: object = field(default=None, compare=False, repr=False)
    """The route's own notes, for itself alone: asked about other routes' proposals, it need not read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple(Claim):
    """A claim with whom it is about, who said it, and when."""

    fact_id: str
    space: str
    subject_uid: str
    speaker: str
    said_at: Instant
    episode_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Triple):
    """What is believed now (or was, at an instant): the fold of a fact's events."""

    contradicted: bool = False
    """Somebody asserted it and somebody denied it."""
    observations: int
    """How often it was observed; changes do not count."""
    first_recorded_at: Instant
    last_recorded_at: Instant
    last_seq: int
    """Sequence of the newest event, the `version` that a change must name."""
    changed_by: str = ""
    """Who decided the present status; empty where it follows from what was said."""
    changed_because: str = ""
    changed_at: Instant | None = None

    @property
    def short_id(self) -> str:
        """The first eight characters, as printed."""
        return self.fact_id[:8]

    @property
    def is_unmapped(self) -> bool:
        """Whether its words name nothing that the lexicon knows."""
        return self.object.type == UNMAPPED_TYPE or (self.object.is_said and Flag.UNMAPPED in self.flags)

    @property
    def meant(self) -> tuple[str, ...]:
        """Unique keys of the concepts that the object's words mean, where who read them named what is meant."""
        return meant_by(self.attrs)

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Where it stands in the present state, as `holdings.py` counts it."""
        return self.relation, self.fact_id, self.object.uid, self.last_seq

    @property
    def is_absence(self) -> bool:
        """Whether it says "none" of a whole scope rather than something of one object."""
        return self.object.type == SCOPE_TYPE
