"""What reads words, put together for one domain."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from r_memory.config.loading import Loaded, load_domain
from r_memory.config.prompt_file import INTENTS, load_prompt
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.domain.schema import Schema
from r_memory.protocols import ChatModel, IntentOpinion, Traversal
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.linear import obtain
from r_memory.reading.actions.names import Names
from r_memory.reading.actions.opinions import ChatOpinion, EmbeddedExamples
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


class _Late:
    """Stands for a part that is made when it is first asked for anything."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = cache(make)

    def __getattr__(self, name: str) -> object:
        return getattr(self._make(), name)


def open_reader(settings: Settings, *, late: bool = False) -> Reader:
    """What reads words offline under the domain that the settings name.

    With `late`, what reads is made when something is first read: it takes a third of a command that reads nothing.

    Raises:
        ConfigurationError: a file is wrong.
    """

    def part(make: Callable[[], Part]) -> Part:
        return cast("Part", _Late(make)) if late else make()

    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)
    schema, table = domain.schema, domain.intents
    linker = part(lambda: Gazetteer(schema.lexicon))
    rules = part(lambda: RuleExtractor(schema, linker))

    def languages(text: str) -> tuple[str, ...]:
        return rules.languages(text)

    def classifier() -> KeywordsAndLinear:
        model = obtain(settings.cache_dir, table, schema, lambda: trained(table, schema, linker))
        return KeywordsAndLinear(table, schema, model)

    opened = sorted({intent.traversal for intent in table.intents.values() if intent.traversal})
    return Reader(
        schema=schema,
        table=table,
        knowledge=domain.knowledge,
        linker=linker,
        extractor=part(lambda: _extractor(settings, schema, rules, linker)),
        validator=part(lambda: Validator(schema, linker, RuleOpinion(rules, schema))),
        classifier=part(classifier),
        reads_offline=Route.RULES in settings.routes,
        opinions=(_embedded(domain),) if "embedder" in settings.opinions else (),
        traversals={path: Traversal(path=path, text=settings.files.read(path).text) for path in opened},
        names=part(lambda: Names(table, schema, linker, whole_words)),
        languages=languages,
    )


def _extractor(settings: Settings, schema: Schema, rules: RuleExtractor, linker: Gazetteer) -> LocalReader:
    taught = taught_reader(schema.name, own_weights(settings, schema.name))
    if isinstance(taught, Absent):
        return LocalReader(rules, schema, linker, None, alone=taught.reason)
    return LocalReader(rules, schema, linker, taught)


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
