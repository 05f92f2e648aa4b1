"""Recall: a query about a subject becomes the block in front of the prompt, or the check of a draft.

Only this module of the path does input and output: it queries the store once (and once more for each contradicted
fact), writes the receipt, and reports each failure in the result. The other modules are pure functions.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock

from r_memory.domain.blocks import (
    NOBODY_ELSE,
    NOTHING_CLASHES,
    Addressed,
    Contrary,
    DraftCheck,
    GateRecord,
    Judged,
    Judgement,
    Line,
    Match,
    Outcome,
    Recall,
    Receipt,
    RuleLine,
    StandingCheck,
    State,
    gate_record,
)
from r_memory.domain.changes import AwaitedChange, requested
from r_memory.domain.erasure import is_trace
from r_memory.domain.events import Episode, EventKind, FactEvent
from r_memory.domain.facts import Entity, Fact, Span, concept
from r_memory.domain.folding import joined, opposing
from r_memory.domain.instants import Instant
from r_memory.domain.intents import Classification, Intent, OpenedRows, any_of, both, opened, widest, with_opinion
from r_memory.domain.knowledge import MEMBER_OF
from r_memory.domain.schema import Relation
from r_memory.errors import InvalidInput, RMemoryError, StoreError
from r_memory.facts.hiding import Hiding
from r_memory.facts.limits import Limits
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.answered import answers_in, finds_more, met, with_answers
from r_memory.facts.recall.beside import RecordBeside
from r_memory.facts.recall.dated import Dated
from r_memory.facts.recall.drafts import Drafts
from r_memory.facts.recall.judged import checked_judgements, kept_in_receipt, meant_by, without_reasons_for_words
from r_memory.facts.recall.left_out import LeftOut
from r_memory.facts.recall.lines import (
    absences_against,
    bearing_first,
    kin_of,
    lines_under,
    named_by,
    reactions_against,
    speaks_for_risk,
    with_successors,
)
from r_memory.facts.recall.matching import Matcher
from r_memory.facts.recall.others_days import OthersDays
from r_memory.facts.recall.outcomes import outcomes_of, unasked
from r_memory.facts.recall.people import Circle, Circles, told_of
from r_memory.facts.recall.placed import Placed
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.recall.present import AlwaysShown
from r_memory.facts.recall.remarks import Remarks
from r_memory.facts.recall.rendering import fitted, render
from r_memory.facts.recall.rules import RuleCandidate, Rules
from r_memory.facts.recall.standing import Standing
from r_memory.facts.recall.summed import matches_of_sums
from r_memory.facts.recall.verdicts import of_all, with_said
from r_memory.facts.recall.waiting import NOTHING_WAITS, Asked, WaitingStatements
from r_memory.facts.recall.worded import Worded
from r_memory.facts.remember.doubting import Doubts
from r_memory.facts.remember.utterances import checked_text
from r_memory.facts.subjects import People, Subjects
from r_memory.protocols import (
    UNKNOWN,
    Clock,
    IntentOpinion,
    Mention,
    Naming,
    Neighbourhood,
    SoCalled,
    Store,
    in_time,
    is_unhurried,
)
from r_memory.reading.days import Days
from r_memory.reading.language import listed
from r_memory.reading.reader import Reader
from r_memory.text.inert import without_secrets
from r_memory.text.sentences import passages

logger = logging.getLogger(__name__)

_STORE_TROUBLE = (StoreError, TimeoutError, OSError)
ABOUT_LIMIT = 4_000
"""Maximum characters of `about`: more than 200 words."""
_GROUPS = ((MEMBER_OF, 4),)
_NOT_RECOGNISED = Classification(scores=(), recognised=False)
"""Classification of a request that was not classified; compared by identity."""
_MOST_RECENT = 4
"""Maximum number of texts whose reading is kept."""
_QUESTION = frozenset("?\uff1f\u061f")
"""Question marks."""
_FOREIGN = "the store answered with facts about somebody else"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """What a caller asks about somebody."""

    text: str
    named: Sequence[str] = ()
    """Action types that the caller names."""
    is_draft: bool = False
    """Whether it is an answer to be checked, which may mean any action."""
    involved: tuple[str, ...] = ()
    """Further things that it involves."""
    elsewhere: Sequence[Fact] = ()
    """Facts of the subject that the caller holds."""
    judged: Sequence[Judgement] = ()
    """What the caller thinks of recorded facts beside a draft."""
    read_apart: frozenset[str] = frozenset()
    """Uids of people whom the same call reads by themselves."""
    explained: frozenset[str] = frozenset()
    """Unknown words of a draft that the caller has explained."""
    left_out: frozenset[str] = frozenset()
    """Keys of the things that a draft says it does without; its text has blanks in their place."""

    @property
    def words(self) -> str:
        """The text, then each thing that it involves on its own line, so that no sentence continues across them."""
        return "\n".join([f"{self.text}\n", *self.involved]) if self.involved else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToRead:
    """The edges that are read for a request."""

    rows: OpenedRows
    """Those that it opens."""
    near: OpenedRows
    """Also those that say who is who around an owner."""
    looked: OpenedRows
    """All that are read; what no request opened is shown only where it is meant."""
    places: Sequence[str] = ()
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Derived:
    """What follows from the facts that were read, whatever is asked."""

    found: Neighbourhood
    edges: tuple[str, ...]
    against: Mapping[str, Contrary]
    """What stands against a fact, by its id."""
    outcomes: tuple[Outcome, ...]
    waiting: tuple[Episode, ...]
    """What waits and may change a recorded fact."""
    awaited: Mapping[str, tuple[AwaitedChange, ...]]
    """The same, by the id of the fact."""
    whole: bool
    """Whether all that it follows from was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What a request is about."""

    naming: Naming
    meant: tuple[Intent, ...]
    """Rows of the table that its words may order."""
    is_order: bool
    """Whether words or the caller say so, of a row that needs edges whatever the words name."""
    rows: OpenedRows
    actions: tuple[str, ...]
    """Action types whose rules are included."""
    days: tuple[Days, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordRead:
    """What was read for a request."""

    about: Entity
    addressed: Addressed
    found: Neighbourhood
    """The facts along the rows, and those beside them that the request means."""
    rows: OpenedRows
    standing: StandingCheck
    now_called: str
    notes_beside: tuple[Fact, ...]


class Earlier:
    """Facts of one subject read for a draft, reused for the next drafts, such as the sentences of an answer.

    They are reused while the store confirms that nothing was recorded since and that the same statements wait.
    """

    def __init__(self) -> None:
        self._of: tuple[str, OpenedRows] | None = None
        self._found: Neighbourhood | None = None
        self._shown: tuple[Neighbourhood, Neighbourhood] | None = None
        """What was found, and the same without the words that are not shown."""
        self._derived: _Derived | None = None

    def found(self, subject: Entity, rows: OpenedRows) -> Neighbourhood | None:
        """The facts read along these rows, or `None` if they were not read for this subject."""
        if self._of is None or self._of[0] != subject.uid:
            return None
        read = self._of[1]
        same = read.edges == rows.edges and read.intents == rows.intents
        return self._found if same else None

    def standing(self, found: Neighbourhood, now: Neighbourhood | None) -> Neighbourhood | None:
        """`found` if the store still holds the same (`now`), or `None` if it must be read again."""
        if now is None or now.failed or (now.watermark, now.pending) != (found.watermark, found.pending):
            self._found = None
        return self._found

    def shown(self, found: Neighbourhood, pending: tuple[Episode, ...]) -> Neighbourhood:
        """`found` with these statements as what waits; the same object as for the draft before if both are the same."""
        if pending is found.pending:
            return found
        kept = self._shown
        if kept is None or kept[0] is not found or kept[1].pending is not pending:
            kept = self._shown = found, replace(found, pending=pending)
        return kept[1]

    def derived(self, found: Neighbourhood, edges: tuple[str, ...], waiting: tuple[Episode, ...]) -> _Derived | None:
        """What follows from these facts and statements; `None` unless they are those of the draft before."""
        kept = self._derived
        if kept is None or kept.found is not found or kept.edges != edges or kept.waiting != waiting:
            return None
        return kept

    def keep_derived(self, derived: _Derived) -> None:
        """Keeps what was read completely for the next draft."""
        self._derived = derived if derived.whole else None

    def keep(self, subject: Entity, rows: OpenedRows, found: Neighbourhood) -> None:
        """Keeps facts that were read completely for the next draft."""
        self._of = subject.uid, rows
        self._found = None if found.failed else found


class Recaller:
    """Answers requests from one store, under one schema, table and knowledge pack."""

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        clock: Clock,
        new_id: Callable[[], str],
        subjects: Subjects,
        limits: Limits,
        hiding: Hiding,
    ) -> None:
        self._reader = reader
        self._store = store
        self._subjects = subjects
        self._schema = reader.schema
        self._names = FactNames(reader.schema, reader.linker)
        self._dated = Dated.under(reader)
        prepared = Prepared[Fact](lambda fact: fact.fact_id)
        self._drafts = Drafts(reader, self._dated, prepared)
        self._left_out = LeftOut(reader)
        self._lines = lines_under(reader.schema)
        self._circles = Circles(reader.schema)
        self._placed = Placed.under(reader.schema, reader.linker)
        self._remarks = Remarks.under(reader.schema, reader.linker, prepared)
        self._waiting = WaitingStatements(reader)
        self._hiding = hiding
        self._doubts = Doubts(reader, clock)
        self._table = reader.table
        self._knowledge = reader.knowledge
        # A rule of the pack holds whatever row was opened, so its closures take the most steps that any row takes.
        steps = widest(reader.table.intents.values())
        in_use = [name for name, relation in reader.schema.relations.items() if relation.in_use_against]
        self._rules = Rules(
            reader.knowledge,
            steps=steps,
            is_stale=self._lines.is_stale,
            ended=self._dated.ended,
            worded=Worded.under(reader).named,
            in_use=in_use,
        )
        self._always_shown = AlwaysShown.under(reader.knowledge, reader.schema, tuple(steps.items()))
        self._standing = Standing(reader, rules=self._rules, drafts=self._drafts, lines=self._lines)
        known = reader.schema.relations.values()
        self._searched = tuple(item for item in known if item.across == "searched" and item.critical)
        self._forms = listed(reader.schema.language, "proper_names", "firms")
        self._clock = clock
        self._new_id = new_id
        self._limits = limits
        self._others_days = OthersDays(store=store, subjects=subjects, dated=self._dated, in_time=self._in_time)
        self._recent: dict[str, tuple[Naming, Classification]] = {}
        """What the last requests name and ask for, by their words."""
        self._lock = Lock()

    async def build_context(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
        paged: bool = False,
    ) -> Recall:
        """All facts that bear on a request, with one of four outcomes for each edge type.

        A failure never gives an empty result. `intents` opens these action types beside the recognised ones. `about`
        lists further things that the request involves; they are compared like named things, and lower no verdict.
        `max_chars` cuts only lines below the critical ones; `paged` also limits the critical lines to what a result can
        hold, and says so.

        Raises:
            InvalidInput: `about` is too long.
            UnknownName: an action type does not exist.
            SubjectRequired, SubjectUnknown, SubjectAmbiguous: as for `Subjects.resolve`.
            StoreUnavailable: the subject could not be looked up.
        """
        recall = await self.unrecorded(query, subject=subject, intents=intents, about=about)
        recall, block = fitted(recall, max_chars, paged=paged)
        return await self.recorded(recall, shown_to, gate_record(asked=query, block=block), block=block)

    async def unrecorded(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        elsewhere: Sequence[Fact] = (),
    ) -> Recall:
        """The recall before its receipt is written; `recorded` writes it, so that both can run beside other work.

        `elsewhere` are facts of the subject that the caller holds, as for `unrecorded_check`.
        """
        checked_text(query, limit=self._limits.message)
        asked = _Query(text=query, named=intents, involved=_involved(about), elsewhere=elsewhere)
        recall, _ = await self._recalled(asked, subject)
        return recall

    async def check_text(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        about: Sequence[str] = (),
        judged: Sequence[Judgement] = (),
        shown_to: str = "",
    ) -> DraftCheck:
        """The facts that conflict with a draft; an empty result does not mean that the draft is safe.

        `about` lists further things that the draft involves; they can only make the verdict graver. `judged` is what
        the caller thinks of recorded facts beside the draft; it raises any of them, and sets aside only what nothing
        but words speaks for (`judged.LOWERED`).

        Raises:
            InvalidInput: `about` or `judged` is too long, or a verdict of `judged` is unknown.
            SubjectRequired, SubjectUnknown, SubjectAmbiguous: as for `Subjects.resolve`.
            StoreUnavailable: the subject could not be looked up.
        """
        checked = await self.unrecorded_check(text, subject=subject, about=about, judged=judged)
        return replace(checked, recall=await self.recorded(checked.recall, shown_to, judged=checked.judged))

    async def unrecorded_check(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        about: Sequence[str] = (),
        judged: Sequence[Judgement] = (),
        elsewhere: Sequence[Fact] = (),
        earlier: Earlier | None = None,
        read_apart: frozenset[str] = frozenset(),
    ) -> DraftCheck:
        """The check before its receipt is written, as `unrecorded` is the context; raises as `check_text` does.

        `elsewhere` are facts of the subject that the caller holds: they are compared like stored facts, and not stored.
        `earlier` carries what was read for an earlier draft; it is reused while the store confirms it. People of
        `read_apart`, by uid, are not read along, even if the draft names them.
        """
        checked_text(text, limit=self._limits.draft)
        views = checked_judgements(judged)
        draft = _Query(text=text, is_draft=True, elsewhere=elsewhere, judged=views, read_apart=read_apart)
        draft = replace(draft, involved=await self._beyond(text, _involved(about)))
        return await self._with_answers(draft, await self._checked_whole(draft, subject, earlier))

    async def _checked_whole(self, draft: _Query, subject: str | Entity, earlier: Earlier | None = None) -> DraftCheck:
        """The check of a draft and of what it involves."""
        checked = await self._checked(replace(draft, involved=()), subject, earlier)
        if not draft.involved:
            return checked
        # The draft alone first: whatever is added to it, nothing that it is told of goes.
        return with_said(checked, await self._checked(draft, checked.recall.subject))

    async def _with_answers(self, draft: _Query, checked: DraftCheck) -> DraftCheck:
        """The check without the gaps of unknown words that the caller explained, where the explanation meets nothing
        recorded.
        """
        if all(item.outcome != "refused" for item in checked.judged):
            return checked
        naming, _ = await self._read(draft.words)
        answers = answers_in(checked.judged, draft.words, naming)
        if counting := [answer for answer in answers if not answer.trouble]:
            reasons = (*draft.involved, *dict.fromkeys(answer.judgement.why for answer in counting))
            subject = checked.recall.subject
            if finds_more(await self._checked(replace(draft, involved=reasons), subject), checked):
                answers = tuple(map(met, answers))
            else:
                words = frozenset(word.casefold() for answer in counting for word in answer.words)
                checked = await self._checked_whole(replace(draft, explained=words), subject)
        return with_answers(checked, answers)

    async def _beyond(self, text: str, involved: tuple[str, ...]) -> tuple[str, ...]:
        """The things in `about` that say more than the draft: not those that it names, nor the groups of these.

        A thing is compared with all its groups anyway; a group that is named alone stands for any of its members.
        """
        naming, _ = await self._read(text) if involved else (Naming(), None)
        known = {concept(mention.type, mention.name).uid for mention in naming.mentions}
        groups = frozenset(there for uid in known for there in self._knowledge.closure(uid, _GROUPS))

        def adds(thing: str) -> bool:
            named = self._reader.named(thing)
            things = {concept(mention.type, mention.name).uid for mention in named.mentions}
            return not things or bool(named.unknown or named.strange) or not things <= groups

        return tuple(filter(adds, involved))

    async def _checked(self, draft: _Query, subject: str | Entity, earlier: Earlier | None = None) -> DraftCheck:
        ordered = self._left_out.ordered(draft.text)
        asked = replace(draft, text=ordered.words, left_out=ordered.left_out)
        recall, naming = await self._recalled(asked, subject, earlier)
        recall = replace(recall, query=draft.text)
        read = (recall, *recall.beside)
        meant = meant_by(draft.judged, read, self._names)
        counting = [item for item in meant if not item.trouble]
        check = partial(self._drafts.check, draft.words, judged=counting, explained=draft.explained)
        size = len(draft.words)
        checked = of_all([await self._reader.aside(size, check, item, naming) for item in read])
        refused = (item.refused for item in meant if item.trouble)
        return replace(checked, judged=(*checked.judged, *refused))

    def beside(self) -> RecordBeside:
        """What reads the record while new facts are stored, for `not_together`."""
        return RecordBeside(self._comparable, frozenset(self._standing.relations))

    async def not_together(
        self, subject: Entity, facts: Sequence[Fact], beside: RecordBeside | None = None
    ) -> StandingCheck:
        """What the subject's record says against these facts; at most one query, no receipt.

        What the store does not answer is listed as not checked.
        """
        if not any(fact.relation in self._standing.relations for fact in facts):
            return NOTHING_CLASHES
        found = None if beside is None else await beside.record()
        return self._stood(subject, found or await self._comparable(subject), new={fact.fact_id for fact in facts})

    async def not_together_since(self, subject: Entity, since: Instant) -> StandingCheck:
        """The same for all facts recorded since `since`."""
        if not self._standing.relations:
            return NOTHING_CLASHES
        found = await self._comparable(subject)
        new = {fact.fact_id for fact in found.facts if fact.last_recorded_at >= since}
        return self._stood(subject, found, new=new)

    async def _comparable(self, subject: Entity) -> Neighbourhood:
        """The recorded facts that may clash."""
        edges = OpenedRows(intents=(), recognised=True, edges=self._standing.relations, expand={})
        return await self._neighbourhood(subject, edges, None)

    def _stood(self, subject: Entity, found: Neighbourhood, new: Collection[str] | None = None) -> StandingCheck:
        """The clashes among the facts that were found; with `new`, those with a fact that has one of these ids."""
        read = frozenset(self._standing.relations)
        facts = [fact for fact in found.facts if fact.relation in read]
        failed = {name: why for name, why in found.failed.items() if name in read}
        return self._standing.check(facts, subject=subject, failed=failed, now=self._clock.now(), new=new)

    def _to_read(self, query: _Query, request: _Request, known: Sequence[str]) -> _ToRead:
        """The edges that a request opens, those `known` to rules that it meets, and those read beside them."""
        dated = self._dated.relations if request.days else ()
        rows = replace(request.rows, edges=_edges((request.rows.edges, known, dated)))
        near = replace(rows, edges=_edges((rows.edges, self._circles.relations))) if self._subjects.single else rows
        if query.is_draft:
            return _ToRead(rows=rows, near=near, looked=near)
        places, remarks = self._placed.asked(query.text), self._remarks.relations
        names, shown = (
            [self._schema.naming.name] if self._schema.naming is not None else [],
            self._always_shown.relations,
        )
        looked = replace(near, edges=_edges((near.edges, self._standing.relations, places, remarks, names, shown)))
        return _ToRead(rows=rows, near=near, looked=looked, places=places, remarks=remarks)

    async def _recalled(
        self, query: _Query, subject: str | Entity, earlier: Earlier | None = None
    ) -> tuple[Recall, Naming]:
        """The recall without its receipt, and what the query names.

        A query that is not understood opens all critical edges. A draft may mean any action and opens all rows; what
        only implies a thing that it has `left_out` needs no question and implies nothing.
        """
        request, earlier = await self._understood(query), earlier or Earlier()
        asked = self._rules.asked(request.naming.mentions, request.actions, is_draft=query.is_draft)
        # A pack may be used by more than one schema.
        known = [name for item in asked for name in sorted(item.rule.relations) if name in self._schema.relations]
        record = await self._read_for(query, request, self._to_read(query, request, known), subject, earlier)
        about, found = record.about, record.found
        naming = request.naming.without((about.name, *about.aliases))
        matcher = self._matcher(query, request, naming, record.rows)
        derived = await self._derived(about, found, record.rows.edges, earlier)
        recall = await self._with_held_beside(self._recall(about, record.rows, derived, asked, matcher))
        would_meet = partial(self._would_meet, recall, asked, found)
        waiting = Asked(query=query.words, matcher=matcher, naming=naming, meets=would_meet)
        recall = await self._with_request(await self._with_waiting(recall, waiting), query, request, record, naming)
        further = replace(query, elsewhere=())
        read = [(await self._recalled(further, item))[0] for item in record.addressed.also_read]
        beside = tuple(replace(item, addressed=NOBODY_ELSE) for item in read)
        return replace(recall, beside=beside) if beside else recall, naming

    async def _read_for(
        self, query: _Query, request: _Request, to_read: _ToRead, subject: str | Entity, earlier: Earlier
    ) -> _RecordRead:
        """What is recorded about the subject of a request and the people whom it means."""
        about, addressed, found = await self._looked_up(subject, query.text, to_read.looked, earlier)
        found = _with(await self._without_withdrawn(about, found, earlier), query.elsewhere, to_read.looked.edges)
        circle, addressed = await self._with_circle(about, addressed, query.text, found.facts, is_draft=query.is_draft)
        asks = bool(request.naming.mentions) or not (query.is_draft or _QUESTION.isdisjoint(query.text))
        if asks and not addressed.means_all and self._means_several(query.text, about, addressed):
            addressed = await self._subjects.with_nobody_else(about, addressed)
        addressed = await self._others_days.with_days(about, addressed, request.days)
        also_read = tuple(item for item in addressed.also_read if item.uid not in query.read_apart)
        addressed = replace(addressed, also_read=also_read)
        placed = self._placed.of(query.text, found.facts) if to_read.places else frozenset()
        met, left = (
            self._remarks.of(query.words, found.facts, to_read.rows.edges) if to_read.remarks else (frozenset(), ())
        )
        met |= frozenset[str]() if query.is_draft else self._remarks.asked_for(query.words, request.days, left)
        shown = frozenset[str]() if query.is_draft else self._always_shown.of(found.facts, self._clock.now())
        meant = placed.union(met, shown, (fact.fact_id for fact in circle.facts))
        rows = to_read.near if circle.facts else to_read.rows
        return _RecordRead(
            about=about,
            addressed=addressed,
            found=_asked_along(found, beside={*to_read.looked.edges} - {*to_read.rows.edges}, meant=meant),
            rows=replace(rows, edges=_edges((rows.edges, to_read.places))) if placed else rows,
            standing=NOTHING_CLASHES if query.is_draft else self._stood(about, found),
            now_called=self._subjects.now_called(about, found.facts),
            notes_beside=tuple(fact for fact in left if fact.fact_id not in meant),
        )

    def _matcher(self, query: _Query, request: _Request, naming: Naming, rows: OpenedRows) -> Matcher:
        """What compares facts with the things, days and sums of a request."""
        details = self._of_details(request.days, self._names.sums(query.words))
        return Matcher(
            query.words, naming.mentions, self._knowledge, rows.expand, request.actions, details, self._forms
        )

    async def _with_request(
        self, recall: Recall, query: _Query, request: _Request, record: _RecordRead, naming: Naming
    ) -> Recall:
        """The recall with what the request says and means, and with what is not recorded of it."""
        needed, types = _edges(row.needs for row in request.meant), {mention.type for mention in naming.mentions}
        gaps = _edges(set(row.needs).difference(row.noted) for row in request.meant)
        noted = [edge for edge in needed if edge not in gaps]
        facts, about, text = record.found.facts, record.about, query.text
        is_quiet = _is_quiet(naming, record.rows, record.addressed)
        return replace(
            recall,
            lines=self._always_shown.marked(self._remarks.nearest_first(query.words, recall.lines), recall.checked_at),
            query=text,
            languages=() if recall.recognised else tuple(self._reader.languages(text)),
            about=query.involved,
            addressed=record.addressed,
            now_called=record.now_called,
            other_files=() if recall.unavailable else await self._named_elsewhere(about),
            unrecognised=_unmet(naming.unrecognised, recall.lines),
            is_quiet=is_quiet and not (query.is_draft or query.named or request.days),
            needed=needed,
            notes_beside=record.notes_beside,
            meant=_edges(row.edges for row in request.meant),
            is_order=request.is_order,
            standing=record.standing,
            over=self._lines.over(facts, about, self._clock.now()) if query.is_draft else (),
            unasked=unasked(gaps, recall.outcomes, facts, types, self._schema),
            unasked_noted=unasked(noted, recall.outcomes, facts, types, self._schema),
        )

    async def _with_circle(
        self, about: Entity, addressed: Addressed, query: str, facts: Sequence[Fact], *, is_draft: bool
    ) -> tuple[Circle, Addressed]:
        """The people around the owner whom a request means, and whom it names, as far as they are known."""
        if self._subjects.single:
            circle = self._circles.of(query, facts) if self._subjects.is_owner(about) else Circle()
            addressed = await self._with_known_of(about, addressed)
            addressed = await self._subjects.with_circle(about, addressed, circle.names, circle.unknown)
            if self._subjects.is_owner(about) and not is_draft and self._means_several(query, about, addressed):
                first = self._circles.first_meant(query, facts)
                addressed = await self._subjects.with_everybody(about, addressed, first)
            return circle, addressed
        told = self._circles.of(query, facts).names if addressed.strangers else ()
        known_of = tuple(name for name in addressed.strangers if name in told)
        rest = tuple(name for name in addressed.strangers if name not in told)
        return Circle(), replace(addressed, strangers=rest, known_of=known_of) if known_of else addressed

    def _means_several(self, query: str, about: Entity, addressed: Addressed) -> bool:
        """Whether the words speak of several people without naming them."""
        names_any = bool(addressed.also_read or addressed.others)
        return self._circles.means_all(query, of_owner=self._subjects.is_owner(about), names_any=names_any)

    async def _understood(self, query: _Query) -> _Request:
        """What a request names, orders and opens."""
        text, named, involved = query.text, query.named, query.involved
        naming, classification = await self._read(text)
        meant = self._meant(classification, named)
        is_order = bool(involved) or self._is_order(classification, named)
        classification = await self._with_opinions(text, classification)
        also = tuple(self._table.intents) if query.is_draft else tuple(dict.fromkeys(named))
        rows = self._every_row if query.is_draft else self._opened(classification, also)
        if involved:
            naming, joint = await self._read_with(naming, query)
            meant = tuple({row.name: row for row in (*meant, *self._meant(joint, ()))}.values())
            rows = both(rows, opened(joint, self._table, critical=(), named=also))
            classification = replace(classification, scores=(*classification.scores, *joint.scores))
        actions = tuple(dict.fromkeys((*self._borne_on(naming.mentions, classification), *named)))
        if query.left_out:
            implied = {name: frozenset(self._knowledge.actions.get(name, ())) for name in self._table.intents}
            spared = {name for name, uids in implied.items() if self._left_out.are_all(uids, query.left_out)}
            actions = tuple(name for name in actions if name not in spared)
            meant = tuple(replace(row, needs=()) if row.name in spared else row for row in meant)
        days = self._dated.asked(query.words, self._clock.now())
        return _Request(naming=naming, meant=meant, is_order=is_order, rows=rows, actions=actions, days=days)

    async def asks(self, text: str) -> bool:
        """Whether the words ask for something, or put a question about a known thing; true if the classifier fails."""
        naming, classification = await self._read(text)
        about = bool(naming.mentions) and not _QUESTION.isdisjoint(text)
        return classification is _NOT_RECOGNISED or about or bool(self._asked_for(classification))

    async def recognise(self, text: str) -> tuple[str, ...]:
        """The action types that the words ask for, best first; empty for a statement or small talk."""
        return self._asked_for((await self._read(text))[1])

    async def opens(self, text: str) -> OpenedRows:
        """The rows and edges that a request with these words opens; reads no fact."""
        return self._opened((await self._read(text))[1])

    @cached_property
    def _every_row(self) -> OpenedRows:
        """What a draft opens, whatever it asks for."""
        return self._opened(_NOT_RECOGNISED, tuple(self._table.intents))

    def _opened(self, classification: Classification, named: tuple[str, ...] = ()) -> OpenedRows:
        return opened(classification, self._table, critical=self._always_read(), named=named)

    def _asked_for(self, classification: Classification) -> tuple[str, ...]:
        """Recognised rows, except silent ones."""
        asked = (score.name for score in classification.scores if score.asked)
        return tuple(name for name in asked if not self._table.intent(name).silent)

    def _meant(self, classification: Classification, named: Sequence[str]) -> tuple[Intent, ...]:
        """The rows that the words may order."""
        sure = self._table.policy.confident_above
        meant = (s.name for s in classification.scores if s.asked or s.keywords or s.probability >= sure)
        rows = (self._table.intent(name) for name in dict.fromkeys((*named, *meant)))
        return tuple(row for row in rows if not row.silent)

    def _is_order(self, classification: Classification, named: Sequence[str]) -> bool:
        """Whether words, or the caller, mean a row whose needed edges hold whatever is named; a guess does not."""
        said = (score.name for score in classification.scores if score.asked or score.keywords)
        rows = (self._table.intent(name) for name in dict.fromkeys((*named, *said)))
        return any(row.needs and not row.needs_named for row in rows)

    def _of_details(self, days: Sequence[Days], sums: Mapping[str, str]) -> Callable[[Fact], tuple[Match, ...]]:
        """Returns what gives the matches of a fact's days and sums with those of the request."""
        if not (days or sums):
            return lambda _: ()
        return lambda fact: (*self._dated.matches(fact, days), *matches_of_sums(self._names, fact, sums))

    def _would_meet(
        self, recall: Recall, asked: Sequence[RuleCandidate], found: Neighbourhood, likely: Sequence[Fact]
    ) -> Iterator[RuleLine]:
        """The rules that fire only because of the `likely` facts."""
        told = {line.rule_id for line in recall.rules if line.facts}
        recorded = {fact.fact_id for fact in found.facts if speaks_for_risk(fact)}
        possible = [fact for fact in likely if fact.fact_id not in recorded]
        for line in self._rules.lines(asked, (*found.facts, *possible), found.failed, recall.checked_at):
            if line.rule_id not in told and any(fact in possible for fact in line.facts):
                yield line

    async def _with_waiting(self, recall: Recall, asked: Asked) -> Recall:
        """The recall with how the waiting statements relate to the request."""
        compared, waiting = NOTHING_WAITS, recall.pending
        if waiting:
            size = sum(len(episode.text) for episode in waiting)
            compared = await self._reader.aside(size, self._waiting.compared, waiting, asked)
        return replace(
            recall,
            bearing=compared.bearing,
            urgent=compared.urgent,
            uncompared=compared.uncompared,
            groups=compared.groups,
            would_meet=compared.rules,
        )

    def _borne_on(self, mentions: Sequence[Mention], classification: Classification) -> tuple[str, ...]:
        """Rows whose rules are included: recognised, named by a keyword, or likely.

        These are deliberately more than is asked for. A lexicon term alone opens none, because every statement about a
        drug contains one.
        """
        terms = {mention.surface.casefold() for mention in mentions}
        sure = self._table.policy.confident_above
        return tuple(
            score.name
            for score in classification.scores
            if not self._table.intent(score.name).silent
            and (score.asked or score.probability >= sure or any(word not in terms for word in score.keywords))
        )

    async def _read(self, query: str) -> tuple[Naming, Classification]:
        """What the query names and asks for, read in parts; after any failure all critical edges are opened."""
        naming = Naming()
        asked: list[Classification] = []
        for span in passages(query, self._limits.text) or (Span(start=0, end=len(query)),):
            words = query[span.start : span.end]
            kept = self._recent.get(words)
            if kept is None:
                kept = await self._reader.aside(len(query), self._mentioned_and_asked, words)
            part, one = kept
            naming = naming.with_part(part, span.start)
            asked.append(one)
        failed = any(classification is _NOT_RECOGNISED for classification in asked)
        return naming, _NOT_RECOGNISED if failed else any_of(asked)

    async def _read_with(self, naming: Naming, query: _Query) -> tuple[Naming, Classification]:
        """What a request names together with the caller's `about`, and what both ask for.

        A thing in `about` that is unknown is listed as unknown, unless it consists of everyday words in small letters.
        """
        words = query.words
        both_named, classification = await self._read(words)
        mentions = tuple(dict.fromkeys((*naming.mentions, *both_named.mentions)))
        unknown = list(dict.fromkeys((*naming.unknown, *both_named.unknown)))
        start = len(words)
        for thing in reversed(query.involved):
            start -= len(thing)
            span = range(start, start + len(thing))
            everyday = thing.islower() and not self._reader.named(thing).strange
            if not everyday and not any(item.start in span for item in (*mentions, *unknown)):
                unknown.append(Mention(type=UNKNOWN, name=thing, start=start, end=span.stop, surface=thing))
            start -= 1
        strange = tuple(dict.fromkeys((*naming.strange, *both_named.strange)))
        return Naming(mentions=mentions, unknown=tuple(unknown), strange=strange), classification

    def _mentioned_and_asked(self, query: str) -> tuple[Naming, Classification]:
        """What the words name and ask for; kept for the next call, as one request is asked about several times."""
        if (kept := self._recent.get(query)) is not None:
            return kept
        naming = Naming()
        try:
            naming = self._reader.named(query)
            classification = self._reader.classifier.classify(query, (*naming.mentions, *naming.unknown))
        except Exception as error:  # noqa: BLE001 - a classifier may die of anything, and the patient must not (RM-18)
            _warn("Request not recognised", "recall_classify", error)
            return naming, _NOT_RECOGNISED
        if not all(score.name in self._table.intents for score in classification.scores):
            return naming, _NOT_RECOGNISED
        with self._lock:
            while len(self._recent) >= _MOST_RECENT:
                del self._recent[next(iter(self._recent))]
            self._recent[query] = naming, classification
        return naming, classification

    async def _with_opinions(self, query: str, classification: Classification) -> Classification:
        """The classification with the further opinions, which are asked in parallel.

        A failed or slow opinion adds nothing.
        """

        async def heard(opinion: IntentOpinion) -> Sequence[str]:
            try:
                async with asyncio.timeout(self._limits.opinion_s):
                    return await opinion.names(query)
            except (RMemoryError, TimeoutError, OSError) as error:
                _warn("Opinion not heard", "recall_opinion", error, opinion=opinion.name)
                return ()

        opinions = await asyncio.gather(*map(heard, self._reader.opinions))
        for opinion, names in zip(self._reader.opinions, opinions, strict=True):
            classification = with_opinion(classification, opinion.name, names)
        return classification

    def _always_read(self) -> tuple[str, ...]:
        """The critical relations (all of them in a schema that calls none critical), then retired ones."""
        return (*(self._schema.critical or self._schema.relations), *self._subjects.retired)

    def _in_time(self) -> AbstractAsyncContextManager[None]:
        """A time limit for one question to the store; for bulk work the store's own limit applies."""
        return in_time(None if is_unhurried() else self._limits.read_s)

    async def _looked_up(
        self, subject: str | Entity, query: str, rows: OpenedRows, earlier: Earlier
    ) -> tuple[Entity, Addressed, Neighbourhood]:
        """The subject, the other people whom the request names, and the stored facts.

        They are read at the same time if possible.
        """
        near: dict[str, Neighbourhood | None] = {}
        own = any(row.traversal for row in rows.intents)

        async def look(likely: Entity, called: Sequence[str], so_called: SoCalled | None) -> People:
            known = earlier.found(likely, rows)
            if own and known is None:
                return await self._subjects.apart(called, so_called)
            edges = rows.edges if known is None else ()
            try:
                async with self._in_time():
                    people, aliased, there = await self._store.surroundings(
                        likely, edges, called=called, so_called=so_called
                    )
                near[likely.uid] = there if known is None else earlier.standing(known, there)
            except _STORE_TROUBLE as error:
                # Each is then read by itself and reports its problem; after silence there is no second wait.
                near[likely.uid] = _unread(rows, error) if isinstance(error, TimeoutError) else None
                return await self._subjects.apart(called, so_called)
            return people, aliased

        about, addressed = await self._subjects.addressed(subject, query, look)
        there, kept = near.get(about.uid), earlier.found(about, rows)
        found = kept if kept is not None and there is kept else await self._neighbourhood(about, rows, there)
        earlier.keep(about, rows, found)
        return about, addressed, found

    async def _with_known_of(self, about: Entity, addressed: Addressed) -> Addressed:
        """`addressed` without the strangers of whom plain facts of those who are read tell: they are known of."""
        if not addressed.strangers:
            return addressed
        plain = [name for name in self._schema.relations if name not in self._schema.critical]
        try:
            async with self._in_time():
                looks = (self._store.neighbourhood(item, plain) for item in (about, *addressed.also_read))
                facts = [fact for found in await asyncio.gather(*looks) for fact in found.facts]
        except _STORE_TROUBLE as error:
            _warn("Facts about strangers not read", "recall_known_of", error)
            return addressed
        known_of = told_of(addressed.strangers, facts)
        strangers = tuple(name for name in addressed.strangers if name not in known_of)
        return replace(addressed, strangers=strangers, known_of=known_of)

    async def _neighbourhood(self, subject: Entity, rows: OpenedRows, near: Neighbourhood | None) -> Neighbourhood:
        """The stored facts, or all edges as failed; `near` is what the store returned already."""
        own = list(dict.fromkeys(row.traversal for row in rows.intents if row.traversal))
        known = [self._reader.traversals[path] for path in own if path in self._reader.traversals]
        try:
            async with self._in_time():
                found = near or await self._store.neighbourhood(subject, rows.edges, known)
        except _STORE_TROUBLE as error:
            return _unread(rows, error)
        missing = {path: "its query was not loaded" for path in own if path not in self._reader.traversals}
        return _only_about(subject, replace(found, failed={**found.failed, **missing}))

    async def _without_withdrawn(self, about: Entity, found: Neighbourhood, earlier: Earlier) -> Neighbourhood:
        """What was found, without withdrawn words in what waits; with them, if the facts cannot be read."""
        try:
            async with self._in_time():
                pending = await self._hiding.waiting(about, found.pending, found.watermark)
        except _STORE_TROUBLE as error:
            _warn("Withdrawn words not read", "recall_withdrawn", error)
            return found
        return earlier.shown(found, pending)

    async def _named_elsewhere(self, about: Entity) -> tuple[str, ...]:
        """Critical relations along which somebody else's file names the subject; those that cannot be read are among
        them.

        Only what a check across everybody looks along is read; whose file it is, only that check tells.
        """

        async def names(relation: Relation) -> bool:
            try:
                async with self._in_time():
                    found = await self._store.called_so(about.space, relation, [about.name])
            except _STORE_TROUBLE as error:
                _warn("Files of others not read", "recall_elsewhere", error)
                return True
            return any(item.uid != about.uid and not is_trace(item) and speaks_for_risk(fact) for item, fact in found)

        found = await asyncio.gather(*map(names, self._searched))
        return tuple(relation.name for relation, is_named in zip(self._searched, found, strict=True) if is_named)

    async def _with_held_beside(self, recall: Recall) -> Recall:
        """The recall; if nothing that it reads was ever asked about, with the other relations that hold something, and
        those that could not be read.
        """
        if recall.unavailable or any(outcome.state is not State.NOT_ASKED for outcome in recall.outcomes):
            return recall
        read = {outcome.relation for outcome in recall.outcomes}
        every = tuple(name for name in self._schema.relations if name not in read)
        try:
            async with self._in_time():
                found = await self._store.neighbourhood(recall.subject, every)
        except _STORE_TROUBLE as error:
            _warn("Facts beside the request not read", "recall_held_beside", error)
            return replace(recall, unread_beside=every)
        held = dict.fromkeys(fact.relation for fact in found.facts if speaks_for_risk(fact))
        return replace(recall, held_beside=tuple(held), unread_beside=tuple(found.failed))

    async def _contraries(self, space: str, facts: Iterable[Fact]) -> tuple[Mapping[str, Contrary], bool]:
        """The contrary statements of contradicted facts, and whether all of them could be read."""
        unread: list[str] = []

        async def opposed(fact_id: str) -> FactEvent | None:
            try:
                async with self._in_time():
                    events = await self._store.history(space, fact_id)
            except _STORE_TROUBLE as error:
                _warn("History not read", "recall_history", error)
                unread.append(fact_id)
                return None
            return opposing(events) if events else None

        disputed = [fact.fact_id for fact in facts if fact.contradicted]
        found = await asyncio.gather(*map(opposed, disputed))
        known = {fact_id: _contrary(event) for fact_id, event in zip(disputed, found, strict=True) if event is not None}
        return known, not unread

    async def _changeable(
        self, about: Entity, found: Neighbourhood, waiting: Sequence[Episode]
    ) -> tuple[Sequence[Fact], bool]:
        """The facts that waiting words may change, and whether all of them could be read.

        Words may mean a fact that this request does not read, so all facts are read where such words wait.
        """
        if all(requested(episode) is not None for episode in waiting):
            return found.facts, True
        try:
            async with self._in_time():
                every = (*self._schema.relations, *self._subjects.retired)
                return (await self._store.neighbourhood(about, every)).facts, True
        except _STORE_TROUBLE as error:
            _warn("Facts beside waiting words not read", "recall_awaited", error)
            return found.facts, False

    def _recall(
        self,
        subject: Entity,
        rows: OpenedRows,
        derived: _Derived,
        asked: Sequence[RuleCandidate],
        matcher: Matcher,
    ) -> Recall:
        """The recall made of the facts that were found along the opened rows."""
        now, found, outcomes = self._clock.now(), derived.found, derived.outcomes
        lines = self._lines.of(
            found.facts,
            subject=subject,
            matches=lambda fact, carries, alone: matcher.matches(fact, carries=carries, alone=alone),
            contraries=derived.against,
            awaited=derived.awaited,
            first=tuple(edge for row in rows.intents for edge in row.edges),
            now=now,
        )
        lines = with_successors(lines)
        unavailable = _unavailable(outcomes, found)
        rules = () if unavailable else self._rules.lines(asked, found.facts, found.failed, now)
        return Recall(
            subject=subject,
            checked_at=now,
            query="",
            intents=tuple(row.name for row in rows.intents),
            recognised=rows.recognised,
            lines=bearing_first(lines, rules),
            rules=rules,
            kin=kin_of(lines, self._knowledge),
            outcomes=outcomes,
            pending=found.pending,
            marks=self._hiding.marked(subject, found.watermark).marks if found.pending else {},
            compared_by=self._schema.compared_by,
            receipt_id="" if unavailable else self._new_id(),
            watermark=found.watermark,
            schema_version=self._schema.version,
            pack_version=self._knowledge.version,
            traversal=found.query,
            unavailable=unavailable,
            ask=self._schema.unavailable if unavailable or found.failed else "",
        )

    async def _derived(self, about: Entity, found: Neighbourhood, edges: tuple[str, ...], earlier: Earlier) -> _Derived:
        """What follows from the facts that were found; read and derived once while the record stays the same."""
        waiting = self._doubts.changing(found.pending)
        if (kept := earlier.derived(found, edges, waiting)) is not None:
            return kept
        contraries, heard = await self._contraries(about.space, found.facts)
        changeable, read = await self._changeable(about, found, waiting)
        # Others in the same database may have declared a retired relation: without facts here it is not named.
        named = (edge for edge in edges if edge not in self._subjects.retired)
        derived = _Derived(
            found=found,
            edges=edges,
            against={
                **absences_against(found.facts, self._schema, self._knowledge),
                **reactions_against(found.facts, self._schema, self._knowledge),
                **contraries,
            },
            outcomes=outcomes_of(named, found.facts, found.failed, self._schema, found.pending),
            waiting=waiting,
            awaited=self._doubts.awaited(about, changeable, waiting),
            whole=heard and read,
        )
        earlier.keep_derived(derived)
        return derived

    async def recorded(
        self,
        recall: Recall,
        shown_to: str,
        gate: GateRecord | None = None,
        *,
        block: str = "",
        judged: Sequence[Judged] = (),
    ) -> Recall:
        """Writes the receipt of a recall and returns the recall with its id.

        If that fails, it returns the complete recall without an id. `gate` is the decision of a gate about the recall;
        `block` is the text that was sent, which the receipt keeps. For a person read together with others, the receipt
        keeps that person's part only, so that an erasure leaves nothing behind; of what the caller `judged` as well.
        """
        if recall.beside:
            judged = without_reasons_for_words(judged)
            block = block and render(replace(recall, beside=()), with_query=False)
            others = [(item, render(item, with_query=False) if block else "") for item in recall.beside]
            beside = [await self.recorded(item, shown_to, gate, block=own, judged=judged) for item, own in others]
            recall = replace(recall, beside=tuple(beside))
        if recall.unavailable:
            return recall
        try:
            async with self._in_time():
                kept = replace(gate or GateRecord(), judged=kept_in_receipt(judged, recall))
                await self._store.add_receipt(_receipt(recall, shown_to, kept, block))
        except _STORE_TROUBLE as error:
            _warn("Receipt not recorded", "recall_receipt", error)
            return replace(recall, receipt_id="")
        return recall


def _involved(about: Sequence[str]) -> tuple[str, ...]:
    """The things in `about`, each once and on one line; empty ones are left out.

    Raises:
        InvalidInput: it is too long.
    """
    things = tuple(dict.fromkeys(filter(None, (" ".join(thing.split()) for thing in about))))
    if sum(map(len, things)) > ABOUT_LIMIT:
        told = f"about holds more than {ABOUT_LIMIT} characters; name only the things, and put the words in the text"
        raise InvalidInput(told)
    return things


def _with(found: Neighbourhood, elsewhere: Sequence[Fact], edges: Collection[str]) -> Neighbourhood:
    """The stored facts together with the caller's; edges that could not be read stay so."""
    beside = [fact for fact in elsewhere if fact.relation in edges and fact.relation not in found.failed]
    return replace(found, facts=joined((*found.facts, *beside))) if beside else found


def _is_quiet(naming: Naming, rows: OpenedRows, addressed: Addressed) -> bool:
    """Whether the words name nothing, open no action type, and are about nobody else."""
    names = naming.mentions or naming.unrecognised or addressed.is_mismatch or addressed.also_read
    return rows.recognised and not (names or rows.intents)


def _asked_along(found: Neighbourhood, *, beside: Collection[str], meant: Collection[str]) -> Neighbourhood:
    """The neighbourhood without facts read `beside` the rows, except those `meant`."""
    if not beside:
        return found
    kept = (fact for fact in found.facts if fact.relation not in beside or fact.fact_id in meant)
    failed = {name: why for name, why in found.failed.items() if name not in beside}
    return replace(found, facts=tuple(kept), failed=failed)


def _warn(message: str, action: str, error: Exception, **more: str) -> None:
    """Logs a warning without the error's message, which may contain a person's words or an address."""
    logger.warning(message, extra={"action": action, "error": type(error).__name__, **more})


def _unread(rows: OpenedRows, error: Exception) -> Neighbourhood:
    """A neighbourhood with all edges as failed."""
    # Without the traceback: a driver's may hold the address and its password.
    logger.error("Safety memory unavailable", extra={"action": "recall", "error": type(error).__name__})
    silent = isinstance(error, TimeoutError)
    told = "the store did not answer in time" if silent else without_secrets(str(error))
    reason = told or "the store could not be reached"
    return Neighbourhood(facts=(), pending=(), failed=dict.fromkeys(rows.edges, reason))


def _contrary(event: FactEvent) -> Contrary:
    if event.kind is not EventKind.OBSERVED:
        return Contrary(status=event.status, evidence=event.reason, speaker=event.actor, said_at=event.recorded_at)
    return Contrary(status=event.status, evidence=event.evidence, speaker=event.speaker, said_at=event.said_at)


def _only_about(subject: Entity, found: Neighbourhood) -> Neighbourhood:
    """The neighbourhood without facts of other subjects (an own traversal may return some).

    They are named as failed.
    """
    uid = subject.uid
    strays = {fact.relation: _FOREIGN for fact in found.facts if fact.subject_uid != uid}
    if strays:
        logger.error("Foreign facts dropped", extra={"action": "recall_foreign", "relations": sorted(strays)})
    facts = {fact.fact_id: fact for fact in found.facts if fact.subject_uid == uid}
    pending = found.pending
    if any(episode.subject_uid != uid for episode in pending):
        pending = tuple(episode for episode in pending if episode.subject_uid == uid)
    return replace(found, facts=tuple(facts.values()), pending=pending, failed={**strays, **found.failed})


def _unavailable(outcomes: Sequence[Outcome], found: Neighbourhood) -> str:
    """Why nothing could be read; empty if something was."""
    if found.facts or not outcomes or any(outcome.state is not State.COULD_NOT_CHECK for outcome in outcomes):
        return ""
    return without_secrets(outcomes[0].reason) or "no edge type could be read"


def _told(recall: Recall) -> Iterator[Fact]:
    """The facts of the lines and of the clashes."""
    yield from (line.fact for line in recall.lines)
    yield from (fact for clash in recall.standing.clashes for fact in clash.facts)


def _unmet(unknown: Iterable[str], lines: Sequence[Line]) -> tuple[str, ...]:
    """The unknown words of the request by which no line is met."""
    met = named_by(lines)
    return tuple(word for word in unknown if not met.issuperset(word.casefold().split()))


def _receipt(recall: Recall, shown_to: str, gate: GateRecord, block: str) -> Receipt:
    return Receipt(
        id=recall.receipt_id,
        space=recall.subject.space,
        subject_uid=recall.subject.uid,
        shown_at=recall.checked_at,
        shown_to=shown_to,
        intents=recall.intents,
        fact_ids=tuple(dict.fromkeys(fact.fact_id for fact in _told(recall))),
        rule_ids=tuple(rule.rule_id for rule in recall.rules),
        complete=recall.complete,
        watermark=recall.watermark,
        schema_version=recall.schema_version,
        pack_version=recall.pack_version,
        traversal=recall.traversal,
        gate=gate,
        block=block,
    )


def _edges(of: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edge for edges in of for edge in edges))
