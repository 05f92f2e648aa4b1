"""The conversational memory as its callers meet it: turns are kept, found, used, rolled back and never mixed."""

import asyncio
import math
from collections.abc import Sequence

import numpy as np
import pytest
from typing_extensions import override

from r_memory.domain.instants import parse_instant
from r_memory.domain.memories import MIDDLE, StreamChanges, Vector
from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.protocols import Floats
from r_memory.testing.dict_stream import DictStream
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_chat.rolling_back import roll_back_stream
from r_memory_lab.scorings import COMPARED
from r_memory_talk.stream import candidates, meaning
from r_memory_talk.stream.scoring import SCORINGS
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import FLAG_IMPORTANCE, NewTurn
from tests.unit.talk.stream.world import NOW, SPACE, Rows, a_stream, tell
from tests.vectors import vector_of

pytestmark = pytest.mark.anyio


async def texts(stream: Stream, question: str, **options: object) -> list[str]:
    found = await stream.search(question, **{"conversation": "c", **options})  # type: ignore[arg-type]  # options by name
    return [hit.item.observation for hit in found.chosen]


class Seen(HashEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    @override
    async def embed(self, texts: Sequence[str]) -> Floats:
        self.texts += texts
        return await super().embed(texts)


@pytest.mark.proves("SCM-23")
async def test_a_turn_means_what_its_summary_says_and_is_found_by_any_word_that_was_said() -> None:
    embedder = Seen()
    stream = a_stream(embedder=embedder)
    long = "There is the attic, the cellar, the hallway and, under the stairs, a zither. " * 5
    await stream.append(NewTurn(conversation="c", observation="Where?", response=long, summary="Rooms were named."))
    await tell(stream, "I like apples.", "Tea is fine.")
    assert embedder.texts[0] == "Rooms were named."
    assert (await texts(stream, "zither", scoring=COMPARED["words"]))[0] == "Where?"


# --- append ----------------------------------------------------------------------------------------------------------


@pytest.mark.proves("SCM-3", "SCM-4")
async def test_a_long_answer_does_not_drown_what_was_said() -> None:
    """Each message of a turn counts for as much, however long the other is."""
    stream = a_stream()
    answer = " ".join(f"word{number}" for number in range(60))
    both = await stream.append(NewTurn(conversation="talk", observation="apples", response=answer))
    assert both.vector is not None
    (vector,) = await HashEmbedder().embed(["apples"])
    own = np.frombuffer(both.vector.data, dtype="<f4")
    assert float(own @ vector) / float(np.linalg.norm(own) * np.linalg.norm(vector)) > 0.6


async def test_a_turn_is_kept_with_its_five_fields_and_comes_back_after_a_restart() -> None:
    store = DictStream()
    stored = await a_stream(store).append(
        NewTurn(
            conversation="c", observation="I like apples.", response="Me too.", summary="Likes apples.", speaker="Ann"
        )
    )
    assert (stored.index, stored.observation, stored.response, stored.summary) == (
        1,
        "I like apples.",
        "Me too.",
        "Likes apples.",
    )
    assert stored.vector is not None
    assert stored.vector.model == HashEmbedder().model
    (again,) = await a_stream(store).conversation("c")
    assert (again.raw, again.gist) == ("Ann: I like apples.\nMe too.", "Likes apples.")


async def test_the_same_key_stores_a_turn_once() -> None:
    stream = a_stream()
    first = await stream.append(NewTurn(conversation="c", observation="once", key="k"))
    second = await stream.append(NewTurn(conversation="c", observation="twice", key="k"))
    assert (first, await stream.conversation("c")) == (second, (await stream.conversation("c"))[:1])


async def test_turns_told_at_once_keep_the_order_of_the_calls() -> None:
    class Slower(Rows):
        """The first texts take longest."""

        @override
        async def embed(self, texts: Sequence[str]) -> Floats:
            for _ in range(10 - int(texts[0])):
                await asyncio.sleep(0)
            return await super().embed(texts)

    stream = a_stream(embedder=Slower((1.0, 2.0)))
    await asyncio.gather(*(stream.append(NewTurn(conversation="c", observation=str(n))) for n in range(10)))
    assert [item.observation for item in await stream.conversation("c")] == [str(n) for n in range(10)]


@pytest.mark.parametrize("given", ["high", None, 7.5, 99])
async def test_importance_is_clamped_and_flagged_where_it_says_nothing(given: object) -> None:
    item = await a_stream().append(NewTurn(conversation="c", observation="x", importance=given))
    expected = {"high": (MIDDLE, (FLAG_IMPORTANCE,)), None: (MIDDLE, ()), 7.5: (8, ()), 99: (10, ())}
    assert (item.importance, item.flags) == expected[given]  # type: ignore[index]  # every value above is a key


@pytest.mark.parametrize(
    "row",
    [(math.nan, 1.0), (math.inf, 1.0), (0.0, 0.0), (1.0, 2.0, 3.0), None],
    ids=["nan", "inf", "zero", "long", "down"],
)
async def test_a_vector_that_cannot_be_used_costs_the_vector_and_never_the_item(row: Sequence[float] | None) -> None:
    stream = a_stream(embedder=Rows(row))
    item = await stream.append(NewTurn(conversation="c", observation="The lighthouse is red."))
    found = await stream.search("Which colour has the lighthouse?", conversation="c")
    assert item.vector is None
    assert [hit.item.observation for hit in found.chosen] == ["The lighthouse is red."]
    assert (await stream.unmeant(), bool(found.trouble)) == (1, True)


async def test_nothing_said_is_nothing_to_store() -> None:
    stream = a_stream()
    with pytest.raises(InvalidInput, match="no words"):
        await stream.append(NewTurn(conversation="c"))
    assert await stream.append_all([]) == ()
    assert await stream.conversation("c") == ()


# --- search ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["default", "scm", "cim", "mimir", "last_window"])
async def test_an_empty_stream_gives_nothing_and_no_error(name: str) -> None:
    found = await a_stream().search("Anything?", conversation="c", scoring=COMPARED[name])
    assert (found.chosen, found.ranked) == ((), ())


@pytest.mark.proves("SCM-21")
async def test_k_is_clamped_to_what_there_is_zero_chooses_none_and_less_is_refused() -> None:
    stream = a_stream()
    await tell(stream, "red boat", "blue boat", "green boat")
    assert len(await texts(stream, "boat", k=50)) == 3
    none = await stream.search("boat", conversation="c", k=0)
    assert (none.chosen, len(none.ranked)) == ((), 3)
    with pytest.raises(InvalidInput, match="k is -1"):
        await stream.search("boat", k=-1)


@pytest.mark.proves("SCM-9", "SCM-10")
async def test_the_last_turn_is_left_out_where_it_is_shown_anyway() -> None:
    stream = a_stream()
    await tell(stream, "The boat is red.")
    assert await texts(stream, "boat", skip_last=1) == []
    await tell(stream, "The boat is blue.")
    assert await texts(stream, "boat", skip_last=1) == ["The boat is red."]


@pytest.mark.proves("SCM-32")
async def test_a_probe_changes_nothing_and_use_renews_what_was_used() -> None:
    store = DictStream()
    stream = a_stream(store)
    await tell(stream, "red boat", "blue boat", said_at=NOW - 9_000_000)
    before = await store.memory_changes(SPACE, after=0)
    first = await stream.search("boat", conversation="c")
    assert await stream.search("boat", conversation="c") is not first
    assert await store.memory_changes(SPACE, after=0) == before
    assert await stream.use([first.chosen[0].item.id]) == 1
    used = {item.id: item.accessed_at for item in await stream.conversation("c")}
    assert used[first.chosen[0].item.id] == NOW
    assert sum(at == NOW for at in used.values()) == 1


@pytest.mark.proves("MIM-17", "T-20")
async def test_where_are_they_located_finds_the_orchard_through_the_messages_before() -> None:
    stream = a_stream(words_only=True)
    await tell(stream, "My orchard visit: Wiard's lies north of Ypsilanti.", "I slept badly.", "Music helps me.")
    recent = ("I like apples.", "Oh, me too, especially the ones from Wiard's orchard!")
    question = "Where are they located?"
    assert (await stream.search(question, conversation="c", scoring=COMPARED["cim"])).chosen == ()
    alone = await stream.search(question, conversation="c")
    assert all(not item.components["lexical"] for item in alone.ranked)
    assert (await texts(stream, question, recent=recent))[0].startswith("My orchard")


async def test_the_speaker_and_the_turn_before_are_part_of_what_is_searched() -> None:
    stream = a_stream(words_only=True)
    await stream.append(NewTurn(conversation="c", observation="Where do you work?", speaker="Ben"))
    await stream.append(NewTurn(conversation="c", observation="At the harbour.", speaker="Ann"))
    await stream.append(NewTurn(conversation="c", observation="Nice weather.", speaker="Ben"))
    await stream.append(NewTurn(conversation="c", observation="Too hot.", speaker="Ben"))
    assert (await texts(stream, "Where does Ann work?"))[0] == "At the harbour."


async def test_who_said_it_counts_by_itself_and_the_rest_of_the_question_by_its_meaning() -> None:
    """Issue 15: every turn holds a speaker's name, so that a name beside the matter drowns it."""
    embedder = Seen()
    stream = a_stream(embedder=embedder)
    for speaker, text in (("Ann Lee", "I paint the harbour."), ("Ben", "I sing.")):
        await stream.append(NewTurn(conversation="c", observation=text, speaker=speaker))
    await stream.search("What does Ann Lee paint?", conversation="c")
    await stream.search("What does Ann Lee paint?", conversation="c", scoring=SCORINGS["mimir"])
    await stream.search("Ann Lee?", conversation="c")
    assert embedder.texts[2:] == ["What does paint?", "What does Ann Lee paint?", "Ann Lee?"]


async def test_a_month_of_the_question_prefers_what_was_said_in_it() -> None:
    stream = a_stream(words_only=True)
    for day, text in (("2026-05-20", "We moved the piano."), ("2026-06-02", "We moved the sofa.")):
        said_at = parse_instant(f"{day}T10:00:00Z")
        await stream.append(NewTurn(conversation="c", observation=text, said_at=said_at))
        await stream.append(NewTurn(conversation="c", observation="Fine weather.", said_at=said_at))
    assert (await texts(stream, "What was moved in May?"))[0] == "We moved the piano."
    assert (await texts(stream, "What was moved in June?"))[0] == "We moved the sofa."


async def test_a_turn_is_found_by_its_number() -> None:
    stream = a_stream(words_only=True)
    await tell(stream, "red", "blue", "green")
    assert (await texts(stream, "What did I say in turn 2?", k=1)) == ["blue"]


@pytest.mark.proves("MIM-8")
async def test_conversations_subjects_and_spaces_never_mix() -> None:
    store = DictStream()
    stream = a_stream(store)
    ann, ben = "clinic/Patient/A", "clinic/Patient/B"
    for subject, boat in ((ann, "red boat"), (ben, "blue boat"), ("", "green boat")):
        await stream.append(NewTurn(conversation="c", observation=boat, subject_uid=subject))
    await stream.append(NewTurn(conversation="d", observation="white boat", subject_uid=ann))
    assert await texts(stream, "boat", subject_uid=ann) == ["red boat"]
    assert set(await texts(stream, "boat", subject_uid=ann, conversation=None)) == {"red boat", "white boat"}
    assert await texts(stream, "boat") == ["green boat"]
    assert len(await texts(stream, "boat", conversation=None)) == 4
    other = Stream(space="other", store=store, embedder=None, clock=stream.clock, new_id=stream.new_id)
    assert (await other.search("boat")).ranked == ()


async def test_ids_to_leave_out_are_left_out() -> None:
    stream = a_stream()
    await tell(stream, "red boat", "blue boat")
    assert await texts(stream, "boat", without=["item-1", "unknown"]) == ["blue boat"]


async def test_a_message_from_the_future_is_one_from_now() -> None:
    stream = a_stream()
    await tell(stream, "red boat", said_at=NOW + 10**9)
    await tell(stream, "blue boat", said_at=NOW)
    for name in ("scm", "scm_paper", "cim", "mimir", "default"):
        found = await stream.search("boat", conversation="c", scoring=COMPARED[name])
        for item in found.ranked:
            assert all(0 <= part <= 2 for part in item.components.values()), name


async def test_a_store_that_cannot_be_read_is_an_error_and_not_an_empty_answer() -> None:
    class Down(DictStream):
        @override
        async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
            raise StoreUnavailable("the store did not answer")

    with pytest.raises(StoreUnavailable):
        await a_stream(Down()).search("boat")


async def test_another_server_sees_what_was_added_used_and_removed() -> None:
    store = DictStream()
    one, other = a_stream(store), a_stream(store)
    await tell(one, "red boat", "blue boat")
    assert len(await texts(other, "boat")) == 2
    await roll_back_stream(one, "c", to=1)
    assert await texts(other, "boat") == ["red boat"]
    await tell(one, "green boat")
    assert [item.index for item in await other.conversation("c")] == [1, 2]


async def test_an_id_that_was_erased_and_given_again_is_seen_by_another_server() -> None:
    store = DictStream()
    one, other = a_stream(store), a_stream(store)
    await one.append(NewTurn(conversation="c", observation="red boat", key="k"))
    await other.refresh()
    await roll_back_stream(one, "c", to=0)
    await one.append(NewTurn(conversation="c", observation="blue boat", key="k"))
    assert await texts(other, "boat") == await texts(a_stream(store), "boat") == ["blue boat"]


async def test_an_embedder_that_hangs_costs_the_vector_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "LIMIT_S", 0.01)

    class Hanging(Rows):
        @override
        async def embed(self, texts: Sequence[str]) -> Floats:
            await asyncio.Event().wait()
            return await super().embed(texts)

    stream = a_stream(embedder=Hanging((1.0, 1.0)))
    assert (await stream.append(NewTurn(conversation="c", observation="red boat"))).vector is None
    found = await stream.search("boat", conversation="c")
    assert ([hit.item.observation for hit in found.chosen], "0.01 s" in found.trouble) == (["red boat"], True)


async def test_what_is_important_is_a_candidate_even_where_nothing_of_it_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "CANDIDATES", 5)
    stream = a_stream(words_only=True)
    loss = NewTurn(conversation="c", observation="My father died.", importance=10, said_at=NOW - 10**10)
    lost = await stream.append(loss)
    await tell(stream, *(f"We had yogurt number {n}." for n in range(40)))
    found = await stream.search("yogurt", conversation="c")
    assert lost.id in [item.id for item in found.ranked]
    assert len(found.ranked) < len(await stream.items("c")) == 41


@pytest.mark.proves("SCM-30")
async def test_a_comparison_gives_the_last_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "CANDIDATES", 3)
    stream = a_stream()
    await tell(stream, *(f"line {n}" for n in range(30)))
    assert await texts(stream, "line 3", scoring=COMPARED["last_window"], k=2) == ["line 29", "line 28"]


# --- another embedder ------------------------------------------------------------------------------------------------


async def test_vectors_of_another_model_are_never_compared_and_are_made_again_with_progress() -> None:
    store = DictStream()
    await tell(a_stream(store, embedder=HashEmbedder(model="old")), *(f"boat {n}" for n in range(300)))
    stream = a_stream(store, embedder=HashEmbedder(model="new"))
    before = await stream.search("boat 7", conversation="c", k=1)
    assert before.chosen[0].components["semantic"] == 0.0
    tried: list[int] = []
    assert await stream.embed_again(tried.append) == 300
    assert (sum(tried), len(tried) > 1, await stream.unmeant()) == (300, True, 0)
    after = await stream.search("boat 7", conversation="c", k=1)
    assert after.chosen[0].components["semantic"] > 0.5
    assert await stream.embed_again(tried.append) == 0


async def test_items_without_vectors_get_one_when_the_embedder_answers_again() -> None:
    store, embedder = DictStream(), Rows(None)
    stream = a_stream(store, embedder=embedder)
    await tell(stream, "red", "blue")
    embedder.row = (1.0, 1.0)
    assert (await stream.unmeant(), await stream.embed_again(lambda _: None), await stream.unmeant()) == (2, 2, 0)
    embedder.row = (math.nan, 1.0)
    await tell(stream, "green")
    assert await stream.embed_again(lambda _: None) == 0


async def test_without_an_embedder_words_alone_decide() -> None:
    stream = a_stream(words_only=True)
    await tell(stream, "red boat", "blue train")
    found = await stream.search("boat", conversation="c")
    assert (found.trouble, found.chosen[0].components["hybrid"]) == ("", 1.0)
    assert (await stream.unmeant(), await stream.embed_again(lambda _: None)) == (0, 0)


async def test_an_embedder_that_does_not_say_its_dimensions_is_known_by_its_first_vector() -> None:
    embedder = Rows((1.0, 0.0, 0.0), dimensions=0)
    store = DictStream()
    stream = a_stream(store, embedder=embedder)
    assert (await stream.search("boat")).ranked == ()
    await tell(stream, "red boat")
    found = await stream.search("boat", conversation="c", scoring=COMPARED["naive"])
    assert found.chosen[0].score == pytest.approx(1.0)
    embedder.row = (1.0, 0.0)
    assert (await stream.append(NewTurn(conversation="c", observation="x"))).vector is None


def test_a_vector_is_checked_where_it_is_made() -> None:
    assert vector_of("m", [0.5, -1.0]).dimensions == 2
    for model, numbers in (("", [1.0]), ("m", []), ("m", [math.nan]), ("m", [0.0, -0.0])):
        with pytest.raises(InvalidInput):
            vector_of(model, numbers)
    with pytest.raises(InvalidInput, match="32-bit"):
        Vector(model="m", data=b"abc")


async def test_of_a_long_conversation_the_nearest_is_a_candidate_with_those_beside_it_and_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "CANDIDATES", 2)
    stream = a_stream(words_only=True)
    told = [f"colour {number * 7919 % 600}" for number in range(600)]
    items = [
        item
        for start in range(0, 600, 100)
        for item in await stream.append_all(
            [NewTurn(conversation="c", observation=text) for text in told[start : start + 100]]
        )
    ]
    said = {item.id: item.observation for item in items}
    found = await stream.search("colour 123?", conversation="c", scoring=COMPARED["words"])
    names = [said[each.id] for each in found.ranked]
    place = told.index("colour 123")
    assert names[0] == "colour 123"
    assert {*told[place - 2 : place + 3], *told[-2:]} <= set(names)
    assert len(names) < 60
