"""`subjects`, `facts` and `history`: what is recorded, complete and unranked; `search`: facts, statements, turns and
documents that hold some words, ranked, so no source of safety.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from typer import Argument, Option

from r_memory.cli.app import Exit
from r_memory.cli.options import Subject
from r_memory.cli.printing import Answer, Grid, Part, counted, day_of, progress
from r_memory.cli.running import on_memory
from r_memory.domain.changes import shown_status
from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import RISK, Fact
from r_memory.domain.instants import UNDATED, Instant, parse_instant
from r_memory.facts.across import block_of
from r_memory.facts.listing import FactPage, worst_first
from r_memory.facts.recall.rendering import called, pending_line
from r_memory.memory import Memory
from r_memory.serving.tools.across import AcrossOut
from r_memory.serving.tools.hits import hits_of
from r_memory.serving.tools.models import EventOut, FactsOut
from r_memory.text.inert import inert_name

_HASH_SHOWN = 12


@on_memory()
async def subjects(memory: Memory) -> Answer:
    """Lists everybody that something is remembered about."""
    everyone = await memory.subjects()
    rows = [(subject.id, subject.name, subject.type) for subject in everyone]
    declares = "`r-memory remember` declares a subject with --subject-name"
    nobody = f"Nobody is known yet{memory.facts.subjects.elsewhere}; {declares}."
    return Answer(
        data=[{"id": id_, "name": name, "type": type_} for id_, name, type_ in rows],
        shown=[Grid(("Id", "Name", "Type"), rows) if rows else nobody],
    )


@on_memory()
async def across(
    memory: Memory,
    party: Annotated[str, Argument(metavar="PARTY", help="A name: of a person, a firm, a security.")],
) -> Answer:
    """Holds one party against everybody on record: a law firm's conflict check.

    Exit code 3 means that not everybody could be read; what was found is shown all the same.
    """
    check = await memory.check_across(party, shown_to="command line")
    code = Exit.DONE if check.complete else Exit.UNAVAILABLE
    return Answer(data=AcrossOut.of(check), shown=[block_of(check)], code=code)


@on_memory()
async def facts(
    memory: Memory,
    subject: Subject = "",
    as_of: Annotated[
        str, Option("--as-of", metavar="TIME", help="As it was known at an instant, ISO-8601 with zone.")
    ] = "",
    relation: Annotated[
        list[str] | None, Option("--relation", metavar="NAME", help="Only this relation; may be repeated.")
    ] = None,
    status: Annotated[
        list[str] | None, Option("--status", metavar="NAME", help="Only this status; may be repeated.")
    ] = None,
) -> Answer:
    """Lists everything recorded about a subject, now or at an instant.

    Facts entered in error are left out unless --status asks for them. Exit code 3 means that the list is not complete.
    """
    instant = parse_instant(as_of) if as_of else None
    page, critical = await _all_facts(memory, subject, relation or [], status or [], instant)
    code = Exit.UNAVAILABLE if page.failed else Exit.DONE
    return Answer(data=FactsOut.of(page, next_cursor=""), shown=_page(page, critical), code=code)


@on_memory()
async def history(
    memory: Memory,
    fact: Annotated[str, Argument(metavar="FACT", help="Id of a fact; its first eight characters suffice.")],
) -> Answer:
    """Lists every event of one fact: who said it, when, and why it changed."""
    events = await memory.history(fact)
    first = events[0]
    return Answer(
        data=[
            {**EventOut.of(event).model_dump(mode="json"), "hash": event.hash, "prev_hash": event.prev_hash}
            for event in events
        ],
        shown=[
            f"{first.relation} {inert_name(first.object.name)} · fact {first.fact_id}",
            Grid(("Seq", "Recorded", "What", "Who", "Why", "Hash"), map(_event_row, events)),
        ],
    )


async def _all_facts(
    memory: Memory, subject: str, relations: Sequence[str], statuses: Sequence[str], as_of: Instant | None
) -> tuple[FactPage, frozenset[str]]:
    """Returns all facts, risks first and the gravest before others; and the ids of critical facts."""
    page = await memory.list_facts(subject=subject, relations=relations, statuses=statuses, as_of=as_of)
    critical = frozenset(fact.fact_id for fact in page.facts if memory.is_critical(fact))
    return replace(page, facts=worst_first(page.facts, critical, memory.schema)), critical


def _page(page: FactPage, critical: Container[str]) -> Iterator[Part]:
    who = called(page.subject)
    if page.facts:
        columns = ("Fact", "Relation", "Object", "Status", "Details", "Said")
        looks = ["dim" if fact.status not in RISK else "red" if fact.fact_id in critical else "" for fact in page.facts]
        yield Grid(columns, map(_fact_row, page.facts), looks)
        yield f"{counted(len(page.facts), 'fact')} recorded about {who}."
    else:
        yield f"Nothing is recorded about {who}. That is no proof of absence."
    yield from map(pending_line, page.pending)
    for relation, reason in page.failed.items():
        yield f"COULD NOT CHECK {relation}: {reason}"


def _fact_row(fact: Fact) -> tuple[str, ...]:
    details = "; ".join([*(f"{name} {value}" for name, value in sorted(fact.attrs.items())), *sorted(fact.flags)])
    said = f"{day_of(fact.said_at)} by {fact.speaker}"
    return (fact.short_id, fact.relation, inert_name(fact.object.name), shown_status(fact), details, said)


def _event_row(event: FactEvent) -> tuple[str, ...]:
    changed = event.kind is not EventKind.OBSERVED
    who = event.actor if changed else f"{event.speaker} ({event.extractor})"
    why = event.reason if changed else event.evidence
    what = f"{event.kind} {event.status}"
    return (str(event.seq), day_of(event.recorded_at, time=True), what, who, why, event.hash[:_HASH_SHOWN])


# --- search ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hit:
    subject_id: str
    kind: str
    id: str
    text: str
    score: float
    said_at: str
    source: str


@on_memory()
async def search(
    memory: Memory,
    words: Annotated[str, Argument(metavar="WORDS", help="What is looked for.")],
    subject: Subject = "",
    number: Annotated[int, Option("--top", "-k", metavar="N", min=1, max=1000, help="At most so many.")] = 20,
) -> Answer:
    """Searches facts, statements, conversations and documents for words, the best first.

    Without --subject, of everybody. It ranks, so it can miss: before acting there is `r-memory recall`.
    """
    found, trouble = await _found(memory, words, subject)
    hits = found[:number]
    return Answer(data={"hits": hits, "total": len(found), "trouble": trouble}, shown=_shown(hits, len(found), trouble))


def _shown(hits: Sequence[_Hit], total: int, trouble: str) -> Iterator[Part]:
    if hits:
        days = (day_of(parse_instant(hit.said_at) if hit.said_at else UNDATED) for hit in hits)
        said = (f"{day} by {hit.source}" for day, hit in zip(days, hits, strict=True))
        rows = [(hit.subject_id, hit.kind, hit.text, when) for hit, when in zip(hits, said, strict=True)]
        yield Grid(("Subject", "Kind", "Words", "Said"), rows)
    more = f"; the best {len(hits)} are shown" if total > len(hits) else ""
    yield f"{counted(total, 'hit')}{more}."
    if trouble:
        yield f"COULD NOT SEARCH {trouble}"


async def _found(memory: Memory, words: str, subject: str) -> tuple[list[_Hit], str]:
    """Returns all hits, best first, and what could not be searched."""
    one = subject or memory.facts.subjects.single
    everyone = [await memory.find_subject(subject)] if one else await memory.subjects()
    hits: list[_Hit] = []
    troubles: list[str] = []
    with progress("searching", len(everyone)) as step:
        for about in everyone:
            told, trouble = await hits_of(memory, words, about.id)
            for hit in told:
                score = max(hit.scores.values(), default=0.0)
                hits.append(_Hit(about.id, hit.kind, hit.id, hit.text, score, hit.said_at, hit.source))
            troubles += [f"{called(about)}: {trouble}"] if trouble else []
            step()
    return sorted(hits, key=lambda hit: -hit.score), "; ".join(troubles)
