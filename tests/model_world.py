"""The write path over the oracle store, with the shipped rules and a language model of the test's choice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.config.prompt_file import load_prompt
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact, Route
from r_memory.domain.folding import fold_all
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.facts.remember.results import Remembered, RouteTaken
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import ChatModel, Store
from r_memory.reading.chat import ChatExtractor
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.reader import Reader
from r_memory.reading.validation import Validator
from r_memory.reading.worker import ReadingWorker
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.scripted import ScriptedClassifier

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")


@cache
def language(schema_name: str = "clinical") -> Reader:
    """What reads words, made once for all tests: it takes a second."""
    files = Files()
    domain = load_domain(files, schema_name)
    gazetteer = Gazetteer(domain.schema.lexicon)
    extractor = RuleExtractor(domain.schema, gazetteer)
    return Reader(
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        linker=gazetteer,
        extractor=extractor,
        validator=Validator(domain.schema, gazetteer),
        classifier=ScriptedClassifier(),
    )


def chat_extractor(chat: ChatModel, schema_name: str = "clinical", relations: Sequence[str] = ()) -> ChatExtractor:
    """Asks the model about these relations, by default about all."""
    known = language(schema_name)
    asked = {name: known.schema.relations[name] for name in relations or known.schema.relations}
    return ChatExtractor(chat, load_prompt(Files()), replace(known.schema, relations=asked), known.linker)


class Practice:
    """One patient's memory."""

    def __init__(
        self,
        chat: ChatModel | None,
        schema_name: str = "clinical",
        store: Store | None = None,
        *,
        relations: Sequence[str] = (),
    ) -> None:
        self.language = language(schema_name)
        self.john = replace(JOHN, type=self.language.schema.subject)
        self.store: Store = store or DictStore()
        models = [] if chat is None else [chat_extractor(chat, schema_name, relations)]
        # Whoever waits for a worker binds it to the loop of the test.
        reader = replace(self.language, models=models, worker=ReadingWorker(), quick=ReadingWorker())
        limits = Limits(context_turns=4)
        self.remembering = Facts(self.store, reader, FixedClock(), space=JOHN.space, limits=limits).remembering

    async def hear(self, text: str, **more: Any) -> Remembered:  # noqa: ANN401 - arguments of `Statement`
        await self.store.declare_subject(self.john)
        return await self.remembering.record(Statement(text=text, subject=self.john, **more))

    async def facts(self) -> tuple[Fact, ...]:
        return fold_all(await self.store.events(self.john.uid), scale=self.language.schema.severity.grades)

    async def shown(self) -> set[str]:
        """Each fact as `RELATION object status flags…`."""
        return {
            " ".join([fact.relation, fact.object.id, fact.status, *sorted(fact.flags)]) for fact in await self.facts()
        }

    async def open(self) -> tuple[Episode, ...]:
        return await self.store.open_episodes(JOHN.space)

    async def resume(self) -> int:
        return await self.remembering.resume()


def fact(
    relation: str, object_: str, evidence: str, *, status: str = "active", means: str = "", **attrs: str
) -> Mapping[str, object]:
    """One fact as a model gives it."""
    details: Sequence[Mapping[str, str]] = [{"name": name, "value": value} for name, value in attrs.items()]
    return {
        "evidence": evidence,
        "relation": relation,
        "object": object_,
        "status": status,
        "attrs": details,
        "means": means,
    }


def answer(*facts: Mapping[str, object]) -> Mapping[str, object]:
    return {"facts": list(facts)}


def model_route(remembered: Remembered) -> RouteTaken:
    (taken,) = [taken for taken in remembered.routes if taken.route is Route.MODEL]
    return taken
