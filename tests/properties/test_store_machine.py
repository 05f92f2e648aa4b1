"""Any history of calls gives the same answers from every store as from the oracle."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from typing_extensions import override

from r_memory.domain.events import Batch, ChainHead, Episode, EpisodeStatus, chain_differences, observed
from r_memory.domain.facts import Entity, Flag, Observation, Status
from r_memory.domain.folding import fold_all
from r_memory.errors import RMemoryError
from r_memory.protocols import Neighbourhood, Store
from r_memory.store.bolt import Endpoint
from r_memory.testing.dict_store import DictStore
from tests.store.stores import NEWEST, endpoint_for, hosted, opened
from tests.store.world import (
    ALLERGY,
    NOW,
    PENICILLIN,
    SCHEMA,
    TAKES,
    WARFARIN,
    a_patient,
    a_receipt,
    an_episode,
    batch_of,
    changed,
    seen,
    unmapped,
)

_T = TypeVar("_T")
RELATIONS = (ALLERGY, TAKES)
PATIENTS = range(3)
"""Two in one space, and in another one a third of the first one's id and name."""
TEXTS = st.sampled_from(["I am allergic to penicillin.", "`'\"\\ $x {y}", "שלום 🧪", "x" * 5_000])
SPEAKERS = st.sampled_from(["patient", "Dr. Grey", ""])
STATUSES = st.sampled_from(list(Status))


Said = tuple[str, int, Status, dict[str, str], frozenset[Flag]]


@st.composite
def observations(draw: st.DrawFn) -> Said:
    """Relation, number of the object, status, attributes, flags."""
    attrs = st.dictionaries(st.sampled_from(["severity", "kind"]), st.sampled_from(["mild", "severe"]), max_size=2)
    flags = st.frozensets(st.sampled_from(list(Flag)), max_size=2)
    relation, target = draw(st.sampled_from(RELATIONS)), draw(st.integers(0, 2))
    return relation, target, draw(STATUSES), draw(attrs), draw(flags)


class Machine(RuleBasedStateMachine):
    """The same calls to a store and to the oracle."""

    endpoint: Endpoint

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.opened = opened(self.endpoint)
        self.oracle = DictStore()
        space = uuid.uuid4().hex
        self.patients = [
            a_patient(f"{space}-a", "P1"),
            a_patient(f"{space}-a", "P2"),
            a_patient(f"{space}-b", "P1"),
        ]
        self.episodes: list[Episode] = []
        self.batches: list[Batch] = []

    @initialize()
    def open(self) -> None:
        self.store: Store = self.runner.run(self.opened.__aenter__())
        for store in (self.store, self.oracle):
            self.runner.run(store.prepare(SCHEMA))
        for patient in (0, 2):
            self.declare(patient)
            self.say(patient, "Hello.", "c", "patient", EpisodeStatus.PENDING, 0)

    @override
    def teardown(self) -> None:
        self.runner.run(self.opened.__aexit__(None, None, None))
        self.runner.close()

    @rule(patient=st.sampled_from(PATIENTS))
    def declare(self, patient: int) -> None:
        self.alike(lambda store: store.declare_subject(self.patients[patient]))
        self.compare(self.patients[patient])

    @rule(
        patient=st.sampled_from(PATIENTS),
        text=TEXTS,
        conversation=st.sampled_from(["", "c"]),
        speaker=SPEAKERS,
        status=st.sampled_from(list(EpisodeStatus)),
        delay=st.integers(-5, 5),
    )
    def say(self, patient: int, text: str, conversation: str, speaker: str, status: EpisodeStatus, delay: int) -> None:
        subject = self.patients[patient]
        episode = an_episode(
            subject, text, conversation=conversation, speaker=speaker, status=status, recorded_at=NOW + delay
        )
        self.episodes.append(episode)
        self.alike(lambda store: store.add_episode(episode))
        self.compare(subject)

    @rule(number=st.integers(0, 30), text=TEXTS)
    def say_again(self, number: int, text: str) -> None:
        if self.episodes:
            episode = replace(self.episodes[number % len(self.episodes)], text=text)
            self.alike(lambda store: store.add_episode(episode))

    @rule(
        number=st.integers(0, 30),
        said=st.lists(observations(), max_size=3),
        settled=st.sampled_from(list(EpisodeStatus)),
        stale=st.booleans(),
    )
    def record(
        self,
        number: int,
        said: list[Said],
        settled: EpisodeStatus,
        stale: bool,
    ) -> None:
        """Writes what an utterance says; `stale` writers did not see the last event."""
        if not self.episodes:
            return
        episode = self.episodes[number % len(self.episodes)]
        subject = next(patient for patient in self.patients if patient.uid == episode.subject_uid)
        about = {
            observation.fact_id: observation for observation in (self.observation(subject, *text) for text in said)
        }
        chain = self.alike(lambda store: store.chain(subject.uid, list(about)))
        assert chain is not None
        if stale and chain.events:
            chain = replace(chain, head=ChainHead(), events=())
        events = observed(
            [replace(item, evidence=f"{item.evidence} {uuid.uuid4()}") for item in about.values()],
            episode=episode,
            head=chain.head,
            now=episode.recorded_at,
            schema_version=SCHEMA.version,
        )
        known = {event.id for event in chain.events}
        if not any(event.id in known for event in events):
            batch = batch_of(chain, episode, subject, events, settled)
            self.batches.append(batch)
            self.alike(lambda store: store.append(batch))
            self.compare(subject)

    def observation(
        self,
        subject: Entity,
        relation: str,
        target: int,
        status: Status,
        attrs: dict[str, str],
        flags: frozenset[Flag],
    ) -> Observation:
        objects = (PENICILLIN, WARFARIN, unmapped(subject.space, "zyloflurane"))
        return seen(subject, objects[target], relation=relation, status=status, attrs=attrs, flags=flags)

    @rule(number=st.integers(0, 30))
    def record_again(self, number: int) -> None:
        """A write whose answer was lost is sent again, however late."""
        if self.batches:
            batch = self.batches[number % len(self.batches)]
            self.alike(lambda store: store.append(batch))
            self.compare(batch.subject)

    @rule(patient=st.sampled_from(PATIENTS), number=st.integers(0, 5), status=STATUSES)
    def change(self, patient: int, number: int, status: Status) -> None:
        """A person decides about a fact."""
        subject = self.patients[patient]
        facts = fold_all(self.alike(lambda store: store.events(subject.uid)) or ())
        if facts:
            fact = facts[number % len(facts)]
            batch = self.runner.run(changed(self.oracle, subject, fact, status))
            self.runner.run(self.store.append(batch))
            self.batches.append(batch)
            self.compare(subject)

    @rule(patient=st.sampled_from(PATIENTS))
    def replace_state(self, patient: int) -> None:
        """All that the events lead to: of less the ledger rightly says that something is lost, once it goes on."""
        subject = self.patients[patient]
        facts = fold_all(self.alike(lambda store: store.events(subject.uid)) or ())
        self.alike(lambda store: store.replace_state(subject, facts))
        self.compare(subject)

    @rule(patient=st.sampled_from(PATIENTS), id_=st.sampled_from("xyz"), shown_at=st.integers(NOW, NOW + 1))
    def show(self, patient: int, id_: str, shown_at: int) -> None:
        subject = self.patients[patient]
        self.alike(lambda store: store.add_receipt(a_receipt(subject, id_, shown_at)))
        self.alike(lambda store: store.receipts(subject.space, subject.uid))

    def alike(self, call: Callable[[Store], Awaitable[_T]]) -> _T | None:
        """What both answer; nothing where both raise the same kind of error."""
        given, expected = (self.runner.run(_answer(call, store)) for store in (self.store, self.oracle))
        assert given == expected
        return given[0]

    def compare(self, subject: Entity) -> None:
        """Everything that can be asked about one subject."""
        self.alike(lambda store: store.subjects(subject.space, subject.type))
        self.alike(lambda store: store.chain(subject.uid, ()))
        self.alike(lambda store: store.open_episodes(subject.space))
        self.alike(lambda store: store.conversation(subject.space, subject.uid, "c", limit=2))
        events = self.runner.run(self.store.events(subject.uid))
        assert events == self.runner.run(self.oracle.events(subject.uid))
        assert list(chain_differences(events)) == []
        self.alike(lambda store: _neighbourhood(store, subject))


async def _answer(call: Callable[[Store], Awaitable[_T]], store: Store) -> tuple[_T | None, str]:
    """The answer, or the kind of error."""
    try:
        return await call(store), ""
    except RMemoryError as error:
        return None, type(error).__name__


async def _neighbourhood(store: Store, subject: Entity) -> Neighbourhood:
    """Without the text of the query, which the oracle does not have."""
    return replace(await store.neighbourhood(subject, RELATIONS), query="")


@pytest.fixture(scope="session")
def embedded_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with hosted(tmp_path_factory.mktemp("machine")) as endpoint:
        yield endpoint


@pytest.mark.parametrize("engine", NEWEST)
def test_every_history_gives_what_the_oracle_gives(request: pytest.FixtureRequest, engine: str) -> None:
    endpoint = endpoint_for(request, engine)
    machine = type("MachineOverOneEngine", (Machine,), {"endpoint": endpoint})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            # Without shrinking: a history is short, and every step of it asks a real database.
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
        ),
    )
