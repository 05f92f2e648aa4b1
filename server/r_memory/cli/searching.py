"""`search`: facts, statements, turns and documents that hold some words; ranked, so no source of safety."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from r_memory.cli.answers import Answer
from r_memory.cli.options import Subject
from r_memory.cli.printing import Grid, Part, counted, day_of, progress
from r_memory.cli.running import on_memory
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_seconds, parse_instant
from r_memory.facts.recall.rendering import called
from r_memory.memory import Memory
from r_memory.serving.tools.hits import HitOut, hits_of
from r_memory.talk.stream.words import terms
from r_memory.text.inert import inert, inert_name

_TEXT = 1_000
"""Characters of a statement."""


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
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What is looked for.")],
    subject: Subject = "",
    number: Annotated[int, typer.Option("--top", "-k", metavar="N", min=1, max=1000, help="At most so many.")] = 20,
) -> Answer:
    """Searches facts, statements, conversations and documents for words, the best first.

    Without --subject, of everybody. It ranks, so it can miss: before acting there is `r-memory recall`.
    """
    found, trouble = await _found(memory, words, subject)
    hits = found[:number]
    return Answer(data={"hits": hits, "total": len(found), "trouble": trouble}, shown=_shown(hits, len(found), trouble))


def _shown(hits: Sequence[_Hit], total: int, trouble: str) -> Iterator[Part]:
    if hits:
        rows = [(hit.subject_id, hit.kind, hit.text, _when_and_where(hit)) for hit in hits]
        yield Grid(("Subject", "Kind", "Words", "Said"), rows)
    more = f"; the best {len(hits)} are shown" if total > len(hits) else ""
    yield f"{counted(total, 'hit')}{more}."
    if trouble:
        yield f"COULD NOT SEARCH {trouble}"


def _when_and_where(hit: _Hit) -> str:
    return f"{day_of(parse_instant(hit.said_at))} by {hit.source}"


async def _found(memory: Memory, words: str, subject: str) -> tuple[list[_Hit], str]:
    """All hits, best first, and what could not be searched."""
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
            hits += _statements(words, about, await memory.facts.store.episodes(about.space, about.uid), told)
            troubles += [f"{called(about)}: {trouble}"] if trouble else []
            step()
    return sorted(hits, key=lambda hit: -hit.score), "; ".join(troubles)


def _statements(words: str, about: Entity, said: Sequence[Episode], told: Sequence[HitOut]) -> Iterator[_Hit]:
    """Statements that hold a word and are not among the hits already, as a turn or as what a fact quotes."""
    asked = set(terms(words))
    quoted = [hit.text.partition("): ")[2] if hit.kind == "fact" else hit.text for hit in told]
    for one in said:
        share = len(asked.intersection(terms(one.text))) / len(asked) if asked else 0.0
        text = inert(one.text, _TEXT)
        if share and not any(quote in text for quote in quoted):
            score, when, who = round(share, 3), iso_seconds(one.said_at), inert_name(one.speaker)
            yield _Hit(about.id, "statement", one.id, text, score, when, who)
