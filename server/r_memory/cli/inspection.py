"""Everything that is wrong with the files of a home: what `check` prints and `doctor` repeats."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from r_memory.config.controller_file import CONTROLLER, load_lesson
from r_memory.config.files import Files
from r_memory.config.home import Finding, Lint, check
from r_memory.config.importance_file import IMPORTANCE, load_importance
from r_memory.config.kinds_file import KINDS, load_kinds
from r_memory.config.prompt_file import KNOWN, load_prompt
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal, parse_query


def findings(settings: Settings, lints: Sequence[Lint] = ()) -> tuple[Finding, ...]:
    """Errors, warnings and notices of the schemas, packs, tables and queries of the home.

    Without `lints` only what concerns loading: an error then refuses to start.
    """
    files = settings.files
    checked = check(files, check_traversal=check_traversal, lints=lints)
    return (
        *_chosen_schema(settings),
        *checked,
        *_conversation(files),
        *_prompts(files),
        *_queries(files),
    )


def _conversation(files: Files) -> Iterator[Finding]:
    loaders = {CONTROLLER: load_lesson, KINDS: load_kinds, IMPORTANCE: load_importance}
    for name in files.listing("schema", ".yaml"):
        if name in loaders:
            yield from _refused(partial(loaders[name], files))


def _prompts(files: Files) -> Iterator[Finding]:
    for name in files.listing("schema/prompts", ".md"):
        if name in KNOWN:
            yield from _refused(partial(load_prompt, files, name))


def as_findings(error: ConfigurationError) -> tuple[Finding, ...]:
    """The error and each further mistake that it carries."""
    mistakes = (error, *error.others)
    return tuple(Finding(severity="error", file=each.file, line=each.line, text=str(each)) for each in mistakes)


def _chosen_schema(settings: Settings) -> tuple[Finding, ...]:
    return _refused(partial(settings.files.read, f"schema/{settings.schema}.yaml"))


def _queries(files: Files) -> Iterator[Finding]:
    """What is wrong with query files: each by itself, then as what the store and the audits need them to be."""
    paths = files.listing("cypher", ".cypher")
    wrong = [finding for path in paths for finding in _refused(partial(_parsed, files, path))]
    yield from wrong
    if not wrong:
        yield from _refused(partial(load_library, partial(_text, files)))
        yield from _refused(partial(load_audits, files.listing(FOLDER, ".cypher"), partial(_text, files)))


def _parsed(files: Files, path: str) -> None:
    source = files.read(path)
    parse_query(str(source.path), source.text)


def _text(files: Files, path: str) -> str:
    return files.read(path).text


def _refused(load: Callable[[], object]) -> tuple[Finding, ...]:
    """What loading finds wrong; nothing if it loads."""
    try:
        load()
    except ConfigurationError as error:
        return as_findings(error)
    return ()
