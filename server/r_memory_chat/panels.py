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
"""Keys for a new line; the first works on every terminal, the others only where the terminal tells them from Enter."""
FULL_WIDTH_DOLLARS = "\uff04"
_NEARLY = 0.9
"""Share of the longest message from which its characters are counted."""


class PanelEntry(Static):
    """An entry of the record: a message, an answer, a notice."""

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
        """Appends words."""
        self._text += views.printable(more)
        self._show()

    def void(self, title: str) -> None:
        """Changes the title and dims the entry, which no longer counts."""
        self._title = title
        self.add_class("-void")
        self._show()

    def _show(self) -> None:
        title = [Content.styled(self._title, "bold")] if self._title else []
        self.update(Content("\n").join([*title, Content(self._text.strip("\n"))] if self._text else title))


class Record(VerticalScroll):
    """The conversation, oldest first, with notices."""

    BORDER_TITLE = "Record"

    def add(self, title: str, text: str = "", *, kind: str) -> PanelEntry:
        """Adds and returns an entry; `kind` is `you`, `model`, `facts`, `block`, `notice` or `loud`."""
        entry = PanelEntry(title, text, classes=f"entry -{kind}")
        self.mount(entry)
        self.anchor()
        return entry

    def show_from(self, entry: PanelEntry) -> None:
        """Scrolls to the beginning of an entry."""
        self.call_after_refresh(self._stay_at, entry)

    def _stay_at(self, entry: PanelEntry) -> None:
        self.release_anchor()  # only now: what was added meanwhile holds it at the end
        self.scroll_to_widget(entry, animate=False, top=True)

    async def clear(self) -> None:
        """Removes all entries."""
        await self.remove_children()


class Summary(VerticalScroll):
    """The structured summary of the conversation."""

    BORDER_TITLE = "Summary"

    @override
    def compose(self) -> ComposeResult:
        yield Static(views.summary_of(None), id="summary-text")

    def show(self, kept: KeptSummary | None) -> None:
        """Shows a version of the summary."""
        self.border_subtitle = views.summary_label(kept)
        self.query_one("#summary-text", Static).update(views.summary_of(kept))


class WhyLine(Static):
    """The closed strip."""


class WhyBody(VerticalScroll):
    """The open strip."""


class Why(Vertical):
    """What R-Memory put in front of the prompt and why, in one line or in full."""

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
        """Shows the context of this prompt."""
        self._front = front
        self.query_one("#why-text", Static).update(views.why(front, turns))
        self.query_one(WhyBody).scroll_home(animate=False)
        self._show_line()

    def toggle(self) -> None:
        """Opens or closes the strip."""
        self.is_open = not self.is_open
        self.set_class(self.is_open, "-open")
        self._show_line()

    def on_mount(self) -> None:
        """Shows the line from the start."""
        self._show_line()

    def _show_line(self) -> None:
        line = self.query_one(WhyLine)
        line.set_class(bool(self._front and self._front.alarm), "-alarm")
        sign = "▾" if self.is_open else "▸"
        line.update(Content.assemble((f"{sign} F2 In front: ", "bold"), views.strip_line(self._front)))


class TokenBar(Widget):
    """Tokens of this prompt, compared with the full history."""

    front: reactive[Front | None] = reactive(None)

    @override
    def render(self) -> Content:
        """Returns one line."""
        return views.bar(self.front, self.size.width)


class Question(TextArea):
    """The input for a message, with several lines if necessary."""

    BORDER_TITLE = "Your message"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send"),
        Binding("enter", "end_line", "New line, $$ sends"),
        Binding("ctrl+j", "newline", "New line", key_display="^j"),
    ]
    """Key names for the footer; `on_key` handles the keys."""

    @dataclass
    class Sent(Message):
        """The person sends this message."""

        text: str
        typed: str
        """The text as typed, to be restored if it cannot be sent."""

    def __init__(self, *, id: str, dollars: bool = False) -> None:  # noqa: A002 - Textual's word
        """`dollars` as in CIM: Enter starts a new line, unless the text ends in `$$`, which are removed."""
        super().__init__(id=id, show_line_numbers=False, soft_wrap=True, tab_behavior="focus")
        self._dollars = dollars

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether an action of Enter is the present one."""
        return action != ("send" if self._dollars else "end_line")

    def on_text_area_changed(self) -> None:
        """Shows the number of characters once the text is nearly too long."""
        length, most = len(self.text), Limits().message
        count = f" · {length:,} of {most:,} characters" if length > most * _NEARLY else ""
        self.border_title = f"{self.BORDER_TITLE}{count}"

    def on_key(self, event: Key) -> None:
        """Sends, starts a new line or edits, in order; a binding would run before letters typed just before."""
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
        """Sends the text; does nothing if it is empty."""
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
        """Puts the text back before what was typed since; the cursor is at the end."""
        self.text = typed + self.text
        self.move_cursor(self.document.end)

    def action_newline(self) -> None:
        """Starts a new line at the cursor."""
        self.insert("\n")
