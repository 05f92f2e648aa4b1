"""What is cut first when there is too little room, as laws over random drafts."""

from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.turns import HEADINGS, Form, Part
from r_memory.text.tokens import count
from r_memory_talk.assembly import Draft, ItemForm, fitted, sections


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


def a_draft(*, activated: int = 3, previous: int = 1, summary: str = "Topic: x\nData: y") -> Draft:
    return Draft(
        summary=summary,
        settled="Data: y" if summary else "",
        activated=tuple(ItemForm(item=an_item(n, summary=f"short {n}")) for n in range(1, activated + 1)),
        previous=tuple(ItemForm(item=an_item(n, summary=f"short {n}")) for n in range(90, 90 + previous)),
    )


def total(draft: Draft) -> int:
    return sum(section.tokens for section in sections(draft))


def test_a_draft_that_fits_stays_as_it_is() -> None:
    draft = a_draft()
    assert fitted(draft, total(draft)) == draft


def test_the_least_similar_item_is_shortened_first_then_the_next() -> None:
    draft = a_draft()
    cut = fitted(draft, total(draft) - 1)
    assert [shown.form for shown in cut.activated] == [Form.RAW, Form.RAW, Form.SUMMARY]
    assert [shown.form for shown in cut.previous] == [Form.RAW]


def test_items_go_before_the_previous_turn_is_shortened_and_that_before_the_summary_loses_fields() -> None:
    bare = a_draft(activated=0)
    cut = fitted(a_draft(), total(bare))
    assert (cut.activated, cut.previous, cut.summary) == ((), bare.previous, bare.summary)
    shorter = fitted(a_draft(), total(bare) - 1)
    assert [shown.form for shown in shorter.previous] == [Form.SUMMARY]
    assert shorter.summary == bare.summary
    settled = fitted(a_draft(), total(shorter) - 1)
    assert settled.summary == "Data: y"
    assert not settled.over_budget


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
    room=st.integers(0, 200),
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
        summary="Topic: x\nData: y" if summary else "",
        settled="Data: y" if summary else "",
        activated=tuple(ItemForm(item=an_item(n, lengths + 1)) for n in range(1, activated + 1)),
        previous=tuple(ItemForm(item=an_item(n, lengths + 1, summary="s")) for n in range(90, 90 + previous)),
    )
    cut = fitted(draft, room)
    assert total(cut) <= room
    parts = [section.part for section in sections(cut)]
    assert parts == [part for part in Part if part in parts]
    assert all(count(HEADINGS[section.part]) < section.tokens for section in sections(cut))
