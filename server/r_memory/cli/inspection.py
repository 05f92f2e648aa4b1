"""Everything that is wrong with the files of a home: what `check` prints and `doctor` repeats."""

from collections.abc import Iterator

from r_memory.config.files import Files
from r_memory.config.home import Finding, check
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.store.queries import check_traversal, parse_query


def findings(settings: Settings) -> tuple[Finding, ...]:
    """Errors, which refuse to start, and warnings, of the schemas, packs, tables and queries of the home."""
    files = settings.files
    return (*_chosen_schema(settings), *check(files, check_traversal=check_traversal), *_queries(files))


def as_findings(error: ConfigurationError) -> tuple[Finding, ...]:
    """The error and each further mistake that it carries."""
    mistakes = (error, *error.others)
    return tuple(Finding(severity="error", file=each.file, line=each.line, text=str(each)) for each in mistakes)


def _chosen_schema(settings: Settings) -> tuple[Finding, ...]:
    try:
        settings.files.read(f"schema/{settings.schema}.yaml")
    except ConfigurationError as error:
        return as_findings(error)
    return ()


def _queries(files: Files) -> Iterator[Finding]:
    """What is wrong with the headers of query files, at the place where they lie."""
    for name in files.listing("cypher", ".cypher"):
        source = files.read(name)
        try:
            parse_query(str(source.path), source.text)
        except ConfigurationError as error:
            yield from as_findings(error)
