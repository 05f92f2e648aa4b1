"""What is recorded is shown where it bears, and held in checks: a measurement, a refusal, a precaution."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import cast

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.blocks import DraftCheck, Recall
from r_memory.domain.facts import Attribute, Entity, Status, concept
from r_memory.domain.instants import Instant
from r_memory.errors import StoreUnavailable
from r_memory.facts.facts import Facts
from r_memory.facts.hiding import Hiding
from r_memory.facts.limits import Limits
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.rendering import render
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Neighbourhood, Store, Traversal
from r_memory.reading.names import PersonNames
from r_memory.reading.reader import Reader
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.wiring.language import open_reader
from tests.unit.facts.recall.world import JOHN, NOW, SAID, Ledger, texts, unmapped

pytestmark = pytest.mark.anyio


@cache
def reader(schema: str) -> Reader:
    """The shipped one; the oracle store runs no query of an action type's own."""
    shipped = open_reader(Settings(schema=schema))
    rows = {name: replace(row, traversal="") for name, row in shipped.table.intents.items()}
    return replace(shipped, table=replace(shipped.table, intents=rows))


class File:
    """What is recorded of one person."""

    def __init__(self) -> None:
        self._reader = reader("clinical")
        self._person = JOHN
        self._ledger = Ledger(schema=self._reader.schema)

    def told(
        self, relation: str, thing: Entity, status: Status = Status.ACTIVE, at: Instant = SAID, **attrs: Attribute
    ) -> "File":
        self._ledger.hear(relation, thing, status, evidence="Said.", subject=self._person, at=at, attrs=attrs)
        return self

    def fails_beside(self, error: Exception) -> None:
        """Makes every read of relations that no request opens by itself fail."""
        read = self._ledger.neighbourhood

        async def neighbourhood(
            subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
        ) -> Neighbourhood:
            if not any(self._ledger.schema.relations[name].critical for name in relations):
                raise error
            return await read(subject, relations, traversals)

        self._ledger.neighbourhood = neighbourhood  # type: ignore[method-assign]  # one call of many fails

    @property
    def _asks(self) -> Recaller:
        store = cast("Store", self._ledger)
        names = PersonNames(self._reader.schema, self._reader.linker)
        return Recaller(
            store=store,
            reader=self._reader,
            clock=FixedClock(NOW),
            new_id=lambda: "01JD",
            subjects=Subjects(store=store, space=JOHN.space, type_=self._person.type, names=names, retired=()),
            limits=Limits(),
            hiding=Hiding(store=store, reader=self._reader, relations=tuple(self._reader.schema.relations)),
        )

    async def block(self, request: str) -> Recall:
        return await self._asks.build_context(request, subject=self._person)

    async def check(self, draft: str) -> DraftCheck:
        return await self._asks.check_text(draft, subject=self._person)


def measured(name: str) -> Entity:
    return concept("Measurement", name)


async def test_an_inr_far_out_of_range_stands_against_tonights_warfarin() -> None:
    """Found by use, B3: the check said that nothing was ever asked."""
    file = File().told("HAS_MEASUREMENT", measured("INR"), value=9.1, measured="2026-11-19")

    recall, check = await file.block("Warfarin 5 mg tonight."), await file.check("Warfarin 5 mg tonight.")

    assert texts(recall) == ["Measured: INR 9.1, on 2026-11-19."]
    assert [rule.rule_id for rule in recall.rules if rule.stop] == ["warfarin-inr"]
    assert check.verdict == "conflict"
    assert not any("nothing was ever asked" in gap for gap in check.gaps)


async def test_what_was_measured_long_ago_is_marked_by_the_day_on_which_it_was_measured() -> None:
    """Said today, of a result of three years ago."""
    old = File().told("HAS_MEASUREMENT", measured("eGFR"), value=70, measured="2023-11-01")
    new = File().told("HAS_MEASUREMENT", measured("eGFR"), value=70, measured="2026-11-18")

    assert [line.stale for line in (await old.block("Start metformin.")).lines] == [True]
    assert [line.stale for line in (await new.block("Start metformin.")).lines] == [False]


@pytest.mark.parametrize(
    ("measured_on", "is_stale"),
    [("November 2021", True), ("2021", True), ("2021-11", True), ("November 2026", False), ("2026", False)],
)
async def test_a_result_of_five_years_ago_is_marked_though_no_day_is_known(measured_on: str, is_stale: bool) -> None:
    file = File().told("HAS_MEASUREMENT", measured("eGFR"), value=70, measured=measured_on)

    assert [line.stale for line in (await file.block("Start metformin.")).lines] == [is_stale]


@pytest.mark.parametrize("schema", ["clinical", "law", "finance", "personal"])
def test_everything_that_can_be_recorded_stands_in_a_row_of_the_actions(schema: str) -> None:
    """A relation of no row is shown with no request, however much it bears on it."""
    rows = {edge for row in reader(schema).table.intents.values() for edge in row.edges}

    identity = {"IS_CALLED"}  # says who somebody is
    assert [name for name in reader(schema).schema.relations if name not in rows | identity] == []


@pytest.mark.parametrize("fact", ["HAS_MEASUREMENT", "HAD_PROCEDURE", "HAS_PRECAUTION", "REFUSES", "GIVE_BEFORE"])
async def test_no_check_says_that_nothing_was_ever_asked_beside_a_recorded_fact(fact: str) -> None:
    check = await File().told(fact, unmapped("something of note")).check("Start amoxicillin 500 mg.")

    assert not any("nothing was ever asked" in gap for gap in check.gaps)


async def test_a_look_beside_the_request_that_fails_is_never_told_as_nothing() -> None:
    """Fail closed: "nothing was ever asked about" is said only after a look."""
    file = File()
    request = "When does the ward round begin?"
    assert "nothing was ever asked about" in render(await file.block(request))

    file.fails_beside(StoreUnavailable("gone"))

    block = render(await file.block(request))
    assert "nothing of this; could not be read beside: called" in block
    assert "nothing was ever asked" not in block


async def test_a_draft_beside_what_could_not_be_read_is_not_told_that_nothing_was_ever_asked() -> None:
    file = File()
    file.fails_beside(StoreUnavailable("gone"))

    check = await file.check("Drink enough.")

    [gap] = [gap for gap in check.gaps if gap.startswith("Nothing of this is on record")]
    assert "could not be read beside: called" in gap


async def test_what_is_refused_is_a_conflict_where_a_draft_orders_it() -> None:
    file = File().told("REFUSES", concept("DrugClass", "blood product"), reason="faith")

    check = await file.check("Transfuse two units of red cells.")

    (line,) = check.recall.lines
    assert line.text == "REFUSES: John Doe refuses Blood product (reason: faith)."
    assert check.verdict in {"conflict", "warning"}
    assert check.findings


async def test_a_standing_precaution_is_held_against_what_is_done_at_the_bedside() -> None:
    file = File().told("HAS_PRECAUTION", unmapped("no blood pressure"), side="left", site="arm", reason="fistula")

    check = await file.check("Take her blood pressure on the left arm.")

    assert check.verdict == "warning"
    assert [line.text for line in check.recall.lines] == [
        'PRECAUTION: John Doe: "No blood pressure", left arm (reason: fistula).'
    ]


async def test_what_must_be_given_first_is_told_where_the_procedure_is_ordered() -> None:
    file = File().told("GIVE_BEFORE", concept("DrugClass", "antibiotic"), before="tooth extraction")

    check = await file.check("Book the tooth extraction for Monday.")

    assert [line.text for line in check.recall.lines] == [
        "GIVE FIRST: John Doe needs Antibiotic, before tooth extraction."
    ]
    assert check.verdict == "warning"


async def test_weeks_of_pregnancy_stop_what_they_stop_however_they_were_recorded() -> None:
    whole = File().told("HAS_CONDITION", concept("Condition", "pregnancy"), weeks=24)
    alone = File().told("HAS_GESTATION", concept("Gestation", "gestation"), weeks=24)

    for file in (whole, alone):
        stops = [rule.rule_id for rule in (await file.block("Ibuprofen 400 mg please.")).rules if rule.stop]
        assert stops == ["nsaid-pregnancy-20"]


@pytest.mark.parametrize(
    "order", ["We bought Dax futures.", "We opened a CFD on Shell.", "Turbo warrant on the Dax.", "We entered a swap."]
)
async def test_no_derivatives_meets_every_kind_of_them(order: str) -> None:
    """Found by use, B4."""
    facts = Facts(DictStore(), reader("finance"), FixedClock())
    await facts.remembering.remember("Exclusions: derivatives.", subject="C1", subject_name="Ann Lee")

    assert (await facts.recalling.check_text(order, subject="C1")).verdict == "conflict"


async def test_a_line_leaves_out_what_nobody_said() -> None:
    plain = File().told("TAKES", concept("Drug", "warfarin"))
    full = File().told("TAKES", concept("Drug", "warfarin"), dose="5 mg", frequency="at night", indication="AF")

    assert texts(await plain.block("Start amoxicillin.")) == ["Takes: John Doe takes Warfarin."]
    assert texts(await full.block("Start amoxicillin.")) == ["Takes: John Doe takes Warfarin 5 mg at night for AF."]
