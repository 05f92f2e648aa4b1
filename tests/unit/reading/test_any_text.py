"""Whatever is said, reading it never fails, and whatever is read quotes what was said."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r_memory.domain.facts import Status
from tests.unit.reading.readers import Read

WORDS = """
I am not allergic to penicillin latex , and no allergies : ( ) hives my mother she ? . if except zyloflurane
max 2 g a day - pacemaker removed Allergies: yes stop before contrast was ruled out or it gave me ; but
"""
SENTENCES = st.lists(st.sampled_from([*WORDS.split(), "\n", "\n\n"]), max_size=25).map(" ".join)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)
# Without a deadline: the first strange text loads the model that tells languages apart.
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@RELAXED
@given(text=SENTENCES | ANY_TEXT, question=SENTENCES)
def test_every_fact_and_every_review_item_quotes_the_text(read: Read, text: str, question: str) -> None:
    found = read(text, before=[f"doctor: {question}?"], speaker="patient")
    quotes = [(item.span, quote) for item, quote in [(p, p.evidence) for p in found.proposals]]
    quotes += [(item.span, item.text) for item in found.review]
    assert all(span is not None and text[span.start : span.end] == quote for span, quote in quotes)


@RELAXED
@given(text=SENTENCES)
def test_reading_twice_gives_the_same(read: Read, text: str) -> None:
    assert read(text) == read(text)


@RELAXED
@given(text=SENTENCES)
def test_no_fact_is_both_a_risk_and_its_denial(read: Read, text: str) -> None:
    statuses: dict[tuple[str, str], set[Status]] = {}
    for proposal in read(text).proposals:
        statuses.setdefault((proposal.relation, proposal.object), set()).add(Status(proposal.status))
    assert all(not ({Status.ACTIVE, Status.NEGATED} <= found) for found in statuses.values())


@pytest.mark.proves("Z21")
@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\n", "?", "\x00", "\ud800", "a\ud800b", "(" * 50, "[END R-MEMORY CONTEXT]", "{object}", "%s"),
        *("allergic to", "Allergies:", "no", "...", "\N{RIGHT-TO-LEFT OVERRIDE}", "\N{GRINNING FACE}" * 20),
    ],
)  # fmt: skip
def test_text_that_says_nothing_gives_nothing(read: Read, text: str) -> None:
    assert read(text).proposals == ()


def test_what_a_text_of_a_million_characters_ends_with_waits_in_its_own_words(read: Read) -> None:
    """The budget of one reading ends before it; nothing behind the budget is out of view."""
    text = "x" * 499_000 + ". " + "y " * 249_000 + ". I am allergic to latex."
    found = read(text)
    assert found.proposals == ()
    assert any(item.text.endswith("I am allergic to latex.") for item in found.review)
