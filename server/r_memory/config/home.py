"""What `r-memory init` copies out, and what `r-memory check` finds in a home."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from r_memory.config.files import Files
from r_memory.config.intents_file import CheckTraversal
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.yaml_lines import Document, Step, load
from r_memory.errors import ConfigurationError, UnknownName

_FOLDERS = ("schema", "intents", "cypher")
_ENDINGS = (".yaml", ".json", ".cypher", ".md")


Severity = Literal["error", "warning", "notice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What copying the defaults did, as names below the target."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    """Were there already, and were not touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to mend or to look at."""

    severity: Severity
    """An error must be mended, a warning looked at; a notice is worth knowing."""
    file: Path | None
    line: int | None
    text: str
    """With file and line in front, and what to do at the end."""

    @classmethod
    def at(cls, severity: Severity, document: Document, path: Sequence[Step], message: str) -> "Finding":
        """What is said of one place of a file."""
        text = str(document.error(message, path))
        return cls(severity=severity, file=document.file, line=document.line(path), text=text)


Lint = Callable[[Loaded, Files], Iterable[Finding]]
"""Looks at a domain that loads, for what is allowed and probably not meant."""


def copy_defaults(files: Files, target: Path, only: Sequence[str] = ()) -> Copied:
    """Copies shipped files that people edit into the target folder, all or `only` some; one that exists is kept.

    Raises:
        ConfigurationError: the folder cannot be written.
        UnknownName: no such file is shipped.
    """
    shipped = Files(defaults=files.defaults)
    names = [
        "intents.yaml",
        *(name for folder in _FOLDERS for end in _ENDINGS for name in shipped.listing(folder, end)),
    ]
    for name in only:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=5, cutoff=0.4)
            raise UnknownName("file", name, near or [*_FOLDERS, "intents.yaml"])
    written: list[str] = []
    kept: list[str] = []
    for name in sorted(only or names):
        (written if _copied(shipped, name, target) else kept).append(name)
    return Copied(written=tuple(written), kept=tuple(kept))


def _copied(shipped: Files, name: str, target: Path) -> bool:
    """Whether the file was written; opening exclusively leaves no moment in which another's file could be lost."""
    content = shipped.read(name).content
    try:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with (target / name).open("xb") as file:
            file.write(content)
    except FileExistsError:
        if (target / name).is_file():
            return False
        raise ConfigurationError("is in the way; remove it or choose another folder", file=target / name) from None
    except OSError as error:
        message = f"cannot be written ({error.strerror}); choose a folder of yours"
        raise ConfigurationError(message, file=target / name) from error
    return True


def check(
    files: Files, *, check_traversal: CheckTraversal | None = None, lints: Sequence[Lint] = ()
) -> tuple[Finding, ...]:
    """Everything wrong with the schemas, packs and tables of a home, and what the lints say of those that load."""
    findings: list[Finding] = []
    for name in files.listing("schema", ".yaml"):
        if name.count("/") == 1:
            try:
                loaded = load_domain(files, Path(name).stem, check_traversal=check_traversal)
            except ConfigurationError as error:
                findings += as_findings(error)
            else:
                findings += (finding for lint in (_unused, *lints) for finding in lint(loaded, files))
    return tuple(dict.fromkeys(findings))


def as_findings(error: ConfigurationError) -> tuple[Finding, ...]:
    """The error and each further mistake that it carries."""
    mistakes = (error, *error.others)
    return tuple(Finding(severity="error", file=each.file, line=each.line, text=str(each)) for each in mistakes)


def _unused(loaded: Loaded, files: Files) -> Iterator[Finding]:
    """What is never read, never found, or never asked for."""
    schema, table, pack = loaded.schema, loaded.intents, loaded.knowledge
    document = load(files.read(f"schema/{schema.name}.yaml"))
    read = {edge for intent in table.intents.values() for edge in intent.edges}
    read |= {relation for rule in pack.rules for relation in rule.relations}
    for name, relation in schema.relations.items():
        if name not in read and not relation.critical:
            message = "no action type reads it; add it to the `edges` of one, or mark it critical"
            yield Finding.at("warning", document, ("relations", name), message)
    document = load(files.read(schema.intents))
    for name, intent in table.intents.items():
        if not intent.keywords and not intent.examples:
            message = "nothing leads to it; give it keywords or examples"
            yield Finding.at("warning", document, ("intents", name), message)
    for action in (name for name in pack.actions if name not in table.intents):
        document = load(files.read(f"schema/knowledge/{schema.knowledge}.yaml"))
        message = f"no such action type in {schema.intents}; correct the name or remove the line"
        yield Finding.at("warning", document, ("actions", action), message)
