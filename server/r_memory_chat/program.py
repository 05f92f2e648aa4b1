"""The terminal program around the screen: its look, and the key that ends it."""

import os
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from typing_extensions import override

from r_memory_chat.screen import ChatScreen
from r_memory_chat.session import Session


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
        """With `NO_COLOR` in the environment nothing is coloured: frames, weight and words say the same."""
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
        """Ends the program; an answer that came whole is stored first."""
        for screen in self.screen_stack:
            if isinstance(screen, ChatScreen):
                await screen.kept()
        self.exit()
