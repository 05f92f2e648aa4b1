"""Erasing somebody and moving a space: what the use cases promise, over the oracle store."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from r_memory.domain.blocks import Receipt
from r_memory.domain.erasure import Erasure
from r_memory.domain.events import Batch, Episode
from r_memory.errors import InvalidInput, StoreUnavailable, SubjectUnknown, WriteConflict
from r_memory.space.integrity import verify
from r_memory.testing.dict_store import DictStore
from tests.unit.administered import JANE, JOHN, SPACE, a_full_store, administration_of
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio

ORDER = {"actor": "Dr Ada", "reason": "request 17"}


async def lines_of(store: DictStore, folder: Path) -> list[str]:
    """Everything a store holds, as an export has it."""
    path = folder / "look.jsonl"
    await administration_of(store).export(path)
    return path.read_text(encoding="utf-8").splitlines()[1:]


async def differences(store: DictStore) -> tuple[object, ...]:
    everyone = await administration_of(store).to_export()
    return (await verify(store, everyone)).differences


async def test_whoever_is_not_known_may_be_so_under_the_schema_that_the_store_was_written_with_too() -> None:
    """Somebody else who is known under this one changes nothing about that."""
    administration = administration_of(await a_full_store(), retired=("HAS_CONFLICT_WITH",))
    with pytest.raises(SubjectUnknown, match=r"written with another schema too \(HAS_CONFLICT_WITH\)"):
        await administration.to_erase("Zebulon")


# --- erasing ---------------------------------------------------------------------------------------------------------


async def test_what_would_be_erased_is_counted_and_nothing_is_changed(tmp_path: Path) -> None:
    store = await a_full_store()
    before = await lines_of(store, tmp_path)
    about, traces = await administration_of(store).to_erase("JD001")
    assert about.uid == JOHN
    assert traces == {
        "statements": 3,
        "events": 2,
        "facts": 1,
        "receipts": 1,
        "items": 4,
        "summaries": 2,
        "decisions": 1,
        "documents": 1,
    }
    assert await lines_of(store, tmp_path) == before


async def test_an_erased_person_is_in_nothing_that_can_be_exported_and_the_other_is_untouched(tmp_path: Path) -> None:
    store = await a_full_store()
    jane = [line for line in await lines_of(store, tmp_path) if "JR002" in line]
    done = await administration_of(store).forget("JD001", **ORDER)
    left = await lines_of(store, tmp_path)
    assert [line for line in left if "JD001" in line or "John" in line] == []
    assert [line for line in left if "JR002" in line] == jane
    assert await differences(store) == ()
    assert done.traces["items"] == 4
    [closing] = await store.history(SPACE, done.event_id)
    assert (closing.actor, closing.reason, closing.attrs["statements"]) == ("Dr Ada", "request 17", 3)


async def test_whoever_was_erased_is_nobody_to_every_other_call() -> None:
    store = await a_full_store()
    administration = administration_of(store)
    done = await administration.forget("JD001", **ORDER)
    for id_ in ("JD001", "John Doe", done.trace.id):
        with pytest.raises(SubjectUnknown):
            await administration.to_erase(id_)
    with pytest.raises(SubjectUnknown, match="was erased"):
        await administration.to_erase(done.trace.id)


async def test_the_memory_lists_checks_and_shows_what_an_erasure_left_and_changes_none_of_it() -> None:
    store = await a_full_store()
    done = await administration_of(store).forget("JD001", **ORDER)
    memory = a_world(store=store).memory
    assert [subject.id for subject in await memory.subjects()] == ["JR002"]
    assert [subject.id for subject in await memory.subjects(erased=True)] == ["JR002", done.trace.id]
    assert (await memory.verify(subject=done.trace.id)).events == 3
    assert (await memory.verify()).whole
    assert [event.kind.value for event in await memory.history(done.event_id)] == ["erased"]
    with pytest.raises(InvalidInput, match="was erased; no fact is left"):
        await memory.find_fact(done.event_id)
    with pytest.raises(SubjectUnknown, match="who was erased"):
        await memory.remember("I am well.", subject=done.trace.id, subject_name="Anybody")


@pytest.mark.parametrize("given", [{"actor": "", "reason": "request 17"}, {"actor": "Dr Ada", "reason": " "}])
async def test_nobody_is_erased_without_somebody_who_orders_it_and_why(given: dict[str, str], tmp_path: Path) -> None:
    store = await a_full_store()
    before = await lines_of(store, tmp_path)
    with pytest.raises(InvalidInput):
        await administration_of(store).forget("JD001", **given)
    assert await lines_of(store, tmp_path) == before


async def test_a_name_erases_nobody() -> None:
    with pytest.raises(InvalidInput, match="takes the id, not a name: 'JD001'"):
        await administration_of(await a_full_store()).forget("John Doe", **ORDER)


class SlowLedger(DictStore):
    """Something is shown about the subject between the reads of an erasure and its transaction, `times` times."""

    times = 1

    @override
    async def erase(self, erasure: Erasure) -> None:
        if self.times:
            self.times -= 1
            await self.add_receipt(
                Receipt(
                    id=f"late-{self.times}",
                    space=SPACE,
                    subject_uid=erasure.subject.uid,
                    shown_at=1,
                    shown_to="x",
                    intents=(),
                    fact_ids=("f",),
                    rule_ids=(),
                    complete=True,
                    watermark=0,
                    schema_version="",
                    pack_version="",
                    traversal="",
                )
            )
        await super().erase(erasure)


@pytest.mark.parametrize(("times", "refused"), [(1, False), (9, True)])
async def test_what_is_recorded_meanwhile_is_erased_as_well_or_the_erasure_is_refused(
    times: int, refused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "full.jsonl"
    await administration_of(await a_full_store()).export(path)
    store = SlowLedger()
    store.times = 0
    await administration_of(store).import_(path)
    store.times = times
    if refused:
        with pytest.raises(WriteConflict):
            await administration_of(store).forget("JD001", **ORDER)
        assert len(await store.events(JOHN)) == 2
    else:
        await administration_of(store).forget("JD001", **ORDER)
        assert [line for line in await lines_of(store, tmp_path) if "JD001" in line] == []


# --- moving ----------------------------------------------------------------------------------------------------------


async def test_an_import_into_an_empty_store_gives_everything_and_another_adds_nothing(tmp_path: Path) -> None:
    store, other = await a_full_store(), DictStore()
    path = tmp_path / "all.jsonl"
    header = await administration_of(store).export(path)
    first = await administration_of(other).import_(path)
    again = await administration_of(other).import_(path)
    assert first.added == dict(header.counts)
    assert (again.known, set(again.added.values())) == (sum(header.counts.values()), {0})
    assert await lines_of(other, tmp_path) == await lines_of(store, tmp_path)
    assert await differences(other) == ()
    for uid in (JOHN, JANE):
        assert await other.events(uid) == await store.events(uid)
        assert await other.receipts(SPACE, uid) == await store.receipts(SPACE, uid)


async def test_an_export_of_one_subject_holds_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "john.jsonl"
    header = await administration_of(await a_full_store()).export(path, subject="JD001")
    assert (header.subject, header.counts["subject"], header.counts["item"]) == ("JD001", 1, 4)
    assert "JR002" not in path.read_text(encoding="utf-8")


async def test_an_erasure_moves_with_the_space(tmp_path: Path) -> None:
    store, other = await a_full_store(), DictStore()
    done = await administration_of(store).forget("JD001", **ORDER)
    path = tmp_path / "after.jsonl"
    await administration_of(store).export(path)
    await administration_of(other).import_(path)
    assert await other.events(done.trace.uid) == await store.events(done.trace.uid)
    assert await differences(other) == ()


class Dying(DictStore):
    """A store that stops answering after so many writes."""

    left = 0

    def _count(self) -> None:
        if not self.left:
            raise StoreUnavailable("the store is gone")
        self.left -= 1

    @override
    async def add_episode(self, episode: Episode, **more: Any) -> tuple[Episode, ...]:
        self._count()
        return await super().add_episode(episode, **more)

    @override
    async def append(self, batch: Batch) -> None:
        self._count()
        await super().append(batch)

    @override
    async def add_receipt(self, receipt: Receipt) -> None:
        self._count()
        await super().add_receipt(receipt)


@pytest.mark.parametrize("writes", range(9))
async def test_an_import_that_was_killed_goes_on_wherever_it_stood(writes: int, tmp_path: Path) -> None:
    store, other, whole = await a_full_store(), Dying(), DictStore()
    path = tmp_path / "all.jsonl"
    await administration_of(store).export(path)
    other.left = writes
    with pytest.raises(StoreUnavailable):
        await administration_of(other).import_(path)
    other.left = 1_000
    await administration_of(other).import_(path)
    await administration_of(whole).import_(path)
    assert await lines_of(other, tmp_path) == await lines_of(whole, tmp_path)
    assert await differences(other) == ()


async def test_an_import_that_was_interrupted_after_any_line_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    store = await a_full_store()
    header = await administration_of(store).export(path)
    wanted = await lines_of(store, tmp_path)
    for lines in range(2 * sum(header.counts.values())):
        other, left = DictStore(), [lines]

        def step(left: list[int] = left) -> None:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1

        with pytest.raises(KeyboardInterrupt):
            await administration_of(other).import_(path, step=step)
        await administration_of(other).import_(path)
        assert await lines_of(other, tmp_path) == wanted


async def test_a_history_that_went_on_after_the_export_is_kept(tmp_path: Path) -> None:
    store = await a_full_store()
    path = tmp_path / "all.jsonl"
    await administration_of(store).export(path)
    before = await lines_of(store, tmp_path)
    assert set((await administration_of(store).import_(path)).added.values()) == {0}
    assert await lines_of(store, tmp_path) == before


# --- what is refused, before anything is written ---------------------------------------------------------------------


def rewritten(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    """Changes the lines below the header, and nothing in it."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line}\n" for line in [header, *change(lines)]), encoding="utf-8")


def with_header(path: Path, **fields: object) -> None:
    header, rest = path.read_text(encoding="utf-8").split("\n", 1)
    path.write_text(json.dumps({**json.loads(header), **fields}) + "\n" + rest, encoding="utf-8")


def altered(lines: list[str], kind: str, **fields: object) -> list[str]:
    """The first line of a kind with other fields."""
    place = next(place for place, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    data = json.loads(lines[place])
    data["value"].update(fields)
    return [*lines[:place], json.dumps(data), *lines[place + 1 :]]


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: path.write_text(""), "line 1: this is no export"),
    "something else": (lambda path: path.write_text("{}\n"), "line 1: this is no export"),
    "a newer format": (lambda path: with_header(path, r_memory_export=2), r"line 1: a newer r-memory .*format 2"),
    "a header with more": (lambda path: with_header(path, colour="red"), "line 1: .*'colour'"),
    "another space": (lambda path: with_header(path, space="elsewhere"), "line 1: .*--space elsewhere"),
    "half a line": (lambda path: path.write_bytes(path.read_bytes()[:-20]), r"line 30: it was cut off"),
    "a line less": (lambda path: rewritten(path, lambda lines: lines[:-1]), "ends at line 29 .* counts 30"),
    "a line twice": (lambda path: rewritten(path, lambda lines: [*lines, lines[-1]]), "ends at line 31 .* counts 30"),
    "no JSON": (lambda path: rewritten(path, lambda lines: [*lines[:4], "{", *lines[5:]]), "line 6: it is no JSON"),
    "too deep": (lambda path: rewritten(path, lambda lines: ["[" * 100_000, *lines[1:]]), "line 2: "),
    "an unknown kind": (
        lambda path: rewritten(path, lambda lines: [*lines[:2], '{"kind": "spell", "value": {}}', *lines[3:]]),
        "line 4: it is of no known kind",
    ),
    "an unknown field": (
        lambda path: rewritten(path, lambda lines: altered(lines, "statement", mood="good")),
        "line 3: Episode has no field 'mood'",
    ),
    "a wrong type": (
        lambda path: rewritten(path, lambda lines: altered(lines, "event", seq="1")),
        "line 6: FactEvent.seq must be int",
    ),
    "a word of no list": (
        lambda path: rewritten(path, lambda lines: altered(lines, "event", status=["active"])),
        "line 6: FactEvent.status must be one of active, ",
    ),
    "an altered word": (
        lambda path: rewritten(path, lambda lines: altered(lines, "event", evidence="allergic to nothing")),
        "line 6: event 1 of the chain was altered",
    ),
    "a missing event": (
        lambda path: rewritten(path, lambda lines: [*lines[:4], *lines[5:]]),
        "line 6: event 2 of the chain expected sequence 1",
    ),
    "an altered statement": (
        lambda path: rewritten(path, lambda lines: altered(lines, "statement", speaker="Dr House")),
        "digest in its header differs",
    ),
    "another's event": (
        lambda path: rewritten(path, lambda lines: altered(lines, "event", subject_uid=JANE)),
        "line 6: it is not about the subject",
    ),
    "a subject of another kind": (
        lambda path: rewritten(path, lambda lines: altered(lines, "subject", type="Client")),
        "line 3: it is not about the subject",
    ),
    "an item of another space": (
        lambda path: rewritten(path, lambda lines: altered(lines, "item", space="other")),
        "line 15: it belongs to another space",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_file_that_is_not_whole_is_refused_before_anything_is_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    await administration_of(await a_full_store()).export(path)
    spoil, message = REFUSED[name]
    spoil(path)
    other = DictStore()
    with pytest.raises(InvalidInput, match=message):
        await administration_of(other).import_(path)
    assert await lines_of(other, tmp_path) == []


async def test_a_store_that_tells_another_story_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    await administration_of(await a_full_store()).export(path)
    other = await a_full_store()
    await administration_of(other).forget("JD001", **ORDER)
    again = await a_full_store()
    await administration_of(again).forget("JD001", **ORDER)
    for store, subject in ((other, "John Smith"), (again, "John Doe")):
        about = (await administration_of(await a_full_store()).to_export("JD001"))[0]
        await store.declare_subject(replace(about, name=subject))
    before = await lines_of(other, tmp_path)
    with pytest.raises(InvalidInput, match="has another name here"):
        await administration_of(other).import_(path, even_erased=True)
    assert await lines_of(other, tmp_path) == before
    await administration_of(again).import_(path, even_erased=True, yes=True)
    assert await again.events(JOHN) != ()


async def test_facts_that_nobody_would_be_shown_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    store = await a_full_store()
    await administration_of(store).export(path)
    narrow = administration_of(DictStore())
    narrow._relations = frozenset({"TAKES"})
    with pytest.raises(InvalidInput, match="line 6: no schema of this store declared 'HAS_ALLERGY_TO'"):
        await narrow.check_import(path)


# --- a backup from before an erasure ---------------------------------------------------------------------------------


@pytest.mark.parametrize("only_words", [False, True])
async def test_a_backup_brings_nobody_back_who_was_erased_meanwhile(tmp_path: Path, *, only_words: bool) -> None:
    store = await a_full_store()
    if only_words:  # nothing that was said led to a fact
        store._events = [event for event in store._events if event.subject_uid != JOHN]
        del store._heads[JOHN], store._state[JOHN]
    backup = tmp_path / "backup.jsonl"
    await administration_of(store).export(backup)
    await administration_of(store).forget("JD001", **ORDER)
    before = await lines_of(store, tmp_path)

    done = await administration_of(store).import_(backup)

    assert done.left_out > 0
    assert await lines_of(store, tmp_path) == before
    assert not [line for line in before if "JD001" in line or "John" in line]


async def test_somebody_who_was_erased_comes_back_when_it_is_asked_for_and_the_trace_logs_it(tmp_path: Path) -> None:
    store = await a_full_store()
    backup = tmp_path / "backup.jsonl"
    before = await lines_of(store, tmp_path)
    await administration_of(store).export(backup)
    done = await administration_of(store).forget("JD001", **ORDER)

    await administration_of(store).import_(backup, even_erased=True)
    await administration_of(store).import_(backup, even_erased=True)

    after = [line for line in await lines_of(store, tmp_path) if "erased-" not in line]
    lost = {line for line in before if line not in after}  # a receipt keeps that something was shown, and no more
    assert [json.loads(line)["kind"] for line in lost] == ["receipt"]
    logged = (await store.events(done.trace.uid))[-1]
    assert (logged.actor, logged.reason[:32]) == ("import", "brought back with --even-erased ")
    assert [event.actor for event in await store.events(done.trace.uid)].count("import") == 1
    assert await differences(store) == ()
