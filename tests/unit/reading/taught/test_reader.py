import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.facts import Status
from r_memory.errors import ConfigurationError
from r_memory.reading.taught.claims import Person, Place, Places, TaughtClaim
from r_memory.reading.taught.heads import Heads, distance
from r_memory.reading.taught.reader import TaughtReader
from tests.unit.reading.taught.doubles import FakeEncoder, arrays, labels


def _reader(encoder: FakeEncoder | None = None) -> TaughtReader:
    return TaughtReader(labels(), lambda: (encoder or FakeEncoder(), Heads(arrays(), labels())))


def _words(claims: tuple[TaughtClaim, ...], text: str, question: str = "") -> list[str]:
    return [(question if claim.place.in_question else text)[claim.place.start : claim.place.end] for claim in claims]


def test_a_thing_is_found_by_its_context_alone() -> None:
    text = "We had slugs in May."
    (claim,) = _reader().read(text)
    assert (claim.place, claim.known) == (Place(start=7, end=12), False)
    assert [(statement.relation, statement.status, statement.person) for statement in claim.statements] == [
        ("HAS_PEST", Status.NEGATED, Person.SUBJECT)
    ]
    assert claim.statements[0].probability == pytest.approx(1 / (1 + np.exp(-6)), abs=1e-4)


def test_probabilities_of_a_statement_sum_to_one() -> None:
    (claim,) = _reader().read("We had slugs in May.")
    (statement,) = claim.statements
    assert sum(statement.statuses.values()) == pytest.approx(1)
    assert sum(statement.persons.values()) == pytest.approx(1)


def test_a_mention_that_the_tagger_does_not_see_is_read_all_the_same() -> None:
    text = "No snails here."
    (claim,) = _reader().read(text, mentions=(Place(start=3, end=9),))
    assert (_words((claim,), text), claim.known, claim.statements) == (["snails"], True, ())


def test_words_that_are_a_mention_and_a_thing_are_read_once_under_the_mentions_name() -> None:
    text = "We had slugs here."
    (claim,) = _reader().read(text, mentions=(Place(start=7, end=17),))
    assert (_words((claim,), text), claim.known) == (["slugs here"], True)
    assert [statement.relation for statement in claim.statements] == ["HAS_PEST"]


def test_things_of_the_question_are_read_too() -> None:
    question, text = "Did you ever have slugs?", "Terribly."
    claims = _reader().read(text, question=question)
    assert (_words(claims, text, question), claims[0].place.in_question) == (["slugs"], True)


def test_a_detail_stands_with_its_thing() -> None:
    text = "In 2019 we had slugs."
    (claim,) = _reader().read(text)
    assert [(detail.name, text[detail.place.start : detail.place.end]) for detail in claim.details] == [
        ("year", "2019")
    ]


def test_the_speaker_is_shown_to_the_encoder_and_an_unknown_one_is_someone() -> None:
    encoder = FakeEncoder()
    reader = _reader(encoder)
    for speaker in ("note", "nobody we know", ""):
        reader.read("Slugs.", speaker=speaker)
    said = [ids[1 : 1 + len(encoder.pieces("note :"))] for ids, _ in encoder.seen]
    assert said[0] == encoder.pieces("note :").ids
    assert encoder.seen[1] == encoder.seen[2]
    assert encoder.seen[1][0][1:3] == encoder.pieces("someone :").ids[:2]


def test_the_utterance_begins_where_the_encoder_is_told() -> None:
    encoder = FakeEncoder()
    _reader(encoder).read("slugs", question="And now?")
    ((ids, second),) = encoder.seen
    assert ids[second:] == (*encoder.pieces("slugs").ids, encoder.stop)


def test_a_text_of_eight_thousand_characters_is_read_to_its_end() -> None:
    text = "Nothing to tell of today, or of the day before. " * 170 + "And slugs."
    (claim,) = _reader().read(text)
    assert claim.place.end == len(text) - 1


def test_three_hundred_things_have_three_hundred_claims() -> None:
    text = ", ".join(["slugs"] * 300)
    assert len(_reader().read(text)) == 300


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 300), st.integers(0, 200))))
def test_things_are_found_by_their_place(drawn: list[tuple[bool, int, int]]) -> None:
    places = [Place(in_question=asked, start=start, end=start + length) for asked, start, length in drawn]
    found = Places((place, number) for number, place in enumerate(places))
    for place in places:
        assert found.touching(place) == [number for number, one in enumerate(places) if one.touches(place)]


@given(st.text(max_size=200), st.text(max_size=80), st.data())
def test_every_mention_with_words_has_one_claim_whatever_was_said(
    text: str, question: str, data: st.DataObject
) -> None:
    starts = data.draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=4, unique=True))
    mentions = tuple(Place(start=start, end=min(len(text), start + 5)) for start in starts)
    claims = _reader().read(text, question=question, mentions=mentions)
    pieces = FakeEncoder().pieces(text)
    readable = {place for place in mentions if pieces.around(place.start, place.end) is not None}
    assert sorted(claim.place for claim in claims if claim.known) == sorted(readable)


def test_a_mention_across_two_windows_is_read_once() -> None:
    text = " ".join(f"w{number}" for number in range(200))
    whole = Place(start=0, end=len(text))
    claims = _reader().read(text, mentions=(whole,))
    assert [claim.place for claim in claims] == [whole]


def test_heads_of_another_size_than_the_labels_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="different versions"):
        Heads(arrays(), labels(relations=("HAS_PEST", "HAS_WEED")))


def test_heads_without_a_layer_are_refused() -> None:
    found = arrays()
    del found["garden.tags.bias"]
    with pytest.raises(ConfigurationError, match=r"no 'garden\.tags\.bias'"):
        Heads(found, labels())


def test_a_detail_is_further_behind_than_before() -> None:
    assert distance((3, 4), (1, 2)) < distance((3, 4), (3, 4)) < distance((3, 4), (9, 10))
