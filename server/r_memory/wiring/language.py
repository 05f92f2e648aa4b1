"""What reads words, put together for one domain."""

from dataclasses import replace
from pathlib import Path

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
from r_memory.reading.taught.lazy import LazyReader
from r_memory.reading.taught.weights import SHIPPED, Absent, find_weights, whole_words
from r_memory.reading.validation import Validator
from r_memory.store.queries import check_traversal


def open_reader(settings: Settings) -> Reader:
    """What reads words offline under the domain that the settings name.

    Raises:
        ConfigurationError: a file is wrong.
    """
    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)
    gazetteer = Gazetteer(domain.schema.lexicon)
    rules = RuleExtractor(domain.schema, gazetteer)
    opinion = RuleOpinion(rules, domain.schema)
    model = obtain(
        settings.cache_dir, domain.intents, domain.schema, lambda: trained(domain.intents, domain.schema, gazetteer)
    )
    return Reader(
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        linker=gazetteer,
        extractor=LocalReader(rules, domain.schema, gazetteer, taught_reader(domain.schema.name)),
        validator=Validator(domain.schema, gazetteer, opinion),
        classifier=KeywordsAndLinear(domain.intents, domain.schema, model),
        reads_offline=Route.RULES in settings.routes,
        opinions=(_embedded(domain),) if "embedder" in settings.opinions else (),
        traversals=_traversals(settings, domain),
        names=Names(domain.intents, domain.schema, gazetteer, whole_words),
    )


def taught_reader(domain: str, folder: Path = SHIPPED) -> LazyReader | None:
    """The taught reader of a domain, loaded when it first reads; `None` where none is taught or none can run.

    Raises:
        ConfigurationError: there are weights, and their files do not belong together.
    """
    weights = find_weights(folder)
    if isinstance(weights, Absent) or domain not in weights.labels.domains:
        return None
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
