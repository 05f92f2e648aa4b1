"""Draws docs/images/chat*.svg: the real `r-memory chat` over a real store, with a story of our own.

The memory is real; the words of the model are prepared, so that no model is needed and none is shown at its worst.

    python -m scripts.chat_screenshot docs/images
"""

import asyncio
import itertools
import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from r_memory.config.settings import Settings
from r_memory.text.tokens import count
from r_memory.wiring import open_memory
from r_memory_chat.orders import Manner
from r_memory_chat.panels import Question
from r_memory_chat.screen import ChatApp
from r_memory_chat.session import Session
from r_memory_lab.demo.story import made_up
from tests.scripted_stream import ScriptedStream

SIZE = (124, 40)
ALLERGY = "I am severely allergic to penicillin."
REQUEST = "I have strep throat. What is the standard first-line antibiotic?"
SLIP = "The usual first choice is amoxicillin, 500 mg twice a day for ten days."
TOLD: Sequence[tuple[str, str]] = (
    (ALLERGY, "Thank you. I will keep that in mind."),
    ("My sister is allergic to sulfa drugs.", "I note that for the family history."),
    ("I drive a school bus, so nothing that makes me drowsy, please.", "Understood: nothing that makes you drowsy."),
    ("The appointment must be before Friday.", "Then I will look for Wednesday or Thursday."),
    ("Forget the knee brace, it never fitted.", "No knee brace, then."),
)
_WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


class Model(ScriptedStream):
    """What stands where the name of a model would stand."""

    name = "your-model"


async def drawn(folder: Path) -> None:
    """Tells the story and draws the screen twice: the strip closed, and open."""
    story = made_up(turns=400).turns
    small_talk = [turn.text for turn in story if turn.about.id == "JD001" and turn.speaker == "patient"][:40]
    replies = [[reply] for _, reply in TOLD[:1]] + [["I see."]] * len(small_talk) + [[reply] for _, reply in TOLD[1:]]
    said = [ALLERGY, *small_talk, *(text for text, _ in TOLD[1:])]
    with tempfile.TemporaryDirectory() as data:
        async with open_memory(Settings(data_dir=Path(data), read_timeout_s=60)) as memory:
            keys = itertools.count()
            session = Session(
                memory,
                Model(*replies, [SLIP]),
                Manner(),
                count=count,
                time=lambda: "2026-11-21T10:15:02Z",
                new_key=lambda: f"story-{next(keys)}",
            )
            session.choose(session.new_person("JD001", "John Doe"))
            for text in said:
                async with aclosing(session.send(text)) as events:
                    async for _ in events:
                        pass
            await _shown(session, folder)


async def _shown(session: Session, folder: Path) -> None:
    app = ChatApp(session)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.screen.query_one(Question).insert(REQUEST)
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        _save(app, folder / "chat.svg")
        await pilot.press("f2")
        await pilot.pause()
        _save(app, folder / "chat-why.svg")


def _save(app: ChatApp, path: Path) -> None:
    # Whoever looks at it asks nobody else for a font.
    drawing = _WEB_FONT.sub("", app.export_screenshot(title="r-memory chat"))
    path.write_text("\n".join(line.rstrip() for line in drawing.splitlines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(drawn(Path(sys.argv[1])))
