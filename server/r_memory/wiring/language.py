"""What reads words, put together for one domain."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from r_memory.config.loading import Loaded, load_domain
from r_memory.config.prompt_file import INTENTS, load_prompt
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.protocols import ChatModel, IntentOpinion, Traversal
from r_memory.reading.actions.cache import obtain
from r_memory.reading.actions.chat import ChatOpinion
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.embedded import EmbeddedExamples
from r_memory.reading.actions.names import Names
from r_memory.reading.actions.training import trained
from r_memory.reading.chat import ChatExtractor
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.local import LocalReader
from r_memory.reading.opinion import RuleOpinion
from r_memory.reading.reader import Reader
from r_memory.reading.taught.labels import read_labels
from r_memory.reading.taught.lazy import LazyReader
from r_memory.reading.taught.weights import LABELS, SHIPPED, Absent, find_weights, whole_words
from r_memory.reading.validation import Validator
from r_memory.store.queries import check_traversal

Part = TypeVar("Part")


class _Language:
    """The parts that read words of one domain, each made when it is first wanted."""

    def __init__(self, settings: Settings, domain: Loaded) -> None:
        self._settings = settings
        self._schema = domain.schema
        self._table = domain.intents

    @cached_property
    def linker(self) -> Gazetteer:
        return Gazetteer(self._schema.lexicon)

    @cached_property
    def _rules(self) -> RuleExtractor:
        return RuleExtractor(self._schema, self.linker)

    def languages(self, text: str) -> tuple[str, ...]:
        return self._rules.languages(text)

    @cached_property
    def extractor(self) -> LocalReader:
        taught = taught_reader(self._schema.name, own_weights(self._settings, self._schema.name))
        if isinstance(taught, Absent):
            return LocalReader(self._rules, self._schema, self.linker, None, alone=taught.reason)
        return LocalReader(self._rules, self._schema, self.linker, taught)

    @cached_property
    def validator(self) -> Validator:
        return Validator(self._schema, self.linker, RuleOpinion(self._rules, self._schema))

    @cached_property
    def classifier(self) -> KeywordsAndLinear:
        model = obtain(
            self._settings.cache_dir,
            self._table,
            self._schema,
            lambda: trained(self._table, self._schema, self.linker),
        )
        return KeywordsAndLinear(self._table, self._schema, model)

    @cached_property
    def names(self) -> Names:
        return Names(self._table, self._schema, self.linker, whole_words)


class _Late:
    """Stands for a part that is made when it is first asked for anything."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        return getattr(self._make(), name)


def open_reader(settings: Settings, *, late: bool = False) -> Reader:
    """What reads words offline under the domain that the settings name.

    With `late`, what reads is made when something is first read: it takes a third of a command that reads nothing.

    Raises:
        ConfigurationError: a file is wrong.
    """
    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)
    language = _Language(settings, domain)
    part = _late if late else _now
    return Reader(
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        linker=part(lambda: language.linker),
        extractor=part(lambda: language.extractor),
        validator=part(lambda: language.validator),
        classifier=part(lambda: language.classifier),
        reads_offline=Route.RULES in settings.routes,
        opinions=(_embedded(domain),) if "embedder" in settings.opinions else (),
        traversals=_traversals(settings, domain),
        names=part(lambda: language.names),
        languages=language.languages,
    )


def _late(make: Callable[[], Part]) -> Part:
    return cast("Part", _Late(make))


def _now(make: Callable[[], Part]) -> Part:
    return make()


def own_weights(settings: Settings, domain: str) -> Path:
    """The folder of weights below the home, if these are for the domain; else the package's own."""
    home = settings.files.home
    own = SHIPPED if home is None else home / "weights"
    if own != SHIPPED and (own / LABELS).is_file() and domain in read_labels(own / LABELS).domains:
        return own
    return SHIPPED


def taught_reader(domain: str, folder: Path = SHIPPED) -> LazyReader | Absent:
    """The taught reader of a domain, loaded when it first reads, or why there is none.

    Raises:
        ConfigurationError: there are weights, and their files do not belong together.
    """
    weights = find_weights(folder)
    if isinstance(weights, Absent):
        return weights
    if domain not in weights.labels.domains:
        return Absent(reason=f"none is taught for schema '{domain}'")
    return LazyReader(weights, domain)


def _embedded(domain: Loaded) -> IntentOpinion:
    # Imported late: an installation that asks for no opinion needs no embedder.
    from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415

    return EmbeddedExamples(domain.intents, WordLlamaEmbedder())


def with_model(settings: Settings, reader: Reader, chat: ChatModel) -> Reader:
    """The reader with a language model beside it, where the settings ask for one."""
    if "model" in settings.opinions:
        opinion = ChatOpinion(reader.table, load_prompt(settings.files, INTENTS), chat)
        reader = replace(reader, opinions=(*reader.opinions, opinion))
    if Route.MODEL not in settings.routes:
        return reader
    extractor = ChatExtractor(chat, load_prompt(settings.files), reader.schema, reader.linker)
    return replace(reader, models=(extractor,))


def _traversals(settings: Settings, domain: Loaded) -> dict[str, Traversal]:
    paths = {intent.traversal for intent in domain.intents.intents.values() if intent.traversal}
    return {path: Traversal(path=path, text=settings.files.read(path).text) for path in sorted(paths)}
