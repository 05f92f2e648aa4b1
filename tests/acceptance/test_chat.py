"""`r-memory chat` in a real terminal: the real program, the real store, a model behind a real address."""

import re
from collections.abc import Iterator

import pytest

from scripts.smollm2 import NAME, smollm2
from tests.acceptance.conftest import Installation
from tests.acceptance.terminal import Terminal, skip_without_tmux
from tests.chat_server import ChatServer, chat_server, drops, hangs, streams
from tests.real_model import skip_or_fail
from tests.warm_starts import SCRIPT

JOHN = ("--subject", "JD001", "--subject-name", "John Doe")
ALLERGY = "I am severely allergic to penicillin."
REQUEST = "Recommend the standard first-line antibiotic for strep throat."
TAKEN = "Thank you, I will keep that in mind."
WRONG = "Amoxicillin 500 mg twice a day is the usual choice."
_COLOUR = re.compile(r"\x1b\[[0-9;:]*?\b(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;:]*m")


@pytest.fixture(autouse=True)
def tmux() -> None:
    skip_without_tmux()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server(streams("Thank you, ", "I will keep ", "that in mind."), streams(WRONG)) as server:
        yield server


def with_model(installation: Installation, url: str, **more: str) -> Installation:
    return installation.with_settings(model_url=url, model_name="test-model", **more)


def opened(installation: Installation, *arguments: str, size: tuple[int, int] = (80, 24), **variables: str) -> Terminal:
    command = [str(SCRIPT), "chat", *arguments]
    return Terminal(command, {**installation.environment, **variables}, installation.folder, size=size)


def say(terminal: Terminal, text: str) -> None:
    terminal.type(text)
    # As the person sees it: the keys have arrived before Enter is pressed.
    terminal.until(lambda screen: text.rsplit(maxsplit=1)[-1] in screen.rsplit("Your message", maxsplit=1)[-1])
    terminal.press("Enter")


@pytest.mark.proves("CIM-23", "CIM-24", "CIM-26")
def test_on_a_terminal_of_80_by_24_one_sees_what_stood_in_front_and_finds_it_all_again_at_the_next_start(
    embedded: Installation, server: ChatServer
) -> None:
    with opened(with_model(embedded, server.url), *JOHN) as terminal:
        terminal.until("Enter sends")
        assert _COLOUR.findall(terminal.screen(styled=True)) != []
        say(terminal, ALLERGY)
        terminal.until("I will keep that in mind.")
        terminal.until("version 1")
        say(terminal, REQUEST)
        shown = terminal.until("CHECK THIS ANSWER")
        terminal.until("version 2")
        lines = shown.splitlines()
        assert len(lines) == 24
        assert max(map(len, lines)) <= 80
        assert "John Doe (JD001)" in lines[0]
        assert "1 critical" in shown
        terminal.press("F2")
        # One after the other: a busy machine draws in several strokes.
        for told in ("Safety block, as it goes out", "CRITICAL ALLERGY: John Doe is allergic to"):
            terminal.until(told)
        terminal.press("C-c")
        assert terminal.ended() == 0
    with opened(with_model(embedded, server.url), "--subject", "John Doe") as terminal:
        again = terminal.until(lambda screen: "version 2" in screen and "John Doe (JD001)" in screen)
        assert WRONG.split(" is ", maxsplit=1)[0] in again
        assert "CHECK THIS ANSWER" in again
        terminal.press("Tab")
        terminal.press_until("Home", ALLERGY)
    system = server.requests[1]["messages"][0]["content"]
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in system
    assert server.requests[1]["messages"][-1] == {"role": "user", "content": REQUEST}


def test_an_answer_that_breaks_off_gives_the_words_back_and_escape_stops_one_that_hangs(embedded: Installation) -> None:
    with (
        chat_server(
            streams("I would ", then=drops), streams("Yes, of course."), streams("I should ", then=hangs)
        ) as server,
        opened(with_model(embedded, server.url, model_retries="0"), *JOHN) as terminal,
    ):
        terminal.until("Enter sends")
        say(terminal, "Are you there?")
        shown = terminal.until("Enter sends them")
        assert "broke off before" in shown
        assert "Are you there?" in shown.rsplit("Your message", maxsplit=1)[-1]
        terminal.press("Enter")
        shown = terminal.until("version 1")
        assert "Yes, of course." in shown
        terminal.type("one")
        terminal.press("C-j")
        terminal.type("two")
        terminal.until("two")
        terminal.press("Enter")
        terminal.until("I should")
        terminal.press("Escape")
        shown = terminal.until("Stopped.")
        assert [word in shown.rsplit("Your message", maxsplit=1)[-1] for word in ("one", "two")] == [True] * 2
    assert server.requests[2]["messages"][-1]["content"] == "one\ntwo"


def test_without_model_and_colour_somebody_new_is_told_of_and_the_block_is_read_from_its_beginning(
    embedded: Installation,
) -> None:
    with opened(embedded, size=(120, 40), NO_COLOR="1") as terminal:
        terminal.until("Whom is this about?")
        terminal.type("Jane Roe")
        terminal.until("“Jane Roe”, who is new")
        terminal.press("Enter")
        terminal.until("Somebody new")
        terminal.press("Enter")
        terminal.until("Jane Roe (jane-roe)")
        terminal.resize(80, 24)
        terminal.until(lambda screen: max(map(len, screen.splitlines())) <= 80 and "Enter sends" in screen)
        say(terminal, ALLERGY)
        terminal.until(lambda screen: "1 critical" in screen and "Enter sends" in screen)
        say(terminal, REQUEST)
        beginning = "[R-MEMORY CONTEXT]:"
        shown = terminal.until(lambda screen: all(told in screen for told in (beginning, "bears on", "Enter sends")))
        for told in ("CRITICAL ALLERGY: Jane Roe is allergic to", "Record", "Summary", "Tokens"):
            assert told in shown
        assert "· no model ─" in shown
        assert _COLOUR.findall(terminal.screen(styled=True)) == []


@pytest.mark.timeout(900)
def test_a_real_model_answers_behind_the_block_and_stands_in_the_record_by_its_name(embedded: Installation) -> None:
    skip_or_fail()
    with smollm2(threads=1) as url:
        installation = embedded.with_settings(model_url=url, model_name=NAME, model_timeout_s="600")
        with opened(installation, *JOHN) as terminal:
            terminal.until("Enter sends")
            # Asked for little: a small model easily goes on until it is stopped.
            say(terminal, f"{ALLERGY} Please answer with one short sentence.")
            assert NAME in terminal.until("version 1", patience=600)
            terminal.press("C-c")
            assert terminal.ended() == 0
