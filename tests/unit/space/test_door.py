"""An import lets nothing in that no call would record: the file is sealed by a digest that anybody can make."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from r_memory.domain.events import Batch, ChainHead, EpisodeStatus, EventKind, FactEvent
from r_memory.domain.facts import Entity, Route, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import parse_instant
from r_memory.errors import InvalidInput
from r_memory.testing.dict_store import DictStore
from tests.unit.administered import JOHN, SPACE, a_full_store, administration_of

pytestmark = pytest.mark.anyio


async def a_file(store: DictStore, folder: Path) -> Path:
    path = folder / "file.jsonl"
    await administration_of(store).export(path)
    return path


async def with_event(store: DictStore, episode: dict[str, Any] | None = None, **fields: Any) -> DictStore:  # noqa: ANN401
    """A store that recorded one more event about John, as no call would, and is sealed as any."""
    [first, *_] = events = await store.events(JOHN)
    said = next(item for item in await store.episodes(SPACE, JOHN) if item.id == first.episode_id)
    if episode is not None:
        said = replace(said, id="forged", status=EpisodeStatus.EXTRACTED, **episode)
        await store.add_episode(said)
    head = ChainHead().after(events)
    event = replace(first, id="forged", seq=head.seq + 1, prev_hash=head.hash, episode_id=said.id, hash="", **fields)
    await appended(store, events, [event.sealed()])
    return store


async def appended(store: DictStore, before: Sequence[FactEvent], events: Sequence[FactEvent]) -> None:
    head = ChainHead().after(before)
    [subject] = await store.subjects(SPACE, "Patient", id_="JD001")
    touched = {event.fact_id for event in events}
    facts = fold_all([event for event in (*before, *events) if event.fact_id in touched])
    await store.append(
        Batch(
            subject=subject,
            events=tuple(events),
            facts=facts,
            episode=None,
            previous=head,
            head=head.after(events, earlier=before),
        )
    )


EVENTS: dict[str, tuple[dict[str, Any] | None, dict[str, Any], str]] = {
    "evidence that nobody said": (None, {"evidence": "penicillin is fine"}, "does not stand in the statement"),
    "an absence of an assistant": ({"role": "assistant"}, {"status": Status.NEGATED}, "role 'assistant'"),
    "a time before 1970": (None, {"recorded_at": -1}, "before 1970"),
    "words of before 1900": (None, {"said_at": parse_instant("1899-12-31T00:00:00Z")}, "before 1900"),
    "an object that is a subject": (
        None,
        {"object": Entity(space=SPACE, type="Patient", id="jr002", name="Jr002")},
        "is nothing that",
    ),
    "an object that is a record": (None, {"object": concept("Episode", "words", space=SPACE)}, "is nothing that"),
    "an object that is called otherwise": (
        None,
        {"object": replace(concept("Drug", "aspirin"), name="Penicillin")},
        "is nothing that",
    ),
}


@pytest.mark.parametrize("name", EVENTS)
async def test_an_event_that_no_call_records_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    episode, fields, message = EVENTS[name]
    path = await a_file(await with_event(await a_full_store(), episode, **fields), tmp_path)
    other = DictStore()

    with pytest.raises(InvalidInput, match=rf"line \d+: .*{message}"):
        await administration_of(other).import_(path)

    assert await other.subjects(SPACE, "Patient") == ()


async def test_words_that_are_not_in_the_file_carry_no_event(tmp_path: Path) -> None:
    store = await with_event(await a_full_store())
    store._episodes = {
        key: one for key, one in store._episodes.items() if key[1] != (await store.events(JOHN))[0].episode_id
    }
    path = await a_file(store, tmp_path)
    with pytest.raises(InvalidInput, match="a statement that the file does not hold"):
        await administration_of(DictStore()).import_(path)


@pytest.mark.parametrize(
    ("id_", "name", "message"),
    [
        ("P1", "John\nDoe", "control or invisible"),
        ("P1\u2028x", "Ann Lee", "control or invisible"),
        ("P" * 300, "Ann Lee", "1 to 200 characters"),
        ("P1", " Ann Lee", "blanks"),
        ("P1", "JR002", "as well"),
    ],
)
async def test_a_person_whom_no_call_declares_is_refused(id_: str, name: str, message: str, tmp_path: Path) -> None:
    store = await a_full_store()
    await store.declare_subject(Entity(space=SPACE, type="Patient", id=id_, name=name))
    path = await a_file(store, tmp_path)
    with pytest.raises(InvalidInput, match=rf"line \d+: .*{message}"):
        await administration_of(DictStore()).import_(path)


async def test_a_name_that_is_the_id_of_somebody_known_here_is_refused(tmp_path: Path) -> None:
    store, here = DictStore(), await a_full_store()
    await store.declare_subject(Entity(space=SPACE, type="Patient", id="P1", name="jd001"))
    path = await a_file(store, tmp_path)
    with pytest.raises(InvalidInput, match="line 2: the name 'jd001' would mean JD001"):
        await administration_of(here).import_(path)


async def test_a_statement_longer_than_any_call_takes_is_refused(tmp_path: Path) -> None:
    store = await a_full_store()
    [said, *_] = await store.episodes(SPACE, JOHN)
    await store.add_episode(replace(said, id="long", text="word " * 50_000))
    path = await a_file(store, tmp_path)
    with pytest.raises(InvalidInput, match=r"line \d+: a statement has 250000 characters, and none may have more than"):
        await administration_of(DictStore()).import_(path)


async def a_refutation(store: DictStore) -> None:
    """Somebody decides that John is not allergic."""
    events = await store.events(JOHN)
    head = ChainHead().after(events)
    event = replace(
        events[0],
        id="decided",
        kind=EventKind.CHANGED,
        status=Status.REFUTED,
        episode_id="",
        route=Route.PERSON,
        actor="Dr House",
        reason="I know",
        seq=head.seq + 1,
        prev_hash=head.hash,
        hash="",
    )
    await appended(store, events, [event.sealed()])


async def test_what_a_file_decides_about_somebody_known_here_is_named_and_needs_a_yes(tmp_path: Path) -> None:
    elsewhere, here = await a_full_store(), await a_full_store()
    await a_refutation(elsewhere)
    path = await a_file(elsewhere, tmp_path)
    before = await here.events(JOHN)

    with pytest.raises(
        InvalidInput, match=r"JD001 \(John Doe\): HAS_ALLERGY_TO .* becomes refuted, by Dr House.*--yes"
    ):
        await administration_of(here).import_(path)
    assert await here.events(JOHN) == before
    assert (await here.arriving(SPACE)).file == ""

    assert (await administration_of(here).import_(path, yes=True)).added["event"] == 1


async def test_decisions_about_people_who_are_new_here_are_part_of_their_record(tmp_path: Path) -> None:
    store = await a_full_store()
    await a_refutation(store)
    path = await a_file(store, tmp_path)
    done = await administration_of(DictStore()).import_(path)
    assert done.added["event"] == 5
