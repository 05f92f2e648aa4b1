"""Documents beside a talk: of the same subject or nobody, a few of them, nothing twice, and never another subject's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.memories import Layer, MemoryItem, Scored, Tier, conversation_uid
from r_memory_talk.stream.index import Scope, StreamIndex
from r_memory_talk.stream.layers import with_few_beside
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from tests.unit.talk.stream.world import SPACE, a_stream, tell

pytestmark = pytest.mark.anyio
SUBJECTS = ("", "clinic/Patient/A", "clinic/Patient/B")


async def read(stream: Stream, *texts: str, name: str = "guide", subject_uid: str = "") -> None:
    """One document with a part for each text."""
    for number, text in enumerate(texts, start=1):
        await stream.append(
            NewTurn(
                conversation=f"document-{name}",
                subject_uid=subject_uid,
                speaker=f"{name}, page {number}",
                observation=text,
                tier=Tier.DOCUMENT,
                key=f"{name}.{number}",
            )
        )


@pytest.mark.proves("MIM-8")
@given(
    st.lists(st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(Tier), st.sampled_from("cd")), max_size=12),
    st.sampled_from(SUBJECTS),
    st.booleans(),
    st.sampled_from(Layer),
    st.integers(min_value=0, max_value=3),
)
def test_no_scope_with_documents_holds_an_item_about_another_subject(
    items: list[tuple[str, Tier, str]], subject_uid: str, within: bool, layer: Layer, skip_last: int
) -> None:
    """Isolation is safety: whatever is stored, whoever asks sees what is about them, and documents about nobody."""
    index = StreamIndex(model="", dimensions=0)
    index.put_all(
        [
            MemoryItem(
                id=f"{number}",
                space=SPACE,
                conversation=name,
                subject_uid=about,
                index=number if tier is Tier.TURN else 0,
                seq=number,
                observation="x",
                tier=tier,
                created_at=1,
                accessed_at=1,
            )
            for number, (about, tier, name) in enumerate(items, start=1)
        ]
    )
    scope = Scope(
        conversation_uid=conversation_uid(SPACE, subject_uid, "c") if within or not subject_uid else "",
        subject_uid=subject_uid,
        skip_last=skip_last,
        layer=layer,
        documents=True,
    )
    found = index.within(scope)
    assert all(item.subject_uid == subject_uid or item.tier is Tier.DOCUMENT for item in found)
    assert {item.subject_uid for item in found} <= {"", subject_uid}
    documents = {item.id for item in found if item.tier is Tier.DOCUMENT}
    assert documents == {
        str(number)
        for number, (about, tier, _) in enumerate(items, start=1)
        if tier is Tier.DOCUMENT and about in {"", subject_uid}
    }


async def test_a_search_about_a_subject_finds_what_was_read_about_nobody_in_particular() -> None:
    stream = a_stream()
    await read(stream, "The pool opens at seven.")
    await read(stream, "The pool is closed for Ben.", name="ben", subject_uid=SUBJECTS[2])
    found = await stream.search("When does the pool open?", subject_uid=SUBJECTS[1])
    assert [hit.item.id for hit in found.chosen] == ["guide.1"]


async def test_a_search_within_a_talk_sees_documents_only_if_it_is_told_to() -> None:
    stream = a_stream()
    await read(stream, "The pool opens at seven.")
    await tell(stream, "I like the pool.")
    without = await stream.search("pool", conversation="c")
    beside = await stream.search("pool", conversation="c", documents=1)
    assert [hit.item.id for hit in without.chosen] == ["item-1"]
    assert {hit.item.id for hit in beside.chosen} == {"item-1", "guide.1"}


async def test_a_long_document_leaves_a_short_talk_its_places() -> None:
    stream = a_stream()
    await read(stream, *[f"The pool, the pool and once more the pool, on page {page}." for page in range(300)])
    await tell(stream, "My locker is number nine.", "I swim on Fridays.", "The water is cold.", "Nice weather.")
    found = await stream.search("Which locker at the pool was mine?", conversation="c", k=4, documents=2)
    assert [hit.item.tier for hit in found.chosen].count(Tier.DOCUMENT) <= 2
    assert "item-1" in {hit.item.id for hit in found.chosen}


async def test_the_turns_that_a_context_shows_anyway_are_counted_without_documents() -> None:
    stream = a_stream()
    await tell(stream, "pool one", "pool two", "pool three")
    await read(stream, "pool guide")
    found = await stream.search("pool", conversation="c", skip_last=1, documents=3)
    assert {hit.item.id for hit in found.chosen} == {"item-1", "item-2", "guide.1"}


def test_of_a_summary_and_its_part_only_the_better_one_is_kept() -> None:
    def a(id_: str, *sources: str, conversation: str = "document-1") -> MemoryItem:
        return MemoryItem(
            id=id_,
            space=SPACE,
            conversation=conversation,
            observation="x",
            tier=Tier.DOCUMENT,
            sources=sources,
            created_at=1,
            accessed_at=1,
        )

    items = {item.id: item for item in (a("root", "block"), a("block", "part"), a("part"), a("other"), a("last"))}
    ranked = [Scored(id=id_, score=1.0, components={}) for id_ in ("part", "root", "other", "block", "last")]
    kept = with_few_beside(ranked, items.get, "c", documents=2, elsewhere=0)
    assert [item.id for item in kept] == ["part", "other"]
    own = items["root"].conversation_uid
    assert len(with_few_beside(ranked, items.get, own, documents=0, elsewhere=0)) == len(ranked)
