"""Clauses of a sentence: laws that hold for any words, and where the language's own clauses begin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.schema import Schema
from r_memory.reading.against import AgainstWords
from r_memory.reading.clauses import Clause, ClauseWords, clauses
from r_memory.text.cutting import words_of

KNOWN = ClauseWords(
    breaks=frozenset({"but"}),
    joiners=frozenset({"and", "because"}),
    subjects=frozenset({"i", "she"}),
    verbs=frozenset({"is", "was", "had"}),
    negators=frozenset({"no", "not"}),
)
CONJUNCTIONS, PLAIN = (
    ("but", "and", "because"),
    ("i", "she", "is", "was", "had", "no", "not", "latex", "coil", "removed"),
)
MARKS = (",", ";", "-", ".", "?", "(", ")", '"')
WORDS = st.lists(st.sampled_from((*CONJUNCTIONS, *PLAIN, *MARKS)), max_size=24)


@given(WORDS)
def test_every_word_belongs_to_exactly_one_clause(words: list[str]) -> None:
    found = clauses(words, KNOWN)

    assert [at for clause in found for at in range(clause.first, clause.end)] == list(range(len(words)))


@given(WORDS)
def test_a_clause_by_itself_is_one_clause(words: list[str]) -> None:
    for clause in clauses(words, KNOWN):
        own = words[clause.first : clause.end]

        assert clauses(own, KNOWN) == (Clause(first=0, end=len(own), joined=False),)


@given(WORDS, WORDS)
def test_no_clause_runs_over_the_mark_between_two_sentences(words: list[str], others: list[str]) -> None:
    both = clauses([*words, ";", "coil", *others], KNOWN)

    assert any(clause.first == len(words) + 1 for clause in both)


@given(WORDS)
def test_a_clause_begins_before_but_wherever_words_stand_before_it(words: list[str]) -> None:
    both = clauses(["coil", *words, "coil", "but", "coil"], KNOWN)

    assert any(clause.first == len(words) + 2 for clause in both)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No latex, nickel or eggs", ["no latex , nickel or eggs"]),
        ("No latex, no nickel", ["no latex ,", "no nickel"]),
        ("Not allergic to eggs but nickel itches", ["not allergic to eggs", "but nickel itches"]),
        ("Kiwi, banana and mango all sting", ["kiwi , banana and mango all sting"]),
        ("Warfarin, stopped in May", ["warfarin , stopped in may"]),
        ("Latex, I never could wear it", ["latex , i never could wear it"]),
        ("No, it was taken out", ["no ,", "it was taken out"]),
        ("The coil is out, the clip stays put", ["the coil is out , the clip stays put"]),
        ("The coil is out and the clip was left", ["the coil is out", "and the clip was left"]),
        ("Eggs? Not me", ["eggs ?", "not me"]),
        ("I take it because I am allergic", ["i take it", "because i am allergic"]),
    ],
)
def test_a_clause_begins_with_a_subject_a_verb_or_a_denial_of_its_own(
    schema: Schema, text: str, expected: list[str]
) -> None:
    words = words_of(text.casefold())

    found = clauses(words, AgainstWords(schema).clauses)

    assert [" ".join(words[clause.first : clause.end]) for clause in found] == expected
