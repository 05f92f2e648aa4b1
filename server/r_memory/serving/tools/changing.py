"""The tool that changes a fact's status: a person is asked wherever the host can ask one.

Knows who may decide (docs/explanation/why.md): the person whom the host asks; without one the caller itself, but only
for a fact that is not critical. What a decision means is `domain/changes.py`.
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Literal

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from r_memory.domain.changes import Change
from r_memory.domain.facts import Entity, Fact
from r_memory.errors import FactUnknown
from r_memory.facts.reviewing import Changed, FoundWords, described
from r_memory.memory import Memory
from r_memory.serving.tools import viewing
from r_memory.serving.tools.access import may_review
from r_memory.serving.tools.calls import Call, Subject, answer, client_of, memory_for, shows_forms
from r_memory.serving.tools.errors import saying
from r_memory.serving.tools.models import From, Ours, Out
from r_memory.text.inert import inert, inert_name

_UNSURE = "The change may not have been made: {}. Call again, which never makes it twice."
_FORGET = "Forget these words, which are no fact, and show them no longer"
_HIDDEN = "its words are hidden in block, search, turns and summary; they stay in the ledger"
_SHORT, _MOST, _MOST_OF_ID, _QUOTE = 8, 5, 36, 200
Asked = Literal[
    "confirm",
    "resolve",
    "refute",
    "entered_in_error",
    "reinstate",
    "settle_conflict",
    "accept",
    "override",
    "dismiss",
    "rename",
]
"""The changes that concern one fact alone, and what settles a statement; the others need the command line."""
FactId = Annotated[str, Field(min_length=3, max_length=200, description="8 digits, or words with subject.")]
Reason = Annotated[str, Field(min_length=3, max_length=500, description="Why.")]
Version = Annotated[int, Field(ge=0, description="0: as it is.")]
_IN_WORDS: dict[Asked, str] = {
    "confirm": "Confirm that this holds",
    "resolve": "Record that this was real and is gone",
    "refute": "Record that this was tested and disproved",
    "entered_in_error": "Mark this as entered in error, which hides it",
    "reinstate": "Record that this holds again",
    "settle_conflict": "Keep what is recorded and end the contradiction",
    "dismiss": "Settle this statement, which waits, as one that states nothing",
    "rename": "Give this person another name, by which everybody finds them",
    "override": "Record that this was gone against, for the reason given; it stands as it did",
    "accept": "Let it stand beside everything that does not go together with it",
}


class StandingOut(Out):
    """How a fact, or a statement, stands."""

    status: str
    contradicted: bool = False
    version: Annotated[int, From("last_seq")]


class ChangedOut(Out):
    """What became of a change."""

    outcome: Literal["changed", "already", "requested"] = Field(
        description="already: it stood so before; requested: unchanged, a person is asked."
    )
    relation: Ours[str] = Field(default="", description="Of the fact.")
    object: str = ""
    quote: str = Field(default="", description="Its words.")
    before: StandingOut
    after: StandingOut
    event_id: str = ""
    note: Ours[str] = Field(default="", description="What is left to do, and where.")


class Consent(BaseModel):
    """What a person answers."""

    ok: bool = Field(title="Yes, change it", description="The record keeps what stood before, and your reason.")


async def ask_a_person(
    ctx: Call, *, fact_id: str, subject: str, change: Asked, reason: str, version: int, confirm: bool
) -> Consent | Elicit[Consent]:
    """The question to the person at the host; where nobody can be asked, what the caller says itself.

    Without side effects, and the same for the same arguments and fact: it runs again in each round.
    """
    if not _can_ask(ctx):
        return Consent(ok=confirm)
    async with memory_for(ctx, saying(_UNSURE)) as memory:
        if change == "dismiss":
            episode, _, held = await memory.waiting_statement(fact_id)
            told = f'{_IN_WORDS[change]}? "{inert(" ".join(episode.review) or episode.text)}"'
            return Elicit(f'{told} Reason given: "{inert(reason, 500)}".', Consent) if held else Consent(ok=True)
        if change == "rename":
            about = await memory.find_subject(subject)
            told = f'{_IN_WORDS[change]}? {inert_name(about.name)} ({inert_name(about.id)}): "{inert_name(fact_id)}".'
            return Elicit(f'{told} Reason given: "{inert(reason, 500)}".', Consent)
        about, fact = await _meant(memory, fact_id, subject, change)
        if isinstance(fact, FoundWords):
            told = f'{_FORGET}? "{inert(fact.said.words)}". Reason given: "{inert(reason, 500)}".'
            return Elicit(told, Consent) if not fact.gone else Consent(ok=False)
        version = version or fact.last_seq
        waits = await memory.check_change(
            fact.fact_id, Change(change), reason=reason, actor=_person(ctx), version=version
        )
    if not waits:
        return Consent(ok=False)
    doing = f"{_IN_WORDS[change]}? {described(fact, about)}, fact {fact.short_id}, version {version}."
    return Elicit(f'{doing} It rests on: "{inert(fact.evidence)}". Reason given: "{inert(reason, 500)}".', Consent)


async def memory_change_fact(
    ctx: Call,
    consent: Annotated[ElicitationResult[Consent], Resolve(ask_a_person)],
    *,
    fact_id: FactId,
    subject: Subject = "",
    change: Annotated[Asked, Field(description="Decision.")],
    reason: Reason,
    version: Version = 0,
    confirm: Annotated[  # noqa: ARG001 - `ask_a_person` takes it by name
        bool, Field(description="A person said so.")
    ] = False,
) -> Annotated[CallToolResult, ChangedOut]:
    """Change a fact on a person's decision.

    entered_in_error: mistake, or forget, words too;
    settle_conflict: what stands is right; accept: both stand; override: gone against;
    dismiss: what waits (episode_id) states nothing; rename subject: fact_id.
    What is critical stays `requested` if nobody is asked.
    """
    async with memory_for(ctx, saying(_UNSURE)) as memory:
        if change == "dismiss":
            about, out = await _dismissed(ctx, memory, consent, fact_id, subject, reason)
            await viewing.changed(ctx, about.id)
            return answer(out)
        if change == "rename":
            about, out = await _renamed(ctx, memory, consent, fact_id, subject, reason)
            await viewing.changed(ctx, about.id)
            return answer(out)
        about, fact = await _meant(memory, fact_id, subject, change)
        if isinstance(fact, FoundWords):
            out = await _withdrawn(ctx, memory, consent, fact, reason)
            await viewing.changed(ctx, about.id)
            return answer(out)
        fact_id, version = fact.fact_id, version or fact.last_seq
        waits = await memory.check_change(fact_id, Change(change), reason=reason, actor=_person(ctx), version=version)
        if not waits:
            note = await _undecided(memory, about, fact) if change == "settle_conflict" else ""
            return answer(
                ChangedOut.model_validate(
                    {"outcome": "already", "before": fact, "after": fact, "note": note, **_named(fact)}
                )
            )
        _require_consent(consent)
        if _can_ask(ctx):
            decide = partial(memory.change_fact, actor=_person(ctx))
        elif memory.is_protected(fact) or change in {"accept", "override"}:
            decide = partial(memory.request_change, actor=_client(ctx))
        else:
            decide = partial(memory.change_fact, actor=_client(ctx), by_person=False)
        done = await decide(fact_id, Change(change), reason=reason, version=version)
        withdrawn = done.outcome == "changed" and change == "entered_in_error"
        left = await _elsewhere(ctx, memory, done.after, reason) if withdrawn else ""
    await viewing.changed(ctx, done.subject.id)
    return answer(ChangedOut.of(done, note=_joined(_to_do(done, Change(change)), left), **_named(done.before)))


async def _meant(
    memory: Memory, words: str, subject: str, change: Asked
) -> tuple[Entity, Fact] | tuple[Entity, FoundWords]:
    """The fact that is meant; or words that never were one, if they are to be forgotten."""
    try:
        return await memory.find_fact(words, subject=subject)
    except FactUnknown:
        found = await memory.find_words(words, subject=subject) if change == "entered_in_error" else None
        if found is None:
            raise
        return found.subject, found


def _named(fact: Fact) -> Mapping[str, str]:
    """What a change is of: relation, thing, and the words that stated it."""
    return {"relation": fact.relation, "object": inert_name(fact.object.name), "quote": inert(fact.evidence, _QUOTE)}


async def _withdrawn(
    ctx: Call, memory: Memory, consent: ElicitationResult[Consent], found: FoundWords, reason: str
) -> ChangedOut:
    """What became of words that are to be forgotten and are no fact."""
    id_, quote = found.said.episode.id, inert(found.said.words, _QUOTE)
    before, after = StandingOut(status="said", version=0), StandingOut(status="withdrawn", version=0)
    if found.gone:
        return ChangedOut(outcome="already", quote=quote, before=after, after=after)
    asks = _can_ask(ctx)
    if found.held and not asks:
        note = f"unchanged: words of statement {id_} may hold a risk, or another said them; a person decides"
        return ChangedOut(outcome="requested", quote=quote, before=before, after=before, note=note)
    _require_consent(consent)
    actor = _person(ctx) if asks else _client(ctx)
    hidden = await memory.withdraw_words(found, actor=actor, reason=reason, by_person=asks)
    again = f"change reinstate of fact {hidden.short_id} shows them again"
    left = await _elsewhere(ctx, memory, hidden, reason)
    note = _joined(f"no fact; {_HIDDEN}, statement {id_[:_MOST_OF_ID]}; {again}", left)
    return ChangedOut(outcome="changed", quote=quote, before=before, after=after, note=note)


async def _elsewhere(ctx: Call, memory: Memory, withdrawn: Fact, reason: str) -> str:
    """Takes the same words of the same text out of view with others; what was taken out, and what is still shown."""
    asks = _can_ask(ctx)
    actor = _person(ctx) if asks else _client(ctx)
    notes = await memory.withdraw_copies(withdrawn, actor=actor, reason=reason, by_person=asks)
    people = [(await memory.find_fact(note.fact_id))[0] for note in notes]
    shown = [f"{inert_name(about.id)} (fact {note.short_id})" for about, note in zip(people, notes, strict=True)]
    too = f"hidden too where the same text was told of {', '.join(shown)}" if shown else ""
    return _joined(too, (await memory.still_shown(withdrawn)).told)


def _to_do(done: Changed, change: Change) -> str:
    """What is left to do: who makes a requested change, and where; where the words of a withdrawn fact still are."""
    if done.outcome == "requested":
        short = done.event_id[:_SHORT]
        return (
            f"unchanged until a person approves request {short}: page /review, or `r-memory review --approve {short}`"
        )
    if change is not Change.ENTERED_IN_ERROR:
        return ""
    id_ = inert_name(done.subject.id)
    return (
        f"{_HIDDEN}, statement "
        f"{done.before.episode_id[:_MOST_OF_ID]}; `r-memory forget {id_}`, run at a shell by a person, takes out "
        f"all of {id_} for good"
    )


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


async def _undecided(memory: Memory, about: Entity, fact: Fact) -> str:
    """Which fact of the same relation is contradicted, for a caller who meant to settle that."""
    page = await memory.list_facts(subject=about, relations=(fact.relation,))
    other = [item.short_id for item in page.facts if item.contradicted]
    return f"this fact is not contradicted; contradicted: {', '.join(other[:_MOST])}" if other else ""


async def _dismissed(
    ctx: Call, memory: Memory, consent: ElicitationResult[Consent], id_: str, subject: str, reason: str
) -> tuple[Entity, ChangedOut]:
    """What became of a statement that the caller read as stating nothing, or as about the `subject`.

    One that may hold a risk waits on, unless a person says whose it is and it is on record there.
    """
    episode, about, held = await memory.waiting_statement(id_)
    before = StandingOut(status="waits", version=0)
    if held and subject and await memory.stands_with(episode, subject):
        reason = f"about {subject}: {reason}"
    elif held and not _can_ask(ctx):
        note = (
            f"it may hold a risk: a person settles it on the page /review, or with `r-memory review --dismiss {id_}`; "
            "if it is about somebody else, record it there, and call again with that subject"
        )
        return about, ChangedOut(outcome="requested", before=before, after=before, note=note)
    if held:
        _require_consent(consent)
    await memory.dismiss(id_, actor=_person(ctx) if held else _client(ctx), reason=reason)
    return about, ChangedOut(outcome="changed", before=before, after=StandingOut(status="settled", version=0))


async def _renamed(
    ctx: Call, memory: Memory, consent: ElicitationResult[Consent], name: str, subject: str, reason: str
) -> tuple[Entity, ChangedOut]:
    """What became of a new name."""
    _require_consent(consent)
    asks = _can_ask(ctx)
    actor = _person(ctx) if asks else _client(ctx)
    done = await memory.rename(subject, name, actor=actor, reason=reason, by_person=asks)
    id_, named = inert_name(done.subject.id), StandingOut(status="named", version=0)
    note = f"{id_} is found by this name and, as before, by '{inert_name(done.before)}' and the id, which stays"
    outcome: Literal["changed", "already"] = "already" if done.name == done.before else "changed"
    return done.subject, ChangedOut(outcome=outcome, object=inert_name(done.name), before=named, after=named, note=note)


def _require_consent(consent: ElicitationResult[Consent]) -> None:
    """Raises `ToolError` unless a person agreed."""
    if not isinstance(consent, AcceptedElicitation):
        raise ToolError(
            f"Declined: the person (or a host that answers for them) did not agree ({consent.action}). Nothing was "
            "changed; use `r-memory review` or `r-memory change` to decide elsewhere."
        )
    if not consent.data.ok:
        raise ToolError(
            "Not confirmed: nothing was changed. Ask the person, and call again with confirm=true if they agree."
        )


def _can_ask(ctx: Call) -> bool:
    """Whether the host shows forms to a person whose word counts."""
    return may_review() and shows_forms(ctx)


def _person(ctx: Call) -> str:
    return f"person asked by {_client(ctx)}"


def _client(ctx: Call) -> str:
    return client_of(ctx) or "an unnamed client"
