"""An erased chain: it holds without words, and nobody can hide an altered event among the erased ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from r_memory.domain.erasure import Erasure, erasure_of, is_trace, new_trace
from r_memory.domain.events import ChainHead, EventKind, FactEvent, chain_differences, observed
from r_memory.domain.folding import fold_all
from tests.store.world import NOW, a_patient, an_episode, seen

PATIENT = a_patient("clinic")
TRACES = {
    "statements": 3,
    "events": 3,
    "facts": 1,
    "receipts": 0,
    "items": 2,
    "summaries": 0,
    "decisions": 0,
    "documents": 0,
}
Events = Sequence[FactEvent]


def a_chain(number: int = 3) -> tuple[FactEvent, ...]:
    return observed(
        [seen(PATIENT) for _ in range(number)],
        episode=an_episode(PATIENT),
        head=ChainHead(),
        now=NOW,
        schema_version="v",
    )


def an_erasure(events: Events) -> Erasure:
    return erasure_of(
        PATIENT,
        events=events,
        receipts=(),
        previous=ChainHead().after(events),
        traces=TRACES,
        actor="Dr Ada",
        reason="request 17",
        now=NOW - 1_000_000,
    )


def erased(events: Events) -> tuple[FactEvent, ...]:
    erasure = an_erasure(events)
    return (*erasure.blanks, erasure.closing)


def test_an_erased_chain_holds_and_is_of_no_fact() -> None:
    events = erased(a_chain())
    assert list(chain_differences(events)) == []
    assert fold_all(events) == ()
    assert [event.recorded_at for event in events] == [NOW] * 4, "a clock that ran backwards changes no order"


def test_a_subject_about_whom_nothing_was_recorded_leaves_the_log_alone() -> None:
    [closing] = erased(())
    assert (closing.seq, closing.actor, closing.attrs["statements"]) == (1, "Dr Ada", 3)
    assert list(chain_differences([closing])) == []


def test_nothing_of_the_person_is_in_what_stays() -> None:
    erasure = an_erasure(a_chain())
    text = str((erasure.trace, erasure.blanks, erasure.closing, erasure.head))
    for word in (PATIENT.id, PATIENT.name, "penicillin", "allergic", "severe", "patient", "episode-", *_ids(a_chain())):
        assert word not in text
    assert is_trace(erasure.trace)
    assert not is_trace(PATIENT)
    assert new_trace(PATIENT).id != new_trace(PATIENT).id


def _ids(events: Events) -> list[str]:
    return [name for event in events for name in (event.id, event.fact_id)]


TAMPERED: dict[str, Callable[[Events], Events]] = {
    "a word in an erased event": lambda events: (replace(events[0], evidence="allergic"), *events[1:]),
    "another hash of an erased event": lambda events: (replace(events[0], hash="0" * 64), *events[1:]),
    "an erased event less": lambda events: (events[0], *events[2:]),
    "no closing event": lambda events: events[:-1],
    "another reason": lambda events: (*events[:-1], replace(events[-1], reason="because")),
    "a live event made to look erased": lambda events: (
        *a_chain()[:1],
        replace(events[1], prev_hash=a_chain()[0].hash),
        *a_chain()[2:],
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_whatever_is_changed_in_an_erased_chain_is_found(name: str) -> None:
    events = erased(a_chain())
    assert list(chain_differences(TAMPERED[name](events))) != []


def test_a_chain_that_goes_on_after_an_erasure_is_checked_as_any_other() -> None:
    events = erased(a_chain())
    [more] = observed(
        [seen(events[-1].object)],
        episode=an_episode(events[-1].object),
        head=ChainHead().after(events),
        now=NOW,
        schema_version="v",
    )
    assert list(chain_differences((*events, more))) == []
    hidden = replace(more, kind=EventKind.ERASED, relation="", evidence="", attrs={}, speaker="")
    assert [found.where for found in chain_differences((*events, hidden))] == ["event 5"]
