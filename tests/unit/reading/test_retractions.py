"""Which sentences take something back; what they mean is looked up in the record, elsewhere."""

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import Span
from r_memory.domain.schema import Language
from r_memory.reading.retractions import Retractions, Taking


@pytest.fixture(scope="module")
def english() -> Retractions:
    return Retractions(load_domain(Files(), "clinical").schema.language)


@pytest.mark.parametrize(
    ("sentence", "taking"),
    [
        ("Forget the depression.", Taking.FORGETS),
        ("Could you please delete the latex allergy?", Taking.FORGETS),
        ("Remove the pacemaker from her record.", Taking.FORGETS),
        ("Forget everything about me.", Taking.FORGETS_ALL),
        ("Take it out, that belongs to the Moss file.", Taking.FORGETS_LAST),
        ("Delete that, wrong client.", Taking.FORGETS_LAST),
        ("Sorry, scrap this one again please.", Taking.FORGETS_LAST),
        ("Please strike that one out.", Taking.FORGETS_LAST),
        ("Take the £60,000 out again.", Taking.FORGETS_NAMED),
        ("Strike the 75k, it is from another matter.", Taking.FORGETS_NAMED),
        ("Stop the ramipril for her.", Taking.ENDS),
        ("Sorry, not me, my brother.", Taking.CORRECTS),
        ("That was for dad, not for her.", Taking.CORRECTS),
        ("The March date was wrong.", Taking.CORRECTS),
        ("No, 850.", Taking.RENUMBERS),
        ("The hearing got postponed.", Taking.MOVES),
        ("They told me that the review is on another day.", Taking.MOVES),
    ],
)
def test_a_sentence_that_takes_something_back_is_known_by_how_it_does_so(
    english: Retractions, sentence: str, taking: Taking
) -> None:
    [found] = english.of(f"She came at nine. {sentence}")

    assert (found.taking, found.span) == (taking, Span(start=18, end=18 + len(sentence)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Forget it, it does not matter.",
        "I forgot my umbrella.",
        "I always forget names.",
        "The bus stops here.",
        "Remove the dressing tomorrow.",
        "Take it with food.",
        "Take them out of the oven at six.",
        "Drop it at the school.",
        "No, thank you.",
        "She is allergic to latex.",
    ],
)
def test_other_sentences_take_nothing_back(english: Retractions, sentence: str) -> None:
    assert list(english.of(sentence)) == []


def test_a_language_without_such_words_takes_nothing_back() -> None:
    assert list(Retractions(Language(code="xx", sections={})).of("Forget the depression.")) == []
