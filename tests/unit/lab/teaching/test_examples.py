import random

from r_memory_lab.teaching.domains import CLINICAL, STATUSES
from r_memory_lab.teaching.examples import BEGINS, IGNORED, INSIDE, OUTSIDE, example, moved, negatives
from tests.unit.lab.teaching.lines import line
from tests.unit.reading.taught.doubles import FakeEncoder

PENICILLIN = line("I'm allergic to wheat germ.", ("wheat germ", "ALLERGY", "active"))


def test_a_line_is_laid_out_as_the_reader_sees_it() -> None:
    encoder = FakeEncoder()
    made = example(line("Terribly.", ("eggs", "ALLERGY", "active"), question="Eggs, or eggs?", asked=True), encoder)
    said, asked = encoder.pieces("patient :").ids, encoder.pieces("Eggs, or eggs?").ids
    assert made.ids == (1, *said, *asked, 2, *encoder.pieces("Terribly.").ids, 2)
    assert made.second == 2 + len(said) + len(asked)


def test_words_are_tagged_at_their_first_piece() -> None:
    made = example(PENICILLIN, FakeEncoder())
    body = made.things[made.second :]
    # I ' m allerg|ic to wheat germ . [stop]
    assert body == (
        OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE, IGNORED, OUTSIDE, BEGINS, INSIDE, OUTSIDE, IGNORED,
    )  # fmt: skip
    assert set(made.things[: made.second]) == {IGNORED}


def test_two_facts_of_one_thing_are_one_span() -> None:
    made = example(line("Aspirin", ("Aspirin", "ALLERGY", "active"), ("Aspirin", "TAKES", "resolved")), FakeEncoder())
    (taught,) = made.taught
    names = list(CLINICAL.relations)
    assert [names[number] for number in taught.relations] == ["ALLERGY", "TAKES"]
    assert [STATUSES[number].value for number in taught.statuses] == ["active", "resolved"]


def test_a_detail_is_bound_to_its_thing_and_to_no_other() -> None:
    text = "Milk: hives. Eggs fine."
    told = line(text, ("Milk", "ALLERGY", "active"), reaction="hives")
    both = line(text, ("Milk", "ALLERGY", "active"), ("Eggs", "TOLERATES", "active"))
    marks = (told.marks[0], both.marks[1])
    made = example(
        type(told)(**{**{name: getattr(told, name) for name in told.__slots__}, "marks": marks}), FakeEncoder()
    )
    assert [(binding.thing[0] - made.second, binding.belongs) for binding in made.bindings] == [(0, True), (4, False)]


def test_negatives_touch_no_mention() -> None:
    made = example(PENICILLIN, FakeEncoder())
    (taught,) = made.taught
    for negative in negatives(made, many=50, chance=random.Random(1)):
        assert negative.relations == ()
        assert negative.span[1] <= taught.span[0] or taught.span[1] <= negative.span[0]


def test_a_moved_span_keeps_a_word_of_its_own() -> None:
    made = example(PENICILLIN, FakeEncoder())
    (taught,) = made.taught
    found = {moved(taught, made, chance=random.Random(seed)) for seed in range(20)}
    first, last = taught.span
    assert found == {(first, last - 1), (first + 1, last)}
