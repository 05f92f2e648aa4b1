"""Judges and items for tests of the controller."""

from collections.abc import Mapping, Sequence

from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import Judgement


class Answering:
    """A judge that answers the second question by what it is shown, and remembers what it was asked."""

    name = "answering"

    def __init__(self, answers: Mapping[str, bool | None] | None = None, *, other: bool | None = True) -> None:
        self.asked: list[str] = []
        self._answers = dict(answers or {})
        self._other = other

    async def needs_memory(self, question: str, *, flash: str = "") -> Judgement:
        self.asked.append(f"{question}|{flash}")
        return self._judgement(self._other)

    async def suffices(self, question: str, material: str) -> Judgement:  # noqa: ARG002 - the protocol's
        self.asked.append(material)
        return self._judgement(self._answers.get(material, self._other))

    def _judgement(self, yes: bool | None) -> Judgement:
        return Judgement(yes=yes, by=self.name, trouble="unreadable" if yes is None else "")


def words(number: int, word: str = "so") -> str:
    """A text of exactly so many tokens."""
    return " ".join([word] * number)


def an_item(id_: str, raw: int, summary: int = 0, *, word: str = "so", seq: int = 0) -> MemoryItem:
    """An item of so many tokens raw, and so many in its summary; 0 for none of its own."""
    return MemoryItem(
        id=id_,
        space="s",
        conversation="c",
        seq=seq,
        observation=words(raw, word),
        summary=words(summary, f"{word}o") if summary else "",
        created_at=0,
        accessed_at=0,
    )


def items(*sizes: tuple[str, int, int]) -> Sequence[MemoryItem]:
    """Best first; each with words of its own, so that they can be told apart."""
    names = ("so", "we", "go", "up", "on", "at")
    return [an_item(id_, raw, summary, word=names[place], seq=place) for place, (id_, raw, summary) in enumerate(sizes)]
