"""The screen of a conversation: three panels after CIM, a strip that says why, a bar of tokens; and the program around.

It turns keys into calls of the session, and the session's events into what the panels show.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static
from textual.worker import Worker
from typing_extensions import override

from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem
from r_memory.errors import RMemoryError
from r_memory.text.inert import inert, inert_name
from r_memory_chat import views
from r_memory_chat.events import (
    Answered,
    AnswerWhole,
    CommandDone,
    Event,
    Failed,
    Front,
    Heard,
    Notice,
    Objection,
    Piece,
)
from r_memory_chat.panels import PanelEntry, Question, Record, Summary, TokenBar, Why, WhyBody
from r_memory_chat.people import Declared, People
from r_memory_chat.session import ChatPerson, Session, said

LOADED = 100
"""Turns shown again at the start; all turns are stored and searched."""
READY = "Enter sends · ^j line"
DOLLARS = "$$ and Enter send"
NO_MODEL = "no model: facts and memory only"


class ChatScreen(Screen[None]):
    """The screen of one conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "panel(1)", "Panel", key_display="tab"),
        Binding("shift+tab", "panel(-1)", show=False),
        Binding("f2,ctrl+o", "why", "Why", key_display="F2"),
        Binding("f3,ctrl+s", "people", "Subject", key_display="F3"),
        Binding("f4", "scene", "Scene", key_display="F4"),
        Binding("escape", "stop", "Stop", key_display="esc"),
    ]
    AUTO_FOCUS = "#question"

    def __init__(self, session: Session, *, dollars: bool = False) -> None:
        super().__init__()
        self._session = session
        self._dollars = dollars
        self._asking: Worker[None] | None = None
        self._is_keeping = False
        """The answer is whole, and is being stored."""
        self._turns: dict[str, MemoryItem] = {}
        """Turns that are shown, by id."""
        self._echo: PanelEntry | None = None
        """The message that is under way, and its answer."""
        self._answer: PanelEntry | None = None
        self._ordered = ""
        """What came of an order that is being carried out."""
        self._shows: Mapping[type[Event], Callable[[Any], None]] = {
            Heard: self._show_heard,
            Front: self._show_front,
            Piece: self._show_piece,
            AnswerWhole: self._show_whole,
            Answered: self._show_answered,
            Objection: self._show_objection,
            Notice: self._show_notice,
            CommandDone: self._show_ordered,
            Failed: self._show_failed,
        }

    @override
    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Horizontal(id="panels"):
            with Vertical(id="left"):
                yield Record(id="record")
                yield Why(id="why")
            with Vertical(id="right"):
                yield Summary(id="summary")
                yield Question(id="question", dollars=self._dollars)
        yield TokenBar(id="tokens")
        yield Footer(show_command_palette=False)

    async def on_mount(self) -> None:
        """Shows the earlier turns; without a subject, the list of subjects first."""
        self._say_state(self._idle)
        self._say_title()
        if self._session.person is None:
            self.action_people()
        else:
            await self._open()

    # --- keys --------------------------------------------------------------------------------------------------------

    def action_panel(self, by: int) -> None:
        """Moves the focus between message, record and summary, in a circle (CIM)."""
        order: list[Widget] = [self.query_one(kind) for kind in (Question, Record, Summary)]
        at = order.index(self.focused) if self.focused in order else -by
        order[(at + by) % len(order)].focus()

    def action_why(self) -> None:
        """Opens the strip for reading with the arrow keys, or closes it."""
        strip = self.query_one(Why)
        strip.toggle()
        (self.query_one(WhyBody) if strip.is_open else self.query_one(Question)).focus()

    def action_people(self) -> None:
        """Asks for the subject, unless an answer is running."""
        if self._is_busy:
            self._say_state("one at a time · Esc stops")
        else:
            self.run_worker(self._choose(), exit_on_error=True)

    def action_scene(self) -> None:
        """Starts the command that describes the person's surroundings."""
        question = self.query_one(Question)
        question.text = f"/scene {self._session.manner.scene}"
        question.move_cursor(question.document.end)
        question.focus()

    def action_stop(self) -> None:
        """Stops an incomplete answer; without an answer, leaves the strip."""
        if self._is_busy and self._asking is not None:
            if not self._is_keeping:
                self._asking.cancel()
        elif self.query_one(Why).is_open:
            self.action_why()

    async def kept(self) -> None:
        """Waits until a complete answer is stored."""
        if self._is_keeping and self._is_busy and self._asking is not None:
            self._say_state("storing, then the end")
            await self._asking.wait()

    def on_question_sent(self, event: Question.Sent) -> None:
        """Sends one message at a time; the next waits for the last summary (CIM)."""
        if self._is_busy or self._session.person is None:
            self.query_one(Question).give_back(event.typed)
            self.action_people()
        else:
            self._asking = self.run_worker(self._ask(event.text), exit_on_error=True)

    # --- a message on its way ----------------------------------------------------------------------------------------

    @property
    def _is_busy(self) -> bool:
        return self._asking is not None and not self._asking.is_finished

    async def _ask(self, text: str) -> None:
        self._begin(text)
        try:
            async with aclosing(self._session.send(text)) as events:
                async for event in events:
                    self._shows[type(event)](event)
        except asyncio.CancelledError:
            if self.is_attached:
                self._take_back("Stopped. Nothing of the answer was kept")
            raise
        finally:
            if self.is_attached:
                self._say_state(self._idle)
        if self._ordered:
            await self._open()
            self._show_notice(Notice(text=self._ordered))
            self._ordered = ""
        await self._refresh_summary()

    def _begin(self, text: str) -> None:
        self._echo = self.query_one(Record).add("You", text, kind="you")
        self._answer = None
        self._is_keeping = False
        self._say_state("reading memory …")

    def _show_heard(self, event: Heard) -> None:
        if event.remembered.results:
            self.query_one(Record).add("", views.facts_of(event.remembered).plain, kind="facts")

    def _show_front(self, front: Front) -> None:
        self.query_one(Why).show(front, self._turns)
        self.query_one(TokenBar).front = front
        if self._session.model:
            self._say_state("answering · Esc stops")
        else:
            record = self.query_one(Record)
            record.show_from(record.add("In front of your prompt", front.block, kind="block"))

    def _show_piece(self, event: Piece) -> None:
        if self._answer is None:
            self._answer = self.query_one(Record).add(inert_name(self._session.model), kind="model")
        self._answer.say(event.text)

    def _show_whole(self, _: AnswerWhole) -> None:
        self._is_keeping = True
        self._say_state("storing the turn …")

    def _show_answered(self, event: Answered) -> None:
        if event.finished is not None:
            self._turns[event.finished.item.id] = event.finished.item

    def _show_objection(self, event: Objection) -> None:
        said = f"\non record: {event.finding.said}" if event.finding.said else ""
        text = f"The answer is against what is recorded: {event.finding.message}\n“{event.finding.quote}”{said}"
        self.query_one(Record).add("CHECK THIS ANSWER", text, kind="loud")

    def _show_notice(self, event: Notice) -> None:
        self.query_one(Record).add("", inert(event.text, 600), kind="loud" if event.loud else "notice")

    def _show_ordered(self, event: CommandDone) -> None:
        self._ordered = event.told

    def _show_failed(self, event: Failed) -> None:
        self._take_back(f"No answer: {inert(event.reason)}")

    def _take_back(self, why: str) -> None:
        """Restores the words of a turn that was not stored, before what was typed since."""
        if self._echo is None:
            return
        question = self.query_one(Question)
        question.give_back(f"{self._echo.text}\n" if question.text else self._echo.text)
        self._echo.void("You (not kept as a turn)")
        if self._answer is not None:
            self._answer.void(f"{inert_name(self._session.model)} (broken off, not kept)")
        back = "Your words are back in the message; Enter sends them again."
        self.query_one(Record).add("", f"{why}. {back}", kind="notice")
        self._echo = self._answer = None

    # --- somebody to talk about --------------------------------------------------------------------------------------

    async def _choose(self) -> None:
        try:
            people = await self._session.people()
        except RMemoryError as error:
            self._show_notice(Notice(text=f"The list could not be read: {said(error)}.", loud=True))
            return
        chosen = await self.app.push_screen_wait(People(people, self._session.kind, nobody=not self._session.is_single))
        if chosen is not None:
            await self._turn_to(chosen)

    async def _turn_to(self, chosen: Entity | Declared | str) -> None:
        if isinstance(chosen, tuple):
            person = self._session.new_person(*chosen)
        else:
            person = ChatPerson(entity=chosen if isinstance(chosen, Entity) else None)
        try:
            self._session.choose(person)
        except RMemoryError as error:
            self._show_notice(Notice(text=f"{said(error)}.", loud=True))
            return
        await self._open()

    async def _open(self) -> None:
        """Shows the stored conversation about this subject."""
        record = self.query_one(Record)
        await record.clear()
        self._turns = {}
        self.query_one(Why).show(None, {})
        self.query_one(TokenBar).front = None
        self._say_title()
        try:
            turns = await self._session.turns(LOADED)
        except RMemoryError as error:
            self._show_notice(Notice(text=f"SAFETY MEMORY UNAVAILABLE: {said(error)}.", loud=True))
            return
        self._turns = {item.id: item for item in turns}
        if turns and turns[0].index > 1:
            record.add(
                "", f"{turns[0].index - 1} earlier turns are kept and searched, and not shown here.", kind="notice"
            )
        for item in turns:
            self._replay(record, item)
        if not turns:
            record.add("", self._welcome, kind="notice")
        await self._refresh_summary()

    def _replay(self, record: Record, item: MemoryItem) -> None:
        record.add("You", item.observation, kind="you")
        if item.response:
            record.add(inert_name(self._session.model or "Answer"), item.response, kind="model")
        for objection in item.objections:
            record.add("CHECK THIS ANSWER", f"The answer is against what is recorded: {objection}", kind="loud")

    @property
    def _welcome(self) -> str:
        person = self._session.person
        if person is not None and person.entity is None:
            return "This conversation is about nobody: it is remembered, and no facts are stored or looked up."
        name = inert_name(person.entity.name) if person and person.entity else "nobody"
        told = "Its answer follows." if self._session.model else "There is no model: the block itself is shown."
        return (
            f"Tell me something about {name}, or ask. Facts are stored as soon as you send them; what must be known is "
            f"put in front of every question. {told}"
        )

    async def _refresh_summary(self) -> None:
        try:
            self.query_one(Summary).show(await self._session.summary())
        except RMemoryError as error:
            self._show_notice(Notice(text=f"The summary could not be read: {said(error)}."))

    # --- words around the panels -------------------------------------------------------------------------------------

    @property
    def _idle(self) -> str:
        return DOLLARS if self._dollars else READY

    def _say_state(self, state: str) -> None:
        self.query_one(Question).border_subtitle = state

    def _say_title(self) -> None:
        person = self._session.person
        entity = person.entity if person else None
        about = f"{inert_name(entity.name)} ({inert_name(entity.id)})" if entity else "nobody"
        manner = self._session.manner
        parts = [inert_name(manner.conversation), inert_name(self._session.model or NO_MODEL)]
        parts += [f"profile {manner.profile}"] if manner.profile else []
        title = Content.assemble((" r-memory ", "reverse bold"), " ", (about, "bold"), " · ", " · ".join(parts))
        self.query_one("#title", Static).update(title)


class ChatApp(App[None]):
    """Runs one session until Ctrl+C."""

    TITLE = "r-memory chat"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "chat.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", "Quit", priority=True, key_display="^c"),
        Binding("ctrl+q", "quit", show=False, priority=True),
    ]

    def __init__(self, session: Session, *, dollars: bool = False) -> None:
        """With `NO_COLOR` in the environment there is no colour; frames, weight and words show the same."""
        colourless = "NO_COLOR" in os.environ
        # Given here: later it would be shades of grey, which are colours to a terminal.
        super().__init__(ansi_color=colourless)
        self._session = session
        self._dollars = dollars
        if colourless:
            self.theme = "ansi-dark"

    def on_mount(self) -> None:
        """Shows the conversation."""
        self.push_screen(ChatScreen(self._session, dollars=self._dollars))

    @override
    async def action_quit(self) -> None:
        """Ends the program, after storing a complete answer."""
        for screen in self.screen_stack:
            if isinstance(screen, ChatScreen):
                await screen.kept()
        self.exit()
