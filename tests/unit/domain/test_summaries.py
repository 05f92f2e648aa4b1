"""The structured summary: what accumulates never shrinks by a reply, whatever the reply is."""

from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.storable import check_values
from r_memory.domain.summaries import (
    ACCUMULATED,
    ENTRIES_AT_ONCE,
    ENTRY_LIMIT,
    FIELDS,
    ConversationSummary,
    archived,
    lifted,
    merged,
    option_of,
    usable,
)

TALK = ConversationSummary(
    version=3,
    core_discussion="a database for billing",
    confirmed_needs=("transactions",),
    constraints=("at most 500 dollars a month",),
    excluded_options=("MongoDB: no joins", "DynamoDB: price"),
    key_data=("2 000 invoices a day",),
    current_conclusion=("PostgreSQL",),
    pending_questions=("which host?",),
    pending_discussion=("backups",),
)
words = st.text(max_size=12)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | words, lambda inner: st.lists(inner, max_size=4), max_leaves=6
)


@given(st.dictionaries(st.sampled_from(FIELDS) | words, anything))
def test_no_reply_whatsoever_shrinks_what_accumulates(reply: dict[str, object]) -> None:
    after = merged(TALK, reply)
    for name in (*ACCUMULATED, "current_conclusion"):
        assert set(getattr(TALK, name)) <= set(getattr(after, name))
    assert after.core_discussion
    assert after.version == TALK.version + (after != TALK)


def test_a_reply_that_leaves_fields_out_leaves_them_as_they_were() -> None:
    assert merged(TALK, {}) is TALK
    assert merged(TALK, {"key_data": []}) is TALK


def test_new_entries_are_added_once_and_the_newest_conclusion_stands_first() -> None:
    reply = {"key_data": ["2 000  INVOICES a day", "three clerks"], "current_conclusion": ["PostgreSQL 18"]}
    after = merged(TALK, reply)
    assert after.key_data == ("2 000 invoices a day", "three clerks")
    assert after.current_conclusion == ("PostgreSQL 18", "PostgreSQL")


def test_topic_and_questions_are_those_of_the_newest_turn() -> None:
    after = merged(TALK, {"core_discussion": "hosting", "pending_questions": []})
    assert (after.core_discussion, after.pending_questions) == ("hosting", ())
    assert merged(TALK, {"core_discussion": "  "}).core_discussion == TALK.core_discussion


def test_a_text_where_a_list_belongs_counts_as_one_entry() -> None:
    assert merged(TALK, {"constraints": "in Europe"}).constraints == (*TALK.constraints, "in Europe")


def test_an_option_that_is_raised_again_is_excluded_no_longer() -> None:
    after = lifted(TALK, "mongodb")
    assert after.excluded_options == ("DynamoDB: price",)
    assert after.version == TALK.version + 1
    assert lifted(TALK, "Redis") is TALK


def test_the_option_stands_before_the_colon_of_either_width() -> None:
    assert option_of("Kaffee\uff1a Schlaf") == "Kaffee"


def test_an_option_that_is_excluded_again_keeps_its_first_reason() -> None:
    after = merged(TALK, {"excluded_options": ["mongodb: too slow", "Redis: memory", ": no option"]})
    assert after.excluded_options == (*TALK.excluded_options, "Redis: memory")


def test_an_option_with_its_reason_may_come_as_an_object() -> None:
    after = merged(TALK, {"excluded_options": [{"option": "Redis", "reason": "memory", "sure": True}]})
    assert after.excluded_options[-1] == "Redis: memory"


def test_a_conclusion_drawn_again_keeps_its_place() -> None:
    after = merged(TALK, {"current_conclusion": ["postgresql.", "PostgreSQL 18"]})
    assert after.current_conclusion == ("PostgreSQL 18", "PostgreSQL")


@given(st.text(max_size=2 * ENTRY_LIMIT), st.integers(1, 3 * ENTRIES_AT_ONCE))
def test_entries_are_bounded_on_one_line_and_can_be_stored(entry: str, times: int) -> None:
    """A model that answers with a book, or with half a surrogate pair, must not keep the turn from being covered."""
    after = merged(TALK, {"key_data": [f"{number} {entry}\ud800\x00" for number in range(times)]})
    check_values(after)
    added = after.key_data[len(TALK.key_data) :]
    assert len(added) <= ENTRIES_AT_ONCE
    assert all(len(item) <= ENTRY_LIMIT and len(item.splitlines()) == 1 for item in added)


def test_an_archive_takes_the_oldest_entries_and_leaves_a_dozen_limits_and_exclusions() -> None:
    full = merged(TALK, {name: [f"{name} {number}" for number in range(9)] for name in FIELDS})
    after = archived(full, 4)
    assert after.key_data == full.key_data[-4:]
    assert after.current_conclusion == full.current_conclusion[:4]
    assert (after.constraints, after.excluded_options) == (full.constraints, full.excluded_options)
    assert after.version == full.version + 1
    assert archived(after, 4) is after


def test_nothing_at_all_is_an_answer_and_fields_that_nobody_knows_are_none() -> None:
    assert usable({})
    assert usable({"flags": ["repaired"]})
    assert usable({"key_data": "one", "other": 1})
    assert not usable({"summary": {"key_data": ["one"]}})
    assert not usable({"key_data": None, "core_discussion": 7})
