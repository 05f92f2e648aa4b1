"""Results of a recall (lines, outcomes: design, section 6) and of checking a draft.

Data only: `facts/recall/` fills them, and `render` in `facts/recall/rendering.py` makes the block.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from r_memory.domain.changes import AwaitedChange
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact, Status
from r_memory.domain.instants import Instant
from r_memory.domain.knowledge import Worth

QUERY = "[QUERY]:"
"""Stands between the block and the question, which follows unchanged."""


class State(StrEnum):
    """The four outcomes of reading one edge type."""

    FOUND = "FOUND"
    NONE_ASSERTED = "NONE-ASSERTED"
    NOT_ASKED = "NOT-ASKED"
    COULD_NOT_CHECK = "COULD-NOT-CHECK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of reading one edge type."""

    relation: str
    state: State
    count: int = 0
    """Number of facts that speak for a risk; 0 unless FOUND."""
    said_at: Instant | None = None
    """When "none" was said; also given beside FOUND, because a newer "none" removes no risk."""
    speaker: str = ""
    """Who said "none"."""
    scope: str = ""
    """What the "none" covers, as shown; empty if it covers everything."""
    reason: str = ""
    waiting: int = 0
    """Number of waiting things of this edge that were read in two ways, or by the local reader only; they count as
    FOUND.
    """


class MatchLevel(StrEnum):
    """How a fact's object meets a thing that the request names, strongest first."""

    EXACT = "exact"
    INGREDIENT = "ingredient"
    CLASS = "class"
    MEANT = "meant"
    """The meaning of the words, as the reader gave it, meets the thing."""
    DAY = "day"
    """A day that the request names is one of the fact's."""
    NAME_ONLY = "name_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Worth):
    """Why a fact bears on the request."""

    requested: str
    """Name of the requested thing: `Amoxicillin`."""
    level: MatchLevel
    text: str
    """One sentence for the block: `Amoxicillin is a Penicillin`."""
    reviewed: bool = True
    """Whether every source cited on the path was read for the pack."""
    fuzzy: bool = False
    """Whether the request's word was read as a misspelling."""
    of_kind: bool = False
    """Whether one of the two things is a kind of the other; facts that are no risk say nothing about kinds."""
    implied: bool = False
    """Whether the action type implies the thing and no word names it."""


Rank = Literal["critical", "unconfirmed", "rule", "other", "past"]
"""Groups of lines in their order in the block; the first two are never cut."""


SURE: frozenset[Rank] = frozenset({"critical", "unconfirmed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrary:
    """The newest words against a fact: about the same thing, or about everything of its kind."""

    status: Status
    evidence: str
    speaker: str
    said_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One finding: its text, and the fact it shows."""

    rank: Rank
    text: str
    """From the relation's template, inert."""
    fact: Fact
    matches: tuple[Match, ...] = ()
    unpleasant: bool = False
    """Whether a draft that meets it gets a warning only: an unpleasant experience, none of the worst grade."""
    stale: bool = False
    """Whether it is past its period or older than its relation allows; shown with "verify"."""
    contrary: Contrary | None = None
    """The contrary statement; `None` for a contradicted fact means that the other side could not be read."""
    replaced_by: str = ""
    """Id of the fact that the speaker put in its place; this one then stands behind it on one line, as disputed."""
    awaited: tuple[AwaitedChange, ...] = ()
    """What waits for a person and may change the fact."""

    @property
    def taken_back(self) -> str:
        """How it was taken back later: `CORRECTED` or `ENDED`; empty if it was not.

        Its own speaker takes a fact back, and anybody a plain one.
        """
        other = self.contrary
        if other is None or other.said_at < self.fact.said_at:
            return ""
        if other.speaker != self.fact.speaker and self.rank != "other":
            return ""
        return {Status.REFUTED: "CORRECTED", Status.RESOLVED: "ENDED"}.get(other.status, "")

    @property
    def stands_alone(self) -> bool:
        """Whether it has a line of its own with the words behind it; other facts of a kind share a line."""
        disputed = self.contrary is not None or self.fact.contradicted
        return bool(self.matches or self.awaited) or self.stale or disputed or self.rank != "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine(Worth):
    """A rule of the knowledge pack that fires. It speaks about the domain, never about the subject."""

    rule_id: str
    relation: str
    stop: bool
    """Whether it is undisputed and rests on a fact that speaks for a risk; it is then never cut."""
    text: str
    """From the template of the pack, inert."""
    requested: tuple[str, ...]
    """The things of the request that it is about."""
    facts: tuple[Fact, ...] = ()
    """The recorded facts that it rests on, each once."""
    stale: frozenset[str] = frozenset()
    """Ids of those facts that are too old: verify."""
    limits: tuple[Fact, ...] = ()
    """The limits of an amount that it sets for the subject, in the form of recorded ones."""
    open: tuple[str, ...] = ()
    """What could not be evaluated and why, in words: ask."""
    for_others: bool = False
    """Whether its limit was not made for such a subject."""
    own: tuple[str, ...] = ()
    """What the request must not do with the rest of its things; empty if the rule is no such rule."""
    named: bool = False
    """Whether it stops words that also name what one of its facts is about, or its sum."""
    level: MatchLevel = MatchLevel.EXACT
    """The weakest level at which one of its sides was met."""
    reviewed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherDay:
    """What somebody else than the subject has on a day that a request names."""

    person: Entity
    thing: str
    day: str
    """How the day of the request meets the recorded one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """Other people whom the words of a request name, beside its subject."""

    others: tuple[Entity, ...] = ()
    """Known people other than the subject."""
    namesakes: tuple[Entity, ...] = ()
    """Other known people with the same name as the request uses."""
    strangers: tuple[str, ...] = ()
    """Full names of unknown people, as written."""
    known_of: tuple[str, ...] = ()
    """Names of people who are no subjects, and of whom recorded facts of others tell."""
    also_read: tuple[Entity, ...] = ()
    """Known people whose facts are read as well, because a request of the owner names them, or means everybody."""
    means_all: bool = False
    """The owner's request speaks of several people without naming them: "what can I cook for all of us?"."""
    not_read: tuple[Entity, ...] = ()
    """Known people whom such a request may mean and who are too many to be read along."""
    other_days: tuple[OtherDay, ...] = ()
    """What people whom the owner's request does not name have on the days that it names."""
    days_unread: bool = False
    """Whether days of others could not be read."""
    instead_of: Entity | None = None
    """The subject that the call named, if a person said that the call is about another."""
    taken_from: str = ""
    """The words that name the subject; empty if the call gave it."""

    @property
    def is_mismatch(self) -> bool:
        """Whether the request may be about another person than the subject."""
        return bool(self.others or self.strangers)


NOBODY_ELSE = Addressed()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Recorded facts of one subject that do not go together."""

    text: str
    """Names each fact and says why they do not go together, inert."""
    stop: bool
    """Whether a critical fact forbids a use, or a rule forbids the two together."""
    facts: tuple[Fact, ...]

    @property
    def fact_ids(self) -> frozenset[str]:
        """Ids of the facts."""
        return frozenset(fact.fact_id for fact in self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingCheck:
    """Facts of one subject that do not go together."""

    clashes: tuple[Clash, ...] = ()
    """Stops first."""
    unchecked: str = ""
    """Which relations could not be read and why, in words; empty if all were compared."""


NOTHING_CLASHES = StandingCheck()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A waiting statement as it is shown."""

    episode: Episode
    """The newest episode with these words."""
    matches: tuple[Match, ...] = ()
    """How it bears on the request, strongest first."""
    times: int = 1
    """Number of episodes with the same words."""
    urgent: bool = False
    """Whether it may hold a critical risk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadGroups:
    """Waiting statements without duplicates; grouped once for a recall, which is rendered many times."""

    shown: tuple[tuple[tuple[str, ...], Unread], ...]
    """Statements that bear on the request or may hold a critical risk, each with its sentences in normalised form."""
    plain: Mapping[tuple[str, ...], int]
    """Number of occurrences of the other statements, by their sentences."""
    others: int
    """Total number of the other statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The result of a recall. It is complete, or names what is missing."""

    subject: Entity
    checked_at: Instant
    query: str
    intents: tuple[str, ...]
    recognised: bool
    languages: tuple[str, ...] = ()
    """Codes of the other languages of a request that was not recognised."""
    about: tuple[str, ...] = ()
    """Further things that the request involves, as the caller says."""
    lines: tuple[Line, ...]
    rules: tuple[RuleLine, ...] = ()
    """Domain rules that fire, stops first."""
    outcomes: tuple[Outcome, ...]
    pending: tuple[Episode, ...]
    """Statements that gave no fact yet, oldest first."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """The mark of words in them that stated what ended, was corrected or is disputed, by these words."""
    bearing: Mapping[str, tuple[Match, ...]] = field(default_factory=dict)
    """Matches by id, strongest first, of each statement that names, or may mean, a thing of the request."""
    urgent: Mapping[str, int] | None = None
    """Position of the risk by id, for each statement that may hold a critical one; `None`: all statements may."""
    groups: UnreadGroups | None = None
    """The statements in groups; `None` if they are grouped when shown."""
    uncompared: int = 0
    """Number of statements that were not compared with the request yet."""
    would_meet: tuple[RuleLine, ...] = ()
    """Rules that fire only if waiting statements say what they seem to say; their facts are possible ones."""
    addressed: Addressed = NOBODY_ELSE
    other_files: tuple[str, ...] = ()
    """Relations along which the file of another names the subject, or may: they could not be read."""
    beside: tuple["Recall", ...] = ()
    """Recalls of the same request for each of the people who were read as well."""
    unrecognised: tuple[str, ...] = ()
    """Names in the request that are unknown, as written."""
    compared_by: str = ""
    """What a thing would be compared by, such as its ingredients; empty: by its name."""
    needed: tuple[str, ...] = ()
    """Edges that must have been asked about before an empty result means anything for this request."""
    kin: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By id of a finding that bears on the request: ids of other facts about the same group of things, such as what is
    tolerated instead.
    """
    standing: StandingCheck = NOTHING_CLASHES
    """Recorded facts that do not go together, whatever the request."""
    meant: tuple[str, ...] = ()
    """Edges of the action types that the words may order."""
    is_order: bool = True
    """Whether the needed edges must have been asked about whatever the words name, because they order something."""
    unasked: tuple[str, ...] = ()
    """Those of the needed edges that were not asked about, in words."""
    unasked_noted: tuple[str, ...] = ()
    """As `unasked`, for edges that the table of action types only notes: they make no gap."""
    is_quiet: bool = False
    """Whether nothing is asked and nothing named, as in a farewell: critical facts in one line each are enough."""
    is_short: bool = False
    """Whether lines go without the words behind them, because there is little room."""
    now_called: str = ""
    """The name that the subject was given since they were declared; empty if there is none."""
    notes_beside: tuple[Fact, ...] = ()
    """Notes that the action types of the request do not read, newest first; the block names them on one line."""
    held_beside: tuple[str, ...] = ()
    """If nothing that the request reads is recorded: the relations that hold something all the same."""
    unread_beside: tuple[str, ...] = ()
    """Those of them of which that could not be read."""
    over: tuple[Line, ...] = ()
    """For a draft: what was denied, refuted or has ended, with which it is compared as well; no part of a block."""
    omitted: int = 0
    """Number of lines below the critical ones that were left out."""
    unshown: int = 0
    """Number of critical lines that did not fit: this is the first page, and it says how to read on."""
    unshown_unread: int = 0
    """Number of statements that may hold a critical risk and did not fit."""
    receipt_id: str
    watermark: int
    """Sequence number of the last event about the subject that was read."""
    schema_version: str
    pack_version: str
    traversal: str
    """The query that was run, for people to read; empty for a store without a query language."""
    unavailable: str = ""
    """Why nothing could be read; there are then no lines, and every outcome is COULD-NOT-CHECK."""
    ask: str = ""
    """The schema's advice on what to ask when memory is unavailable."""

    def bears(self, line: Line) -> bool:
        """Whether a finding meets a thing of the request, or a stop of the request rests on it."""
        stops = (fact.fact_id for rule in self.rules if rule.stop for fact in rule.facts)
        return bool(line.matches) or line.fact.fact_id in stops

    @property
    def complete(self) -> bool:
        """Whether all edge types were read, also for the people read as well, and everything critical is shown."""
        read = all(outcome.state is not State.COULD_NOT_CHECK for outcome in self.outcomes)
        return self.is_whole and not self.unavailable and read and all(item.complete for item in self.beside)

    @property
    def is_whole(self) -> bool:
        """Whether all critical lines and statements are in the block."""
        return not (self.unshown or self.unshown_unread)


def digest(words: str, salt: str = "") -> str:
    """sha256 of the salt, a newline and the words, as a receipt keeps it.

    The salt keeps short words from being guessed. Older receipts have no salt: there it is the sha256 of the words
    alone.
    """
    salted = f"{salt}\n{words}" if salt else words
    return hashlib.sha256(salted.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRecord:
    """Digests of what was asked and shown, and the decision of a gate; the words themselves are kept elsewhere."""

    gate: str = ""
    """Where the gate stood: `before` a model, `after` its answer, at a `tool` call."""
    decision: str = ""
    """The decision: `pass`, `note`, `annotate`, `hold` or `stop`."""
    verdict: str = ""
    """The verdict of the check of an answer or a tool call."""
    asked: str = ""
    """sha256 of the request."""
    stood: str = ""
    """sha256 of the block in front of the request."""
    answered: str = ""
    """sha256 of the model's answer, or of the arguments of its tool call."""
    digest_salt: str = ""
    """Salt of the three digests; given out only together with the words. Empty in older receipts."""
    judged: tuple[str, ...] = ()
    """What the caller judged of facts beside a draft, and what became of it, a line each."""


def gate_record(
    *, asked: str = "", block: str = "", answered: str = "", gate: str = "", decision: str = "", verdict: str = ""
) -> GateRecord:
    """A record with the digests of these words under a new salt, and the decision of a gate."""
    salt = secrets.token_hex(16)
    asked, stood, answered = (digest(words, salt) if words else "" for words in (asked, block, answered))
    return GateRecord(
        gate=gate,
        decision=decision,
        verdict=verdict,
        asked=asked,
        stood=stood,
        answered=answered,
        digest_salt=salt,
    )


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
    """Digests of what was asked and shown, and a gate's decision if there was one."""
    block: str = ""
    """The block as sent; for a recall about several people, the part about this person."""


Verdict = Literal["conflict", "warning", "not_checkable", "nothing_found"]
"""`not_checkable`: something could not be compared. `nothing_found`: all named things were recognised, everything that
matters was asked about, nothing waits unread that may bear on them or hold a critical risk, and no recorded fact meets
them.
"""


class Ground(StrEnum):
    """What a finding rests on; `facts/recall/judged.py` says which of them a caller's judgement may lower."""

    COMPARED = "compared"
    """Known things, names, rules, limits, doses, days, or a draft that states otherwise than the record."""
    WAITING = "waiting"
    """Words that nobody has read yet."""
    WORDS = "words"
    """Words that the draft shares with a sentence on record."""
    KIND = "kind"
    """The sentence bears on every action, and the draft does something of its kind."""
    BAN = "ban"
    """The words of the fact forbid what words of the draft do."""
    SECRET = "secret"  # noqa: S105 - what is kept secret, no password
    """Words of the draft tell what the words of a fact keep secret."""
    JUDGED = "judged"
    """The caller's own judgement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A thing that the draft names and that meets a recorded fact."""

    verdict: Literal["conflict", "warning"]
    """`conflict`: a critical fact forbids it. `warning`: a person should look at it."""
    level: MatchLevel
    message: str
    """At most 140 characters for each fact that it tells, inert."""
    quote: str
    """The sentence of the draft that it is about, inert; empty if it is about the whole draft."""
    fact_id: str
    """Id of the fact that it conflicts with, on which the rule rests, or of the waiting statement that forbids it."""
    rule_id: str = ""
    """Id of the domain rule, if a rule gave the finding."""
    said: str = ""
    """The recorded words, shortened, with speaker and day, inert; empty if another finding of the check shows them."""
    ground: Ground = Ground.COMPARED
    parts: tuple["Finding", ...] = ()
    """Of a finding that tells several facts: one for each, in the order of the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the caller, who reads the record and the draft, says of a recorded fact beside the draft."""

    fact: str
    """Id of the fact, at least the first 8 characters, or the recorded words."""
    verdict: Literal["conflict", "bears", "apart"]
    """`conflict`: the draft goes against it. `bears`: look at it first. `apart`: the draft has nothing to do with
    it, or keeps to it.
    """
    why: str = ""
    """One short sentence; `apart` counts only with one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of a judgement."""

    judgement: Judgement
    outcome: Literal["raised", "set_aside", "lowered", "kept", "unchanged", "refused"]
    """`lowered`: a conflict became a warning. `kept`: a finding stays, because more than words speaks."""
    fact_id: str = ""
    """Empty if it is `refused`, and if it explains unknown words."""
    told: str = ""
    """Why it was not followed as given; empty if it was."""
    words: tuple[str, ...] = ()
    """The unknown words of the draft that it explains, sorted; empty if it is about a fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A finding that the caller judged to have nothing to do with the draft."""

    finding: Finding
    why: str
    """The caller's reason, inert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCheck:
    """The result of checking a draft against the memory. It never says "safe"."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    """Conflicts first, each in the order of the block."""
    gaps: tuple[str, ...] = ()
    """What could not be compared and why, a sentence each; given with every verdict, and never makes it milder."""
    notes: tuple[str, ...] = ()
    """What waits unread and has nothing to do with the draft, a sentence each; changes no verdict."""
    recall: Recall
    unread: tuple[str, ...] = ()
    """The people who could not be read, as the call names them, if the draft is for several."""
    set_aside: tuple[SetAside, ...] = ()
    """What only shared words said, and the caller judged to be apart from the draft; it counts for no verdict."""
    judged: tuple[Judged, ...] = ()
    """What became of each judgement that the caller gave."""
