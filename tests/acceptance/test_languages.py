"""People who speak German, French, Spanish, Italian, Dutch or Portuguese to a memory whose schema is in English."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import yaml

from r_memory import Memory, Settings, open_memory
from r_memory.domain.facts import DENIAL
from r_memory.facts.recall.rendering import render
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).parent / "languages"
WAITS = "waits"


@cache
def told() -> Sequence[tuple[str, str, Sequence[str]]]:
    """Language, kind and line of each sentence."""
    data: Mapping[str, Mapping[str, Sequence[Sequence[str]]]] = yaml.safe_load(
        (FOLDER / "told.yaml").read_text("utf-8")
    )
    return [(code, kind, line) for code, kinds in data.items() for kind, lines in kinds.items() for line in lines]


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    folder = tmp_path_factory.mktemp("languages")
    begin(folder)
    async with open_memory(Settings(data_dir=folder)) as opened:
        yield opened


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return count()


async def stored(memory: Memory, number: int, words: str, *, claim: Claim) -> tuple[str, str]:
    """The status that is stored of a new patient's fact, or that it waits; and the reason."""
    others = [f"L{other}" for other in range(number)]
    heard = await memory.remember(
        words, subject=f"L{number}", subject_name="Ann Carter", another_than=others, claims=[claim]
    )
    [result] = (item for item in heard.results if item.given)
    return (str(result.fact.status) if result.fact is not None else WAITS), result.reason


def reading(line: Sequence[str]) -> tuple[Claim, str]:
    words, relation, thing, means, given, expected = line
    return Claim(relation=relation, object=thing, evidence=words, status=given, means=means), expected


async def test_what_a_caller_reads_in_another_language_lands_and_no_misreading_takes_a_risk_away(
    memory: Memory, numbers: Iterator[int]
) -> None:
    wrong: list[tuple[str, str, str]] = []
    for code, _, line in told():
        claim, expected = reading(line)
        status, _ = await stored(memory, next(numbers), line[0], claim=claim)
        if status != expected:
            wrong.append((code, line[0], status))
    assert wrong == []


def test_every_language_has_denials_ends_hedges_questions_risks_and_other_people() -> None:
    kinds = Counter((code, kind) for code, kind, _ in told())
    assert {kind for _, kind in kinds} == {"denial", "end", "hedge", "question", "risk", "person"}
    assert len(kinds) == 6 * 6
    assert kinds.total() >= 100


UNKNOWN_LANGUAGES = [
    ("Nie mam alergii na lateks.", "lateks", "latex"),
    ("Lateks alerjim yok.", "Lateks", "latex"),
    ("Nu am alergie la latex.", "latex", "latex"),
    ("Jag är inte allergisk mot latex.", "latex", "latex"),
    ("No tinc al·lèrgia al làtex.", "làtex", "latex"),
    ("En ole allerginen lateksille.", "lateksille", "latex"),
]


@pytest.mark.parametrize(("words", "thing", "means"), UNKNOWN_LANGUAGES)
async def test_an_absence_in_a_language_without_a_file_waits(
    memory: Memory, numbers: Iterator[int], words: str, thing: str, means: str
) -> None:
    claim = Claim(relation="HAS_ALLERGY_TO", object=thing, evidence=words, status="negated", means=means)
    status, reason = await stored(memory, next(numbers), words, claim=claim)
    assert (status, bool(reason)) == (WAITS, True)


MIXED = [
    ("Mi madre says I have no latex allergy.", "latex"),
    ("Ich bin gegen Latex allergisch. I have no pain.", "Latex"),
    ("Ich bin allergisch gegen Latex, no problem.", "Latex"),
]


@pytest.mark.parametrize(("words", "thing"), MIXED)
async def test_no_word_of_one_language_denies_what_another_one_states(
    memory: Memory, numbers: Iterator[int], words: str, thing: str
) -> None:
    claim = Claim(relation="HAS_ALLERGY_TO", object=thing, evidence=words, status="negated", means="latex")
    assert (await stored(memory, next(numbers), words, claim=claim))[0] == WAITS


async def test_a_tolerance_that_a_sentence_of_another_language_denies_waits(
    memory: Memory, numbers: Iterator[int]
) -> None:
    for words, thing in (("Amoxicillin vertrage ich nicht.", "Amoxicillin"), ("No tolero la soja.", "soja")):
        claim = Claim(relation="TOLERATES", object=thing, evidence=words, status="active")
        assert (await stored(memory, next(numbers), words, claim=claim))[0] == WAITS
    words = "Paracetamol vertrage ich ohne Probleme."
    claim = Claim(relation="TOLERATES", object="Paracetamol", evidence=words, status="active")
    assert (await stored(memory, next(numbers), words, claim=claim))[0] == "active"


async def test_a_compound_is_the_thing_that_it_is_of(memory: Memory) -> None:
    words = "Er hat eine Erdnussallergie und eine Penicillin-Unverträglichkeit."
    heard = await memory.remember(
        words,
        subject="compound",
        subject_name="Jan Brandt",
        claims=[
            Claim(relation="HAS_ALLERGY_TO", object="Erdnussallergie", evidence=words),
            Claim(relation="HAS_INTOLERANCE_TO", object="Penicillin", evidence=words),
        ],
    )
    assert {fact.object.name for fact in heard.facts if fact.status not in DENIAL} == {"Peanut", "Penicillin"}
    block = render(await memory.build_context("Kann er Kekse mit Erdnüssen essen?", subject="compound"))
    assert "bears on this request" in block


@pytest.mark.parametrize("domain", ["clinical", "personal"])
async def test_a_request_in_another_language_opens_what_it_asks_for(tmp_path: Path, domain: str) -> None:
    asked: Mapping[str, Mapping[str, Sequence[tuple[str, Sequence[str]]]]] = yaml.safe_load(
        (FOLDER / "asked.yaml").read_text("utf-8")
    )
    begin(tmp_path, domain)
    async with open_memory(Settings(data_dir=tmp_path, schema=domain)) as opened:
        await opened.remember("Ann takes metformin.", subject="ann", subject_name="Ann Carter")
        missing = {}
        for lines in asked[domain].values():
            for words, intents in lines:
                recall = await opened.build_context(words, subject="ann")
                if lacking := set(intents) - set(recall.intents):
                    missing[words] = lacking
    assert missing == {}


ROLES = [
    "Der Arzt will mir Amoxicillin geben, ist das ok?",
    "Mi médico quiere darme amoxicilina.",
    "Le docteur veut me prescrire de l'amoxicilline.",
    "Il dottore vuole darmi l'amoxicillina.",
    "De huisarts wil mij amoxicilline geven.",
    "O médico quer me dar amoxicilina.",
]


@pytest.mark.parametrize("words", ROLES)
async def test_a_doctor_is_nobody_unknown_and_what_the_doctor_offers_is_compared(memory: Memory, words: str) -> None:
    told_first = "Ann is allergic to penicillin."
    await memory.remember(told_first, subject="roles", subject_name="Ann Roles", idempotency_key="roles")
    recall = await memory.build_context(words, subject="roles")
    assert recall.addressed.strangers == ()
    assert "class match" in render(recall)


async def test_a_request_that_no_word_explains_shows_all_and_says_its_language(memory: Memory) -> None:
    await memory.remember("Ann is allergic to latex.", subject="plumber", subject_name="Ann Plumb")
    block = render(await memory.build_context("Was soll ich dem Klempner ausrichten?", subject="plumber"))
    assert "Action not recognised (the request is in another language: de): everything critical is shown." in block
    assert "allergic to Latex" in block
