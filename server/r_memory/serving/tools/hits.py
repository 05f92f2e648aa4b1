"""What a search finds: turns, what was made of them, documents, and facts by their words.

Knows how a hit is told; what is similar is the stream's business. Shared by the tool and the command.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from r_memory.domain.facts import Fact
from r_memory.domain.instants import iso_seconds
from r_memory.domain.memories import Tier
from r_memory.memory import Memory
from r_memory.serving.tools.models import Numbers, rounded, when
from r_memory.talk.stream.layers import Layer
from r_memory.talk.stream.values import Hit
from r_memory.talk.stream.words import terms
from r_memory.text.inert import inert, inert_name

_FACT = "fact"
_MADE = frozenset({Tier.MEDIUM, Tier.LONG})
_BREATH = 100
"""Facts that are compared before others get their turn: ten thousand take a second."""
_POOL = 200
"""Hits of the stream that one search pages through."""
_TEXT = 1_000
"""Characters of a hit."""


class HitOut(BaseModel):
    """Something that a search found."""

    kind: Literal["fact", "turn", "medium", "long", "document"]
    id: str
    text: str
    scores: Numbers
    said_at: str
    source: str


async def hits_of(
    memory: Memory, query: str, subject: str, kinds: Sequence[str] = (), profile: str = ""
) -> tuple[list[HitOut], str]:
    """All hits, recorded facts first, and what could not be searched, if anything."""
    wanted = frozenset(kinds or (_FACT, *Tier))
    page = await memory.list_facts(subject=subject)
    hits = await _facts_by_words(query, page.facts) if _FACT in wanted else []
    troubles = [f"{relation}: {reason}" for relation, reason in page.failed.items() if _FACT in wanted]
    if tiers := wanted - {_FACT}:
        found = await memory.talk.stream.search(
            query,
            subject_uid=page.subject.uid,
            scoring=memory.talk.conversations.profile(profile).scoring,
            k=_POOL,
            layer=_layer(kinds),
        )
        hits += [_hit_out(hit) for hit in found.chosen if hit.item.tier in tiers]
        troubles += [found.trouble] if found.trouble else []
    return hits, "; ".join(troubles)


def _layer(kinds: Sequence[str]) -> Layer:
    """Where kinds are named, nothing of these kinds is passed over because something was made of it."""
    if not kinds:
        return Layer.LATEST
    return Layer.EVERYTHING if _MADE.intersection(kinds) else Layer.TURNS


async def _facts_by_words(query: str, facts: Sequence[Fact]) -> list[HitOut]:
    """Facts that hold a word of the query, those with most of them first."""
    asked = set(terms(query))
    scored: list[tuple[float, Fact]] = []
    for number, fact in enumerate(facts, start=1):
        values = " ".join(str(value) for value in fact.attrs.values())
        words = f"{fact.relation.replace('_', ' ')} {fact.object.name} {values} {fact.evidence}"
        # How many of the words that were asked for stand in the fact, from 0 to 1.
        scored.append((len(asked.intersection(terms(words))) / max(len(asked), 1), fact))
        if not number % _BREATH:
            await asyncio.sleep(0)
    return [
        HitOut(
            kind="fact",
            id=fact.fact_id,
            text=inert(f"{fact.relation} {fact.object.name} ({fact.status.value}): {fact.evidence}", _TEXT),
            scores={"words": round(score, 3)},
            said_at=when(fact.said_at),
            source=inert_name(fact.speaker),
        )
        for score, fact in sorted(scored, key=lambda pair: (-pair[0], pair[1].fact_id))
        if score
    ]


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
