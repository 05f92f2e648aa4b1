"""`subjects`, `facts` and `history`: what is recorded, complete and unranked."""

from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, day_of, print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import RISK, Entity, Fact
from r_memory.domain.instants import Instant, parse_instant
from r_memory.facts.listing import FactPage
from r_memory.facts.recall.rendering import called, pending_line
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.text.inert import inert_name

_HASH_SHOWN = 12


def subjects(home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Lists everybody that something is remembered about."""
    everyone, elsewhere = with_memory(settings_of(home, space), _everyone)
    if as_json:
        print_json([{"id": subject.id, "name": subject.name, "type": subject.type} for subject in everyone])
    elif everyone:
        print_table(("Id", "Name", "Type"), [(subject.id, subject.name, subject.type) for subject in everyone])
    else:
        declares = "`r-memory remember` declares a subject with --subject-name"
        print_line(f"Nobody is known yet{elsewhere}; {declares}.")


async def _everyone(memory: Memory) -> tuple[Sequence[Entity], str]:
    return await memory.subjects(), memory.facts.subjects.elsewhere


def facts(
    subject: Subject = "",
    as_of: Annotated[
        str, typer.Option("--as-of", metavar="TIME", help="As it was known at an instant, ISO-8601 with zone.")
    ] = "",
    relation: Annotated[
        list[str] | None, typer.Option("--relation", metavar="NAME", help="Only this relation; may be repeated.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option("--status", metavar="NAME", help="Only this status; may be repeated.")
    ] = None,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Lists everything recorded about a subject, now or at an instant.

    Facts entered in error are left out unless --status asks for them. Exit code 3 means that the list is not complete.
    """
    instant = parse_instant(as_of) if as_of else None
    page, critical = with_memory(
        settings_of(home, space),
        lambda memory: _all_facts(memory, subject, relation or [], status or [], instant),
    )
    if as_json:
        print_json(shaping.page(page))
    else:
        _show_page(page, critical)
    if page.failed:
        raise typer.Exit(Exit.UNAVAILABLE)


def history(
    fact: Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact; its first eight characters suffice.")],
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Lists every event of one fact: who said it, when, and why it changed."""
    events = with_memory(settings_of(home, space), lambda memory: memory.history(fact))
    if as_json:
        print_json([_event_shape(event) for event in events])
        return
    first = events[0]
    print_line(f"{first.relation} {inert_name(first.object.name)} · fact {first.fact_id}")
    print_table(("Seq", "Recorded", "What", "Who", "Why", "Hash"), [_event_row(event) for event in events])


async def _all_facts(
    memory: Memory, subject: str, relations: Sequence[str], statuses: Sequence[str], as_of: Instant | None
) -> tuple[FactPage, frozenset[str]]:
    """All pages as one, what may do harm first and the worst of it before the rest; and the ids of what is critical."""
    pages: list[FactPage] = []
    cursor = ""
    while not pages or cursor:
        page = await memory.list_facts(
            subject=subject, relations=relations, statuses=statuses, as_of=as_of, cursor=cursor
        )
        pages.append(page)
        cursor = page.next_cursor
    facts = list(chain.from_iterable(page.facts for page in pages))
    critical = frozenset(fact.fact_id for fact in facts if memory.is_critical(fact))

    def weight(fact: Fact) -> tuple[bool, bool, int]:
        worst = memory.schema.severity.rank(fact.attrs.get("severity"))
        return fact.status not in RISK, fact.fact_id not in critical, -worst

    return replace(pages[0], facts=tuple(sorted(facts, key=weight)), next_cursor=""), critical


def _show_page(page: FactPage, critical: Container[str]) -> None:
    who = called(page.subject)
    if page.facts:
        columns = ("Fact", "Relation", "Object", "Status", "Details", "Said")
        print_table(columns, [_fact_row(fact) for fact in page.facts], [_look(fact, critical) for fact in page.facts])
        print_line(f"{counted(page.total, 'fact')} recorded about {who}.")
    else:
        print_line(f"Nothing is recorded about {who}. That is no proof of absence.")
    for episode in page.pending:
        print_line(pending_line(episode))
    for relation, reason in page.failed.items():
        print_line(f"COULD NOT CHECK {relation}: {reason}")


def _look(fact: Fact, critical: Container[str]) -> str:
    if fact.status not in RISK:
        return "dim"
    return "red" if fact.fact_id in critical else ""


def _fact_row(fact: Fact) -> tuple[str, ...]:
    status = f"{fact.status}, contradicted" if fact.contradicted else str(fact.status)
    details = "; ".join([*(f"{name} {value}" for name, value in sorted(fact.attrs.items())), *sorted(fact.flags)])
    said = f"{day_of(fact.said_at)} by {fact.speaker}"
    return (fact.short_id, fact.relation, inert_name(fact.object.name), status, details, said)


def _event_shape(event: FactEvent) -> dict[str, object]:
    return {**shaping.event(event).model_dump(mode="json"), "hash": event.hash, "prev_hash": event.prev_hash}


def _event_row(event: FactEvent) -> tuple[str, ...]:
    changed = event.kind is not EventKind.OBSERVED
    who = event.actor if changed else f"{event.speaker} ({event.extractor})"
    why = event.reason if changed else event.evidence
    what = f"{event.kind} {event.status}"
    return (str(event.seq), day_of(event.recorded_at, time=True), what, who, why, event.hash[:_HASH_SHOWN])
