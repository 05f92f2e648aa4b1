"""Everything that is wrong with the files of a home: what `check` prints and `doctor` repeats."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from r_memory.config.contents import mismatches
from r_memory.config.conversation_file import CONTROLLER, IMPORTANCE, load_importance, load_lesson
from r_memory.config.exam_file import load_exam
from r_memory.config.files import Files
from r_memory.config.gates_file import FILE as GATES
from r_memory.config.gates_file import load_gates
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.prompt_file import KNOWN, load_prompt
from r_memory.config.schema_file import load_schema
from r_memory.config.settings import Settings
from r_memory.config.yaml_lines import Step, YamlDocument, load
from r_memory.domain.facts import IS_A
from r_memory.errors import ConfigurationError
from r_memory.reading.actions.lint import weaknesses
from r_memory.reading.linking import Gazetteer
from r_memory.reading.lint import lapses
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.library import load_library
from r_memory.store.queries import check_traversal, parse_query
from r_memory.wiring.language import standing_of

Severity = Literal["error", "warning", "notice"]
_KIND = f":{IS_A}"
_NAMED = "(?:name|name_key|id|id_key)"
_BY_NAME = re.compile(
    rf"\b\w+\.{_NAMED}\b\)?\s*(?:=~?|IN\b|CONTAINS\b|STARTS WITH\b|ENDS WITH\b)\s*(?:toLower\()?['\"\[]"
    rf"|\{{[^}}]*\b{_NAMED}\s*:\s*['\"]",
    re.IGNORECASE,
)
_LOADERS = {CONTROLLER: load_lesson, IMPORTANCE: load_importance}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFinding:
    """Something in a file to correct or to look at."""

    severity: Severity
    """An error must be corrected, a warning looked at; a notice is worth knowing."""
    file: Path | None
    line: int | None
    text: str
    """Starts with file and line, and ends with what to do."""

    @classmethod
    def at(cls, severity: Severity, document: YamlDocument, path: Sequence[Step], message: str) -> "FileFinding":
        """Returns a finding about one place of a file."""
        text = str(document.error(message, path))
        return cls(severity=severity, file=document.file, line=document.line(path), text=text)


def findings(settings: Settings, *, lint: bool = False) -> tuple[FileFinding, ...]:
    """Returns errors, warnings and notices on the schemas, packs, tables and queries of the home.

    Without `lint`, only errors of loading, with which the server refuses to start.
    """
    files = settings.files
    chosen = _refused([partial(files.read, f"schema/{settings.schema}.yaml")])
    loads: list[Callable[[], object]] = [
        partial(_LOADERS[name], files) for name in files.listing("schema", ".yaml") if name in _LOADERS
    ]
    loads += [partial(load_prompt, files, name) for name in files.listing("schema/prompts", ".md") if name in KNOWN]
    if files.find(GATES) is not None:
        loads.append(lambda: load_gates(files, load_schema(files, settings.schema)))
    queries = (files.read(path) for path in files.listing("cypher", ".cypher"))
    wrong = _refused(partial(parse_query, str(source.path), source.text) for source in queries)
    named = by_name(files) if lint else ()
    # What the store and the audits need of the queries is asked once each can be read by itself.
    audits = partial(load_audits, files.listing(FOLDER, ".cypher"), files.text)
    needed = (partial(load_library, files.text, files.defaults), audits)
    found = (*chosen, *of_domains(files, lint=lint), *_refused(loads), *(wrong or _refused(needed)), *named)
    usable = not any(finding.severity == "error" for finding in found)
    return tuple(dict.fromkeys((*found, *(_of_the_model(settings) if lint and usable else ()))))


def _of_the_model(settings: Settings) -> Iterator[FileFinding]:
    """Yields a warning that the configured model's reading does not count, and why."""
    try:
        known = standing_of(settings)
    except ConfigurationError as error:
        yield from as_findings(error)
        return
    if known is not None and not known.counts:
        text = f"the reading of the model {known.model} is only heard: {known.why}"
        yield FileFinding(severity="notice", file=None, line=None, text=text)


def by_name(files: Files) -> Iterator[FileFinding]:
    """Yields queries of the home that compare an object by name: the name is that of the thing as said."""
    for path in files.listing("cypher", ".cypher"):
        source = files.read(path)
        if (
            files.home is None
            or files.home not in source.path.parents
            or _KIND in source.text
            or _is_shipped(files, path)
        ):
            continue
        for number, line in enumerate(source.text.split("\n"), start=1):
            if not line.lstrip().startswith("//") and (found := _BY_NAME.search(line)):
                message = (
                    f"'{found[0].strip()}' compares a thing by its name, which is the thing as it was said; "
                    "walk to what it is: (thing)-[:IS_A*0..]->(concept)"
                )
                text = str(ConfigurationError(message, file=source.path, line=number))
                yield FileFinding(severity="warning", file=source.path, line=number, text=text)
                break


def _is_shipped(files: Files, path: str) -> bool:
    """Whether the home's file is the unchanged shipped one."""
    shipped = files.defaults / path
    return shipped.is_file() and shipped.read_text(encoding="utf-8") == files.text(path)


def of_domains(files: Files, *, lint: bool) -> tuple[FileFinding, ...]:
    """Returns the mistakes in the domains of a home, and what is probably not meant."""
    found: list[FileFinding] = []
    for name in files.listing("schema", ".yaml"):
        if name.count("/") == 1:
            try:
                loaded = load_domain(files, Path(name).stem, check_traversal=check_traversal)
            except ConfigurationError as error:
                found += as_findings(error)
            else:
                found += _refused([partial(load_exam, files, loaded.schema)])
                looks = (_unused, _wording, _contents, _hard_to_find) if lint else (_unused,)
                found += (finding for look in looks for finding in look(loaded, files))
    return tuple(found)


def as_findings(error: ConfigurationError) -> tuple[FileFinding, ...]:
    """Returns the error and each other error that it carries, as findings."""
    mistakes = (error, *error.others)
    return tuple(FileFinding(severity="error", file=each.file, line=each.line, text=str(each)) for each in mistakes)


def _unused(loaded: Loaded, files: Files) -> Iterator[FileFinding]:
    """Yields what is never read, never found, or never asked for."""
    schema, table, pack = loaded.schema, loaded.intents, loaded.knowledge
    document = load(files.read(f"schema/{schema.name}.yaml"))
    read = {edge for intent in table.intents.values() for edge in intent.edges}
    read |= {relation for rule in pack.rules for relation in rule.relations}
    for name, relation in schema.relations.items():
        if name not in read and not (relation.critical or relation.called_by):
            message = "no action type reads it; add it to the `edges` of one, or mark it critical"
            yield FileFinding.at("warning", document, ("relations", name), message)
    document = load(files.read(schema.intents))
    for name, intent in table.intents.items():
        if not intent.keywords and not intent.examples:
            message = "nothing leads to it; give it keywords or examples"
            yield FileFinding.at("warning", document, ("intents", name), message)
    for action in (name for name in pack.actions if name not in table.intents):
        document = load(files.read(f"schema/knowledge/{schema.knowledge}.yaml"))
        message = f"no such action type in {schema.intents}; correct the name or remove the line"
        yield FileFinding.at("warning", document, ("actions", action), message)


def _wording(loaded: Loaded, files: Files) -> Iterator[FileFinding]:
    """Yields the findings on the wording of one domain; see `r_memory.reading.lint`."""
    schema = load(files.read(f"schema/{loaded.schema.name}.yaml"))
    documents = {"schema": schema, "lexicon": load(files.read(f"schema/lexicon/{loaded.schema.lexicon_name}.yaml"))}
    for lapse in lapses(loaded.schema):
        yield FileFinding.at(lapse.severity, documents[lapse.file], lapse.path, lapse.text)


def _contents(loaded: Loaded, files: Files) -> Iterator[FileFinding]:
    """Yields brands and mixtures whose place contradicts their contents; see `r_memory.config.contents`."""
    document = load(files.read(f"schema/lexicon/{loaded.schema.lexicon_name}.yaml"))
    for mismatch in mismatches(loaded.schema.lexicon, loaded.knowledge):
        yield FileFinding.at(mismatch.severity, document, mismatch.term, mismatch.text)


def _hard_to_find(loaded: Loaded, files: Files) -> Iterator[FileFinding]:
    """Yields what makes action types hard to find or too easy; see `r_memory.reading.actions.lint`."""
    document = load(files.read(loaded.schema.intents))
    for path, text in weaknesses(loaded.intents, loaded.schema, Gazetteer(loaded.schema.lexicon)):
        yield FileFinding.at("notice", document, path, text)


def _refused(loads: Iterable[Callable[[], object]]) -> tuple[FileFinding, ...]:
    """Returns the errors of loading; empty if everything loads."""
    found: list[FileFinding] = []
    for load_one in loads:
        try:
            load_one()
        except ConfigurationError as error:
            found += as_findings(error)
    return tuple(found)
