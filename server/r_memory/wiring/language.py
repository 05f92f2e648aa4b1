"""What reads words, put together for one domain."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

from r_memory.config.loading import Loaded, load_domain
from r_memory.config.prompt_file import INTENTS, load_prompt
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.protocols import ChatModel, IntentOpinion, Traversal
from r_memory.reading.reader import Reader
from r_memory.store.queries import check_traversal

if TYPE_CHECKING:
    from r_memory.wiring.readers import Readers

Part = TypeVar("Part")


class _Late:
    """Stands for a part that is made when it is first asked for anything."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = cache(make)

    def __getattr__(self, name: str) -> object:
        return getattr(self._make(), name)


def open_reader(settings: Settings, *, late: bool = False) -> Reader:
    """What reads words offline under the domain that the settings name.

    With `late`, what reads is loaded and made when something is first read: it takes a third of a command that reads
    nothing.

    Raises:
        ConfigurationError: a file is wrong.
    """
    domain = load_domain(settings.files, settings.schema, check_traversal=check_traversal)

    @cache
    def readers() -> "Readers":
        from r_memory.wiring.readers import Readers  # noqa: PLC0415 - late: see there

        return Readers(settings, domain)

    def part(make: Callable[[], Part]) -> Part:
        return cast("Part", _Late(make)) if late else make()

    def languages(text: str) -> tuple[str, ...]:
        return readers().rules.languages(text)

    opened = sorted({intent.traversal for intent in domain.intents.intents.values() if intent.traversal})
    return Reader(
        schema=domain.schema,
        table=domain.intents,
        knowledge=domain.knowledge,
        linker=part(lambda: readers().linker),
        extractor=part(lambda: readers().extractor),
        validator=part(lambda: readers().validator),
        classifier=part(lambda: readers().classifier),
        reads_offline=Route.RULES in settings.routes,
        opinions=(_embedded(domain),) if "embedder" in settings.opinions else (),
        traversals={path: Traversal(path=path, text=settings.files.read(path).text) for path in opened},
        names=part(lambda: readers().names),
        languages=languages,
    )


def _embedded(domain: Loaded) -> IntentOpinion:
    # Imported late, as those below: an installation that asks for no opinion and no model needs neither.
    from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415
    from r_memory.reading.actions.opinions import EmbeddedExamples  # noqa: PLC0415

    return EmbeddedExamples(domain.intents, WordLlamaEmbedder())


def with_model(settings: Settings, reader: Reader, chat: ChatModel) -> Reader:
    """The reader with a language model beside it, where the settings ask for one."""
    from r_memory.reading.actions.opinions import ChatOpinion  # noqa: PLC0415
    from r_memory.reading.chat import ChatExtractor  # noqa: PLC0415

    if "model" in settings.opinions:
        opinion = ChatOpinion(reader.table, load_prompt(settings.files, INTENTS), chat)
        reader = replace(reader, opinions=(*reader.opinions, opinion))
    if Route.MODEL not in settings.routes:
        return reader
    extractor = ChatExtractor(chat, load_prompt(settings.files), reader.schema, reader.linker)
    return replace(reader, models=(extractor,))
