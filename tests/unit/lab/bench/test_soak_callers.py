"""What a caller of the soak holds against its model."""

import json
from collections.abc import Mapping, Sequence

from typing_extensions import override

from r_memory_lab.bench.soak_callers import Caller, CallerLog, Patient, Tenant


class ScriptedCaller(Caller):
    """A caller whose server says the same to everything."""

    def __init__(self, *patients: Patient, **said: object) -> None:
        tenant = Tenant(name="alpha", other="omega", token="t", patients=list(patients))
        super().__init__("http://localhost/mcp", tenant, number=0)
        self._said = {"complete": True, **said}

    @override
    def _sent(self, tool: str, arguments: Mapping[str, object]) -> str:
        return json.dumps({"result": {"structuredContent": self._said}})

    def reads(self, tool: str) -> CallerLog:
        """What comes of reading the first patient."""
        self._read(self._tenant.patients[0], tool)
        return self.seen


def _facts(*drugs: str) -> Sequence[Mapping[str, str]]:
    return [{"object": drug} for drug in drugs]


def _patient() -> Patient:
    return Patient(id="P1", name="One", stated={"aspirin", "warfarin"}, stored={"aspirin"})


def test_an_answer_may_hold_what_came_to_no_answer_and_must_hold_what_was_acknowledged() -> None:
    seen = ScriptedCaller(_patient(), facts=_facts("Aspirin", "Warfarin")).reads("memory_list_facts")
    assert (seen.compared, seen.lost, seen.wrong) == (1, [], [])
    lacking = ScriptedCaller(_patient(), facts=_facts("Warfarin")).reads("memory_list_facts")
    assert lacking.lost == ["P1 memory_list_facts: aspirin"]


def test_what_nobody_stated_and_what_stands_there_twice_is_wrong() -> None:
    seen = ScriptedCaller(_patient(), facts=_facts("Aspirin", "Aspirin", "Codeine")).reads("memory_list_facts")
    assert seen.wrong == ["P1 memory_list_facts: aspirin twice", "P1 memory_list_facts: codeine never said"]


def test_a_block_without_the_fact_and_a_draft_that_is_let_through_are_losses() -> None:
    assert ScriptedCaller(_patient(), block="Nothing.").reads("memory_build_context").lost
    assert ScriptedCaller(_patient(), verdict="nothing_found").reads("memory_check_text").lost
    assert not ScriptedCaller(_patient(), verdict="conflict").reads("memory_check_text").lost


def test_an_answer_that_says_it_is_not_complete_is_held_against_nothing() -> None:
    seen = ScriptedCaller(_patient(), complete=False, facts=[]).reads("memory_list_facts")
    assert (seen.compared, seen.unavailable, seen.lost) == (0, 1, [])


def test_a_word_of_the_other_tenant_is_a_leak() -> None:
    assert ScriptedCaller(_patient(), block="omega").reads("memory_build_context").leaks == [
        "alpha memory_build_context"
    ]
