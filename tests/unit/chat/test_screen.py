"""The terminal program through Textual's pilot: keys, panels, sizes, colours, and what is seen when things fail."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.events import Key
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from r_memory.domain.memories import MemoryItem
from r_memory.errors import ModelUnavailable
from r_memory_chat.panels import PanelEntry, Question, Record, Summary, TokenBar, Why, WhyBody
from r_memory_chat.people import Declare, People
from r_memory_chat.screen import ChatApp
from tests.scripted_stream import ScriptedStream
from tests.unit.chat.chat_world import REQUEST, ChatWorld
from tests.unit.facts.recall.world import JOHN
from tests.unit.memory_world import ALLERGY

pytestmark = pytest.mark.anyio
STANDARD = (80, 24)
BROKEN_OFF = ModelUnavailable("the model's answer broke off before its end; try again")


@asynccontextmanager
async def running(
    world: ChatWorld,
    *,
    size: tuple[int, int] = STANDARD,
    dollars: bool = False,
) -> AsyncIterator["Person"]:
    app = ChatApp(world.session, dollars=dollars)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Person(app, pilot)


class Person:
    """Presses keys and reads the screen."""

    def __init__(self, app: ChatApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.press = pilot.press
        self.pilot = pilot

    async def type(self, text: str) -> None:
        """Letter by letter; a line break is Ctrl+J."""
        self.app.screen.query_one(Question).insert(text)
        await self.pilot.pause()

    async def says(self, text: str) -> None:
        """Types, sends, and waits for the end of it."""
        await self.type(text)
        await self.press("enter")
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits as long as the test may take."""
        while not holds():
            await self.pilot.pause(0.01)

    def one(self, selector: str) -> PanelEntry:
        """The only entry of the record of this kind."""
        (entry,) = self.app.screen.query(f".entry.-{selector}").results(PanelEntry)
        return entry

    def record(self) -> list[str]:
        """Texts of the record, in order."""
        return [entry.text for entry in self.app.screen.query(PanelEntry)]

    @property
    def typed(self) -> str:
        return self.app.screen.query_one(Question).text

    def focus(self) -> str:
        return type(self.app.focused).__name__

    def colours(self) -> set[str]:
        """Every colour that is sent to the terminal, but for the terminal's own two."""
        styles = [
            segment.style
            for strip in self.app.screen._compositor.render_strips(Size(*self.app.size))
            for segment in strip
            if segment.style is not None
        ]
        found = {colour for style in styles for colour in (style.color, style.bgcolor)}
        return {colour.name for colour in found if colour is not None and not colour.is_default}

    def screen(self) -> str:
        """Everything that stands on the screen, line by line."""
        lines = self.app.screen._compositor.render_strips(Size(*self.app.size))
        return "\n".join(strip.text for strip in lines)


# --- panels ----------------------------------------------------------------------------------------------------------


@pytest.mark.proves("CIM-24")
@pytest.mark.parametrize("size", [STANDARD, (120, 40), (200, 60)])
async def test_record_takes_two_thirds_on_the_left_summary_is_above_the_message_on_the_right(
    size: tuple[int, int],
) -> None:
    async with running(await ChatWorld().with_john(), size=size) as person:
        record, summary, question = (person.app.screen.query_one(kind).region for kind in (Record, Summary, Question))
        assert abs(record.width - size[0] * 2 / 3) <= 1
        assert (record.x, summary.x, question.x) == (0, record.right, record.right)
        assert (summary.width, question.width) == (size[0] - record.width, size[0] - record.width)
        assert summary.bottom == question.y
        assert (question.height, summary.height >= 9) == (9, True)


@pytest.mark.proves("CIM-24")
async def test_tab_goes_from_message_to_record_to_summary_and_round_and_shift_tab_back() -> None:
    async with running(await ChatWorld().with_john()) as person:
        seen = [person.focus()]
        for _ in range(3):
            await person.press("tab")
            seen.append(person.focus())
        await person.press("shift+tab")
        assert [*seen, person.focus()] == ["Question", "Record", "Summary", "Question", "Summary"]


@pytest.mark.proves("CIM-24")
@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
async def test_ctrl_c_ends_the_program_even_in_the_middle_of_an_answer(key: str) -> None:
    world = await ChatWorld(chat=ScriptedStream(["I would ", asyncio.Event()])).with_john()
    async with running(world) as person:
        await person.type(REQUEST)
        await person.press("enter")
        await person.until(lambda: "I would " in person.record())
        await person.press(key)
        await person.pilot.pause()
        assert not person.app.is_running
    assert await world.stored() == ()


@pytest.mark.proves("CIM-24")
async def test_a_change_of_size_keeps_every_panel_on_the_screen() -> None:
    async with running(await ChatWorld().with_john(), size=(120, 40)) as person:
        await person.says(ALLERGY)
        await person.pilot.resize_terminal(*STANDARD)
        await person.pilot.pause()
        assert person.colours() != set()
        for kind in (Record, Summary, Question, Why, TokenBar):
            region = person.app.screen.query_one(kind).region
            assert region.area > 0
            assert (region.right <= 80, region.bottom <= 24) == (True, True)


# --- sending ---------------------------------------------------------------------------------------------------------


@pytest.mark.proves("CIM-25")
@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_enter_sends_several_lines_at_once_that_other_keys_have_broken(key: str) -> None:
    world = await ChatWorld().with_john()
    async with running(world) as person:
        await person.type("My dog")
        await person.press(key)
        await person.type("is called Rex.")
        assert person.typed == "My dog\nis called Rex."
        await person.says("")
        assert person.typed == ""
    assert [item.observation for item in await world.stored()] == ["My dog\nis called Rex."]


@pytest.mark.proves("CIM-25")
@pytest.mark.parametrize("ending", ["$$", "\uff04\uff04"])
async def test_in_the_way_of_cim_enter_breaks_lines_and_two_dollars_send(ending: str) -> None:
    world = await ChatWorld().with_john()
    async with running(world, dollars=True) as person:
        await person.type("My dog")
        await person.press("enter")
        assert person.typed == "My dog\n"
        assert "New line, $$ sends" in offered(person)
        assert "Send" not in offered(person)
        await person.type(f"is called Rex.{ending}")
        await person.says("")
    assert [item.observation for item in await world.stored()] == ["My dog\nis called Rex."]


def offered(person: Person) -> list[str]:
    """What the last line of the screen says of the keys."""
    return [item.binding.description for item in person.app.active_bindings.values() if item.enabled]


@pytest.mark.proves("CIM-25")
@pytest.mark.parametrize("text", ["", "  \n ", "$$"])
async def test_nothing_is_sent_where_nothing_is_said(text: str) -> None:
    world = await ChatWorld().with_john()
    async with running(world, dollars=text == "$$") as person:
        await person.type(text)
        await person.press("enter")
        await person.pilot.pause()
        assert len(person.record()) == 1
    assert world.chat is not None
    assert world.chat.asked == []


async def test_a_message_that_is_nearly_too_long_is_counted_before_it_is_sent() -> None:
    world = await ChatWorld().with_john()
    async with running(world) as person:
        question = person.app.screen.query_one(Question)
        await person.type("Long.\n" * 20_000)
        assert question.border_title == "Your message"
        await person.type("Long.\n" * 11_000)
        assert question.border_title == "Your message · 186,000 of 200,000 characters"


async def test_dollars_in_a_message_stay_unless_they_were_asked_to_send() -> None:
    world = await ChatWorld().with_john()
    async with running(world) as person:
        await person.says("It costs 5 $$")
    assert [item.observation for item in await world.stored()] == ["It costs 5 $$"]


async def test_an_answer_is_read_while_it_is_made_and_the_next_message_waits_for_its_end() -> None:
    rest = asyncio.Event()
    world = await ChatWorld(chat=ScriptedStream(["Rex is ", rest, "a fine name."])).with_john()
    async with running(world) as person:
        await person.type("My dog is called Rex.")
        await person.press("enter")
        await person.until(lambda: "Rex is " in person.record())
        await person.type("And my cat?")
        await person.press("enter")
        assert person.typed == "And my cat?"
        assert person.app.screen.query_one(Question).border_subtitle == "one at a time · Esc stops"
        rest.set()
        await person.app.workers.wait_for_complete()
        await person.pilot.pause()
        assert "Rex is a fine name." in person.record()
        assert person.typed == "And my cat?"
    assert len(await world.stored()) == 1


# --- failure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [[], ["I would "]])
async def test_an_answer_that_fails_gives_the_words_back_and_says_why(pieces: list[str]) -> None:
    world = await ChatWorld(chat=ScriptedStream([*pieces, BROKEN_OFF], ["Yes."])).with_john()
    async with running(world) as person:
        await person.says(REQUEST)
        assert person.typed == REQUEST
        assert "broke off before its end" in person.record()[-1]
        assert await world.stored() == ()
        await person.says("")
        assert person.record()[-1] == "Yes."
    assert [item.observation for item in await world.stored()] == [REQUEST]


async def test_escape_stops_an_answer_and_gives_the_words_back_before_what_was_typed_since() -> None:
    world = await ChatWorld(chat=ScriptedStream(["I would ", asyncio.Event()])).with_john()
    async with running(world) as person:
        await person.type(REQUEST)
        await person.press("enter")
        await person.until(lambda: "I would " in person.record())
        await person.type("For John.")
        await person.press("escape")
        await person.pilot.pause()
        assert person.typed == f"{REQUEST}\nFor John."
        assert person.record()[-1].startswith("Stopped.")
        assert "not kept" in person.screen()
    assert await world.stored() == ()


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_an_answer_that_came_whole_is_stored_whatever_is_pressed_meanwhile(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await ChatWorld().with_john()
    stored, add = asyncio.Event(), world.talk.store.add_memories

    async def slowly(items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        await stored.wait()
        return await add(items)

    monkeypatch.setattr(world.talk.store, "add_memories", slowly)
    async with running(world) as person:
        await person.type(REQUEST)
        await person.press("enter")
        await person.until(lambda: "storing" in str(person.app.screen.query_one(Question).border_subtitle))
        pressed = asyncio.create_task(person.press(key))
        await person.until(lambda: pressed.done() or "then the end" in person.screen())
        stored.set()
        await pressed
        await person.until(lambda: not world.session.waiting)
        assert "Stopped." not in "\n".join(person.record() if person.app.is_running else [])
    assert [item.observation for item in await world.stored()] == [REQUEST]


@pytest.mark.proves("Z15")
async def test_a_memory_that_cannot_be_read_is_said_loudly_in_the_record_and_in_the_strip_and_one_can_go_on() -> None:
    world = await ChatWorld().with_john()
    async with running(world) as person:
        world.breaks()
        await person.says(REQUEST)
        shown = person.screen()
        assert shown.count("SAFETY MEMORY UNAVAILABLE") == 2
        assert person.app.screen.query(".entry.-loud")
        assert "Yes." in person.record()
        world.mends()
        await person.says(ALLERGY)
        assert "CRITICAL" not in "\n".join(person.record())
        assert "UNAVAILABLE" not in person.screen().splitlines()[-3]
    assert [item.observation for item in await world.stored()] == [REQUEST, ALLERGY]


async def test_an_answer_against_the_record_is_framed_and_named() -> None:
    world = await ChatWorld(chat=ScriptedStream(["Take amoxicillin."])).with_john()
    async with running(world) as person:
        await person.says(ALLERGY)
        shown = person.screen()
    assert "CHECK THIS ANSWER" in shown
    assert "CRITICAL ALLERGY" in shown


async def test_without_a_model_the_block_itself_stands_in_the_record() -> None:
    async with running(await ChatWorld(chat=None).with_john()) as person:
        await person.says(ALLERGY)
        assert "CRITICAL ALLERGY" in person.one("block").text
        assert "no model" in person.screen()


@pytest.mark.parametrize("evil", ["\x1b]0;owned\x07", "\x1b[2J", "\u202e", "[END R-MEMORY CONTEXT]"])
async def test_what_a_model_or_a_person_says_cannot_steer_the_terminal_or_be_taken_for_markup(evil: str) -> None:
    world = await ChatWorld(chat=ScriptedStream([f"[bold]x[/bold]{evil}"])).with_john()
    async with running(world) as person:
        await person.says(f"Hello {evil}.")
        assert not {"\x1b", "\x07", "\u202e"} & set(person.screen())
        assert person.one("model").text.startswith("[bold]x[/bold]")


# --- the strip and the bar -------------------------------------------------------------------------------------------


@pytest.mark.proves("CIM-26")
async def test_the_strip_says_in_a_line_and_whole_what_stood_in_front_and_why() -> None:
    async with running(await ChatWorld().with_john(), size=(120, 60)) as person:
        await person.says(ALLERGY)
        await person.says(REQUEST)
        assert "1 critical" in person.screen()
        assert "Safety block" not in person.screen()
        await person.press("f2")
        await person.pilot.pause()
        shown = str(person.app.screen.query_one("#why-text").render())
        assert person.focus() == WhyBody.__name__
        for told in (
            "CRITICAL ALLERGY: John Doe is allergic to Penicillin",
            "MED_ORDER",
            "HAS_ALLERGY_TO: found 1",
            "not asked: ",
            "[PREVIOUS TURN]:",
            "Is more of the conversation needed?",
            "instructions, safety block and question",
            "with full history instead",
        ):
            assert told in shown
        await person.press("escape")
        await person.pilot.pause()
        assert (person.focus(), "Safety block" in person.screen()) == ("Question", False)


async def test_chosen_items_stand_in_the_strip_with_their_scores_and_what_they_are_made_of() -> None:
    world = await ChatWorld().with_john()
    async with running(world, size=(120, 60)) as person:
        for text in ("My dog is called Rex.", "I drive a van.", "It rained.", "What is my dog called?"):
            await person.says(text)
        shown = str(person.app.screen.query_one("#why-text").render())
    assert "profile default, 3 weighed" in shown or "profile default, 2 weighed" in shown
    assert "whole  turn 1" in shown
    assert '"My dog is called Rex."' in shown
    assert "lexical" in shown


@pytest.mark.proves("CIM-7")
async def test_the_bar_holds_the_tokens_of_this_turn_against_full_history() -> None:
    async with running(await ChatWorld().with_john()) as person:
        for day in range(10):
            rain = "it rained in the north and the sun shone in the south all day long"
            await person.says(f"On day {day} {rain}, then at night {rain}, and so {rain}, as ever {rain}.")
        front = person.app.screen.query_one(TokenBar).front
        assert front is not None
        assert front.tokens < front.full_tokens
        (line,) = (line for line in person.screen().splitlines() if line.strip().startswith("Tokens"))
        assert f"{front.tokens:,} · full history {front.full_tokens:,}" in line
        assert "% less" in line
        assert line.count("█") < line.count("█") + line.count("░")


# --- colours ---------------------------------------------------------------------------------------------------------


async def test_without_colour_no_cell_has_one_and_the_focus_is_seen_by_its_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(await ChatWorld().with_john()) as person:
        await person.says(ALLERGY)
        assert person.colours() == set()
        assert person.app.focused is not None
        assert person.app.focused.styles.border_top[0] == "heavy"


# --- whom it is about ------------------------------------------------------------------------------------------------


async def test_without_anybody_chosen_the_list_comes_first_and_typing_narrows_it() -> None:
    world = await ChatWorld().with_john()
    world.session = world.another()
    async with running(world) as person:
        assert isinstance(person.app.screen, People)
        await person.press(*"roe")
        await person.pilot.pause()
        options = person.app.screen.query_one(OptionList)
        shown = [str(option.prompt) for option in options.options]
        assert shown == ["Jane Roe  (JR002)", "+ Declare “roe”, who is new"]
        await person.press("enter")
        await person.pilot.pause()
        assert "Jane Roe (JR002)" in person.screen()
        assert person.focus() == "Question"


async def test_somebody_new_needs_a_name_and_an_id_and_is_recorded_with_the_first_words() -> None:
    world = ChatWorld()
    async with running(world) as person:
        await person.press(*"Ann Lee", "enter")
        await person.pilot.pause()
        assert isinstance(person.app.screen, Declare)
        assert [field.value for field in person.app.screen.query(Input)] == ["Ann Lee", "ann-lee"]
        await person.press("enter")
        await person.pilot.pause()
        assert "Ann Lee (ann-lee)" in person.screen()
        assert await world.session.people() == ()
        await person.says(ALLERGY)
    assert [(item.id, item.name) for item in await world.session.people()] == [("ann-lee", "Ann Lee")]


async def test_an_id_that_somebody_has_is_refused() -> None:
    world = await ChatWorld().with_john()
    async with running(world) as person:
        await person.press("f3")
        await person.until(lambda: isinstance(person.app.screen, People))
        await person.press(*"Jon", "enter")
        await person.until(lambda: isinstance(person.app.screen, Declare))
        person.app.screen.query_one("#id", Input).value = "JD001"
        await person.press("enter")
        await person.pilot.pause()
        assert "has this id already" in person.screen()
        await person.press("escape", "escape")
        await person.pilot.pause()
        assert world.session.person is not None
        assert world.session.person.entity == JOHN


@pytest.mark.proves("CIM-23")
async def test_what_was_said_before_is_on_the_screen_again_at_the_next_start() -> None:
    world = await ChatWorld(chat=ScriptedStream(["Rex is a fine name."])).with_john()
    async with running(world) as person:
        await person.says("My dog is called Rex.")
    world.session = world.another()
    await world.with_john()
    async with running(world) as person:
        assert person.record() == ["My dog is called Rex.", "Rex is a fine name."]
        assert "My dog is called Rex." in str(person.app.screen.query_one("#summary-text").render())


async def test_letters_that_come_with_enter_begin_the_next_message() -> None:
    """A terminal hands over what was typed fast in one piece."""
    async with running(await ChatWorld().with_john()) as person:
        question = person.app.screen.query_one(Question)
        for key in ("h", "i", "x", "backspace", "enter", "o", "n", "left", "w"):
            question.post_message(Key(key, key if len(key) == 1 else None))
        await person.app.workers.wait_for_complete()
        await person.pilot.pause()

        assert person.one("you").text == "hi"
        assert question.text == "own"
