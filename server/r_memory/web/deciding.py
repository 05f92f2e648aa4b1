"""Review: what waits for a person, each thing beside its readings, and the decisions.

A decision is sent twice: once to be shown what it writes, once to write it. Nothing is decided twice: a fact names the
version that was read, and the store takes one decision of words and requests.
"""

from collections.abc import Iterator

from starlette.responses import Response

from r_memory.domain.changes import Change, Waiting, allowed, shown_status
from r_memory.errors import AlreadyDecided, InvalidInput
from r_memory.facts.remember.results import Claim
from r_memory.facts.reviewing import DECISIONS, claim_of, described
from r_memory.web.visit import Visit

_PEOPLE = 4
"""People whose waiting items are looked up for one page; each of them is read whole."""
NOT_THIS_PERSON = "not about this person"
NOTHING_STATED = "states nothing to store"


async def review(visit: Visit) -> Response:
    """Returns the waiting items of one person, or of the next few people; those with waiting words come first."""
    memory, only, start = visit.memory, visit.asked("id"), visit.number("from")
    people, number = [await memory.find_subject(only)] if only else [], 1
    if not only:
        roll = await memory.roll(start=start, limit=_PEOPLE)
        people, number = [about for about, _ in roll.people], roll.number
    found = await memory.facts.reviewing.review_of(people)
    items = found.items
    return visit.page(
        "review.html",
        title="Review",
        items=items,
        failed=found.failed,
        readings={item.id: list(_readings(item)) for item in items},
        decisions=DECISIONS,
        choices={item.id: list(_choices(item)) for item in items},
        only=only,
        upto=min(start + _PEOPLE, number),
        people=number,
        **visit.part_of(number, _PEOPLE),
    )


def _readings(item: Waiting) -> Iterator[str]:
    """Yields what was read in waiting words, in the form in which a person confirms it."""
    if item.episode is not None and item.decision is None:
        taken_back = {f"{fact.relation} {fact.object.id}" for fact in item.beside}
        for told in item.episode.disputed:
            relation, _, thing = told.partition(" ")
            if told in taken_back:  # which it does not state
                continue
            yield f"{relation}: {thing}"


def _choices(item: Waiting) -> Iterator[tuple[str, str]]:
    """Yields key and label of each decision that is open for an item."""
    if item.decision is not None:
        if not item.outdated:
            yield "a", "[a]pprove"
        yield "d", "[d]ecline"
    elif item.episode is not None:
        yield "c", "[c]onfirm the fact as written"
        yield "n", "de[n]y it"
        yield "o", "n[o]t about this person"
        yield "s", "[s]tates nothing"
    elif item.fact is not None:
        for key, (change, label) in DECISIONS.items():
            if change in allowed(item.fact):
                yield key, label


async def decide(visit: Visit) -> Response:
    """Shows what a decision will write; sent again from that page, it writes it."""
    kind = visit.fields.get("kind", "")
    act = {"fact": _on_fact, "words": _on_words, "request": _on_request}.get(kind)
    if act is None:
        raise InvalidInput("the form says not what it is about; go back and load the page again")
    return await act(visit)


async def _on_fact(visit: Visit) -> Response:
    fields, memory = visit.fields, visit.memory
    change, _ = DECISIONS.get(fields.get("key", ""), (None, ""))
    if change is None and fields.get("key") == "b":
        change = Change.REINSTATE
    if change is None:
        raise InvalidInput("no decision was chosen; go back and choose one")
    about, fact = await memory.find_fact(fields.get("id", ""))
    version = int(fields["version"]) if fields.get("version", "").isdigit() else fact.last_seq
    to = fields.get("to", "").strip() if change in {Change.REATTRIBUTE, Change.MAP_WORD} else ""
    reason, who = fields.get("reason", ""), visit.visitor.name
    if "sure" not in fields:
        news = await memory.check_change(fact.fact_id, change, reason=reason, actor=who, version=version, to=to)
        writes = [
            f"A new event on the fact: {described(fact, about)}.",
            f"Decision: {change.value}{f' to {to}' if to else ''}, by {who}, because: {reason}",
            "The words and every earlier event stay.",
        ]
        return _asked(visit, writes if news else ["Nothing: it stands so already."], about.id)
    done = await memory.change_fact(fact.fact_id, change, reason=reason, actor=who, version=version, to=to)
    if done.outcome == "already":
        return _told(visit, ["Nothing to change: it stood so before."], about.id)
    moved = f"{shown_status(done.before)} → {shown_status(done.after)}"
    return _told(visit, [f"{described(done.after, done.subject)} ({moved})"], about.id)


async def _on_words(visit: Visit) -> Response:
    fields, memory, key, who = visit.fields, visit.memory, visit.fields.get("key", ""), visit.visitor.name
    id_, reason = fields.get("id", ""), fields.get("reason", "").strip()
    item = await _waiting(visit, id_)
    if key in {"c", "n"}:
        claim = _claim(fields.get("fact", ""), item, denied=key == "n")
        if "sure" not in fields:
            said = f"{claim.relation} {claim.object}, {claim.status}"
            more = "".join(f", {name} {value}" for name, value in claim.attrs.items())
            return _asked(
                visit,
                [f"A fact about {item.subject.name}: {said}{more}.", "The words count as settled."],
                item.subject.id,
            )
        facts = await memory.store_reviewed(id_, [claim], actor=who)
        return _told(visit, [f"Stored: {described(fact, item.subject)}" for fact in facts], item.subject.id)
    if key not in {"o", "s"}:
        raise InvalidInput("no decision was chosen; go back and choose one")
    why = ": ".join(filter(None, (NOT_THIS_PERSON if key == "o" else NOTHING_STATED, reason)))
    if "sure" not in fields:
        return _asked(
            visit, [f"No fact. The words count as settled: {why}.", "The words stay in the ledger."], item.subject.id
        )
    await memory.dismiss(id_, actor=who, reason=why)
    return _told(visit, [f"Settled: {why}. The words stay in the ledger."], item.subject.id)


async def _on_request(visit: Visit) -> Response:
    fields, memory, key = visit.fields, visit.memory, visit.fields.get("key", "")
    item = await _waiting(visit, fields.get("id", ""))
    asked, reason = item.decision, fields.get("reason", "").strip()
    if asked is None or key not in {"a", "d"}:
        raise InvalidInput("no decision was chosen; go back and choose one")
    if "sure" not in fields:
        about = "" if item.fact is None else f" on {described(item.fact, item.subject)}"
        writes = (
            f"{asked.change.value}{about}, as {asked.actor} asked"
            if key == "a"
            else "No change: the request is declined"
        )
        return _asked(visit, [f"{writes}."], item.subject.id)
    if key == "a":
        done = await memory.approve(item.id, actor=visit.visitor.name, reason=reason)
        return _told(visit, [described(done.after, done.subject)], item.subject.id)
    await memory.dismiss(item.id, actor=visit.visitor.name, reason=reason)
    return _told(visit, ["The request is declined; it stays in the ledger."], item.subject.id)


async def _waiting(visit: Visit, id_: str) -> Waiting:
    """Returns the item with this id, if it still waits.

    Raises:
        AlreadyDecided: another person decided it meanwhile, or it never waited.
    """
    found = await visit.memory.review(subject=visit.fields.get("subject", ""))
    for item in found.items:
        if item.id == id_ and item.episode is not None:
            return item
    raise AlreadyDecided


def _claim(text: str, item: Waiting, *, denied: bool) -> Claim:
    words = "" if item.episode is None else item.episode.text
    return claim_of(f"{text}; status=negated" if denied else text, words)


def _asked(visit: Visit, writes: list[str], subject: str) -> Response:
    return visit.page("sure.html", title="What this writes", writes=writes, fields=visit.fields, subject=subject)


def _told(visit: Visit, told: list[str], subject: str) -> Response:
    return visit.page("done.html", title="Recorded", told=told, subject=subject)
