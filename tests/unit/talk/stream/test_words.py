"""What a text is looked up by: stems, bigrams, no function words; and which turns a question names."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from r_memory_talk.stream.words import language_of, places, search_query, stem, terms

ENDINGS = ("er", "ellement", "ation", "ations", "ateur", "ements", "ables", "ement", "ité", "eux", "eraient", "issons")


def found_by(question: str, text: str, language: str = "en") -> set[str]:
    """Terms that a question and a text share."""
    return {term for word in search_query(question, (language,)).terms for term in word} & set(terms(text, language))


@pytest.mark.proves("MIM-15", "MIM-16", "T-17")
def test_the_dallas_sentence_meets_its_question_in_house_drive_and_dallas() -> None:
    text = "The house is Red. I found it driving to dallas."
    question = "What color was the House you saw on the drive to Dallas?"
    assert terms(text) == ["hous", "red", "found", "drive", "dalla"]
    assert found_by(question, text) == {"hous", "drive", "dalla"}


@pytest.mark.proves("T-10")
@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Which medications is she taking?", "She takes one medication at night."),
        ("de", "Welche Allergien hat die Patientin?", "Die Patientin hat seit Jahren eine Allergie."),
        ("fr", "Quelles allergies connaissez-vous chez le patient?", "Le patient signale une allergie."),
        ("es", "¿Qué alergias tiene la paciente?", "La paciente refiere una alergia desde niña."),
        ("en", "青黴素過敏", "病人對青黴素嚴重過敏"),
        ("en", "ペニシリンのアレルギーは?", "患者はペニシリンにアレルギーがあります"),
    ],
)
def test_inflected_words_meet_in_six_languages(language: str, question: str, text: str) -> None:
    assert found_by(question, text, language) != set()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich habe seit drei Tagen keine Tabletten mehr genommen.", "de"),
        ("Je ne prends pas mes médicaments avec du lait.", "fr"),
        ("No puedo tomar la leche por la noche.", "es"),
        ("I cannot drink milk in the evening.", "en"),
        ("Penicillin", "en"),
        ("", "en"),
        ("你好", "en"),
    ],
)
def test_a_language_is_known_by_its_function_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_an_unclear_text_is_taken_for_the_language_of_its_conversation() -> None:
    assert (language_of("Penicillin", default="de"), language_of("", default="fr")) == ("de", "fr")


def test_a_question_counts_as_every_language_in_use() -> None:
    (word,) = search_query("Allergien", ("en", "de")).terms
    assert {"allergien", "allergi"} <= set(word)


def test_words_of_remembering_are_not_looked_up() -> None:
    assert search_query("Do you remember what I told you about the lighthouse?").terms == [("lighthous",)]
    assert search_query("还记得灯塔吗").terms == [("灯塔",)]


@pytest.mark.parametrize("text", ["", "?!", "what is it?", "the of and", "\U0001f642 \U0001f469\u200d⚕️"])
def test_a_question_of_function_words_alone_has_nothing_to_look_up(text: str) -> None:
    assert search_query(text).empty


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did I say in turn 12?", (12,)),
        ("Repeat message #3 and round 4.", (3, 4)),
        ("What was my very first question?", (1,)),
        ("Go back to the 21st turn.", (21,)),
        ("我第一轮说了什么", (1,)),
        ("第十二轮", (12,)),
        ("第20轮", (20,)),
        ("It is my turn.", ()),
        ("The third house on the left.", ()),
        ("turn 0", ()),
    ],
)
def test_a_question_may_name_turns_by_their_number(question: str, named: tuple[int, ...]) -> None:
    assert places(question) == named


def test_mixed_text_is_looked_up_by_words_and_bigrams() -> None:
    assert terms("她的MRI检查") == ["她的", "mri", "检查"]
    assert terms("\uff21\uff22\uff23 Nüsse", "de") == ["abc", "nuss"]


@pytest.mark.proves("MIM-17")
def test_a_question_outweighs_what_was_said_before_the_more_it_says_itself() -> None:
    before = "We spoke of gardens, tulips, roses, hedges, ponds, herons, weirs, mills, barns, geese and swans."
    both = search_query("Where is the orchard key?", before=before)
    own, rest = search_query("Where is the orchard key?").terms, search_query(before).terms
    counted = sum(term in own for term in both.terms)
    assert counted == len(both.terms) - len(rest) == 3 * len(rest)
    assert search_query("Where are they?", before=before).terms == rest


def test_only_the_question_itself_names_a_turn() -> None:
    assert search_query("And what then?", before="What did I say in turn 12?").places == ()


def test_threads_that_stem_at_once_get_the_stems_of_their_own_words() -> None:
    """One stemmer for all threads gave stems of other words, which stayed in the cache, or failed."""
    words = [f"{root}{ending}" for root in ("continu", "gener", "perform", "relat") for ending in ENDINGS]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = [list(threads.map(lambda word: stem.__wrapped__(word, "fr"), words)) for _ in range(5)]
    finally:
        sys.setswitchinterval(before)
    assert found == [[stem.__wrapped__(word, "fr") for word in words]] * 5
