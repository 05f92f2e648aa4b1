"""The table beside a voice that counts: every case has a row, and its page shows the very same rows."""

import itertools
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from r_memory.domain.facts import LocalVoice
from r_memory.reading.listening import NET, TABLE, CueAgainst, Fate, Given, ListeningRow, beside, net

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "listening.md"


def _cell(voices: Collection[str], every: Iterable[str]) -> str:
    return "anything" if tuple(voices) == tuple(every) else "; ".join(voices)


def _row(row: ListeningRow) -> str:
    cue = "" if set(row.cues) == set(CueAgainst) else f", with {' or '.join(row.cues)}"
    return f"| `{row.name}` | {'; '.join(row.given)}{cue} | {_cell(row.local, LocalVoice)} | {row.fate} |"


def _table() -> str:
    head = "| row | the voice that counts reads | the local reader, of the same thing | stored |\n|---|---|---|---|\n"
    return head + "\n".join(map(_row, TABLE))


def _net() -> str:
    head = "| row | the local reader, whose words then wait |\n|---|---|\n"
    when = {True: ", where the list given is empty", False: ""}
    return head + "\n".join(f"| `{row.name}` | {row.local}{when[row.empty]} |" for row in NET)


def test_the_page_shows_the_rows_that_decide() -> None:
    page = PAGE.read_text()

    assert _table() in page
    assert _net() in page


@pytest.mark.parametrize("cue", list(CueAgainst))
@pytest.mark.parametrize(("given", "local"), list(itertools.product(Given, LocalVoice)))
def test_every_case_has_a_row(given: Given, local: LocalVoice, cue: CueAgainst) -> None:
    assert beside(given, local, cue) in TABLE


@pytest.mark.parametrize("given", [Given.ABSENCE, Given.TOLERANCE])
@pytest.mark.parametrize("cue", list(CueAgainst))
def test_no_absence_is_stored_beside_a_local_risk_of_the_same_thing(given: Given, cue: CueAgainst) -> None:
    assert beside(given, LocalVoice.RISK, cue).fate is Fate.TWO_WAYS


@pytest.mark.parametrize("cue", list(CueAgainst))
def test_what_the_local_reader_only_doubts_ends_by_a_closed_form_alone(cue: CueAgainst) -> None:
    stored = beside(Given.ABSENCE, LocalVoice.DOUBT, cue).fate is Fate.AS_SAID

    assert stored == (cue is CueAgainst.FORM)
    assert beside(Given.TOLERANCE, LocalVoice.DOUBT, cue).fate is Fate.TWO_WAYS


@pytest.mark.parametrize("local", [LocalVoice.ABSENCE, LocalVoice.LEANS])
def test_a_denied_tolerance_is_never_stored_as_one_that_may_hold(local: LocalVoice) -> None:
    assert beside(Given.INTOLERANCE, local, CueAgainst.DENIAL).fate is Fate.TWO_WAYS


@pytest.mark.parametrize("local", list(LocalVoice))
def test_an_absence_of_a_whole_scope_needs_the_closed_form(local: LocalVoice) -> None:
    stored = beside(Given.SCOPE, local, CueAgainst.END).fate is Fate.AS_SAID

    assert stored == (local is LocalVoice.ABSENCE)


@pytest.mark.parametrize("local", list(LocalVoice))
@pytest.mark.parametrize("given", list(Given))
def test_what_is_asked_is_doubted_at_most_and_reassures_nobody(given: Given, local: LocalVoice) -> None:
    fate = beside(given, local, CueAgainst.ASKED).fate

    assert fate is Fate.DOUBTED if given is Given.RISK else fate in {Fate.WAITS, Fate.TWO_WAYS}


@pytest.mark.parametrize("local", list(LocalVoice))
def test_a_risk_is_never_lost(local: LocalVoice) -> None:
    assert beside(Given.RISK, local, CueAgainst.END).fate in {Fate.AS_SAID, Fate.DISAGREE, Fate.DOUBTED}


def test_an_unlisted_critical_risk_stays_in_view_and_anything_less_is_nothing() -> None:
    sure, doubt = net(LocalVoice.RISK, critical=True, empty=False), net(LocalVoice.DOUBT, critical=True, empty=False)

    assert sure is not None
    assert doubt is None
    assert net(LocalVoice.DOUBT, critical=True, empty=True) is not None
    assert net(LocalVoice.RISK, critical=False, empty=True) is None
