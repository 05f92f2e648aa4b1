"""Recall about several people: one block for a request about a household, a ward or a list of clients. Pure.

The critical facts of each person come first, under the person's name. People who could not be read are named before
everything else, and the recall is then not complete. A block that is too long says what was cut for each person.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from r_memory.domain.blocks import NOBODY_ELSE, QUERY, SURE, Recall, State
from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_seconds
from r_memory.facts.recall.rendering import (
    NO_PROOF,
    action,
    called,
    cut,
    findings,
    fitted,
    head,
    is_page,
    other_days_lines,
    outcomes,
    unrecognised_lines,
)
from r_memory.facts.recall.waiting import unread_of
from r_memory.text.inert import inert, inert_name
from r_memory.text.markers import END, START

MOST = 50
"""Maximum number of people in one call."""
_FEW_CHARS = 400
"""Minimum characters of each person's block before lines that are not critical are cut."""
_LEAST = 12
"""Minimum number of critical lines of one person on a first page, however little room there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFailure:
    """A person of the call who could not be read."""

    named: str
    """The name as given in the call."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Household:
    """One recall for each of several people, at least one of whom was read."""

    query: str
    recalls: tuple[Recall, ...]
    unread: tuple[ReadFailure, ...] = ()
    ask: str = ""
    """The schema's advice on what to ask about a person who was not read."""
    block: str = ""
    """The block, cut to the size of a result; empty before `fit`."""

    @property
    def text(self) -> str:
        """The block, then the unchanged request."""
        return f"{self.block}\n{QUERY}\n{self.query}"

    @property
    def complete(self) -> bool:
        """Whether all people were read completely, and all their critical facts are shown."""
        return not self.unread and all(recall.complete for recall in self.recalls)

    @property
    def people(self) -> tuple[Entity, ...]:
        """The people who were read, in the order of the call."""
        return tuple(recall.subject for recall in self.recalls)


def render(household: Household) -> str:
    """The block, without the request."""
    first = household.recalls[0]
    number = len(household.recalls) + len(household.unread)
    lines = [START, f"{number} people. Checked {iso_seconds(first.checked_at)}.{action(first)}"]
    lines += (
        f"NOT READ: {inert_name(item.named)}: {inert(item.reason)}. {household.ask}".rstrip()
        for item in household.unread
    )
    if first.addressed.strangers:
        lines.append(f"THIS REQUEST NAMES {' and '.join(map(inert_name, first.addressed.strangers))}, unknown here.")
    if first.addressed.known_of:
        named = " and ".join(map(inert_name, first.addressed.known_of))
        lines.append(f"THIS REQUEST NAMES {named}, known here only as told below.")
    uids = {person.uid for person in household.people}
    for recall in household.recalls:
        days = tuple(day for day in recall.addressed.other_days if day.person.uid not in uids)
        lines += other_days_lines(replace(recall.addressed, other_days=days))
    lines += unrecognised_lines(first)
    for recall in household.recalls:
        if _tells(recall):
            lines += _person(recall)
    if silent := [called(recall.subject) for recall in household.recalls if not _tells(recall)]:
        lines.append(f"Nothing recorded, nothing asked: {', '.join(silent)}.")
    receipts = sum(bool(recall.receipt_id) for recall in household.recalls)
    lines += [f"{NO_PROOF} {_receipts(receipts, len(household.recalls))}", END]
    return "\n".join(lines)


def _receipts(kept: int, of: int) -> str:
    return "A receipt for each." if kept == of else f"Receipts not recorded: {of - kept}."


def _tells(recall: Recall) -> bool:
    """Whether a person's recall says more than that nothing was asked about."""
    asked = any(outcome.state is not State.NOT_ASKED for outcome in recall.outcomes)
    standing = recall.standing.clashes or recall.standing.unchecked
    read = recall.lines or recall.rules or recall.pending or recall.notes_beside or standing
    beside = recall.held_beside or recall.unread_beside
    return bool(asked or read or beside or recall.unavailable or not recall.is_whole)


def _person(recall: Recall) -> Iterator[str]:
    # What the request names is said once for all.
    own = replace(recall, unrecognised=(), addressed=NOBODY_ELSE, beside=(), recognised=True)
    for line in head(own):
        yield f"{line.partition('. Checked ')[0]}." if line.startswith("Subject: ") else line
    yield from findings(own)
    if told := " · ".join(outcomes(own)):
        yield f"Checked: {told}"


def fit(household: Household, max_chars: int | None) -> Household:
    """The household with a block of at most `max_chars` characters.

    It cuts the lines that are not critical first, then the words behind the critical facts, and critical lines only if
    a page is still full: `memory_list_facts` is then named as the way to read them.
    """

    def made(change: Callable[[Recall], Recall]) -> Household:
        changed = replace(household, recalls=tuple(map(change, household.recalls)))
        return replace(changed, block=render(changed))

    def fits(whole: Household) -> bool:
        return is_page(whole.block) and (max_chars is None or len(whole.block) <= max_chars)

    if fits(whole := made(lambda recall: recall)):
        return whole
    share = max((max_chars or 0) // len(household.recalls), _FEW_CHARS)
    for change in (_within(share), _bare, lambda recall: replace(_bare(recall), is_short=True)):
        if fits(whole := made(change)):
            return whole
    if is_page(whole.block):
        return whole  # what is critical is never cut for a budget
    for most in (_LEAST, 6, 3, 1, 0):
        if is_page((whole := made(_first(most))).block):
            break
    return whole


def _within(share: int) -> Callable[[Recall], Recall]:
    return lambda recall: fitted(recall, share)[0]


def _bare(recall: Recall) -> Recall:
    """The recall with its critical parts only."""
    loose = sum(line.rank not in SURE for line in recall.lines) + sum(not rule.stop for rule in recall.rules)
    return fitted(recall, 0)[0] if loose else recall


def _first(most: int) -> Callable[[Recall], Recall]:
    def first(recall: Recall) -> Recall:
        bare = replace(_bare(recall), is_short=True)
        unread, surely = len(unread_of(bare)[0]), sum(line.rank in SURE for line in bare.lines)
        over = unread + surely - most
        return cut(bare, over) if over > 0 else bare

    return first


def unreadable(subject: str | Entity, reason: str) -> ReadFailure:
    """A record of a person who could not be read, with the name as given in the call."""
    return ReadFailure(named=called(subject) if isinstance(subject, Entity) else subject, reason=reason.rstrip("."))
