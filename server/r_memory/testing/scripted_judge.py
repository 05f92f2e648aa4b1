"""A judge of the controller's questions that answers as it was told to."""

from collections.abc import Mapping

from r_memory.domain.judgements import Judgement


class ScriptedJudge:
    """Implements `protocols.Judge`: the same answer to every first question, prepared ones to the second.

    `suffices` maps what the judge is shown to the answer; everything else suffices. `None` is an answer that nobody
    understands.
    """

    name = "scripted"

    def __init__(self, *, needed: bool | None = True, suffices: Mapping[str, bool | None] | None = None) -> None:
        self.needed = needed
        self.asked: list[tuple[str, str]] = []
        """Every first question with the flash memory that was shown."""
        self._suffices = dict(suffices or {})

    async def needs_memory(self, question: str, *, flash: str = "") -> Judgement:
        """The prepared answer to Q1."""
        self.asked.append((question, flash))
        return _answer(yes=self.needed)

    async def suffices(self, question: str, material: str) -> Judgement:  # noqa: ARG002 - the protocol's
        """The prepared answer to Q2."""
        return _answer(yes=self._suffices.get(material, True))


def _answer(*, yes: bool | None) -> Judgement:
    return Judgement(yes=yes, by="scripted", trouble="neither yes nor no" if yes is None else "")
