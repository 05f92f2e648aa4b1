"""What a request names: terms, misspelt ones, and names that nobody knows, which are ordered all the same."""

from pathlib import Path

import pytest

from r_memory.config.settings import Settings
from r_memory.protocols import Naming
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return open_reader(Settings(data_dir=tmp_path_factory.mktemp("data")))


def guessed(naming: Naming) -> list[str]:
    return [mention.name for mention in naming.mentions if mention.fuzzy]


def orders(reader: Reader, text: str) -> bool:
    naming = reader.named(text)
    scores = reader.classifier.classify(text, (*naming.mentions, *naming.unknown)).scores
    return any(score.asked and score.name == "MED_ORDER" for score in scores)


@pytest.mark.proves("Z04")
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("amoxicilin 500 tds for chest", "amoxicillin"),
        ("could we try ibuprofin for the knee?", "ibuprofen"),
        ("Pt to have clopidogral 75 mg od", "clopidogrel"),
        ("start nitrofurantion 100mg mr bd", "nitrofurantoin"),
        ("give morphene 10mg sc", "morphine"),
    ],
)
def test_a_misspelt_name_is_read_as_what_it_may_mean_and_is_an_order(reader: Reader, text: str, meant: str) -> None:
    assert guessed(reader.named(text)) == [meant]
    assert orders(reader, text)


@pytest.mark.proves("Z03", "Z26")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Start Zorvenbrix", ("Zorvenbrix",)),
        ("Give Trelumab 0.5 mL", ("Trelumab",)),
        ("put her back on vexolimine", ("vexolimine",)),
        ("Is Zorvenbrix safe for him?", ("Zorvenbrix",)),
        ("start paracetamol, Zorvenbrix and vexolimine", ("Zorvenbrix", "vexolimine")),
        ("vexolimine 20 mg bd", ("vexolimine",)),
        ("Give Mrs Abara Zorvenbrix", ("Zorvenbrix",)),
        ("We should put Mrs Abara on Zorvenbrix", ("Zorvenbrix",)),
        ("Give Zofiowska vexolimine", ("Zofiowska", "vexolimine")),
    ],
)
def test_an_unknown_name_where_something_is_ordered_is_named_and_counts_as_an_order(
    reader: Reader, text: str, names: tuple[str, ...]
) -> None:
    assert reader.named(text).unrecognised == names
    assert orders(reader, text)


@pytest.mark.parametrize(
    "text",
    [
        "Start physiotherapy and give her breakfast",
        "aspiring to go to the station later",
        "Book Mrs Kowalczyk for Tuesday and order bloods",
        "She is worried about her wedding in Llandudno.",
        "Take her observations, then call the ward.",
        "give him two tablets after lunch",
    ],
)
def test_ordinary_words_are_neither_misspelt_nor_unknown_names(reader: Reader, text: str) -> None:
    naming = reader.named(text)

    assert (guessed(naming), naming.unrecognised) == ([], ())


def test_a_name_is_said_once_as_it_was_first_written(reader: Reader) -> None:
    assert reader.named("Start Zorvenbrix. zorvenbrix 5 mg daily.").unrecognised == ("Zorvenbrix",)


def test_somebody_who_is_known_by_that_name_is_no_unknown_thing(reader: Reader) -> None:
    naming = reader.named("Give Zofiowska vexolimine")

    assert naming.without(["Anna Zofiowska"]).unrecognised == ("vexolimine",)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("She was commenced on zelatrimab in clinic.", "zelatrimab"),
        ("The new vexolapril comes in a blue box", "vexolapril"),
        ("Rx: Cardofen XL 60 od #28", "Cardofen"),
    ],
)
def test_an_unknown_name_is_named_by_its_ending_or_by_what_stands_around_it(
    reader: Reader, text: str, name: str
) -> None:
    assert reader.named(text).unrecognised == (name,)


def test_every_word_of_a_draft_that_nothing_knows_may_be_a_name_but_people_and_abbreviations(reader: Reader) -> None:
    draft = (
        "Her levetirol was increased. See Dr Zofiowska or Mrs Llanwick about the LFTs and her acne; Trevanorm at "
        "night, Neurofen for the headache, amoxicilin 500 for the chest."
    )

    assert reader.named(draft).strange == ("levetirol", "Trevanorm")


def test_capitals_are_a_name_where_the_table_has_short_ones(tmp_path: Path) -> None:
    reader = open_reader(Settings(data_dir=tmp_path, schema="finance"))

    assert reader.named("Accumulate ZQX on weakness, and buy 20 percent US bonds.").unrecognised == ("ZQX",)
