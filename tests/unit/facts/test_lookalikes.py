"""Two patients whom nobody can tell apart: what is remembered of one is missed of the other (attack S4)."""

import itertools
import json

import pytest

from r_memory.errors import InvalidInput, SubjectTaken
from r_memory.facts.facts import Facts
from r_memory.facts.subjects import Subjects
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.unit.facts.lookalikes import LIST, PEOPLE, pairs
from tests.unit.facts.recall.world import SCHEMA

pytestmark = pytest.mark.anyio


def nobody_yet() -> Subjects:
    return Facts(DictStore(), scripted_reader(SCHEMA), FixedClock(), space="clinic").subjects


async def test_of_two_hundred_look_alikes_none_is_declared_unasked() -> None:
    listed = [json.loads(line) for line in LIST.read_text(encoding="ascii").splitlines()]
    assert listed == list(pairs())
    assert len(listed) >= 200
    subjects = nobody_yet()
    for id_, name in PEOPLE:
        await subjects.resolve_or_declare(id_, name)

    accepted = []
    for pair in listed:
        try:
            accepted.append((await subjects.resolve_or_declare(pair["id"], pair["name"]), pair))
        except InvalidInput:
            continue

    assert accepted == []
    assert len(await subjects.all()) == len(PEOPLE)


NAMES = (
    *("Ann Lee", "Anna Lee", "Jon Doe", "John Doe", "Joan Doe", "Maria Rossi", "Mario Rossi", "José Ruiz", "Jose Ruiz"),
    *("Eli Stone", "Ella Stone", "Ian Wills", "Iain Wills", "O'Brien", "O'Bryan", "Иван Петров", "Инна Петрова"),
    *("王伟", "王芳", "محمد علي", "محمود علي", "Ali Khan", "Alia Khan", "Jill May", "Gill May", "Warner", "Werner"),
)
IDS = (*(f"P{number}" for number in range(1, 30)), *(f"2026-{number:04}" for number in range(20)), "A-1-1", "A-11")


async def test_ordinary_people_with_different_names_and_ids_are_declared() -> None:
    subjects = nobody_yet()
    declared = [
        await subjects.resolve_or_declare(id_, name)
        for id_, name in itertools.zip_longest(IDS, NAMES[: len(IDS)], fillvalue="")
        if name
    ]
    declared += [await subjects.resolve_or_declare(id_, f"Case {id_}") for id_ in IDS[len(NAMES) :]]
    assert len(await subjects.all()) == len(declared) == len(IDS)


async def test_a_look_alike_is_declared_once_it_is_said_to_be_somebody_else() -> None:
    subjects = nobody_yet()
    await subjects.resolve_or_declare("JD001", "John Doe")
    with pytest.raises(SubjectTaken, match=r"from JD001 \(John Doe\)") as refused:
        await subjects.resolve_or_declare("JDOO1", "Jane Roe")
    assert (refused.value.candidates, refused.value.may_share) == (("JD001",), True)

    jane = await subjects.resolve_or_declare("JDOO1", "Jane Roe", another_than=["JD001"])

    assert (jane.id, jane.name) == ("JDOO1", "Jane Roe")


async def test_an_id_in_another_spelling_is_the_one_that_is_known() -> None:
    subjects = nobody_yet()
    john = await subjects.resolve_or_declare("JD001", "John Doe")
    assert await subjects.resolve("jd001") == john
    assert await subjects.resolve_or_declare("ＪＤ００１", "john doe") == john  # noqa: RUF001 - the width is the point
    with pytest.raises(InvalidInput, match="recorded as 'John Doe', not 'Jane Roe'"):
        await subjects.resolve_or_declare("jd001", "Jane Roe")


async def test_whom_another_server_declared_meanwhile_is_met() -> None:
    store = DictStore()
    one, other = (Facts(store, scripted_reader(SCHEMA), FixedClock(), space="clinic").subjects for _ in range(2))
    await one.resolve_or_declare("P1", "Ann Lee")
    await other.resolve_or_declare("JD001", "John Doe")
    with pytest.raises(SubjectTaken, match="JD001"):
        await one.resolve_or_declare("P9", "J0hn D0e")
