"""What is stored when a voice that counts has read the words: one table beside the local reader. Pure.

A voice that counts is the calling assistant, or a model that passed the exam. Its risks are stored as said. What it
reads against a risk is stored only where a word of denial or end reaches the thing and the local reader reads no risk
of it. An end of what is not critical takes no risk away: it needs no word of a list. Whatever the local reader adds is
the safety net of the last rows. `docs/reference/listening.md` is made from it.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import NamedTuple

from r_memory.domain.facts import LocalVoice

__all__ = ["NET", "TABLE", "CueAgainst", "Fate", "Given", "ListeningRow", "NetRow", "beside", "net"]


class Given(StrEnum):
    """What a voice that counts read."""

    RISK = "a risk"
    ABSENCE = "an absence of a thing"
    END = "an end of what is not critical, or of an earlier value"
    TOLERANCE = "it tolerates a thing"
    INTOLERANCE = "it does not tolerate a thing"
    SCOPE = "an absence of a whole scope"


class Fate(StrEnum):
    """What is stored of a given fact."""

    AS_SAID = "as said"
    DISAGREE = "as said, flag `disagree`"
    DOUBTED = "unconfirmed, flag `disagree`, and it waits"
    WAITS = "it waits"
    TWO_WAYS = "neither is stored; it waits as read in two ways"


class CueAgainst(StrEnum):
    """The strongest word against a thing that reaches it, if any; a question comes before all others."""

    NONE = "no word"
    DENIAL = "a word of denial"
    END = "a word of end"
    FORM = "a closed form of end"
    KIND = "a plain denial of a whole kind"
    LASTS = "words that it goes on, and no word against it"
    ASKED = "a question"


class ListeningRow(NamedTuple):
    """One row of the table."""

    name: str
    given: Collection[Given]
    local: Collection[LocalVoice]
    fate: Fate
    cues: Collection[CueAgainst] = tuple(CueAgainst)
    """The row fits only if the strongest cue at the thing is among these."""
    reason: str = ""
    """The message to the caller if the result differs from the given fact."""


_RISKS = (LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT)
_AGAINST = (Given.ABSENCE, Given.TOLERANCE)
_FOR = (Given.RISK, Given.INTOLERANCE)
_ANY = tuple(LocalVoice)
TABLE = (
    ListeningRow(
        "tolerance_two_ways",
        [Given.INTOLERANCE],
        [LocalVoice.ABSENCE, LocalVoice.LEANS],
        Fate.TWO_WAYS,
        reason="the same words also read as a tolerance of it; nothing of it was stored, ask the person",
    ),
    ListeningRow(
        "risk_asked",
        [Given.RISK],
        _ANY,
        Fate.DOUBTED,
        cues=[CueAgainst.ASKED],
        reason="the words ask it and do not state it; ask the person, and give the answer",
    ),
    ListeningRow(
        "tolerance_asked",
        [Given.INTOLERANCE],
        _ANY,
        Fate.WAITS,
        cues=[CueAgainst.ASKED],
        reason="the words ask it and do not state it; ask the person, and give the answer",
    ),
    ListeningRow(
        "risk_denied",
        [Given.RISK],
        [LocalVoice.ABSENCE],
        Fate.DOUBTED,
        cues=[CueAgainst.DENIAL, CueAgainst.END, CueAgainst.FORM],
        reason="the words seem to deny it; a person confirms or corrects it",
    ),
    ListeningRow(
        "risk_of_another",
        _FOR,
        [LocalVoice.OTHER, LocalVoice.NOTHING],
        Fate.DISAGREE,
        reason="the words seem to be about somebody else, or to state nothing",
    ),
    ListeningRow("risk", _FOR, _ANY, Fate.AS_SAID),
    ListeningRow(
        "end_two_ways",
        [Given.END],
        [LocalVoice.RISK, LocalVoice.NAME],
        Fate.TWO_WAYS,
        cues=[CueAgainst.NONE, CueAgainst.LASTS],
        reason="the same words also read as a risk of it; nothing of it was stored, ask the person",
    ),
    ListeningRow("ended", [Given.ABSENCE], [LocalVoice.NAME, LocalVoice.DOUBT], Fate.AS_SAID, cues=[CueAgainst.FORM]),
    ListeningRow(
        "two_ways",
        _AGAINST,
        _RISKS,
        Fate.TWO_WAYS,
        reason="the same words also read as a risk of it; nothing of it was stored, ask the person",
    ),
    ListeningRow(
        "absence_asked",
        (*_AGAINST, Given.END, Given.SCOPE),
        _ANY,
        Fate.WAITS,
        cues=[CueAgainst.ASKED],
        reason="the words ask it and do not state it; ask the person, and give the answer",
    ),
    ListeningRow(
        "end_that_lasts",
        [Given.END],
        _ANY,
        Fate.WAITS,
        cues=[CueAgainst.LASTS],
        reason="the words say that it goes on; quote the words that say that it is over, or ask the person",
    ),
    ListeningRow("end", [Given.END], _ANY, Fate.AS_SAID),
    ListeningRow("both_absence", [Given.ABSENCE], [LocalVoice.ABSENCE], Fate.AS_SAID),
    ListeningRow("tolerated", [Given.TOLERANCE], _ANY, Fate.AS_SAID),
    ListeningRow(
        "absence", [Given.ABSENCE], _ANY, Fate.AS_SAID, cues=[CueAgainst.DENIAL, CueAgainst.END, CueAgainst.FORM]
    ),
    ListeningRow(
        "absence_without_a_cue",
        [Given.ABSENCE],
        _ANY,
        Fate.WAITS,
        reason="no word of denial or end is said of it; quote the words that say so, or ask the person",
    ),
    ListeningRow("scope", [Given.SCOPE], [LocalVoice.ABSENCE], Fate.AS_SAID),
    ListeningRow(
        "scope_denied",
        [Given.SCOPE],
        [LocalVoice.LEANS, LocalVoice.NOTHING, LocalVoice.SILENT],
        Fate.AS_SAID,
        cues=[CueAgainst.KIND],
    ),
    ListeningRow(
        "scope_on_one_word",
        [Given.SCOPE],
        _ANY,
        Fate.WAITS,
        reason="that there is none of a whole kind needs words that say so plainly; ask, and give the answer",
    ),
)
"""The first row that fits decides; a row fits every case."""


class NetRow(NamedTuple):
    """One row of the safety net, for a thing that the local reader found and the voice that counts did not list."""

    name: str
    local: LocalVoice
    empty: bool = False
    """The row fits only if the voice that counts lists nothing at all."""


NET = (
    NetRow("unlisted_risk", LocalVoice.RISK),
    NetRow("unlisted_name", LocalVoice.NAME),
    NetRow("unlisted_doubt", LocalVoice.DOUBT, empty=True),
)
"""For critical relations only: the words wait for review, and what they were read as is named, shown and compared. No
fact is stored that only the local reader found. If no row fits, nothing waits, as a voice that counts has read them."""


def beside(given: Given, local: LocalVoice, cue: CueAgainst) -> ListeningRow:
    """Returns the row that decides on a given fact."""
    return next(row for row in TABLE if given in row.given and local in row.local and cue in row.cues)


def net(local: LocalVoice, *, critical: bool, empty: bool) -> NetRow | None:
    """Returns the row for a thing that only the local reader found; `None` if nothing is done."""
    if not critical:
        return None
    return next((row for row in NET if row.local is local and (empty or not row.empty)), None)
