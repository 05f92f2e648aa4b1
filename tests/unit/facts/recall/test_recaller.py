"""What a recall asks of the store, and what it says when something fails."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest
from typing_extensions import override

from r_memory.domain.blocks import GateRecord, Outcome, Receipt, State, digest
from r_memory.domain.events import FactEvent
from r_memory.domain.facts import Entity, Status, concept
from r_memory.domain.intents import Classification, IntentScore
from r_memory.errors import ModelUnavailable, StoreUnavailable, UnknownName
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.rendering import render
from r_memory.protocols import IntentClassifier, Mention, Neighbourhood, Traversal, unhurried
from tests.scripted import ScriptedClassifier
from tests.unit.facts.recall.world import (
    ASK,
    JANE,
    JOHN,
    LATER,
    MRI,
    NAMESAKE,
    NOW,
    PENICILLIN,
    RECEIPT,
    SCHEMA,
    TABLE,
    Ledger,
    heard,
    recaller,
    schema_of,
    texts,
)

pytestmark = pytest.mark.anyio

ALLERGY = "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis)."
CRITICAL = ("HAS_ALLERGY_TO", "IS_CONTRAINDICATED_WITH", "DOSE_LIMIT", "HAS_IMPLANTS")


def allergic() -> Ledger:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    return ledger


class Hanging(Ledger):
    """A store that does not answer one method before it is told to."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method
        self.answers = asyncio.Event()
        self.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")

    @override
    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        await self._hang("neighbourhood")
        return await super().neighbourhood(subject, relations, traversals)

    @override
    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        await self._hang("history")
        return await super().history(space, fact_id)

    @override
    async def add_receipt(self, receipt: Receipt) -> None:
        await self._hang("add_receipt")
        await super().add_receipt(receipt)

    async def _hang(self, method: str) -> None:
        if method == self.method:
            await self.answers.wait()


@pytest.mark.proves("RM-8", "RM-9")
async def test_edges_of_the_row_are_read_first_then_all_critical_ones_in_one_question() -> None:
    ledger = allergic()

    recall = await recaller(ledger, classifier=ScriptedClassifier("PREP")).build_context("prepare", subject=JOHN)

    assert [(("REQUIRES_PREP", "HAS_CONDITION", *CRITICAL), ())] == ledger.asked
    assert ("REQUIRES_PREP", "HAS_CONDITION", *CRITICAL) == tuple(outcome.relation for outcome in recall.outcomes)


@pytest.mark.proves("RM-19")
async def test_request_of_two_kinds_reads_the_edges_of_both() -> None:
    ledger = allergic()

    recall = await recaller(ledger, classifier=ScriptedClassifier("MED_ORDER", "PREP")).build_context(
        "treat and scan", subject=JOHN
    )

    assert recall.intents == ("MED_ORDER", "PREP")
    assert {*TABLE.intent("MED_ORDER").edges, *TABLE.intent("PREP").edges, *CRITICAL} == set(ledger.asked[0][0])
    assert "Action: MED_ORDER, PREP." in render(recall)


@pytest.mark.proves("RM-18", "Z26")
@pytest.mark.parametrize(
    "classifier",
    [
        ScriptedClassifier(recognised=False),
        ScriptedClassifier(error=ValueError("no weights")),
        ScriptedClassifier(error=TimeoutError()),
        ScriptedClassifier("A_ROW_THAT_WAS_REMOVED"),
    ],
    ids=["unsure", "fails", "too late", "of another table"],
)
async def test_request_that_is_not_recognised_shows_everything_critical(classifier: ScriptedClassifier) -> None:
    ledger = allergic()

    recall = await recaller(ledger, classifier=classifier).build_context("zxcv amoxicillin qwerty", subject=JOHN)

    assert ledger.asked[0][0] == CRITICAL
    assert not recall.recognised
    assert recall.complete
    assert "Action not recognised: everything critical is shown." in render(recall)
    assert [match.text for match in recall.lines[0].matches] == ["Amoxicillin is a Penicillin"]


@pytest.mark.proves("RM-18", "Z26")
async def test_linker_that_fails_costs_no_line() -> None:
    class Broken:
        def mentions(self, text: str) -> tuple[Mention, ...]:  # noqa: ARG002 - the protocol's
            raise RuntimeError("lexicon lost")

        def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:  # noqa: ARG002 - the protocol's
            return ()

    recall = await recaller(allergic(), linker=Broken()).build_context("penicillin", subject=JOHN)

    assert not recall.recognised
    assert [match.text for match in recall.lines[0].matches] == ["Penicillin is named in the request"]


@pytest.mark.proves("RM-18")
async def test_unrecognised_request_reads_every_relation_of_a_schema_that_calls_none_critical() -> None:
    ledger = Ledger(schema=schema_of("TAKES", "TOLERATES"))

    await recaller(ledger, classifier=ScriptedClassifier(recognised=False)).build_context("?", subject=JOHN)

    assert ledger.asked[0][0] == ("TOLERATES", "TAKES")


async def test_schema_without_relations_has_nothing_to_check_and_says_so() -> None:
    ledger = Ledger(schema=replace(SCHEMA, relations={}))

    recall = await recaller(ledger, classifier=ScriptedClassifier(recognised=False)).build_context("?", subject=JOHN)

    assert (recall.unavailable, recall.outcomes) == ("", ())
    assert "Checked: nothing, as nothing was asked for" in render(recall)


@pytest.mark.proves("RM-18")
async def test_words_of_an_unsure_classifier_are_shown_as_a_guess() -> None:
    class Unsure:
        def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:  # noqa: ARG002 - the protocol's
            score = IntentScore(name="MED_ORDER", probability=0.2, keywords=("pill",))
            return Classification(scores=(score,), recognised=False)

    recall = await recaller(allergic(), classifier=Unsure()).build_context("a pill?", subject=JOHN)

    assert "Perhaps: MED_ORDER." in render(recall)
    assert "Action not recognised: everything critical is shown." in render(recall)


async def test_caller_may_name_an_action_type_beside_those_recognised() -> None:
    recall = await recaller(allergic()).build_context("prepare", subject=JOHN, intents=("PREP",))

    assert recall.intents == ("PREP", "MED_ORDER")


async def test_unknown_action_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="MED_ORDER"):
        await recaller(allergic()).build_context("prepare", subject=JOHN, intents=("PREPP",))


async def test_small_talk_opens_no_row_and_still_reads_what_is_critical() -> None:
    ledger = allergic()

    recall = await recaller(ledger, classifier=ScriptedClassifier("CHAT")).build_context(
        "Good morning, amoxicillin", subject=JOHN
    )

    assert recall.intents == ()
    assert ledger.asked[0][0] == CRITICAL
    assert "Action: none." in render(recall)
    assert [match.text for match in recall.lines[0].matches] == ["Amoxicillin is a Penicillin"]


async def test_own_traversal_of_an_action_type_is_part_of_the_one_question() -> None:
    ledger = allergic()

    await recaller(ledger, classifier=ScriptedClassifier("IMAGING_MRI")).build_context("MRI of the knee", subject=JOHN)

    assert [traversals for _, traversals in ledger.asked] == [(MRI,)]


@pytest.mark.proves("Z16")
async def test_own_traversal_that_is_not_loaded_is_named_as_unchecked() -> None:
    classifier = ScriptedClassifier("IMAGING_MRI")

    recall = await recaller(allergic(), classifier=classifier, traversals={}).build_context(
        "MRI of the knee", subject=JOHN
    )

    assert not recall.complete
    assert f"SAFETY MEMORY INCOMPLETE: {MRI.path} could not be checked. {ASK}" in render(recall)


@pytest.mark.proves("RM-20", "Z10")
async def test_facts_of_another_patient_are_never_shown_even_of_the_same_name() -> None:
    ledger = allergic()
    for other in (JANE, NAMESAKE):
        ledger.hear("HAS_ALLERGY_TO", concept("Drug", "cefazolin"), subject=other)

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert [line.fact.object.name for line in recall.lines] == ["Penicillin"]
    assert "Subject: John Doe (Patient JD001)." in render(recall)


@pytest.mark.proves("Z10", "Z16")
async def test_stray_fact_of_somebody_else_is_dropped_and_its_edge_counts_as_unchecked() -> None:
    class Straying(Ledger):
        @override
        async def neighbourhood(
            self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
        ) -> Neighbourhood:
            own = await super().neighbourhood(subject, relations, traversals)
            other = await super().neighbourhood(JANE, relations, traversals)
            return replace(own, facts=(*own.facts, *other.facts), pending=(*own.pending, *other.pending))

    ledger = Straying()
    ledger.hear("TAKES", concept("Drug", "aspirin"))
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "cefazolin"), subject=JANE)
    ledger.pending.append(heard("Her words.", subject=JANE))

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert texts(recall) == ["TAKES: John Doe takes Aspirin."]
    assert recall.pending == ()
    assert not recall.complete
    assert recall.outcomes[0].state == State.COULD_NOT_CHECK


@pytest.mark.proves("Z15")
async def test_store_that_is_down_is_said_in_the_place_of_the_findings() -> None:
    ledger = allergic()
    ledger.trouble["neighbourhood"] = StoreUnavailable("the store does not answer; start it.")

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert recall.lines == ()
    assert not recall.complete
    assert {State.COULD_NOT_CHECK} == {outcome.state for outcome in recall.outcomes}
    assert ledger.receipts == []
    assert render(recall, with_query=False) == (
        "[R-MEMORY CONTEXT]:\n"
        "Subject: John Doe (Patient JD001). Checked 2026-11-21T10:15:02Z. "
        "Action: MED_ORDER.\n"
        f"SAFETY MEMORY UNAVAILABLE: the store does not answer; start it. {ASK}\n"
        "Checked: HAS_ALLERGY_TO could not be checked · IS_CONTRAINDICATED_WITH could not be checked · "
        "DOSE_LIMIT could not be checked · HAS_INTOLERANCE_TO could not be checked · TOLERATES could not be checked · "
        "TAKES could not be checked · HAS_IMPLANTS could not be checked\n"
        "Not proof of absence. Receipt not recorded.\n"
        "[END R-MEMORY CONTEXT]"
    )


@pytest.mark.proves("Z15")
@pytest.mark.parametrize("error", [TimeoutError(), OSError("connection reset"), StoreUnavailable("")])
async def test_no_failure_of_the_store_is_an_empty_success(error: Exception) -> None:
    ledger = allergic()
    ledger.trouble["neighbourhood"] = error

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert recall.unavailable
    assert not recall.complete
    assert f"SAFETY MEMORY UNAVAILABLE: {recall.unavailable}. {ASK}" in render(recall)


@pytest.mark.proves("Z15")
async def test_store_that_hangs_is_given_up() -> None:
    recall = await recaller(Hanging("neighbourhood"), limit_s=0.01).build_context("antibiotic", subject=JOHN)

    assert recall.unavailable == "the store did not answer in time"


class Queued(Ledger):
    """A store that answers in a few turns of the event loop, each of which takes a second for each caller."""

    now = 0.0

    @override
    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        for _ in range(5):
            self.now += 1.0
            await asyncio.sleep(0)
        return await super().neighbourhood(subject, relations, traversals)


@pytest.mark.proves("Z15")
async def test_store_is_not_given_up_because_of_the_queue_in_front_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty streams at once on a busy machine: what they wait for is each other, not the store."""
    store = Queued()
    store.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: store.now)
    asking = recaller(store, limit_s=5.0)

    recalls = await asyncio.gather(*(asking.build_context("antibiotic", subject=JOHN) for _ in range(50)))

    assert store.now > 200.0
    assert [recall.unavailable for recall in recalls] == [""] * 50


async def test_work_in_bulk_waits_for_a_store_that_is_slow() -> None:
    """Otherwise a busy machine makes blocks of an evaluation say "unavailable", and its figures are others."""
    store = Hanging("neighbourhood")
    with unhurried():
        recalling = asyncio.create_task(recaller(store, limit_s=0.01).build_context("antibiotic", subject=JOHN))
    await asyncio.wait([recalling], timeout=0.1)
    store.answers.set()

    assert not (await recalling).unavailable


@pytest.mark.proves("Z15", "Z35")
async def test_reason_holds_neither_address_nor_password(caplog: pytest.LogCaptureFixture) -> None:
    ledger = allergic()
    message = "neo4j://neo4j:hunter2@10.1.2.3:7687 refused password='hunter2'; db.clinic.example:7687 is closed."
    ledger.trouble["neighbourhood"] = StoreUnavailable(message)

    with caplog.at_level(logging.DEBUG):
        recall = await recaller(ledger).build_context("antibiotic for my sore throat", subject=JOHN)

    told = render(recall, with_query=False) + "".join(outcome.reason for outcome in recall.outcomes) + caplog.text
    assert not any(secret in told for secret in ("hunter2", "10.1.2.3", "clinic.example", "7687", "sore throat"))


@pytest.mark.proves("Z16")
async def test_edge_that_fails_is_named_and_the_rest_is_delivered() -> None:
    ledger = allergic()
    ledger.failed["HAS_IMPLANTS"] = "index damaged at bolt://neo4j:hunter2@10.1.2.3"

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert [line.fact.object.name for line in recall.lines] == ["Penicillin"]
    assert not recall.complete
    assert recall.ask == ASK
    assert not ledger.receipts[0].complete
    assert Outcome(relation="HAS_IMPLANTS", state=State.COULD_NOT_CHECK, reason="index damaged at (withheld)") in (
        recall.outcomes
    )
    block = render(recall)
    assert f"SAFETY MEMORY INCOMPLETE: HAS_IMPLANTS could not be checked. {ASK}" in block
    assert "HAS_IMPLANTS could not be checked" in block.split("Checked: ")[1]


@pytest.mark.proves("Z15", "Z16")
async def test_failure_of_every_edge_is_no_empty_success() -> None:
    ledger = Ledger()
    ledger.failed = dict.fromkeys((*TABLE.intent("MED_ORDER").edges, *CRITICAL), "the query was refused")

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert recall.unavailable == "the query was refused"
    assert "SAFETY MEMORY UNAVAILABLE: the query was refused." in render(recall)


async def test_receipt_says_what_was_shown_to_whom_and_on_what_it_rests() -> None:
    ledger = allergic()
    absent = ledger.hear("TAKES", concept("Drug", "aspirin"), Status.ENTERED_IN_ERROR)

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN, shown_to="claude-desktop")

    [kept] = ledger.receipts
    block, salt = render(recall, with_query=False), kept.gate.digest_salt
    assert (absent in kept.fact_ids, len(salt)) == (False, 32)
    assert [
        Receipt(
            id=RECEIPT,
            space="clinic",
            subject_uid=JOHN.uid,
            shown_at=NOW,
            shown_to="claude-desktop",
            intents=("MED_ORDER",),
            fact_ids=(recall.lines[0].fact.fact_id,),
            complete=True,
            watermark=2,
            schema_version=SCHEMA.version,
            pack_version="pack00000001",
            traversal="MATCH (subject)",
            gate=GateRecord(asked=digest("antibiotic", salt), stood=digest(block, salt), digest_salt=salt),
            block=block,
        )
    ] == ledger.receipts


@pytest.mark.parametrize("error", [StoreUnavailable("disk full"), TimeoutError(), OSError()])
async def test_receipt_that_cannot_be_written_costs_no_line_and_is_said(error: Exception) -> None:
    ledger = allergic()
    ledger.trouble["add_receipt"] = error

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert len(recall.lines) == 1
    assert recall.receipt_id == ""
    assert "Not proof of absence. Receipt not recorded." in render(recall)


async def test_receipt_that_hangs_is_given_up() -> None:
    recall = await recaller(Hanging("add_receipt"), limit_s=0.01).build_context("antibiotic", subject=JOHN)

    assert (len(recall.lines), recall.receipt_id) == (1, "")


def disputed() -> Ledger:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), evidence="I am allergic to penicillin.", severity="severe")
    ledger.hear(
        "HAS_ALLERGY_TO",
        concept(*PENICILLIN),
        Status.NEGATED,
        evidence="I am not allergic to penicillin.",
        at=LATER,
        speaker="wife",
    )
    return ledger


@pytest.mark.proves("RM-23", "Z12")
async def test_later_denial_leaves_the_risk_first_and_shows_both_sides() -> None:
    ledger = disputed()

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert render(recall).splitlines()[2:5] == [
        "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis).",
        '  said 2026-11-19 by patient: "I am allergic to penicillin." · disputed',
        '  CONTRADICTED LATER, 2026-11-20 by wife: "I am not allergic to penicillin."',
    ]


@pytest.mark.proves("Z12")
@pytest.mark.parametrize("error", [StoreUnavailable("busy"), TimeoutError()])
async def test_conflict_is_flagged_even_if_the_other_words_cannot_be_read(error: Exception) -> None:
    ledger = disputed()
    ledger.trouble["history"] = error

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert recall.lines[0].contrary is None
    assert "CONTRADICTED: also denied" in render(recall)


@pytest.mark.proves("Z12")
async def test_conflict_is_flagged_even_if_history_hangs() -> None:
    ledger = Hanging("history")
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), Status.NEGATED, at=LATER)

    recall = await recaller(ledger, limit_s=0.01).build_context("antibiotic", subject=JOHN)

    assert "CONTRADICTED: also denied" in render(recall)


@pytest.mark.proves("Z12", "RM-23")
async def test_risk_that_is_stated_again_after_an_error_was_entered_is_shown_as_disputed() -> None:
    ledger = Ledger()
    fact = ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), evidence="Allergic to penicillin.", severity="severe")
    ledger.decide(fact, Status.ENTERED_IN_ERROR, at=LATER - 1)
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), Status.UNCONFIRMED, evidence="Perhaps I am.", at=LATER)

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert render(recall).splitlines()[2:5] == [
        f"DISPUTED, recorded as entered in error and stated again: {ALLERGY}",
        "  said 2026-11-20 by dr_ada, no words kept · entered_in_error by dr_ada on 2026-11-20",
        '  CONTRADICTED LATER, 2026-11-20 by patient: "Perhaps I am." · unconfirmed',
    ]


@pytest.mark.proves("RM-21")
async def test_statement_that_gave_no_fact_yet_is_shown_in_its_own_words() -> None:
    ledger = Ledger(pending=[heard('My gran calls it "the purple jab" and I swell up.', speaker="John")])

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)

    assert "NOT YET READ (by John, 2026-11-19): \"My gran calls it 'the purple jab' and I swell up.\"" in (
        render(recall).splitlines()
    )


async def test_statement_asks_for_nothing_and_a_request_does() -> None:
    async def asks(classifier: IntentClassifier, text: str) -> bool:
        return await recaller(Ledger(), classifier=classifier).asks(text)

    assert await asks(ScriptedClassifier("MED_ORDER"), "order amoxicillin")
    assert not await asks(ScriptedClassifier("CHAT"), "I had amoxicillin")
    assert not await asks(ScriptedClassifier(recognised=False), "I had amoxicillin")


async def test_only_what_is_recognised_asks_whatever_rows_the_words_open() -> None:
    class Naming:
        def __init__(self, *, asked: bool) -> None:
            self._asked = asked

        def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:  # noqa: ARG002 - the protocol's
            score = IntentScore(name="MED_ORDER", probability=0.9, keywords=("amoxicillin",), asked=self._asked)
            return Classification(scores=(score,), recognised=True)

    assert not await recaller(Ledger(), classifier=Naming(asked=False)).asks("I had amoxicillin")
    assert await recaller(Ledger(), classifier=Naming(asked=True)).recognise("refill amoxicillin") == ("MED_ORDER",)


@pytest.mark.proves("RM-18")
async def test_words_that_could_not_be_classified_count_as_a_request() -> None:
    assert await recaller(Ledger(), classifier=ScriptedClassifier(error=ValueError("no weights"))).asks("hello")


class Opinion:
    """Says what it was told, or fails."""

    def __init__(self, name: str, *names: str, error: Exception | None = None) -> None:
        self.name = name
        self._names = names
        self._error = error

    async def names(self, query: str) -> Sequence[str]:  # noqa: ARG002 - the protocol's
        if self._error is not None:
            raise self._error
        return self._names


@pytest.mark.proves("RM-19")
async def test_a_further_opinion_opens_its_row_and_a_failing_one_changes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def recalling(*opinions: Opinion) -> Recaller:
        return recaller(Ledger(), classifier=ScriptedClassifier("MED_ORDER"), opinions=opinions)

    alone = await recalling().build_context("secret words", subject=JOHN)
    failing = await recalling(Opinion("model", error=ModelUnavailable("no answer"))).build_context(
        "secret words", subject=JOHN
    )
    agreeing = await recalling(Opinion("embedder", "MED_ORDER", "NOWHERE")).build_context("secret words", subject=JOHN)

    assert failing.intents == agreeing.intents == alone.intents == ("MED_ORDER",)
    assert [outcome.relation for outcome in failing.outcomes] == [outcome.relation for outcome in alone.outcomes]
    assert [(r.message, r.__dict__["opinion"], r.__dict__["error"]) for r in caplog.records] == [
        ("Opinion not heard", "model", "ModelUnavailable")
    ]
    assert "secret words" not in caplog.text


async def test_an_opinion_that_dawdles_is_not_waited_for() -> None:
    class Dawdling(Opinion):
        @override
        async def names(self, query: str) -> Sequence[str]:
            await asyncio.Event().wait()
            return ()

    recall = await recaller(Ledger(), opinions=[Dawdling("model")], opinion_limit_s=0.01).build_context(
        "strep", subject=JOHN
    )

    assert recall.complete
    assert recall.intents == ("MED_ORDER",)
