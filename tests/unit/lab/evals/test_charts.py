"""The suite `charts`: what it makes of a patient, and that it finds what comes back otherwise."""

import pytest

from r_memory.facts.facts import Facts
from r_memory.memory import Memory
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory_lab.evals.charts import Chart, ChartFate, outcome, run
from tests.doubles import memory_over
from tests.unit.records.world import form_and_reader

ANN = Chart.model_validate(
    {
        "id": "s1",
        "name": "Ann Lee",
        "birth": "1980-01-01",
        "allergies": [
            {"code": "300916003", "text": "Latex allergy", "start": "2001-05-01", "stop": ""},
            {"code": "91934008", "text": "Allergy to nuts", "start": "2001-05-01", "stop": "2010-01-01"},
        ],
        "conditions": [{"code": "195967001", "text": "Asthma", "start": "2001-05-01"}],
        "medications": [
            {"code": "1", "text": "Amoxicillin 250 MG Oral Capsule", "active": False},
            {"code": "2", "text": "Ibuprofen 100 MG Oral Tablet", "active": True},
        ],
    }
)


def a_memory() -> Memory:
    clock, store = FixedClock(), DictStore()
    facts = Facts(store, form_and_reader()[1], clock, space="clinic")
    stream = DictStream()
    return memory_over(facts, clock, stream=stream, conversations=DictConversations(stream))


@pytest.mark.anyio
async def test_a_chart_goes_in_and_comes_back_the_same() -> None:
    [kept] = await run(a_memory(), [ANN], lambda: None)
    assert kept == ChartFate(id="s1", refused=(), misread=(), facts=5, miskept=0, lost=())


def test_what_is_refused_misread_or_lost_is_counted_and_named() -> None:
    kept = ChartFate(
        id="s1", refused=("it names nothing",), misread=("Condition/c0",), facts=4, miskept=1, lost=("TAKES",)
    )
    told = outcome([ANN], [kept])
    assert {figure.name: round(figure.value, 3) for figure in told.figures} == {
        "entries imported": 0.8,
        "entries read with another status": 0.25,
        "facts kept with another status": 0.25,
        "facts that came back the same": 0.75,
    }
    assert [list(ids) for ids in told.details.values()] == [["s1"], ["s1"]]
    assert told.notes == ("refused: 1 (it names nothing)", "did not come back: 1 TAKES")
