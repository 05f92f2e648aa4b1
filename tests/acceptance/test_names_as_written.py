"""Names as people write them: without an apostrophe, without a capital, first in a sentence, by a pet name; over MCP.

Everything else of a name (whose facts words are) is asked of the subject of the call alone: here people are only read.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_personal import facts

pytestmark = pytest.mark.anyio
NEVER, CALLED, KNOWS, NOTE = "IS_CONTRAINDICATED_WITH", "IS_CALLED", "KNOWS", "HAS_NOTE"
NUTS = "must not have walnuts"


@pytest.fixture(scope="module")
async def assistant(standing: Installation) -> AsyncIterator[Assistant]:
    """A household: Bram, Tove and Olive may not have walnuts, nor Gerda ("Nana") and Henk ("papa")."""
    one = standing.with_settings(schema="personal", data_dir=str(standing.folder / "names"))
    async with in_a_task_of_its_own(one.client()) as assistant:
        for id_, name in (
            ("bram", "Bram"),
            ("tove", "Tove"),
            ("will", "Will"),
            ("rose", "Rose"),
            ("noor", "Noor Achterberg"),
            ("gerda", "Gerda"),
            ("henk", "Henk"),
        ):
            words = f"{name} {NUTS}"
            given = facts((NEVER, "walnuts", words, {}))
            await assistant.call("memory_remember", text=f"{words}.", subject=id_, subject_name=name, facts=given)
        called = (("gerda", "Tove", "Gerda is our Nana", "Nana"), ("henk", "", "Henk is papa", "papa"))
        for id_, speaker, words, alias in called:
            given = facts((CALLED, alias, words, {}))
            await assistant.call("memory_remember", text=words, subject=id_, speaker=speaker, facts=given)
        words, noted = "Petra Lindqvist waters the plants", "Mr Okonjo teaches the cello"
        await assistant.call("memory_remember", text=words, facts=facts((KNOWS, "Petra Lindqvist", words, {})))
        await assistant.call("memory_remember", text=noted, subject="tove", facts=facts((NOTE, "cello", noted, {})))
        yield assistant


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("Brams birthday muffins, with walnuts", ["bram"]),
        ("put walnuts in toves lunch box", ["tove"]),
        ("can noor achterberg have walnut bread", ["noor"]),
        ("Noor Achterbergs lunch: walnut bread", ["noor"]),
        ("walnuts for bram and TOVE tonight", ["bram", "tove"]),
        ("Bram: walnuts.", ["bram"]),
        ("Lunch at one. Bram on the blue chair, walnuts beside it.", ["bram"]),
        ("papas been queasy, walnut soup?", ["henk"]),
        ("is papa allowed walnuts", ["henk"]),
        ("who brings Nana her walnut cake", ["gerda"]),
        ("nanas cake with walnuts", ["gerda"]),
        ("Will: walnuts at four", ["will"]),
        ("Will needs his walnuts", ["will"]),
        ("Ask Will whether walnuts are fine", ["will"]),
        ("Rose, walnuts are in the tin", ["rose"]),
        ("take Rose a walnut", ["rose"]),
    ],
)
async def test_somebody_known_is_read_however_the_name_is_written(
    assistant: Assistant, words: str, who: list[str]
) -> None:
    context = await assistant.call("memory_build_context", query=words, detail=True)
    checked = await assistant.call("memory_check_text", text=words)

    assert (sorted(context["also_read"]), "outcome" in context) == (who, False)
    assert context["block"].count("CONTRAINDICATED") >= len(who)
    assert checked["verdict"] == "conflict"


@pytest.mark.parametrize(
    "words",
    [
        "will you order walnuts",
        "Will you order walnuts?",
        "the tea rose in price, and the walnuts too",
        "what is in the will about the walnut desk",
    ],
)
async def test_a_word_of_the_language_is_nobodys_name(assistant: Assistant, words: str) -> None:
    context = await assistant.call("memory_build_context", query=words, detail=True)

    assert (context.get("also_read", []), context.get("named", [])) == ([], [])


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("Cut Noor Achterberg's walnut bread", ["noor"]),
        ("Double Noor Achterbergs walnuts", ["noor"]),
        ("Write to Petra Lindqvist about walnuts", []),
        ("Ring Petra Lindqvist about the plants", []),
        ("Thank petra lindqvist for the plants", []),
    ],
)
async def test_whoever_is_known_or_known_of_is_not_said_to_be_unknown(
    assistant: Assistant, words: str, who: list[str]
) -> None:
    context = await assistant.call("memory_build_context", query=words, detail=True)

    assert (context.get("also_read", []), context.get("named", []), context.get("outcome", "")) == (who, [], "")
    assert "unknown here" not in context["block"]


async def test_somebody_who_stands_in_a_note_is_known_of(assistant: Assistant) -> None:
    words = "A line to Mr Okonjo: no lesson on Friday."
    noted = await assistant.call("memory_build_context", query=words, subject="tove")
    checked = await assistant.call("memory_check_text", text=words, subject="tove")
    unknown = await assistant.call("memory_build_context", query="A line to Mr Brandvold.", subject="tove")

    assert "unknown here" not in noted["block"]
    assert not any("Okonjo" in gap for gap in checked["gaps"])
    assert "THIS REQUEST NAMES Brandvold, unknown here" in unknown["block"]


async def test_a_stranger_behind_the_first_word_of_a_sentence_is_named_without_that_word(assistant: Assistant) -> None:
    context = await assistant.call("memory_build_context", query="Cut Ludmila Sorensen's walnut bread", detail=True)

    assert context["named"] == ["Ludmila Sorensen"]


async def test_a_name_in_the_words_makes_no_fact_theirs(assistant: Assistant) -> None:
    """Whom words name is read; what they state is the subject's of the call, or nobody's."""
    text = "brams terrified of thunder"
    await assistant.call("memory_remember", text=text)
    listed = await assistant.call("memory_list_facts", subject="bram")

    assert {each["relation"] for each in listed["facts"]} == {NEVER}
