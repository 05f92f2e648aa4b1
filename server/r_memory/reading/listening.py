"""What is stored when a voice that counts has read the words: one table beside the local reader. Pure.

A voice that counts is the calling assistant, or a model that passed the exam. Its risks are stored as said. What it
reads against a risk is stored only where a word of denial or end reaches the thing and the local reader reads no risk
of it. Whatever the local reader adds is the safety net of the last rows. `docs/reference/listening.md` is made from it.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from r_memory.domain.facts import LocalVoice

__all__ = ["NET", "TABLE", "Cue", "Fate", "Given", "NetRow", "Row", "beside", "net"]


class Given(StrEnum):
    """What the voice that counts reads."""

    RISK = "a risk"
    ABSENCE = "an absence of a thing"
    TOLERANCE = "it tolerates a thing"
    INTOLERANCE = "it does not tolerate a thing"
    SCOPE = "an absence of a whole scope"
    REFUSED = "a risk that the validator refuses"


class Fate(StrEnum):
    """What becomes of it."""

    AS_SAID = "as said"
    DISAGREE = "as said, flag `disagree`"
    DOUBTED = "unconfirmed, flag `disagree`, and it waits"
    WAITS = "it waits"
    TWO_WAYS = "neither is stored; it waits as read in two ways"


class Cue(StrEnum):
    """The strongest word against it that reaches a thing."""

    NONE = "no word"
    DENIAL = "a word of denial"
    END = "a word of end"
    FORM = "a closed form of end"


class Row(NamedTuple):
    """One row of the table."""

    name: str
    given: Collection[Given]
    local: Collection[LocalVoice]
    fate: Fate
    cues: Collection[Cue] = tuple(Cue)
    """Holds only where the strongest cue that reaches the thing is one of these."""
    reason: str = ""
    """Told to the caller where the fate differs from what was given."""


_RISKS = (LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT)
_AGAINST = (Given.ABSENCE, Given.TOLERANCE)
_FOR = (Given.RISK, Given.INTOLERANCE)
_ANY = tuple(LocalVoice)
TABLE = (
    Row("refused", [Given.REFUSED], _ANY, Fate.WAITS),
    Row(
        "tolerance_two_ways",
        [Given.INTOLERANCE],
        [LocalVoice.ABSENCE, LocalVoice.LEANS],
        Fate.TWO_WAYS,
        reason="the same words also read as a tolerance of it; nothing of it was stored, ask the person",
    ),
    Row(
        "risk_denied",
        [Given.RISK],
        [LocalVoice.ABSENCE],
        Fate.DOUBTED,
        cues=[Cue.DENIAL, Cue.END, Cue.FORM],
        reason="the words seem to deny it; a person confirms or corrects it",
    ),
    Row(
        "risk_of_another",
        _FOR,
        [LocalVoice.OTHER, LocalVoice.NOTHING],
        Fate.DISAGREE,
        reason="the words seem to be about somebody else, or to state nothing",
    ),
    Row("risk", _FOR, _ANY, Fate.AS_SAID),
    Row("ended", [Given.ABSENCE], [LocalVoice.NAME, LocalVoice.DOUBT], Fate.AS_SAID, cues=[Cue.FORM]),
    Row(
        "two_ways",
        _AGAINST,
        _RISKS,
        Fate.TWO_WAYS,
        reason="the same words also read as a risk of it; nothing of it was stored, ask the person",
    ),
    Row("both_absence", [Given.ABSENCE], [LocalVoice.ABSENCE], Fate.AS_SAID),
    Row("tolerated", [Given.TOLERANCE], _ANY, Fate.AS_SAID),
    Row("absence", [Given.ABSENCE], _ANY, Fate.AS_SAID, cues=[Cue.DENIAL, Cue.END, Cue.FORM]),
    Row(
        "absence_without_a_cue",
        [Given.ABSENCE],
        _ANY,
        Fate.WAITS,
        reason="no word of denial or end is said of it; quote the words that say so, or ask the person",
    ),
    Row("scope", [Given.SCOPE], [LocalVoice.ABSENCE], Fate.AS_SAID),
    Row(
        "scope_on_one_word",
        [Given.SCOPE],
        _ANY,
        Fate.WAITS,
        reason="that there is none of a whole kind needs words that say so plainly; ask, and give the answer",
    ),
)
"""The first row that fits decides; every case has one."""


class NetRow(NamedTuple):
    """One row of the safety net: what the local reader reads of a thing that the voice that counts does not list."""

    name: str
    local: LocalVoice
    stored: bool
    """Unconfirmed, with the flag `local`; it waits either way."""
    empty: bool = False
    """Only where the voice that counts lists nothing at all."""


NET = (
    NetRow("unlisted_risk", LocalVoice.RISK, stored=True),
    NetRow("unlisted_name", LocalVoice.NAME, stored=True),
    NetRow("unlisted_doubt", LocalVoice.DOUBT, stored=False, empty=True),
)
"""For critical relations alone. Anything less is nothing: the words were read."""


def beside(given: Given, local: LocalVoice, cue: Cue) -> Row:
    """The row that decides what becomes of a given fact."""
    return next(row for row in TABLE if given in row.given and local in row.local and cue in row.cues)


def net(local: LocalVoice, *, critical: bool, empty: bool) -> NetRow | None:
    """What becomes of a thing that only the local reader reads; `None`: nothing."""
    if not critical:
        return None
    return next((row for row in NET if row.local is local and (empty or not row.empty)), None)
