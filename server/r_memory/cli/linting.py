"""What the rules make of a schema, and what weakens a table of action types, as findings with file and line."""

from collections.abc import Iterator

from r_memory.config.files import Files
from r_memory.config.home import Finding
from r_memory.config.loading import Loaded
from r_memory.config.yaml_lines import Document, load
from r_memory.reading.actions.lint import weaknesses
from r_memory.reading.linking import Gazetteer
from r_memory.reading.lint import lapses


def schema_lint(loaded: Loaded, files: Files) -> Iterator[Finding]:
    """Everything about the wording of one domain; see `r_memory.reading.lint`."""
    schema = load(files.read(f"schema/{loaded.schema.name}.yaml"))
    documents = {"schema": schema, "lexicon": load(files.read(f"schema/lexicon/{_lexicon(schema)}.yaml"))}
    for lapse in lapses(loaded.schema):
        document = documents[lapse.file]
        yield Finding(
            severity=lapse.severity,
            file=document.file,
            line=document.line(lapse.path),
            text=str(document.error(lapse.text, lapse.path)),
        )


def intents_lint(loaded: Loaded, files: Files) -> Iterator[Finding]:
    """What makes action types hard to find or too easy; see `r_memory.reading.actions.lint`."""
    document = load(files.read(loaded.schema.intents))
    for weakness in weaknesses(loaded.intents, loaded.schema, Gazetteer(loaded.schema.lexicon)):
        yield Finding(
            severity="notice",
            file=document.file,
            line=document.line(weakness.path),
            text=str(document.error(weakness.text, weakness.path)),
        )


def _lexicon(schema: Document) -> str:
    return str(schema.data["lexicon"]) if isinstance(schema.data, dict) else ""
