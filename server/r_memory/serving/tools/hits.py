"""What a search finds: facts and utterances by their words; turns, what was made of them, and documents.

Knows how a hit is told; what is similar is the stream's business. Shared by the tool and the command.
"""

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from pydantic import BaseModel

from r_memory.domain.changes import AwaitedChange
from r_memory.domain.events import Episode
from r_memory.domain.facts import Fact
from r_memory.domain.instants import Instant, iso_seconds
from r_memory.domain.memories import Hit, Layer, Tier
from r_memory.domain.withdrawn import SHOWN_AS
from r_memory.facts.recall.rendering import awaited_line
from r_memory.memory import Memory
from r_memory.serving.tools.models import Numbers, rounded, when
from r_memory.text.inert import inert, inert_name

WITHDRAWN = "part withdrawn: taken out as an error or at the person's wish"
_FACT, _STATEMENT = "fact", "statement"
T = TypeVar("T")
_MADE = frozenset({Tier.MEDIUM, Tier.LONG})
_BREATH = 100
"""Facts or utterances that are compared before others get their turn: ten thousand take a second."""
_POOL = 200
"""Hits of the stream that one search pages through."""
_WORD = re.compile(r"\w+")
_TEXT = 1_000
"""Characters of a hit."""


class HitOut(BaseModel):
    """Something that a search found."""

    kind: Literal["fact", "statement", "turn", "medium", "long", "document"]
    id: str
    text: str
    scores: Numbers
    said_at: str
    source: str


async def hits_of(
    memory: Memory, query: str, subject: str, kinds: Sequence[str] = (), profile: str = ""
) -> tuple[list[HitOut], str]:
    """All hits, recorded facts first, and what could not be searched, if anything.

    An utterance is left out where a turn shows the whole of it, or a fact quotes all that was asked for in it. Words of
    facts that were taken out as an error, or at the person's wish, are neither compared nor shown.
    """
    wanted = frozenset(kinds or (_FACT, _STATEMENT, *Tier))

    def terms(text: str) -> Sequence[str]:
        # Of words that tell nothing apart ("to be or not to be") each counts.
        return memory.talk.terms(text) or _WORD.findall(text.casefold())

    asked = frozenset(terms(query))
    page = await memory.list_facts(subject=subject)
    hidden = await memory.facts.lists.withdrawn([page.subject.uid])
    recorded = await _by_words(
        asked, page.facts, lambda fact: terms(hidden.masked(_words_of(fact))), said_at=lambda fact: fact.said_at
    )
    facts = [(share, fact) for share, fact in recorded if _FACT in wanted]
    troubles = [f"{relation}: {reason}" for relation, reason in page.failed.items() if _FACT in wanted]
    told = await memory.utterances(subject=page.subject) if wanted != {_FACT} else ()
    told = tuple(replace(each, text=hidden.shown(each.text)) for each in told)
    found: list[Hit] = []
    if tiers := wanted - {_FACT, _STATEMENT}:
        result = await memory.talk.stream.search(
            query,
            subject_uid=page.subject.uid,
            scoring=memory.talk.conversations.profile(profile).scoring,
            k=_POOL,
            layer=_layer(kinds),
        )
        found = [replace(hit, item=hidden.item(hit.item)) for hit in result.chosen if hit.item.tier in tiers]
        found = [hit for hit in found if _tells(hit.item.observation or hit.item.raw)]
        troubles += [result.trouble] if result.trouble else []
    said: list[tuple[float, Episode]] = []
    if _STATEMENT in wanted:
        shown = "\n".join(_hit_out(hit).text for hit in found)
        spoken = [each for each in told if inert(each.text, _TEXT) not in shown and _tells(each.text)]
        said = await _by_words(asked, spoken, lambda each: terms(each.text), said_at=lambda each: each.said_at)
        said = [(share, each) for share, each in said if not _is_quoted(asked, each, facts, terms)]
    beside = _merged(said, [(_share(asked, terms(hit.item.raw)), hit) for hit in found])
    shown_facts = (
        _fact_out(share, replace(fact, evidence=hidden.masked(fact.evidence)), page.awaited.get(fact.fact_id, ()))
        for share, fact in facts
    )
    return [*shown_facts, *beside], "; ".join(troubles)


def _tells(text: str) -> bool:
    """Whether a text tells something without its withdrawn words."""
    return SHOWN_AS not in text or bool(_WORD.search(text.replace(SHOWN_AS, "")))


def _merged(said: Sequence[tuple[float, Episode]], found: Sequence[tuple[float, Hit]]) -> Iterator[HitOut]:
    """Utterances and the stream's hits, each in its order; what holds more words of the query goes first, and among
    equals what is newer.
    """
    rest = deque(found)
    for share, episode in said:
        while rest and (rest[0][0], rest[0][1].item.created_at) > (share, episode.said_at):
            yield _marked(_hit_out(rest.popleft()[1]))
        yield _marked(_said_out(share, episode))
    yield from (_marked(_hit_out(hit)) for _, hit in rest)


def _marked(hit: HitOut) -> HitOut:
    return hit.model_copy(update={"source": f"{hit.source}, {WITHDRAWN}"}) if SHOWN_AS in hit.text else hit


def _layer(kinds: Sequence[str]) -> Layer:
    """Where kinds are named, nothing of these kinds is passed over because something was made of it."""
    if not kinds:
        return Layer.LATEST
    return Layer.EVERYTHING if _MADE.intersection(kinds) else Layer.TURNS


def _share(asked: frozenset[str], held: Iterable[str]) -> float:
    """How many of the terms that were asked for are held, from 0 to 1."""
    return len(asked.intersection(held)) / max(len(asked), 1)


async def _by_words(
    asked: frozenset[str], items: Sequence[T], terms: Callable[[T], Sequence[str]], *, said_at: Callable[[T], Instant]
) -> list[tuple[float, T]]:
    """Items that hold a word that was asked for, with their share: those with most first, the newest among equals."""
    scored: list[tuple[float, T]] = []
    for number, item in enumerate(items, start=1):
        scored.append((_share(asked, terms(item)), item))
        if not number % _BREATH:
            await asyncio.sleep(0)
    return sorted((each for each in scored if each[0]), key=lambda each: (-each[0], -said_at(each[1])))


def _is_quoted(
    asked: frozenset[str],
    said: Episode,
    facts: Iterable[tuple[float, Fact]],
    terms: Callable[[str], Sequence[str]],
) -> bool:
    held = asked.intersection(terms(said.text))
    return any(fact.evidence in said.text and held <= set(terms(fact.evidence)) for _, fact in facts)


def _words_of(fact: Fact) -> str:
    values = " ".join(str(value) for value in fact.attrs.values())
    return f"{fact.relation.replace('_', ' ')} {fact.object.name} {values} {fact.evidence}"


def _fact_out(share: float, fact: Fact, awaited: Sequence[AwaitedChange] = ()) -> HitOut:
    words = inert(f"{fact.relation} {fact.object.name} ({fact.status.value}): {fact.evidence}", _TEXT)
    return HitOut(
        kind="fact",
        id=fact.fact_id,
        text=" · ".join([words, *map(awaited_line, awaited[-1:])]),
        scores={"words": round(share, 3)},
        said_at=when(fact.said_at),
        source=inert_name(fact.speaker),
    )


def _said_out(share: float, episode: Episode) -> HitOut:
    who = episode.speaker or episode.role
    return HitOut(
        kind="statement",
        id=episode.id,
        text=inert(episode.text, _TEXT),
        scores={"words": round(share, 3)},
        said_at=when(episode.said_at),
        source=", ".join(map(inert_name, filter(None, (who, episode.conversation)))),
    )


def _hit_out(hit: Hit) -> HitOut:
    item = hit.item
    who = [inert_name(item.speaker)] if item.speaker else []
    turn = [f"turn {item.index}"] if item.tier is Tier.TURN else []
    return HitOut(
        kind=item.tier.value,
        id=item.id,
        text=inert(item.raw, _TEXT),
        scores=rounded({"score": hit.score, **hit.components}),
        said_at=iso_seconds(item.created_at),
        source=", ".join([*who, inert_name(item.conversation), *turn]),
    )
