"""Lets the text of a stream out sentence by sentence, each once it was held against the record.

Knows texts and channels (one for each answer, or part of one, that a stream interleaves); nothing of wire formats.
"""

from dataclasses import dataclass, field, replace

from r_memory.domain.facts import Entity
from r_memory.domain.gates import Decision, GateKind, gravest, withheld
from r_memory.facts.recall.recaller import Earlier
from r_memory.gates.gates import GateJudgement, Gates, Look
from r_memory.text.sentences import stretches

Key = tuple[int, int | str]
"""Of a channel: a choice and its text, or an item of the output and its part."""
MOST = 1_000_000
"""Characters of one answer: a stream without end is stopped there."""
_LONGEST = 4_000
"""Characters after which a sentence without an end is checked as it stands."""


@dataclass(slots=True)
class Channel:
    """One text that comes in pieces."""

    text: str = ""
    checked: int = 0
    """Characters that were held against the record."""
    cleared: int = 0
    """Characters that may go out."""
    sent: int = 0
    """Characters that went out."""
    parts: list[Look] = field(default_factory=list)
    held: bool = False
    """Whether nothing more goes out before all is read."""
    judged: GateJudgement | None = None
    """The end of it, whether it came to its end or was stopped."""

    @property
    def rest(self) -> str:
        """What may go out and has not."""
        return self.text[self.sent : self.cleared]

    @property
    def stopped(self) -> bool:
        """Whether the rest does not go out."""
        return self.judged is not None and withheld(self.judged.decision)


class Sluice:
    """The texts of one stream about one subject."""

    def __init__(self, gates: Gates, subject: Entity, *, shown_to: str = "", asked: str = "") -> None:
        self._gates = gates
        self._subject = subject
        self._shown_to = shown_to
        self._asked = asked
        self._earlier = Earlier()
        self.channels: dict[Key, Channel] = {}

    def channel(self, key: Key) -> Channel:
        """The channel of this name, made when it is first asked for."""
        return self.channels.setdefault(key, Channel())

    async def add(self, key: Key, piece: str) -> Channel:
        """The channel with one more piece; sentences that are whole now are checked."""
        channel = self.channel(key)
        channel.text += piece
        waiting = channel.text[channel.checked :]
        *whole, rest = [*stretches(waiting)] or [""]
        ready = len(waiting) - len(rest) if len(rest) <= _LONGEST else len(waiting)
        if channel.judged is None and ready and (whole or len(rest) > _LONGEST):
            await self._check(channel, channel.checked + ready)
        if channel.judged is None and len(channel.text) > MOST:
            look = Look(decision="stop", trouble=f"an answer of more than {MOST} characters is not read")
            await self._end(channel, look)
        return channel

    async def finish(self, key: Key) -> Channel:
        """The channel at its end: what was held back goes out if the whole of it may."""
        channel = self.channel(key)
        if channel.judged is None and channel.checked < len(channel.text):
            await self._check(channel, len(channel.text))
        if channel.judged is None:
            # In context: a name may stand in one sentence and what is done with it in another.
            several = len(channel.parts) > 1
            whole = (
                await self._gates.look(channel.text, self._subject, self._earlier) if several else channel.parts[-1:]
            )
            look = whole if isinstance(whole, Look) else (whole or [Look(decision="pass")])[0]
            parts = [] if channel.held else [part.decision for part in channel.parts]
            await self._end(channel, replace(look, decision=gravest([look.decision, *parts])))
        return channel

    async def judge(self, draft: str, gate: GateKind, *, said: str) -> GateJudgement:
        """What becomes of a draft that came whole, such as the words of a tool call."""
        return await self._gates.after(
            draft, subject=self._subject, gate=gate, shown_to=self._shown_to, asked=self._asked, said=said
        )

    async def _look(self, draft: str) -> Look:
        return await self._gates.look(draft, self._subject, self._earlier)

    async def _check(self, channel: Channel, end: int) -> None:
        look = await self._look(channel.text[channel.checked : end])
        channel.parts.append(look)
        channel.checked = end
        if look.decision == "stop":
            await self._end(channel, look)
        elif look.decision == "hold":
            channel.held = True
        elif not channel.held:
            channel.cleared = end

    async def _end(self, channel: Channel, look: Look) -> None:
        """Judges what there is, and says so where what was sent before does not stand as it was sent."""
        judged = await self._gates.settled(
            look, self._subject, "after", answered=channel.text, shown_to=self._shown_to, asked=self._asked
        )
        if withheld(judged.decision) and channel.cleared:
            judged = replace(judged, message=f"{_SENT}\n{judged.message}")
        channel.judged = judged
        if not withheld(judged.decision):
            channel.cleared = len(channel.text)


_SENT = "The part above was sent before this was found."


def notice(judged: GateJudgement) -> str:
    """What stands in the place of an answer that does not go out."""
    return f"[R-MEMORY: STOPPED] This answer does not go out as it is.\n{judged.message}"


def note(judged: GateJudgement) -> str:
    """What follows an answer that goes out with an annotation."""
    return f"\n\n[R-MEMORY: NOTE]\n{judged.message}"


def gravest_of(judged: list[GateJudgement]) -> GateJudgement | None:
    """The judgement that lets the least out; `None` where nothing was judged."""
    order: list[Decision] = [one.decision for one in judged]
    return judged[order.index(gravest(order))] if judged else None
