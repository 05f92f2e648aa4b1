"""Made-up patients with many facts each, as the writes that their utterances would have led to. Pure and seeded.

Knows the shape of a ledger, not how it is stored. Names of substances come from the schema's own lexicon.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.events import Batch, ChainHead, Episode, EpisodeStatus, observed
from r_memory.domain.facts import Attribute, Entity, Observation, Route, Span, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, parse_instant
from r_memory.domain.schema import Relation, Schema

SAID: Instant = parse_instant("2026-11-19T09:30:00Z")
EXTRACTOR = "bench/1"
_WEIGHTS: Mapping[str, int] = {
    "TAKES": 30,
    "TOLERATES": 22,
    "HAS_CONDITION": 12,
    "HAS_FAMILY_HISTORY": 10,
    "IS_CONTRAINDICATED_WITH": 8,
    "HAS_ALLERGY_TO": 7,
    "HAS_INTOLERANCE_TO": 7,
    "DOSE_LIMIT": 4,
}
"""Weights of relations in a chart that has grown for years; a relation not listed has weight 2."""
_ATTEMPTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchChart:
    """Everything about one patient, ready to be written."""

    subject: Entity
    episode: Episode
    """A document with all facts."""
    batch: Batch


def charts(schema: Schema, *, space: str, first: int, count: int, facts: int, seed: int) -> Iterator[BenchChart]:
    """Yields patients `first` to `first + count` (excluded) with `facts` facts each; deterministic for a seed."""
    pools = _pools(schema)
    for number in range(first, first + count):
        yield _chart(schema, pools, space=space, number=number, facts=facts, seed=seed)


def patient_id(number: int) -> str:
    """Returns the id of a made-up patient."""
    return f"B{number:06}"


def _chart(
    schema: Schema, pools: Mapping[str, Sequence[Entity]], *, space: str, number: int, facts: int, seed: int
) -> BenchChart:
    chance = random.Random(f"{seed}/{number}")
    id_ = patient_id(number)
    subject = Entity(space=space, type=schema.subject, id=id_, name=f"Patient {number}")
    episode = Episode(
        id=f"bench-{space}-{id_}",
        space=space,
        subject_uid=subject.uid,
        speaker="bench",
        role="document",
        text=f"Chart of patient {number}.",
        said_at=SAID,
        recorded_at=SAID,
    )
    seen = [
        _observation(subject, episode, schema.relations[name], object_, schema, chance)
        for name, object_ in _drawn(pools, facts, chance)
    ]
    events = observed(seen, episode=episode, head=ChainHead(), now=SAID, schema_version=schema.version)
    batch = Batch(
        subject=subject,
        events=events,
        facts=fold_all(events, scale=schema.severity.grades),
        episode=_settled(episode),
        previous=ChainHead(),
        head=ChainHead().after(events),
    )
    return BenchChart(subject=subject, episode=episode, batch=batch)


def _pools(schema: Schema) -> dict[str, tuple[Entity, ...]]:
    """Returns the possible objects of each relation of the subject."""
    return {
        relation.name: objects
        for relation in schema.relations.values()
        if schema.subject in relation.subjects
        and (
            objects := tuple(
                concept(type_, name) for type_ in relation.objects for name in schema.lexicon.terms.get(type_, {})
            )
        )
    }


def _drawn(pools: Mapping[str, Sequence[Entity]], facts: int, chance: random.Random) -> list[tuple[str, Entity]]:
    """Returns different pairs of relation and object; fewer than `facts` if there are no more."""
    names = list(pools)
    weights = [_WEIGHTS.get(name, 2) for name in names]
    drawn: dict[tuple[str, str], tuple[str, Entity]] = {}
    for _ in range(facts * _ATTEMPTS):
        if len(drawn) == facts:
            break
        name = chance.choices(names, weights)[0]
        object_ = chance.choice(pools[name])
        drawn[name, object_.uid] = (name, object_)
    return list(drawn.values())


def _observation(
    subject: Entity, episode: Episode, relation: Relation, object_: Entity, schema: Schema, chance: random.Random
) -> Observation:
    return Observation(
        subject=subject,
        relation=relation.name,
        object=object_,
        status=chance.choices((Status.ACTIVE, Status.UNCONFIRMED, Status.NEGATED), (90, 5, 5))[0],
        attrs=_attributes(relation, schema, chance),
        evidence=episode.text,
        span=Span(start=0, end=len(episode.text)),
        route=Route.IMPORT,
        extractor=EXTRACTOR,
        identity=relation.identity,
    )


def _attributes(relation: Relation, schema: Schema, chance: random.Random) -> dict[str, Attribute]:
    values: dict[str, Attribute] = {}
    for name, kind in relation.attrs.items():
        if kind == "severity":
            values[name] = chance.choice(schema.severity.grades)
        elif kind == "number":
            values[name] = 500.0
        elif kind in schema.lexicon.terms:
            values[name] = chance.choice(list(schema.lexicon.terms[kind]))
    return values


def _settled(episode: Episode) -> Episode:
    return replace(episode, status=EpisodeStatus.EXTRACTED)
