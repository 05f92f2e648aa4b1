"""What the panels say, as text with styles: pure, so that it can be read in a test. Knows no widget.

Everything that was stored or came from a model is made printable first; nothing here relies on colour alone.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from textual.content import Content

from r_memory.cli.printing import counted
from r_memory.domain.blocks import Outcome, Recall, State
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import CandidateScore, Form, Part, PreparedSections
from r_memory.facts.remember.results import Remembered, Result
from r_memory.text.inert import inert, inert_name
from r_memory_chat.events import Front
from r_memory_chat.exporting import screen
from r_memory_talk.summary.local import LocalSummaryWriter

_JOINERS = "\u200c\u200d"
"""Invisible characters that are part of scripts and emoji."""
_EXCERPT = 60
_LEAST_BAR = 5
_CANDIDATES = 12
"""Most unchosen candidates that are shown, best first."""
_OUTCOMES = {
    State.FOUND: "found",
    State.NONE_ASSERTED: "none asserted",
    State.COULD_NOT_CHECK: "COULD NOT CHECK",
}
_FORMS = {Form.RAW: "whole", Form.SUMMARY: "summary", Form.DROPPED: "left out", Form.NOT_CHOSEN: "not chosen"}


def printable(text: str) -> str:
    """Returns the text without anything that could control a terminal; line breaks stay.

    >>> printable("a\\x1b[31mb\\tc\\r\\nd")
    'a[31mb    c\\nd'
    """
    return "".join(map(_shown, text.replace("\r\n", "\n").replace("\r", "\n")))


def facts_of(remembered: Remembered) -> Content:
    """Returns a line for each fact or sentence of the words; empty if they state nothing."""
    return Content("\n").join([_result(result) for result in remembered.results])


def summary_of(kept: KeptSummary | None) -> Content:
    """Returns all eight fields, also empty ones; above them how they were made if no model made them."""
    text = screen(kept.content if kept else ConversationSummary())
    lines = [Content.styled(line, "bold") if line.endswith(":") else Content(line) for line in text.splitlines()]
    picked = [Content.styled("picked word for word, without a model", "dim")] if _is_picked(kept) else []
    return Content("\n").join([*picked, *lines])


def summary_label(kept: KeptSummary | None) -> str:
    """Returns the version, and whether it was made without a model."""
    if kept is None:
        return "nothing yet"
    return f"version {kept.version}{' · no model' if _is_picked(kept) else ''}"


def _is_picked(kept: KeptSummary | None) -> bool:
    return kept is not None and kept.made_by == LocalSummaryWriter.name


def strip_line(front: Front | None) -> str:
    """Returns the closed strip: what is in front of the prompt, in one line."""
    if front is None:
        return "nothing sent yet"
    if front.alarm:
        return front.alarm
    parts = [_found(front.recall), _remembered(front.prepared)]
    return " · ".join(filter(None, parts))


def why(front: Front | None, turns: Mapping[str, MemoryItem]) -> Content:
    """Returns the open strip: what is in front of the prompt, and why."""
    if front is None:
        return Content("Send something: what stands in front of it, and why, is shown here.")
    chapters = [
        ("Alarm", [front.alarm] if front.alarm else []),
        ("Safety block, as it goes out", front.block.splitlines()),
        ("Action", _action(front.recall)),
        ("Edges", list(_outcomes(front.recall))),
        ("Conversation, as it goes out", front.before.splitlines()),
        ("Is more of the conversation needed?", list(_judged(front))),
        ("Items, best first", list(_items(front, turns))),
        ("Tokens", list(_tokens(front))),
    ]
    return Content("\n\n").join([_chapter(title, lines) for title, lines in chapters if lines])


def bar(front: Front | None, width: int) -> Content:
    """Returns the tokens of this prompt and of the whole conversation, in at most `width` cells."""
    if front is None:
        return Content.styled("Tokens: nothing sent yet", "dim")
    told = f" {front.tokens:,} · full history {front.full_tokens:,}{_saved(front)}"
    room = width - len(told) - len("Tokens ")
    if room < _LEAST_BAR:
        return Content(f"Tokens{told}"[:width])
    filled = max(1, round(room * min(1, front.tokens / max(front.full_tokens, 1))))
    return Content.assemble("Tokens ", ("█" * filled, "$primary"), ("░" * (room - filled), "dim"), told)


def _shown(char: str) -> str:
    if char == "\t":
        return "    "
    if char == "\n" or char in _JOINERS:
        return char
    return "" if unicodedata.category(char)[0] == "C" else char


def _result(result: Result) -> Content:
    if result.fact is None:
        words = f"{result.relation} {inert_name(result.object)}" if result.relation else f'"{inert(result.text)}"'
        return Content.assemble((f"{result.verdict}: ", "bold"), words, f" ({inert(result.reason)})")
    fact = result.fact
    details = [f"{name} {inert(str(value), 80)}" for name, value in sorted(fact.attrs.items())]
    parts = [f"{fact.relation} {inert_name(fact.object.name)}", fact.status.value, *details]
    parts += ["CONTRADICTED"] if fact.contradicted else []
    return Content.assemble((f"{result.verdict}: ", "bold"), " · ".join(parts))


def _found(recall: Recall | None) -> str:
    if recall is None:
        return ""
    critical = sum(line.rank == "critical" for line in recall.lines)
    others = len(recall.lines) + len(recall.rules) + len(recall.pending) - critical
    if not (critical or others):
        return "nothing on record"
    return " + ".join(part for part in (_many(critical, "critical"), _many(others, "other")) if part)


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number else ""


def _remembered(prepared: PreparedSections | None) -> str:
    if prepared is None:
        return ""
    turns = {id_ for section in prepared.sections for id_ in section.ids}
    summary = "summary" if any(section.part is Part.SUMMARY for section in prepared.sections) else ""
    return " · ".join(part for part in (summary, counted(len(turns), "earlier turn") if turns else "") if part)


def _action(recall: Recall | None) -> list[str]:
    if recall is None:
        return []
    names = ", ".join(recall.intents) or "none"
    return [f"{names}" if recall.recognised else f"not recognised, so everything critical is read (perhaps: {names})"]


def _outcomes(recall: Recall | None) -> Iterator[str]:
    """Yields a line for each edge type that was read, and one for all others."""
    outcomes = recall.outcomes if recall else ()
    yield from (_outcome(outcome) for outcome in outcomes if outcome.state is not State.NOT_ASKED)
    if unasked := [inert_name(outcome.relation) for outcome in outcomes if outcome.state is State.NOT_ASKED]:
        yield f"not asked: {', '.join(unasked)}"


def _outcome(outcome: Outcome) -> str:
    number = f" {outcome.count}" if outcome.state is State.FOUND else ""
    reason = f": {inert(outcome.reason)}" if outcome.reason else ""
    scope = f" ({outcome.scope})" if outcome.scope else ""
    return f"{inert_name(outcome.relation)}: {_OUTCOMES[outcome.state]}{number}{scope}{reason}"


def _tokens(front: Front) -> Iterator[str]:
    sections = front.prepared.sections if front.prepared else ()
    rest = front.tokens - sum(section.tokens for section in sections)
    yield f"{rest:>7,}  instructions, safety block and question"
    for section in sections:
        items = f", {counted(len(section.ids), 'item')}" if section.ids else ""
        yield f"{section.tokens:>7,}  {section.part.value}{items}"
    yield f"{front.tokens:>7,}  together"
    yield f"{front.full_tokens:>7,}  with full history instead{_saved(front)}"
    for name, reason in (front.prepared.failed if front.prepared else {}).items():
        yield f"missing: {name}: {inert(reason)}"


def _saved(front: Front) -> str:
    if front.full_tokens <= front.tokens:
        return ""
    return f", {round(100 * (1 - front.tokens / front.full_tokens))} % less"


def _judged(front: Front) -> Iterator[str]:
    if front.trouble:
        yield f"The conversation could not be read: {inert(front.trouble)}"
    if front.prepared is None:
        return
    judged = front.prepared.decision.gate
    answer = {True: "yes", False: "no", None: "not sure, so yes"}[judged.yes]
    sure = "" if judged.score is None else f", score {judged.score:.2f}"
    trouble = f"; {inert(judged.trouble)}" if judged.trouble else ""
    yield f"{answer} ({inert(judged.by)}{sure}){trouble}"


def _items(front: Front, turns: Mapping[str, MemoryItem]) -> Iterator[str]:
    if front.prepared is None or not front.prepared.decision.candidates:
        return
    decision = front.prepared.decision
    yield f"profile {decision.profile}, {len(decision.candidates)} weighed"
    standing = [candidate for candidate in decision.candidates if candidate.form is not Form.NOT_CHOSEN]
    others = [candidate for candidate in decision.candidates if candidate.form is Form.NOT_CHOSEN]
    for item in [*standing, *others[: max(0, _CANDIDATES - len(standing))]]:
        yield from _item(item, turns.get(item.id))


def _item(one: CandidateScore, item: MemoryItem | None) -> Iterator[str]:
    where = f"turn {item.index}" if item and item.index else f"memory {one.id[:8]}"
    yield f"{one.score:.3f}  {_FORMS[one.form]}  {where}"
    if item is not None:
        yield f'       "{inert(item.observation or item.gist, _EXCERPT)}"'
    if one.components:
        yield "       " + " · ".join(f"{name} {value:.2f}" for name, value in one.components.items())


def _chapter(title: str, lines: Sequence[str]) -> Content:
    return Content("\n").join([Content.styled(title, "bold underline"), *map(Content, lines)])
