"""What every keeper of summaries, decisions and documents must do alike: the oracle, the embedded database, Neo4j."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from r_memory.domain.memories import DocumentState, Tier, conversation_uid
from r_memory.domain.summaries import ConversationSummary
from r_memory.domain.turns import Form, Judgement
from r_memory.errors import InvalidInput, WriteConflict
from r_memory.store.bolt import Endpoint
from tests.store.conversation_world import Kept, a_decision, a_document, a_summary, opened_kept, weighed
from tests.store.world import NOW, a_space

pytestmark = pytest.mark.anyio

ODD = "青黴素 '\"; DROP ß \N{PILE OF POO}\n"


@pytest.fixture
async def kept(place: Endpoint | None) -> AsyncIterator[Kept]:
    async with opened_kept(place) as kept:
        yield kept


# --- summaries -------------------------------------------------------------------------------------------------------


async def test_a_summary_comes_back_with_every_field(kept: Kept) -> None:
    space = a_space()
    summary = a_summary(
        space,
        conversation="visit/7 %",
        subject_uid=f"{space}/Patient/JD001",
        content=ConversationSummary(
            version=1,
            core_discussion=ODD,
            confirmed_needs=(ODD, "second"),
            constraints=("c",),
            excluded_options=("MongoDB: no transactions",),
            key_data=("500 dollars",),
            current_conclusion=("newest", "older"),
            pending_questions=("q",),
            pending_discussion=("d",),
        ),
        flags=("repaired",),
    )
    bare = a_summary(space, content=ConversationSummary(version=1), made_at=0)
    for item in (summary, bare):
        await kept.conversations.add_summary(item)
        assert await kept.conversations.summaries(space, item.conversation_uid) == (item,)


async def test_versions_of_a_summary_are_told_newest_first(kept: Kept) -> None:
    space = a_space()
    versions = [a_summary(space, version) for version in (1, 2, 4, 5)]
    for item in versions:
        await kept.conversations.add_summary(item)
    uid = versions[0].conversation_uid
    assert await kept.conversations.summaries(space, uid) == (versions[3],)
    assert await kept.conversations.summaries(space, uid, limit=3) == tuple(versions[:0:-1])
    assert await kept.conversations.summaries(space, uid, limit=100) == tuple(versions[::-1])
    assert await kept.conversations.summaries(space, uid, limit=0) == ()
    assert await kept.conversations.summaries(space, "unknown") == ()


@pytest.mark.parametrize("version", [1, 2])
async def test_a_version_that_is_there_is_not_replaced(kept: Kept, version: int) -> None:
    space = a_space()
    first, second = a_summary(space, 1), a_summary(space, 2)
    await kept.conversations.add_summary(first)
    await kept.conversations.add_summary(second)
    with pytest.raises(WriteConflict):
        await kept.conversations.add_summary(a_summary(space, version, made_by="person"))
    assert await kept.conversations.summaries(space, first.conversation_uid, limit=9) == (second, first)


async def test_a_summary_whose_first_answer_was_lost_may_be_written_again(kept: Kept) -> None:
    space = a_space()
    first, second = a_summary(space, 1), a_summary(space, 2)
    for item in (first, first, second, first, second):
        await kept.conversations.add_summary(item)
    assert await kept.conversations.summaries(space, first.conversation_uid, limit=9) == (second, first)


async def test_of_two_writers_of_one_version_one_is_told_to_look_again(place: Endpoint | None) -> None:
    space = a_space()
    async with opened_kept(place) as one, opened_kept(place) as other:
        second = one if place is None else other
        written = await asyncio.gather(
            *(
                (one, second)[number % 2].conversations.add_summary(a_summary(space, made_by=f"writer {number}"))
                for number in range(6)
            ),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in written) == ["NoneType"] + ["WriteConflict"] * 5
        winner = written.index(None)
        (stored,) = await second.conversations.summaries(space, conversation_uid(space, "", "c"), limit=9)
        assert stored.made_by == f"writer {winner}"


# --- decisions -------------------------------------------------------------------------------------------------------


async def test_a_decision_comes_back_with_every_field(kept: Kept) -> None:
    space = a_space()
    decision = a_decision(
        space,
        7,
        conversation="visit/7",
        subject_uid=f"{space}/Patient/JD001",
        gate=Judgement(yes=False, by=ODD, score=0.25, trouble="neither yes nor no"),
        candidates=(weighed(0, Form.RAW), weighed(1, Form.SUMMARY), weighed(2, Form.DROPPED), weighed(3)),
        summary_version=4,
        tokens={"raw": 12, ODD: 3},
        tokens_before=99,
        full_history_tokens=1234,
        steps_ms={"gate": 0.1, "search": 2.0},
        parse_failures=1,
        failed={"summary": ODD},
        flags=("over_triggered", "slow"),
    )
    undecided = a_decision(space, 8, gate=Judgement(yes=None, by="policy"))
    for item in (decision, undecided):
        await kept.conversations.add_decision(item)
        assert await kept.conversations.decisions(space, item.conversation_uid) == (item,)


@pytest.mark.proves("SCM-40")
async def test_a_decision_about_hundreds_of_candidates_is_kept_whole(kept: Kept) -> None:
    space = a_space()
    decision = a_decision(space, candidates=tuple(weighed(number) for number in range(800)))
    await kept.conversations.add_decision(decision)
    assert await kept.conversations.decisions(space) == (decision,)


async def test_a_decision_told_again_is_the_one_stored_first(kept: Kept) -> None:
    space = a_space()
    decision = a_decision(space)
    await kept.conversations.add_decision(decision)
    await kept.conversations.add_decision(replace(decision, profile="scm"))
    assert await kept.conversations.decisions(space) == (decision,)


async def test_decisions_are_told_newest_first_for_one_conversation_or_the_space(kept: Kept) -> None:
    space = a_space()
    made = [a_decision(space, turn, conversation="cd"[turn % 2]) for turn in range(1, 6)]
    at_once = [replace(a_decision(space, 6), id=id_, at=NOW + 1_000_000) for id_ in ("a", "b")]
    for item in (*made, *at_once):
        await kept.conversations.add_decision(item)
    newest_first = (*at_once[::-1], *made[::-1])
    assert await kept.conversations.decisions(space) == newest_first
    assert await kept.conversations.decisions(space, limit=3) == newest_first[:3]
    about_d = tuple(item for item in newest_first if item.conversation == "d")
    assert await kept.conversations.decisions(space, made[0].conversation_uid) == about_d
    assert await kept.conversations.decisions(space, made[0].conversation_uid, limit=1) == about_d[:1]
    assert await kept.conversations.decisions(space, limit=0) == ()


async def test_decisions_made_at_once_are_all_kept(kept: Kept) -> None:
    space = a_space()
    made = [a_decision(space, turn) for turn in range(1, 9)]
    await asyncio.gather(*(kept.conversations.add_decision(item) for item in made))
    assert await kept.conversations.decisions(space) == tuple(made[::-1])


# --- documents -------------------------------------------------------------------------------------------------------


async def test_a_document_comes_back_as_it_was_put_last(kept: Kept) -> None:
    space = a_space()
    document = a_document(space, name=ODD, subject_uid=f"{space}/Patient/A", flags=("forced_split",))
    done = replace(document, read=12, state=DocumentState.DONE, theme=ODD, root="memory-9", levels=2, flags=())
    for item in (document, document, done):
        await kept.conversations.put_document(item)
        assert await kept.conversations.documents(space, document.id) == (item,)
        assert await kept.conversations.documents(space) == (item,)
    assert await kept.conversations.documents(space, document.id, limit=0) == ()


async def test_documents_are_told_newest_first(kept: Kept) -> None:
    space = a_space()
    put = [a_document(space) for _ in range(4)]
    for item in put[::-1]:
        await kept.conversations.put_document(item)
    assert await kept.conversations.documents(space) == tuple(put[::-1])
    assert await kept.conversations.documents(space, limit=2) == (put[3], put[2])
    assert await kept.conversations.documents(space, "unknown") == ()


# --- conversations ---------------------------------------------------------------------------------------------------


async def test_conversations_with_turns_are_named_newest_first(kept: Kept) -> None:
    space = a_space()
    subject = f"{space}/Patient/A"
    await kept.tell(space, 1, conversation="first")
    await kept.tell(space, 1, conversation="zweite ß", subject_uid=subject)
    await kept.tell(space, 1, conversation="third")
    await kept.tell(space, 1, conversation="first", subject_uid=subject)
    assert await kept.conversations.conversations(space) == ("first", "third", "zweite ß")
    assert await kept.conversations.conversations(space, subject) == ("first", "zweite ß")
    assert await kept.conversations.conversations(space, limit=2) == ("first", "third")
    assert await kept.conversations.conversations(space, "nobody") == ()
    await kept.tell(space, 1, conversation="third")
    assert await kept.conversations.conversations(space) == ("third", "first", "zweite ß")


async def test_what_was_only_asked_about_or_read_is_no_conversation_yet(kept: Kept) -> None:
    space = a_space()
    await kept.conversations.add_decision(a_decision(space, conversation="asked"))
    await kept.conversations.add_summary(a_summary(space, conversation="summarised"))
    await kept.tell(space, 1, conversation="document", tier=Tier.DOCUMENT)
    last = await kept.tell(space, 2, conversation="erased")
    await kept.stream.remove_memories(space, last.conversation_uid, [last.id], turns=2, left=1)
    assert await kept.conversations.conversations(space) == ("erased",)
    await kept.stream.remove_memories(space, last.conversation_uid, [last.id], turns=1, left=0)
    assert await kept.conversations.conversations(space) == ()


# --- erasing ---------------------------------------------------------------------------------------------------------


async def test_what_covers_erased_turns_is_erased_and_the_rest_stays(kept: Kept) -> None:
    space = a_space()
    summaries = [a_summary(space, version, upto=version * 2) for version in (1, 2, 3)]
    decisions = [a_decision(space, turn) for turn in (1, 4, 5, 6, 7)]
    other = a_decision(space, 9, conversation="d"), a_summary(space, upto=9, conversation="d")
    for item in (*decisions, other[0]):
        await kept.conversations.add_decision(item)
    for summary in (*summaries, other[1]):
        await kept.conversations.add_summary(summary)
    uid = summaries[0].conversation_uid
    assert await kept.conversations.forget_turns(space, uid, after=4) == 1 + 3
    assert await kept.conversations.summaries(space, uid, limit=9) == (summaries[1], summaries[0])
    assert await kept.conversations.decisions(space, uid) == (decisions[1], decisions[0])
    assert await kept.conversations.forget_turns(space, uid, after=4) == 0
    again = a_summary(space, 3, upto=5)
    await kept.conversations.add_summary(again)
    assert await kept.conversations.summaries(space, uid) == (again,)
    assert await kept.conversations.decisions(space, other[0].conversation_uid) == (other[0],)
    assert await kept.conversations.summaries(space, other[1].conversation_uid) == (other[1],)


async def test_a_reset_conversation_begins_with_the_first_version_again(kept: Kept) -> None:
    space = a_space()
    before_any_turn = a_summary(space, 1, upto=0)
    await kept.conversations.add_summary(before_any_turn)
    await kept.conversations.add_summary(a_summary(space, 2, upto=3))
    await kept.conversations.add_decision(a_decision(space, 1))
    uid = before_any_turn.conversation_uid
    assert await kept.conversations.forget_turns(space, uid, after=0) == 3
    assert await kept.conversations.summaries(space, uid, limit=9) == ()
    assert await kept.conversations.decisions(space) == ()
    await kept.conversations.add_summary(before_any_turn)
    assert await kept.conversations.summaries(space, uid, limit=9) == (before_any_turn,)
    assert await kept.conversations.forget_turns(space, "unknown", after=0) == 0


# --- spaces and values -----------------------------------------------------------------------------------------------


async def test_no_space_sees_or_erases_what_another_keeps(kept: Kept) -> None:
    space, other = a_space(), a_space()
    summary, decision, document = a_summary(space), a_decision(space), a_document(space)
    await kept.conversations.add_summary(summary)
    await kept.conversations.add_decision(decision)
    await kept.conversations.put_document(document)
    await kept.tell(space, 1)
    uid = summary.conversation_uid
    assert await kept.conversations.summaries(other, uid, limit=9) == ()
    assert await kept.conversations.decisions(other, uid) == ()
    assert await kept.conversations.decisions(other) == ()
    assert await kept.conversations.documents(other, document.id) == ()
    assert await kept.conversations.documents(other) == ()
    assert await kept.conversations.conversations(other) == ()
    assert await kept.conversations.forget_turns(other, uid, after=0) == 0
    twins = replace(decision, space=other), replace(document, space=other)
    await kept.conversations.add_decision(twins[0])
    await kept.conversations.put_document(twins[1])
    assert await kept.conversations.summaries(space, uid) == (summary,)
    assert await kept.conversations.decisions(space) == (decision,)
    assert await kept.conversations.documents(space) == (document,)
    assert await kept.conversations.decisions(other) == (twins[0],)


@pytest.mark.parametrize("text", ["nul \x00", "half \ud83d"])
async def test_what_no_store_keeps_is_refused(kept: Kept, text: str) -> None:
    space = a_space()
    with pytest.raises(InvalidInput):
        await kept.conversations.add_summary(a_summary(space, made_by=text))
    with pytest.raises(InvalidInput):
        await kept.conversations.add_decision(a_decision(space, failed={"summary": text}))
    with pytest.raises(InvalidInput):
        await kept.conversations.put_document(a_document(space, name=text))
    assert await kept.conversations.decisions(space) == ()


async def test_the_turns_of_a_conversation_are_numbered_as_before_when_more_is_kept_beside_them(kept: Kept) -> None:
    space = a_space()
    first = await kept.tell(space, 1)
    await kept.conversations.add_summary(a_summary(space))
    await kept.conversations.add_decision(a_decision(space, 2))
    second = await kept.tell(space, 1)
    assert (first.index, second.index, second.change) == (1, 2, 2)
