"""What a recall gives (lines, outcomes: design, section 6), and what checking a draft gives.

Data only: `facts/recall/` fills them, and `render` in `facts/recall/rendering.py` makes the block of them.
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact, Status
from r_memory.domain.instants import Instant
from r_memory.domain.knowledge import Worth

QUERY = "[QUERY]:"
"""Stands before the question, which follows unchanged."""


class State(StrEnum):
    """The four outcomes of looking along one edge type; never fewer."""

    FOUND = "FOUND"
    NONE_ASSERTED = "NONE-ASSERTED"
    NOT_ASKED = "NOT-ASKED"
    COULD_NOT_CHECK = "COULD-NOT-CHECK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What looking along one edge type gave."""

    relation: str
    state: State
    count: int = 0
    """Facts that speak for a risk; 0 unless FOUND."""
    said_at: Instant | None = None
    """When "none" was said; beside FOUND as well, for a newer "none" removes no risk."""
    speaker: str = ""
    """Who said "none"."""
    scope: str = ""
    """What the "none" covers, as shown; empty where it covers everything."""
    reason: str = ""
    waiting: int = 0
    """Things of it that wait as read in two ways, or on the local reader's word alone; the edge is FOUND for them."""


class MatchLevel(StrEnum):
    """How a fact's object meets something that the request names, strongest first."""

    EXACT = "exact"
    INGREDIENT = "ingredient"
    CLASS = "class"
    MEANT = "meant"
    """What the words mean was named by who read them."""
    NAME_ONLY = "name_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Worth):
    """Why a fact bears on the request."""

    requested: str
    """As named in the request's terms, such as `Amoxicillin`."""
    level: MatchLevel
    text: str
    """One sentence for the block: `Amoxicillin is a Penicillin`."""
    reviewed: bool = True
    """Every cited source on the way was read for the pack."""
    fuzzy: bool = False
    """The request's word was read as a misspelling of what it is taken for."""
    of_kind: bool = False
    """One of the two is a kind of the other; what is no risk says nothing of that."""
    implied: bool = False
    """No word names it: the type of the request stands for it."""


Rank = Literal["critical", "unconfirmed", "rule", "other", "past"]
"""Groups of lines in their order within the block; the first two are never cut."""


SURE: frozenset[Rank] = frozenset({"critical", "unconfirmed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrary:
    """The other side of a fact: the newest words against what stands, of this very thing or of all of its kind."""

    status: Status
    evidence: str
    speaker: str
    said_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One finding: what to show and what it rests on."""

    rank: Rank
    text: str
    """From the relation's template, inert."""
    fact: Fact
    matches: tuple[Match, ...] = ()
    unpleasant: bool = False
    """Its relation says that a draft which meets it is a warning, and nothing of the worst grade happened."""
    stale: bool = False
    """Past its period or older than its relation allows: shown with "verify"."""
    contrary: Contrary | None = None
    """Where somebody said the contrary; `None` for a contradicted fact: the other side's words could not be read."""

    @property
    def stands_alone(self) -> bool:
        """Whether it has a line of its own, with the words behind it, and is not listed with others of its kind."""
        disputed = self.contrary is not None or self.fact.contradicted
        return bool(self.matches) or self.stale or disputed or self.rank != "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine(Worth):
    """One rule of the knowledge pack that fires: a statement of the domain, never of the subject."""

    rule_id: str
    relation: str
    stop: bool
    """Undisputed and resting on a fact that speaks for a risk: never cut."""
    text: str
    """From the template of the pack, inert."""
    requested: tuple[str, ...]
    """What the request names that it is about."""
    facts: tuple[Fact, ...] = ()
    """What is recorded that it rests on, each once."""
    stale: frozenset[str] = frozenset()
    """Ids among these facts that are older than they may be: verify."""
    open: tuple[str, ...] = ()
    """What could not be evaluated and why, in words: ask."""
    level: MatchLevel = MatchLevel.EXACT
    """The weakest way in which a side was met."""
    reviewed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """Whom the words of a request name, beside whom the answer is about."""

    others: tuple[Entity, ...] = ()
    """Known, and somebody else."""
    namesakes: tuple[Entity, ...] = ()
    """Known by the very name that the request says, and somebody else."""
    strangers: tuple[str, ...] = ()
    """Full names by which nobody is known, as written."""
    also_read: tuple[Entity, ...] = ()
    """Known, and read as well: those whom a request of the owner names."""
    instead_of: Entity | None = None
    """Whom the call named, where a person said that it is about somebody else."""
    taken_from: str = ""
    """The words that told whom the answer is about; empty where that was given."""

    @property
    def is_mismatch(self) -> bool:
        """Whether the request may be about somebody else than the answer."""
        return bool(self.others or self.strangers)


NOBODY_ELSE = Addressed()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Recorded facts of one subject that do not go together."""

    text: str
    """Names each of them and says why, inert."""
    stop: bool
    """A critical fact stands against a use, or a rule forbids the two together."""
    facts: tuple[Fact, ...]

    @property
    def fact_ids(self) -> frozenset[str]:
        """Ids of the facts."""
        return frozenset(fact.fact_id for fact in self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingCheck:
    """What is recorded of one subject, held against itself."""

    clashes: tuple[Clash, ...] = ()
    """Stops first."""
    unchecked: str = ""
    """Which relations could not be read and why, in words; empty: everything was held together."""

    def involving(self, facts: Iterable[Fact]) -> "StandingCheck":
        """The same, with those clashes alone that one of these facts is part of."""
        ids = {fact.fact_id for fact in facts}
        return replace(self, clashes=tuple(clash for clash in self.clashes if not ids.isdisjoint(clash.fact_ids)))


NOTHING_CLASHES = StandingCheck()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A statement that waits, as it is shown."""

    episode: Episode
    """As last said."""
    matches: tuple[Match, ...] = ()
    """How it bears on the request, strongest first."""
    times: int = 1
    """How often the same words wait."""
    urgent: bool = False
    """It may hold a critical risk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadGroups:
    """Statements that wait, the same words once: put together once for a recall, which is rendered many times."""

    shown: tuple[tuple[tuple[str, ...], Unread], ...]
    """Those that bear on the request or may hold a critical risk, with their sentences as they are compared."""
    plain: Mapping[tuple[str, ...], int]
    """Sentences of all others to how often they wait."""
    others: int
    """How many these are together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The result of one recall, complete or honest about what is missing."""

    subject: Entity
    checked_at: Instant
    query: str
    intents: tuple[str, ...]
    recognised: bool
    about: tuple[str, ...] = ()
    """What the request involves besides, as the caller says."""
    lines: tuple[Line, ...]
    rules: tuple[RuleLine, ...] = ()
    """Domain rules that fire, stops first."""
    outcomes: tuple[Outcome, ...]
    pending: tuple[Episode, ...]
    """Statements that gave no fact yet, oldest first."""
    bearing: Mapping[str, tuple[Match, ...]] = field(default_factory=dict)
    """Id of each of them that names, or may mean, a thing of the request, to how, strongest first."""
    urgent: Mapping[str, int] | None = None
    """Id of each of them that may hold a critical risk, to where in what waits a word tells of it; `None`: all may."""
    groups: UnreadGroups | None = None
    """The statements grouped; `None`: whoever shows them does."""
    uncompared: int = 0
    """Statements that were not compared with the request yet."""
    addressed: Addressed = NOBODY_ELSE
    beside: tuple["Recall", ...] = ()
    """The same request about each of those who were also read."""
    unrecognised: tuple[str, ...] = ()
    """What the request names and nothing knows, as it is written there."""
    compared_by: str = ""
    """By what of a thing it would have been compared, such as its ingredients; empty: by itself."""
    needed: tuple[str, ...] = ()
    """Edges that must have been asked before somebody may say of this request that nothing stands against it."""
    kin: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Id of each finding that bears on the request, to those of what else is recorded of the same group of things, such
    as what is tolerated instead.
    """
    standing: StandingCheck = NOTHING_CLASHES
    """What is recorded and does not go together, whatever is asked."""
    meant: tuple[str, ...] = ()
    """Edges of the action types that the words may order."""
    unasked: tuple[str, ...] = ()
    """Those of them that were not, in words."""
    is_quiet: bool = False
    """Nothing is asked for and nothing named, as in a farewell: what is critical is enough, in a line each."""
    is_short: bool = False
    """Whether lines go without the words behind them, for want of room."""
    omitted: int = 0
    """Lines below the critical ones that a budget left out."""
    unshown: int = 0
    """Critical lines that no result holds: this is the first page, and says how to read on."""
    unshown_unread: int = 0
    """Statements that may hold a critical risk, likewise."""
    receipt_id: str
    watermark: int
    """Sequence of the last event about the subject that was visible."""
    schema_version: str
    pack_version: str
    traversal: str
    """The query that was run, for people; empty for a store without a query language."""
    unavailable: str = ""
    """Why nothing could be read; then there are neither lines nor outcomes other than COULD-NOT-CHECK."""
    ask: str = ""
    """The schema's sentence on what to ask when memory is unavailable."""

    def bears(self, line: Line) -> bool:
        """Whether a finding meets something that the request names, or a rule that stops it rests on it."""
        stops = (fact.fact_id for rule in self.rules if rule.stop for fact in rule.facts)
        return bool(line.matches) or line.fact.fact_id in stops

    @property
    def complete(self) -> bool:
        """Whether every edge type was read, of those who were also read as well, and everything critical is shown."""
        read = all(outcome.state is not State.COULD_NOT_CHECK for outcome in self.outcomes)
        return self.is_whole and not self.unavailable and read and all(one.complete for one in self.beside)

    @property
    def is_whole(self) -> bool:
        """Whether nothing critical was left to a further page."""
        return not (self.unshown or self.unshown_unread)


def digest(words: str, salt: str = "") -> str:
    """What a receipt keeps of words: sha256 over its salt, a newline and them, so that nobody guesses short ones.

    Of an older receipt, which has no salt, over the words alone.
    """
    salted = f"{salt}\n{words}" if salt else words
    return hashlib.sha256(salted.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """What was asked and shown, and what a gate decided, where one stood; digests, for the words are elsewhere."""

    gate: str = ""
    """Where it stood: `before` a model, `after` its answer, at a `tool` call."""
    decision: str = ""
    """What it decided: `pass`, `note`, `annotate`, `hold` or `stop`."""
    verdict: str = ""
    """Of the check of an answer or a tool call."""
    asked: str = ""
    """sha256 of the request."""
    stood: str = ""
    """sha256 of the block that went in front of it."""
    answered: str = ""
    """sha256 of what the model answered, or of the arguments of its tool call."""
    digest_salt: str = ""
    """What the three are salted with; handed out only with words that they are of. Empty in an older receipt."""


def gate_record(*, asked: str = "", block: str = "", answered: str = "", **decision: str) -> GateRecord:
    """The record of these words, each by a digest under one new salt; `decision` holds the other fields."""
    salt = secrets.token_hex(16)
    asked, stood, answered = (digest(words, salt) if words else "" for words in (asked, block, answered))
    return GateRecord(**decision, asked=asked, stood=stood, answered=answered, digest_salt=salt)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A record of what was shown to whom and when."""

    id: str
    space: str
    subject_uid: str
    shown_at: Instant
    shown_to: str
    intents: tuple[str, ...]
    fact_ids: tuple[str, ...]
    rule_ids: tuple[str, ...] = ()
    complete: bool
    watermark: int
    schema_version: str
    pack_version: str
    traversal: str
    gate: GateRecord = field(default_factory=GateRecord)
    """Digests of what was asked and shown, and what a gate decided, where one asked."""
    block: str = ""
    """The block as it stood; of one about several people what it said of this one, as a block of its own."""


Verdict = Literal["conflict", "warning", "not_checkable", "nothing_found"]
"""`not_checkable`: something could not be compared. `nothing_found` says that all that the draft names was recognised,
that everything that matters for it was asked, that nothing waits unread, and that nothing recorded meets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that the draft names and that meets what is recorded."""

    verdict: Literal["conflict", "warning"]
    """`conflict`: a critical fact stands against it. `warning`: somebody should look."""
    level: MatchLevel
    message: str
    """At most 140 characters, inert."""
    quote: str
    """The sentence of the draft, inert."""
    fact_id: str
    """The fact that stands against it, or that the rule rests on."""
    rule_id: str = ""
    """The domain rule, where it is one that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCheck:
    """The outcome of checking a draft against the memory: findings, and never the word "safe"."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    """Conflicts first, each in the order of the block."""
    gaps: tuple[str, ...] = ()
    """What could not be compared and why, a sentence each; there whatever the verdict, which is never calmer."""
    recall: Recall
    unread: tuple[str, ...] = ()
    """Of several people whom it is for, who could not be read, as the call names them."""
