"""A shortener that does as it is told, whatever it is asked; no network."""

from collections.abc import Callable

from r_memory.protocols import Shortening


class ScriptedShortener:
    """Keeps the first words of a text, or does what it was given to do. Implements `protocols.Shortener`."""

    name = "scripted"

    def __init__(self, answer: Callable[[str, Shortening], str] | None = None) -> None:
        """`answer` may raise a `ModelError`."""
        self.asked: list[tuple[str, Shortening]] = []
        """Text and task of every call, in order."""
        self._answer = answer or _first_words

    async def shorten(self, text: str, task: Shortening) -> str:
        """As in `Shortener`."""
        self.asked.append((text, task))
        return self._answer(text, task)


def _first_words(text: str, task: Shortening) -> str:
    return " ".join(text.split()[: task.words])
