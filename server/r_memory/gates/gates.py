"""The two gates: before a model, the words of a person become a block; after it, an answer or a tool call becomes a
verdict and a decision. The doors (proxy, hooks, middleware) only translate.

What could not be checked is never called checked: a memory that cannot be read, a check that saw only a part of it,
and a receipt that could not be written all lead to what the policy says under `unavailable`.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Literal, TypeVar
from weakref import WeakValueDictionary

from r_memory.domain.blocks import DraftCheck, Finding, GateRecord, Recall, Verdict, gate_record
from r_memory.domain.facts import Entity
from r_memory.domain.gates import Decision, GateKind, GatePolicy, gravest, withheld
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.facts.recall.recaller import Earlier
from r_memory.facts.recall.rendering import called, render, shortened
from r_memory.gates.telemetry import operation, read_as, told_of
from r_memory.gates.toolcalls import is_own, words_of
from r_memory.memory import Memory
from r_memory.text.inert import without_secrets
from r_memory.text.sentences import passages
from r_memory.text.unavailable import unavailable_block, unavailable_sentence

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

OpenMemory = Callable[[], Awaitable[Memory]]
"""Returns the open memory. Raises `RMemoryError` if it cannot be opened now."""
Outcome = Literal["checked", "unavailable"]
NO_WORDS = "Something was sent without any words."
"""Stands for a request without text, such as images alone; all critical facts are read for it."""
_NO_RECEIPT = "no receipt of it could be written"
_AGAIN_S, _PAUSE_S = 2.0, 0.05
"""Seconds for which writing a receipt is retried, and the pause between tries."""
_SHOWN = 6
"""Most findings in a message to people."""
_LOOKS = 3
"""Most comparisons of one draft while words about its subject are being stored."""
_TROUBLE = (RMemoryError, TimeoutError, OSError)


class Later(Generic[Result]):
    """Work that begins when it is first asked for, and is done once."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        self._work = work
        self._task: asyncio.Task[Result] | None = None

    def begin(self) -> asyncio.Task[Result]:
        """Returns the task of the work, which begins at the first call."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())
            # Who asked may be gone when it fails; a traceback may hold an address.
            self._task.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._task


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The result of the first gate: the block in front of a request."""

    subject: Entity | None
    """The subject of the request; `None` if it could not be looked up."""
    block: str
    """The text to put in front of the request, whatever the outcome."""
    outcome: Outcome
    trouble: str
    """Why the memory counts as unavailable; empty if it does not."""
    decision: Decision
    """`pass`, or the policy's `unavailable` if the memory could not be read. With `stop` the request must not go on."""
    receipt_id: str = ""
    writing: "Later[Before] | None" = None
    """Stores the words and writes the receipt, if that was not waited for."""

    @property
    def goes_on(self) -> bool:
        """Whether the request may reach the model."""
        return not withheld(self.decision)

    def begin(self) -> None:
        """Begins to store the words and to write the receipt, if that was not begun."""
        if self.writing is not None:
            self.writing.begin()

    async def settled(self) -> "Before":
        """Returns the same once words and receipt are stored; `unavailable` if they could not be."""
        return self if self.writing is None else await self.writing.begin()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateJudgement:
    """The decision on an answer or a tool call."""

    decision: Decision
    verdict: Verdict | Literal["unavailable"]
    findings: tuple[Finding, ...] = ()
    message: str = ""
    """For people and the model: the findings, or why it was not checked; empty if there is nothing to say."""
    receipt_id: str = ""
    trouble: str = ""
    """Why the check was not complete; empty if it was."""

    @property
    def checked(self) -> bool:
        """Whether it was compared with the whole record, and a receipt was written."""
        return not self.trouble

    @property
    def data(self) -> dict[str, object]:
        """The judgement as JSON values."""
        return {
            "decision": self.decision,
            "verdict": self.verdict,
            "checked": self.checked,
            "receipt": self.receipt_id,
            "findings": [
                {"verdict": finding.verdict, "message": finding.message, "said": finding.said}
                for finding in self.findings
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The comparison of a draft with the record, before its receipt is written."""

    decision: Decision
    checks: tuple[DraftCheck, ...] = ()
    trouble: str = ""


class Gates:
    """The two gates of one installation."""

    def __init__(self, memory: OpenMemory, policy: GatePolicy, *, ask: str = "Ask before acting.") -> None:
        """`ask` is the schema's sentence on what to ask while the memory is unavailable."""
        self.policy = policy
        self.memory = memory
        self.ask = ask
        self._turns: WeakValueDictionary[str, Later[None]] = WeakValueDictionary()
        """By subject: the words that were sent last."""

    async def before(
        self,
        words: str,
        *,
        subject: str | Entity = "",
        conversation: str = "",
        speaker: str = "",
        shown_to: str = "",
        store: bool = True,
        max_chars: int | None = None,
        is_early: bool = False,
    ) -> Before:
        """Stores the words of a request and returns the block for it; with `store=False` it only reads.

        Above `max_chars` characters, lines below the critical ones are left out, then the quotations behind facts. If
        the memory cannot be read, the block says so.

        With `is_early` the block holds what was recorded before these words; they are stored and read, and the receipt
        is written, from `Before.begin` on: nothing that answers the request goes out before `Before.settled`. The next
        request about the same subject waits for them.

        Raises:
            InvalidInput: or a subclass: the subject is missing, unknown or ambiguous, or the words are too long.
        """
        about, turn, keep = None, None, None
        is_read = asyncio.Event()
        try:
            memory = await self.memory()
            about = subject if isinstance(subject, Entity) else await memory.find_subject(subject)
            await self._after_earlier(about)
            if store and words.strip():
                turn = Later(partial(self._told, memory, words, about, conversation, speaker, is_read))
                self._turns[about.uid] = turn
            if turn is not None and not is_early:
                is_read.set()
                await turn.begin()
            with operation("search_memory", memory.facts.space) as counted:
                recall = await memory.facts.recalling.unrecorded(words if words.strip() else NO_WORDS, subject=about)
                counted(len(recall.lines))
            shown = self._shown(about, _block(recall, max_chars), _trouble_of(recall), recall.receipt_id)
            record = gate_record(gate="before", decision=shown.decision, asked=words, block=shown.block)
            keep = partial(self._kept, shown, memory, recall, shown_to, record, max_chars)
        except InvalidInput:
            raise
        except _TROUBLE as error:
            shown = self._unread(about, error)
        finally:
            is_read.set()
        early = replace(shown, writing=Later(partial(self._settled, shown, turn, keep)))
        return early if is_early else await early.settled()

    async def _after_earlier(self, about: Entity) -> bool:
        """Waits for the words that were sent about somebody before, stored or not; returns whether there were any."""
        has_waited = False
        while (earlier := self._turns.get(about.uid)) is not None and not (storing := earlier.begin()).done():
            await asyncio.wait([storing])
            has_waited = True
        return has_waited

    async def _told(
        self, memory: Memory, words: str, about: Entity, conversation: str, speaker: str, is_read: asyncio.Event
    ) -> None:
        """Stores and reads the words of a request, once the record before them is read: no read crosses a write."""
        await is_read.wait()
        with operation("update_memory", memory.facts.space) as counted:
            told = await memory.remember(
                words, subject=about, conversation_id=conversation, speaker=speaker, is_request=True
            )
            counted(len(told.facts))
        read_as(told)

    async def _settled(
        self, shown: Before, turn: Later[None] | None, keep: Callable[[], Awaitable[Before]] | None
    ) -> Before:
        """Stores the words, then writes the receipt; if either cannot be done, the memory counts as unavailable."""
        try:
            if turn is not None:
                await turn.begin()
            if keep is not None:
                shown = await keep()
        except _TROUBLE as error:
            shown = self._unread(shown.subject, error)
        told_of("before", shown.decision, shown.outcome)
        return shown

    def _unread(self, about: Entity | None, error: BaseException) -> Before:
        logger.warning("Gate found no memory", extra={"action": "gate_before"})
        return self._shown(about, unavailable_block(_reason(error), self.ask), _reason(error))

    def _shown(self, about: Entity | None, block: str, trouble: str, receipt_id: str = "") -> Before:
        outcome: Outcome = "unavailable" if trouble else "checked"
        decision: Decision = self.policy.unavailable if trouble else "pass"
        return Before(
            subject=about, block=block, outcome=outcome, trouble=trouble, decision=decision, receipt_id=receipt_id
        )

    async def _kept(
        self, shown: Before, memory: Memory, recall: Recall, shown_to: str, record: GateRecord, max_chars: int | None
    ) -> Before:
        """Writes the receipt of a block; without it, the block says so, and the memory counts as unavailable."""
        recorded = await _recorded(memory, recall, shown_to, record, shown.block)
        if not recorded.receipt_id:
            shown = self._shown(shown.subject, _block(recorded, max_chars), _trouble_of(recall) or _NO_RECEIPT)
        return shown

    async def after(
        self,
        draft: str,
        *,
        subject: str | Entity = "",
        gate: GateKind = "after",
        shown_to: str = "",
        asked: str = "",
        said: str | None = None,
        missing: str = "",
    ) -> GateJudgement:
        """Returns the decision on an answer, or on the values of a tool call.

        The receipt's digest is that of `said`, if the draft is only a part of it; `asked` is the request before, and
        `missing` is why the record lacks what it told: the answer then counts as unchecked.

        Raises:
            InvalidInput: or a subclass: the subject is missing, unknown or ambiguous.
        """
        try:
            about = subject if isinstance(subject, Entity) else await (await self.memory()).find_subject(subject)
        except InvalidInput:
            raise
        except _TROUBLE as error:
            return self._unchecked(_reason(error), self.policy.unavailable)
        look = await self.look(draft, about)
        return await self.settled(
            look, about, gate, answered=said or draft, shown_to=shown_to, asked=asked, missing=missing
        )

    async def call(
        self,
        name: str,
        arguments: object,
        *,
        subject: str | Entity = "",
        shown_to: str = "",
        asked: str = "",
        missing: str = "",
    ) -> GateJudgement | None:
        """Returns the decision on a tool call, as `after`; `None` for a tool of this memory's own, or without words."""
        words = words_of(arguments, self.policy.no_content)
        if is_own(name) or not words.strip():
            return None
        about = partial(self.after, words, subject=subject, shown_to=shown_to, asked=asked, missing=missing)
        return await about(gate="tool", said=str(arguments))

    async def look(self, draft: str, subject: Entity, earlier: Earlier | None = None) -> Look:
        """Compares a draft with the record, a long one in parts; writes nothing.

        `earlier` caches what was read, for drafts that follow one another. What could not be read whole beside words
        that were being stored is read again once they are.
        """
        earlier = earlier or Earlier()
        if not draft.strip():
            return Look(decision="pass")
        try:
            memory = await self.memory()
            spans = passages(draft, memory.limits.draft)
            with operation("search_memory", memory.facts.space) as counted:
                check = partial(memory.facts.recalling.unrecorded_check, subject=subject, earlier=earlier)
                checks, trouble = list[DraftCheck](), ""
                for _ in range(_LOOKS):
                    checks = [await check(draft[span.start : span.end]) for span in spans]
                    trouble = next(filter(None, (_trouble_of(check.recall) for check in checks)), "")
                    if not trouble or not await self._after_earlier(subject):
                        break
                counted(sum(len(check.recall.lines) for check in checks))
        except _TROUBLE as error:
            return Look(decision=self.policy.unavailable, trouble=_reason(error))
        decided = [self.policy.decide(check) for check in checks]
        return Look(
            decision=gravest([*decided, *([self.policy.unavailable] if trouble else [])]),
            checks=tuple(checks),
            trouble=trouble,
        )

    async def settled(
        self,
        look: Look,
        subject: Entity,
        gate: GateKind,
        *,
        answered: str,
        shown_to: str = "",
        asked: str = "",
        missing: str = "",
    ) -> GateJudgement:
        """Writes the receipt and returns the judgement; without a receipt, or with something `missing`, it counts as
        unchecked.
        """
        if not look.checks:
            nothing = GateJudgement(decision="pass", verdict="nothing_found")
            return self._unchecked(look.trouble, look.decision) if look.trouble else nothing
        worst = min(look.checks, key=lambda check: _VERDICTS.index(check.verdict))
        findings = tuple(finding for check in look.checks for finding in check.findings)
        record = gate_record(gate=gate, decision=look.decision, verdict=worst.verdict, asked=asked, answered=answered)
        try:
            memory = await self.memory()
            receipt_id = (await _recorded(memory, _of_all(look.checks), shown_to, record)).receipt_id
        except _TROUBLE:
            receipt_id = ""
        trouble = look.trouble or missing or ("" if receipt_id else _NO_RECEIPT)
        decision = gravest([look.decision, *([self.policy.unavailable] if trouble else [])])
        told_of(gate, decision, "unavailable" if trouble else worst.verdict)
        judgement = GateJudgement(
            decision=decision, verdict=worst.verdict, findings=findings, receipt_id=receipt_id, trouble=trouble
        )
        return replace(judgement, message=self._message(judgement, subject))

    def _unchecked(self, reason: str, decision: Decision) -> GateJudgement:
        logger.warning("Gate checked nothing", extra={"action": "gate_after"})
        told_of("after", decision, "unavailable")
        message = f"This was not checked. {unavailable_sentence(reason, self.ask)}"
        return GateJudgement(decision=decision, verdict="unavailable", message=message, trouble=reason)

    def _message(self, judged: GateJudgement, subject: Entity) -> str:
        if judged.decision in {"pass", "note"}:
            return ""
        lines = [
            f"{finding.verdict.upper()}: {finding.message}{f' Said: {finding.said}' if finding.said else ''}"
            f"{f' (fact {finding.fact_id[:8]})' if finding.fact_id else ''}"
            for finding in judged.findings
        ]
        lines = list(dict.fromkeys(lines))
        more = [f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
        trouble = [f"Not checked whole. {unavailable_sentence(judged.trouble, self.ask)}"] if judged.trouble else []
        about = [f"About {called(subject)}, receipt {judged.receipt_id or 'not recorded'}."]
        return "\n".join([*lines[:_SHOWN], *more, *trouble, *about])


_VERDICTS: Sequence[Verdict] = ("conflict", "warning", "not_checkable", "nothing_found")


async def _recorded(memory: Memory, recall: Recall, shown_to: str, record: GateRecord, block: str = "") -> Recall:
    """Writes the receipt and returns the recall, without an id if that failed; retries, as concurrent writes about one
    subject conflict.
    """
    until = time.monotonic() + _AGAIN_S
    recorded = await memory.facts.recalling.recorded(recall, shown_to, record, block=block)
    while not recorded.receipt_id and recall.receipt_id and time.monotonic() < until:
        await asyncio.sleep(_PAUSE_S)
        recorded = await memory.facts.recalling.recorded(recall, shown_to, record, block=block)
    return recorded


def _block(recall: Recall, max_chars: int | None) -> str:
    return render(recall, with_query=False) if max_chars is None else shortened(recall, max_chars)


def _trouble_of(recall: Recall) -> str:
    """Returns why a recall is incomplete; empty if it is complete."""
    if recall.unavailable:
        return recall.unavailable
    return "" if recall.complete else "some of it could not be read"


def _of_all(checks: Sequence[DraftCheck]) -> Recall:
    """Returns the first part's recall, with the facts that were read for all parts."""
    lines = {line.fact.fact_id: line for check in checks for line in check.recall.lines}
    rules = {rule.rule_id: rule for check in checks for rule in check.recall.rules}
    return replace(checks[0].recall, lines=tuple(lines.values()), rules=tuple(rules.values()))


def _reason(error: BaseException) -> str:
    """Returns the error's text without secrets; a time-out has no text of its own."""
    return without_secrets(str(error)) or "the store did not answer in time"
