"""What is cut when there is too little room, and laws over random drafts."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.summaries import ConversationSummary
from r_memory.domain.turns import HEADINGS, Form, Part
from r_memory.text.tokens import count
from r_memory_talk.assembly import NOTHING, SUMMARY_LEAST, Draft, ItemForm, fitted, sections


def an_item(number: int, length: int = 20, summary: str = "") -> MemoryItem:
    return MemoryItem(
        id=f"i{number}",
        space="clinic",
        conversation="c",
        index=number,
        seq=number,
        observation=" ".join(f"word{number}" for _ in range(length)),
        summary=summary,
        created_at=0,
        accessed_at=0,
    )


SUMMARY = ConversationSummary(core_discussion="x", key_data=("y is 7",))


def a_draft(*, activated: int = 3, previous: int = 1, summary: ConversationSummary = SUMMARY) -> Draft:
    return Draft(
        summary=summary,
        activated=tuple(ItemForm(item=an_item(n, summary=f"short {n}")) for n in range(1, activated + 1)),
        previous=tuple(ItemForm(item=an_item(n, summary=f"short {n}")) for n in range(90, 90 + previous)),
    )


def total(draft: Draft) -> int:
    return sum(section.tokens for section in sections(draft))


def test_a_draft_that_fits_stays_as_it_is() -> None:
    draft = a_draft()
    assert fitted(draft, total(draft)) == draft


def test_the_least_similar_item_is_shortened_first_then_the_next() -> None:
    draft = a_draft(previous=0, summary=NOTHING)
    cut = fitted(draft, total(draft) - 1)
    assert [shown.form for shown in cut.activated] == [Form.RAW, Form.RAW, Form.SUMMARY]
    assert not cut.over_budget


def test_twenty_long_turns_leave_the_activated_items_their_place() -> None:
    """Mimir's last turns took all the room from 120 tokens a turn on."""
    long = tuple(ItemForm(item=an_item(n, 100)) for n in range(90, 110))
    cut = fitted(Draft(activated=tuple(ItemForm(item=an_item(n, 100)) for n in range(1, 7)), previous=long), 3_000)
    assert [shown.item.id for shown in cut.activated] == [f"i{n}" for n in range(1, 7)]
    assert cut.previous
    assert cut.previous == long[-len(cut.previous) :]


def test_what_a_section_leaves_over_goes_to_the_others() -> None:
    alone = Draft(previous=a_draft(previous=4).previous)
    assert fitted(alone, total(alone)) == alone
    assert len(fitted(replace(alone, scene="A kitchen."), total(alone)).previous) == 4


def test_of_a_summary_without_room_the_topic_goes_first_and_exclusions_last() -> None:
    content = ConversationSummary(core_discussion="the move", key_data=("y is 7",), excluded_options=("the ferry",))
    whole = total(Draft(summary=content))
    assert fitted(Draft(summary=content), whole - 1).summary.core_discussion == "empty"
    assert fitted(Draft(summary=content), whole - 8).summary == ConversationSummary(excluded_options=("the ferry",))


def test_a_summary_that_no_model_made_takes_a_small_share_of_the_tokens() -> None:
    content = ConversationSummary(key_data=tuple(f"Flight {n} leaves at {n} o'clock." for n in range(10)))
    draft = replace(a_draft(activated=6, summary=content), summary_share=0.15)
    cut = fitted(draft, 0)
    tokens = {section.part: section.tokens for section in sections(cut)}
    assert 0 < tokens[Part.SUMMARY] <= max(SUMMARY_LEAST, 0.15 * total(cut))
    assert (cut.activated, cut.previous, cut.over_budget) == (draft.activated, draft.previous, False)


def test_with_no_room_at_all_nothing_is_left_and_it_says_so() -> None:
    cut = fitted(a_draft(), 1)
    assert sections(cut) == ()
    assert cut.over_budget


def test_a_document_says_that_it_is_one_and_which() -> None:
    item = MemoryItem(
        id="d", space="s", conversation="c", tier=Tier.DOCUMENT, speaker="Notes", summary="It rained.", created_at=0,
        accessed_at=0,
    )  # fmt: skip
    (section,) = sections(Draft(activated=(ItemForm(item=item),)))
    assert section.text == "(Document Notes, 1970-01-01)\nIt rained."


@given(
    room=st.integers(1, 200),
    activated=st.integers(0, 6),
    previous=st.integers(0, 4),
    summary=st.booleans(),
    lengths=st.integers(0, 60),
)
def test_what_is_cut_fits_and_keeps_the_order(
    room: int, activated: int, previous: int, summary: bool, lengths: int
) -> None:
    draft = Draft(
        scene="a kitchen" if lengths % 2 else "",
        summary=SUMMARY if summary else NOTHING,
        activated=tuple(ItemForm(item=an_item(n, lengths + 1)) for n in range(1, activated + 1)),
        previous=tuple(ItemForm(item=an_item(n, lengths + 1, summary="s")) for n in range(90, 90 + previous)),
    )
    cut = fitted(draft, room)
    assert total(cut) <= room
    parts = [section.part for section in sections(cut)]
    assert parts == [part for part in Part if part in parts]
    assert all(count(HEADINGS[section.part]) < section.tokens for section in sections(cut))
