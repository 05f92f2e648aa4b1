"""The parts of the screen: record, strip, summary, message, token bar. They show what they are given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static, TextArea
from typing_extensions import override

from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import KeptSummary
from r_memory.facts.limits import Limits
from r_memory_chat import views
from r_memory_chat.events import Front

NEW_LINE = ("ctrl+j", "shift+enter", "alt+enter")
"""The first works on every terminal, the others where the terminal tells them from Enter."""
FULL_WIDTH_DOLLARS = "\uff04"
_NEARLY = 0.9
"""Of the longest message, from where on its characters are counted."""


class PanelEntry(Static):
    """One thing in the record: a message, an answer, a notice."""

    def __init__(self, title: str, text: str = "", *, classes: str) -> None:
        super().__init__(classes=classes)
        self._title = title
        self._text = ""
        self.say(text)

    @property
    def text(self) -> str:
        """The words, without the title."""
        return self._text

    def say(self, more: str) -> None:
        """Goes on."""
        self._text += views.printable(more)
        self._show()

    def retitle(self, title: str, *, dim: bool = False) -> None:
        """Another title; `dim` for what does not count any more."""
        self._title = title
        self.set_class(dim, "-void")
        self._show()

    def _show(self) -> None:
        title = [Content.styled(self._title, "bold")] if self._title else []
        self.update(Content("\n").join([*title, Content(self._text.strip("\n"))] if self._text else title))


class ChatRecord(VerticalScroll):
    """What was said, oldest first, and notices beside it."""

    BORDER_TITLE = "Record"

    def add(self, title: str, text: str = "", *, kind: str) -> PanelEntry:
        """A new entry at the end; `kind` is `you`, `model`, `facts`, `block`, `notice` or `loud`."""
        entry = PanelEntry(title, text, classes=f"entry -{kind}")
        self.mount(entry)
        self.anchor()
        return entry

    def show_from(self, entry: PanelEntry) -> None:
        """Scrolls to where an entry begins: of a long one, its end would stand there."""
        self.call_after_refresh(self._stay_at, entry)

    def _stay_at(self, entry: PanelEntry) -> None:
        self.release_anchor()  # only now: what was added meanwhile holds it at the end
        self.scroll_to_widget(entry, animate=False, top=True)

    async def clear(self) -> None:
        """Nothing, as before anything was said."""
        await self.remove_children()


class Summary(VerticalScroll):
    """The structured summary of the conversation."""

    BORDER_TITLE = "Summary"

    @override
    def compose(self) -> ComposeResult:
        yield Static(views.summary_of(None), id="summary-text")

    def show(self, kept: KeptSummary | None) -> None:
        """The version as it stands."""
        self.border_subtitle = views.summary_label(kept)
        self.query_one("#summary-text", Static).update(views.summary_of(kept))


class WhyLine(Static):
    """The closed strip."""


class WhyBody(VerticalScroll):
    """The open strip."""


class Why(Vertical):
    """What R-Memory put in front of the prompt and why, in a line or whole."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.is_open = False
        self._front: Front | None = None

    @override
    def compose(self) -> ComposeResult:
        yield WhyLine()
        with WhyBody():
            yield Static(views.why(None, {}), id="why-text")

    def show(self, front: Front | None, turns: Mapping[str, MemoryItem]) -> None:
        """What stands in front of this prompt."""
        self._front = front
        self.query_one("#why-text", Static).update(views.why(front, turns))
        self.query_one(WhyBody).scroll_home(animate=False)
        self._show_line()

    def toggle(self) -> None:
        """Opens or closes."""
        self.is_open = not self.is_open
        self.set_class(self.is_open, "-open")
        self._show_line()

    def on_mount(self) -> None:
        """The line stands from the beginning."""
        self._show_line()

    def _show_line(self) -> None:
        line = self.query_one(WhyLine)
        line.set_class(bool(self._front and self._front.alarm), "-alarm")
        sign = "▾" if self.is_open else "▸"
        line.update(Content.assemble((f"{sign} F2 In front: ", "bold"), views.strip_line(self._front)))


class TokenBar(Widget):
    """This prompt's tokens against full history."""

    front: reactive[Front | None] = reactive(None)

    @override
    def render(self) -> Content:
        """One line."""
        return views.bar(self.front, self.size.width)


class QuestionBox(TextArea):
    """Where the person types; several lines if need be."""

    BORDER_TITLE = "Your message"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send"),
        Binding("enter", "end_line", "New line, $$ sends"),
        Binding("ctrl+j", "newline", "New line", key_display="^j"),
    ]
    """For the footer; see `on_key`."""

    @dataclass
    class Sent(Message):
        """The person sends this."""

        text: str
        typed: str
        """As it stood in the message, to be given back where it cannot be sent now."""

    def __init__(self, *, id: str, dollars: bool = False) -> None:  # noqa: A002 - Textual's word
        """`dollars` is CIM's way: Enter begins a new line unless the text ends in `$$`, which are no part of it."""
        super().__init__(id=id, show_line_numbers=False, soft_wrap=True, tab_behavior="focus")
        self._dollars = dollars

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Of what Enter may be called, only what it does here."""
        return action != ("send" if self._dollars else "end_line")

    def on_text_area_changed(self) -> None:
        """Counts, once the text is nearly too long to be sent."""
        length, most = len(self.text), Limits().message
        count = f" · {length:,} of {most:,} characters" if length > most * _NEARLY else ""
        self.border_title = f"{self.BORDER_TITLE}{count}"

    def on_key(self, event: Key) -> None:
        """Sends, begins a new line or edits, in its turn: a binding would overtake letters typed just before."""
        action = {
            "enter": self.action_send,
            **dict.fromkeys(NEW_LINE, self.action_newline),
            "backspace": self.action_delete_left,
            "delete": self.action_delete_right,
            "left": self.action_cursor_left,
            "right": self.action_cursor_right,
        }.get(event.key)
        if action is not None:
            event.prevent_default()
            event.stop()
            action()

    def action_send(self) -> None:
        """Sends what stands here; nothing happens while it is empty."""
        text = self.text.rstrip()
        if self._dollars:
            ending = text.replace(FULL_WIDTH_DOLLARS, "$")
            if len(text) <= 2 or not ending.endswith("$$"):
                self.action_newline()
                return
            text = text[:-2].rstrip()
        if text.strip():
            # Emptied at once: what is typed from here on belongs to the next message.
            self.post_message(self.Sent(text, self.text))
            self.text = ""

    def give_back(self, typed: str) -> None:
        """The words stand here again, before what was typed since; the cursor is at the end."""
        self.text = typed + self.text
        self.move_cursor(self.document.end)

    def action_newline(self) -> None:
        """Begins a new line where the cursor is."""
        self.insert("\n")
