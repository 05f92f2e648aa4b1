"""What is said of a table that works and could work better."""

from dataclasses import replace

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Language
from r_memory.reading.actions.lint import weaknesses
from r_memory.reading.linking import Gazetteer
from tests.unit.reading.actions.exact_linker import ExactLinker
from tests.unit.reading.actions.tables import SCHEMA, SERVE, intent, table

TEN = tuple(f"say something nice number {number}" for number in range(10))
SPEAKING = replace(
    SCHEMA,
    language=Language(
        code="en", sections={"common": ["is", "with"], "requests": {"verbs": ["bring"], "telling": ["is", "nice"]}}
    ),
)


def said_of(rows: IntentTable) -> list[tuple[tuple[str | int, ...], str]]:
    found = weaknesses(rows, SPEAKING, ExactLinker(SPEAKING))
    return [(path, text.split(";")[0]) for path, text in found]


def test_a_row_with_few_examples_is_named() -> None:
    assert said_of(table(replace(SERVE, examples=TEN[:9]))) == [(("intents", "SERVE"), "9 examples")]
    assert said_of(table(replace(SERVE, examples=TEN))) == []


def test_a_keyword_that_everybody_says_belongs_among_the_weak_ones() -> None:
    row = intent("SERVE", keywords=("serv*", "with", "pepper"), examples=TEN)
    rows = replace(table(row), everyday=("pepper",))

    assert said_of(rows) == [
        (("intents", "SERVE", "keywords", 1), "'with' is an everyday word"),
        (("intents", "SERVE", "keywords", 2), "'pepper' is an everyday word"),
    ]


def test_an_example_of_two_rows_is_named_at_the_second() -> None:
    rows = table(intent("A", examples=TEN), intent("B", examples=(*TEN[:1], *(f"b {text}" for text in TEN))))

    assert said_of(rows) == [(("intents", "B", "examples", 0), f"'{TEN[0]}' is an example of A as well")]


def test_a_silent_example_that_a_keyword_takes_for_a_request_is_named_with_the_keyword() -> None:
    rows = table(
        intent("SERVE", keywords=("cup*",), examples=TEN),
        intent("CHAT", examples=("bring a cup", *(f"c {text}" for text in TEN)), silent=True),
    )

    assert said_of(rows) == [
        (("intents", "CHAT", "examples", 0), "'bring a cup' is silent, but 'cup' of SERVE asks in it")
    ]


def test_the_shipped_clinical_table_has_no_weakness() -> None:
    clinical = load_domain(Files(), "clinical")

    assert weaknesses(clinical.intents, clinical.schema, Gazetteer(clinical.schema.lexicon)) == ()
