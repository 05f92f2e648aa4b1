"""T-9, T-10 and T-20: our own sets are what they say they are, and the shipped profiles do on them what they must."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r_memory.memory import Memory
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory_lab.evals import pairs
from r_memory_lab.evals.pairs import AskedPair, Got
from r_memory_talk.stream.words import terms
from tests.unit.talk.stream.world import a_stream

SETS = Path(__file__).parents[4] / "evals" / "sets"


def a_memory() -> Memory:
    """The real stream with the shipped embedder; nothing else is asked for."""
    return cast("Memory", SimpleNamespace(talk=SimpleNamespace(stream=a_stream(embedder=WordLlamaEmbedder()))))


def nothing() -> None:
    """No progress is shown."""


def shared(pair: AskedPair) -> set[str]:
    return set(terms(pair.told)) & set(terms(pair.asked))


@pytest.mark.parametrize("rows", [pairs.paraphrases(SETS), pairs.elliptic(SETS)], ids=["paraphrases", "elliptic"])
def test_no_question_shares_a_word_with_what_answers_it(rows: tuple[AskedPair, ...]) -> None:
    assert len(rows) >= 40
    assert {pair.id: words for pair in rows if (words := shared(pair))} == {}


def test_the_message_before_an_elliptic_question_names_what_it_is_about() -> None:
    rows = pairs.elliptic(SETS)
    assert [pair.id for pair in rows if not set(terms(pair.mention)) & set(terms(pair.told))] == []


@pytest.mark.proves("T-9")
@pytest.mark.anyio
async def test_meaning_finds_paraphrases_that_keywords_cannot() -> None:
    rows = pairs.paraphrases(SETS)
    gain, *_ = pairs.of_paraphrases(rows, await pairs.ask_profiles(a_memory(), rows, nothing)).figures
    assert (gain.name, gain.unit) == ("recall@5, mimir minus cim", "points")
    assert gain.value >= 20


@pytest.mark.proves("T-10")
@pytest.mark.anyio
async def test_every_language_is_within_ten_points_of_english() -> None:
    rows = pairs.languages(SETS)
    result = pairs.of_languages(rows, await pairs.ask_languages(a_memory(), rows, nothing))
    gaps = {figure.name: figure.value for figure in result.figures if figure.unit == "points"}
    assert set(gaps) == {f"{code} minus English" for code in ("de", "fr", "es", "zh", "ja")}
    assert min(gaps.values()) >= -10
    assert result.figures[0].value >= 0.9


@pytest.mark.proves("T-20")
@pytest.mark.anyio
async def test_a_window_of_four_messages_finds_what_a_question_only_points_at() -> None:
    rows = pairs.elliptic(SETS)
    result = pairs.of_windows(rows, await pairs.ask_windows(a_memory(), rows, nothing))
    gains = {figure.name: figure.value for figure in result.figures if figure.unit == "points"}
    assert gains["recall@5, window 4 minus last message"] >= 30
    assert gains["recall@5, window 8 minus last message"] >= gains["recall@5, window 2 minus last message"]


def test_a_gap_is_counted_against_english_whatever_the_order() -> None:
    rows = [AskedPair(id=f"{code}{n}", lang=code, told="x", asked="y") for code in ("de", "en") for n in range(2)]
    got = [Got(id=pair.id, found={"default": pair.id != "de0"}) for pair in rows]
    figures = {figure.name: figure.value for figure in pairs.of_languages(rows, got).figures}
    assert figures == {"de: recall@5": 0.5, "en: recall@5": 1.0, "de minus English": -50.0}
