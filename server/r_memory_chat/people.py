"""Choosing whom the conversation is about: a list, narrowed by typing, and a form that declares somebody new.

Nobody is declared by a slip of the fingers: a new name becomes somebody only together with an id, in its own form.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option
from typing_extensions import override

from r_memory.domain.facts import Entity
from r_memory.text.inert import inert_name

SHOWN = 200
"""Most people in the list; typing finds the others."""
NEW = "new"
NOBODY = "nobody"

Declared = tuple[str, str]
"""Id and name of a new subject."""


def matching(people: Sequence[Entity], typed: str) -> list[Entity]:
    """Returns the people whose id or name contains every typed word, in any case."""
    words = typed.casefold().split()
    return [person for person in people if all(word in f"{person.id} {person.name}".casefold() for word in words)]


def suggested_id(name: str, taken: Sequence[str]) -> str:
    """Returns an unused id for a subject with this name.

    >>> suggested_id("Jane Roe", ["jane-roe"])
    'jane-roe-2'
    """
    base = "-".join(re.findall(r"\w+", name.casefold())) or "new"
    names = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


class People(ModalScreen[Entity | Declared | str | None]):
    """Returns a subject of the list, id and name of a new one, `NOBODY`, or `None` if cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
    ]

    def __init__(self, people: Sequence[Entity], kind: str, *, nobody: bool = True) -> None:
        """`kind` is the schema's name for subjects; `nobody` offers a conversation without one."""
        super().__init__()
        self._nobody = nobody
        self._people = people
        self._kind = kind

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"Whom is this about? ({inert_name(self._kind)})", classes="dialog-title")
            yield Input(placeholder="type to find somebody, or a new name", id="typed")
            yield OptionList(id="people", markup=False)
            yield Label("↑ ↓ choose · Enter take · Esc back · ^c quit", classes="dialog-hint")

    def on_mount(self) -> None:
        """Shows all subjects."""
        self._fill("")
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Shows the matching subjects."""
        self._fill(event.value)

    def on_input_submitted(self) -> None:
        """Chooses the highlighted subject."""
        self.query_one(OptionList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Chooses a subject of the list, or opens the form for a new one."""
        if event.option.id == NEW:
            form = Declare(self.query_one(Input).value.strip(), [person.id for person in self._people])
            self.app.push_screen(form, self._declared)
        elif event.option.id == NOBODY:
            self.dismiss(NOBODY)
        else:
            self.dismiss(self._listed[event.option_index])

    def action_move(self, by: int) -> None:
        """Moves the highlight by some entries."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_back(self) -> None:
        """Cancels."""
        self.dismiss(None)

    def _declared(self, declared: Declared | None) -> None:
        if declared is not None:
            self.dismiss(declared)

    def _fill(self, typed: str) -> None:
        found = matching(self._people, typed)
        self._listed = found[:SHOWN]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            [Option(Content(f"{inert_name(item.name)}  ({inert_name(item.id)})")) for item in self._listed]
        )
        if len(found) > SHOWN:
            options.add_option(Option(Content(f"… {len(found) - SHOWN} more: type on"), disabled=True))
        new = f"+ Declare “{inert_name(typed.strip())}”, who is new" if typed.strip() else "+ Declare somebody new"
        options.add_option(Option(Content(new), id=NEW))
        if self._nobody and not typed.strip():
            options.add_option(Option(Content("Nobody: just talk, no facts are stored or looked up"), id=NOBODY))
        options.highlighted = 0


class Declare(ModalScreen[Declared | None]):
    """Returns id and name of a new subject, or `None` if cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, name: str, taken: Sequence[str]) -> None:
        super().__init__()
        self._name_typed = name
        self._taken = taken

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Somebody new", classes="dialog-title")
            yield Label("Name")
            yield Input(self._name_typed, placeholder="Jane Roe", id="name")
            yield Label("Id, by which everybody means the same one")
            yield Input(self._suggested(self._name_typed), placeholder="JR002", id="id")
            yield Label("", id="trouble")
            yield Label("Enter goes on · Tab changes the field · Esc back", classes="dialog-hint")

    def on_mount(self) -> None:
        """Moves the focus to the first empty field."""
        self.query_one("#id" if self._name_typed else "#name", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Derives the id from the name until the id is typed."""
        if event.input.id == "name" and event.input.has_focus:
            self.query_one("#id", Input).value = self._suggested(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Moves from the name to the id; from there, finishes."""
        name, id_ = (self.query_one(f"#{field}", Input).value.strip() for field in ("name", "id"))
        if event.input.id == "name" and name:
            self.query_one("#id", Input).focus()
        elif not (name and id_):
            self._refuse("Both are needed.")
        elif id_ in self._taken:
            self._refuse("Somebody has this id already: go back and choose them, or give another.")
        else:
            self.dismiss((id_, name))

    def action_back(self) -> None:
        """Returns to the list."""
        self.dismiss(None)

    def _suggested(self, name: str) -> str:
        return suggested_id(name, self._taken) if name.strip() else ""

    def _refuse(self, reason: str) -> None:
        self.query_one("#trouble", Label).update(Content(reason))
