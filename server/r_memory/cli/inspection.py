"""Everything that is wrong with the files of a home: what `check` prints and `doctor` repeats."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from r_memory.config.conversation_file import CONTROLLER, IMPORTANCE, KINDS, load_importance, load_kinds, load_lesson
from r_memory.config.files import Files
from r_memory.config.home import Finding, as_findings, check
from r_memory.config.loading import Loaded
from r_memory.config.prompt_file import KNOWN, load_prompt
from r_memory.config.settings import Settings
from r_memory.config.yaml_lines import load
from r_memory.errors import ConfigurationError
from r_memory.reading.actions.lint import weaknesses
from r_memory.reading.linking import Gazetteer
from r_memory.reading.lint import lapses
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal, parse_query

_LOADERS = {CONTROLLER: load_lesson, KINDS: load_kinds, IMPORTANCE: load_importance}


def findings(settings: Settings, *, lint: bool = False) -> tuple[Finding, ...]:
    """Errors, warnings and notices of the schemas, packs, tables and queries of the home.

    Without `lint` only what concerns loading: an error then refuses to start.
    """
    files = settings.files
    read = partial(_text, files)
    chosen = _refused([partial(files.read, f"schema/{settings.schema}.yaml")])
    loads: list[Callable[[], object]] = [
        partial(_LOADERS[name], files) for name in files.listing("schema", ".yaml") if name in _LOADERS
    ]
    loads += [partial(load_prompt, files, name) for name in files.listing("schema/prompts", ".md") if name in KNOWN]
    wrong = _refused(partial(_parsed, files, path) for path in files.listing("cypher", ".cypher"))
    # What the store and the audits need of the queries is asked once each can be read by itself.
    needed = (partial(load_library, read, files.defaults), partial(load_audits, files.listing(FOLDER, ".cypher"), read))
    lints = (schema_lint, intents_lint) if lint else ()
    checked = check(files, check_traversal=check_traversal, lints=lints)
    return (*chosen, *checked, *_refused(loads), *(wrong or _refused(needed)))


def schema_lint(loaded: Loaded, files: Files) -> Iterator[Finding]:
    """Everything about the wording of one domain; see `r_memory.reading.lint`."""
    schema = load(files.read(f"schema/{loaded.schema.name}.yaml"))
    documents = {"schema": schema, "lexicon": load(files.read(f"schema/lexicon/{loaded.schema.lexicon_name}.yaml"))}
    for lapse in lapses(loaded.schema):
        yield Finding.at(lapse.severity, documents[lapse.file], lapse.path, lapse.text)


def intents_lint(loaded: Loaded, files: Files) -> Iterator[Finding]:
    """What makes action types hard to find or too easy; see `r_memory.reading.actions.lint`."""
    document = load(files.read(loaded.schema.intents))
    for weakness in weaknesses(loaded.intents, loaded.schema, Gazetteer(loaded.schema.lexicon)):
        yield Finding.at("notice", document, weakness.path, weakness.text)


def _parsed(files: Files, path: str) -> None:
    source = files.read(path)
    parse_query(str(source.path), source.text)


def _text(files: Files, path: str) -> str:
    return files.read(path).text


def _refused(loads: Iterable[Callable[[], object]]) -> tuple[Finding, ...]:
    """What loading finds wrong; nothing if everything loads."""
    found: list[Finding] = []
    for load_one in loads:
        try:
            load_one()
        except ConfigurationError as error:
            found += as_findings(error)
    return tuple(found)
