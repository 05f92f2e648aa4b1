"""Makes the reader of one domain: rules, taught reader, classifier, and a language model if the settings
ask for one.
"""

from dataclasses import replace
from pathlib import Path

from r_memory.config.exam_file import ExamRuns, has_exam
from r_memory.config.files import digest
from r_memory.config.intents_file import load_intents
from r_memory.config.loading import load_domain
from r_memory.config.prompt_file import INTENTS, load_prompt
from r_memory.config.settings import Settings
from r_memory.domain.exams import Examinee, ModelStanding, standing
from r_memory.domain.facts import Route
from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.protocols import ChatModel, Traversal
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.linear import LinearModel, obtain
from r_memory.reading.actions.names import Names
from r_memory.reading.actions.opinions import ChatOpinion, EmbeddedExamples
from r_memory.reading.actions.ordinary import ordinary_words
from r_memory.reading.actions.training import trained
from r_memory.reading.budget import budget_for
from r_memory.reading.chat import ChatExtractor, prompt_of
from r_memory.reading.context import Contexts
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.language import listed
from r_memory.reading.linking import Gazetteer
from r_memory.reading.listener import Listener
from r_memory.reading.local import LocalReader
from r_memory.reading.reader import Reader
from r_memory.reading.sheets import SheetReader
from r_memory.reading.taught.reader import TaughtReader, load_readers
from r_memory.reading.taught.weights import LABELS, SHIPPED, Absent, find_weights, read_labels, whole_words
from r_memory.reading.things import Things, everyday_words
from r_memory.reading.validation import Validator
from r_memory.store.queries import check_traversal


def open_reader(settings: Settings) -> Reader:
    """The offline reader of the domain that the settings name."""
    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)
    schema, table = domain.schema, domain.intents
    elided = [word for other in schema.languages.values() for word in listed(other, "things", "elided")]
    linker = Gazetteer(schema.lexicon, lambda: everyday_words(schema, whole_words()), elided)
    rules = RuleExtractor(schema, linker, budget_for(settings.max_text))
    taught = taught_reader(schema.name, own_weights(settings, schema.name))
    alone = taught.reason if isinstance(taught, Absent) else ""
    local = LocalReader(rules, schema, linker, None if isinstance(taught, Absent) else taught, alone=alone)
    validator, things = Validator(schema, linker), Things(schema, linker)
    # Learns from the table, once for each version of it.
    learnt = obtain(settings.cache_dir, table, schema, lambda: trained(table, schema, linker))
    sheets = SheetReader(local, rules, schema, linker)
    reader = Reader(
        schema=schema,
        table=table,
        knowledge=domain.knowledge,
        linker=linker,
        extractor=sheets,
        validator=validator,
        listener=Listener(schema, validator, Contexts(schema, rules, linker)),
        client_counts=settings.client_reading == "counts",
        classifier=KeywordsAndLinear(table, schema, learnt),
        reads_offline=Route.RULES in settings.routes,
        with_kinds=things.with_kinds,
        relinked=things.relinked,
        languages=rules.languages,
        above=sheets.above,
    )
    return _under(settings, reader, table, learnt)


def reader_under(settings: Settings, reader: Reader, table: str) -> Reader:
    """The reader with another table of action types, given as the text of its file; saves nothing.

    Opinions of a language model are left out. It takes a second of processor time: the classifier learns from the
    table.

    Raises:
        ConfigurationError: the table is wrong; the message names the line.
    """
    schema = reader.schema
    files = replace(settings.files, drafts={schema.intents: table.encode()})
    changed = load_intents(files, schema, reader.knowledge, check_traversal=check_traversal)
    return _under(settings, reader, changed, trained(changed, schema, reader.linker))


def _under(settings: Settings, reader: Reader, table: IntentTable, learnt: LinearModel | None) -> Reader:
    """The reader with another table."""
    schema, linker = reader.schema, reader.linker
    opened = sorted({intent.traversal for intent in table.intents.values() if intent.traversal})
    return replace(
        reader,
        table=table,
        classifier=KeywordsAndLinear(table, schema, learnt),
        opinions=(EmbeddedExamples(table, WordLlamaEmbedder()),) if "embedder" in settings.opinions else (),
        traversals={path: Traversal(path=path, text=settings.files.text(path)) for path in opened},
        names=Names(table, schema, linker, whole_words, ordinary_words if schema.language.code == "en" else frozenset),
    )


def own_weights(settings: Settings, domain: str) -> Path:
    """The folder of weights below the home if they are for this domain, otherwise the package's own."""
    home = settings.files.home
    own = SHIPPED if home is None else home / "weights"
    if own != SHIPPED and (own / LABELS).is_file() and domain in read_labels(own / LABELS).domains:
        return own
    return SHIPPED


def taught_reader(domain: str, folder: Path = SHIPPED) -> TaughtReader | Absent:
    """The taught reader of a domain, loaded when it first reads; or the reason why there is none.

    Raises:
        ConfigurationError: the files of the weights do not belong together.
    """
    weights = find_weights(folder)
    if isinstance(weights, Absent):
        return weights
    if domain not in weights.labels.domains:
        # Nothing is amiss, so no result says so; `r-memory doctor` does.
        return Absent(reason="")
    return load_readers(weights)[domain]


def with_model(settings: Settings, reader: Reader, chat: ChatModel) -> Reader:
    """The reader with a language model beside it, if the settings ask for one."""
    if "model" in settings.opinions:
        opinion = ChatOpinion(reader.table, load_prompt(settings.files, INTENTS), chat)
        reader = replace(reader, opinions=(*reader.opinions, opinion))
    if Route.MODEL not in settings.routes:
        return reader
    extractor = ChatExtractor(chat, load_prompt(settings.files), reader.schema, reader.linker)
    known = _standing(settings, reader.schema, extractor.prompt_digest)
    return replace(reader, models=(extractor,), model_counts=known.counts, standing=known)


def standing_of(settings: Settings) -> ModelStanding | None:
    """Whether the reading of the configured model counts, from stored exams; `None` if no model reads."""
    if Route.MODEL not in settings.routes:
        return None
    schema = load_domain(settings.files, settings.schema).schema
    prompt = prompt_of(load_prompt(settings.files), schema, Gazetteer(schema.lexicon))
    return _standing(settings, schema, prompt.digest)


def _standing(settings: Settings, schema: Schema, prompt: str) -> ModelStanding:
    return standing(
        examinee(settings, schema, prompt),
        ExamRuns(settings.data_dir).all(),
        wanted=settings.model_reading == "counts",
        lines=has_exam(settings.files, schema.name),
    )


def examinee(settings: Settings, schema: Schema, prompt: str) -> Examinee:
    """The configured model as an exam identifies it; `prompt` is the digest of its instruction."""
    asked = settings.with_small_model
    return Examinee(
        model=asked.model_name,
        address=digest([asked.model_url.encode()]),
        schema=schema.name,
        schema_version=schema.version,
        prompt=prompt,
    )
