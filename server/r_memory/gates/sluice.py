"""Lets the text of a stream out sentence by sentence, each once it was held against the record.

Knows texts and channels (one for each answer, or part of one, that a stream interleaves); nothing of wire formats.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from r_memory.domain.facts import Entity
from r_memory.domain.gates import Decision, gravest, withheld
from r_memory.facts.recall.recaller import Earlier
from r_memory.gates.gates import GateJudgement, Gates, Look
from r_memory.text.sentences import may_end, stretches

Key = tuple[int, int | str]
"""Key of a channel: a choice and its text, or an output item and its part."""
MOST = 1_000_000
"""Most characters of one answer; a longer stream is stopped."""
_LONGEST = 4_000
"""Characters after which an unfinished sentence is checked."""


@dataclass(slots=True)
class Channel:
    """One text of a stream."""

    text: str = ""
    checked: int = 0
    """Characters that were compared with the record."""
    cleared: int = 0
    """Characters that may go out."""
    sent: int = 0
    """Characters that went out."""
    parts: list[Look] = field(default_factory=list)
    held: bool = False
    """Whether nothing more goes out until the text is complete."""
    judged: GateJudgement | None = None
    """The final judgement; `None` while the text goes on."""

    @property
    def rest(self) -> str:
        """The cleared text that was not sent yet."""
        return self.text[self.sent : self.cleared]

    @property
    def stopped(self) -> bool:
        """Whether the rest does not go out."""
        return self.judged is not None and withheld(self.judged.decision)


class Sluice:
    """The channels of one stream about one subject."""

    def __init__(
        self, gates: Gates, subject: Entity, *, shown_to: str = "", asked: str = "", missing: str = ""
    ) -> None:
        """`asked` is the request before, and `missing` why the record lacks what it told: nothing then is checked."""
        self._gates = gates
        self._subject = subject
        self._earlier = Earlier()
        self._after = partial(gates.after, subject=subject, shown_to=shown_to, asked=asked, missing=missing)
        self._call = partial(gates.call, subject=subject, shown_to=shown_to, asked=asked, missing=missing)
        self._settled = partial(gates.settled, subject=subject, shown_to=shown_to, asked=asked, missing=missing)
        self.channels: dict[Key, Channel] = {}

    def channel(self, key: Key) -> Channel:
        """Returns the channel of this key; a new one at the first call."""
        return self.channels.setdefault(key, Channel())

    async def add(self, key: Key, piece: str) -> Channel:
        """Adds a piece to a channel, checks the sentences that are complete now, and returns the channel."""
        channel = self.channel(key)
        channel.text += piece
        waiting = channel.text[channel.checked :]
        *whole, rest = (may_end(piece, waiting) and [*stretches(waiting)]) or [waiting]
        ready = len(waiting) - len(rest) if len(rest) <= _LONGEST else len(waiting)
        if channel.judged is None and ready and (whole or len(rest) > _LONGEST):
            await self._check(channel, channel.checked + ready)
        if channel.judged is None and len(channel.text) > MOST:
            look = Look(decision="stop", trouble=f"an answer of more than {MOST} characters is not read")
            await self._end(channel, look)
        return channel

    async def finish(self, key: Key) -> Channel:
        """Judges the whole text of a channel and returns it; held text is cleared if the judgement allows it."""
        channel = self.channel(key)
        if channel.judged is None and channel.checked < len(channel.text):
            await self._check(channel, len(channel.text))
        if channel.judged is None:
            look = channel.parts[0] if channel.parts else Look(decision="pass")
            if len(channel.parts) > 1:
                # In context: a name may stand in one sentence and what is done with it in another.
                look = await self._gates.look(channel.text, self._subject, self._earlier)
            parts = [] if channel.held else [part.decision for part in channel.parts]
            await self._end(channel, replace(look, decision=gravest([look.decision, *parts])))
        return channel

    async def judge(self, text: str, calls: Iterable[tuple[str, object]] = ()) -> list[GateJudgement]:
        """Returns the judgements on a complete text, if there is one, and on tool calls, by name and arguments."""
        judged: list[GateJudgement | None] = []
        if text.strip():
            judged.append(await self._after(text))
        for name, arguments in calls:
            judged.append(await self._call(name, arguments))
        return [each for each in judged if each is not None]

    async def _check(self, channel: Channel, end: int) -> None:
        look = await self._gates.look(channel.text[channel.checked : end], self._subject, self._earlier)
        channel.parts.append(look)
        channel.checked = end
        if look.decision == "stop":
            await self._end(channel, look)
        elif look.decision == "hold":
            channel.held = True
        elif not channel.held:
            channel.cleared = end

    async def _end(self, channel: Channel, look: Look) -> None:
        """Judges the text; the message says so if text that was already sent does not stand."""
        judged = await self._settled(look, gate="after", answered=channel.text)
        if withheld(judged.decision) and channel.cleared:
            judged = replace(judged, message=f"{_SENT}\n{judged.message}")
        channel.judged = judged
        if not withheld(judged.decision):
            channel.cleared = len(channel.text)


_SENT = "The part above was sent before this was found."


def notice(judged: GateJudgement) -> str:
    """Returns the text that replaces a stopped answer."""
    return f"[R-MEMORY: STOPPED] This answer does not go out as it is.\n{judged.message}"


def note(judged: GateJudgement) -> str:
    """Returns the text that follows an annotated answer."""
    return f"\n\n[R-MEMORY: NOTE]\n{judged.message}"


def gravest_of(judged: list[GateJudgement]) -> GateJudgement | None:
    """Returns the strictest judgement; `None` if the list is empty."""
    order: list[Decision] = [judgement.decision for judgement in judged]
    return judged[order.index(gravest(order))] if judged else None
