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


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What copying the defaults did, as names below the target."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    """Were there already, and were not touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to mend or to look at."""

    severity: Literal["error", "warning", "notice"]
    """An error must be mended, a warning looked at; a notice is worth knowing."""
    file: Path | None
    line: int | None
    text: str
    """With file and line in front, and what to do at the end."""


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
    names = [name for name in files.listing("schema", ".yaml") if name.count("/") == 1]
    findings = (
        finding
        for name in names
        for finding in _of_domain(files, Path(name).stem, check_traversal, (*SHIPPED_LINTS, *lints))
    )
    return tuple(dict.fromkeys(findings))


def _of_domain(
    files: Files, name: str, check_traversal: CheckTraversal | None, lints: Sequence[Lint]
) -> Iterator[Finding]:
    try:
        loaded = load_domain(files, name, check_traversal=check_traversal)
    except ConfigurationError as error:
        for wrong in (error, *error.others):
            yield Finding(severity="error", file=wrong.file, line=wrong.line, text=str(wrong))
        return
    for lint in lints:
        yield from lint(loaded, files)


def _unread_relations(loaded: Loaded, files: Files) -> Iterator[Finding]:
    document = load(files.read(f"schema/{loaded.schema.name}.yaml"))
    read = {edge for intent in loaded.intents.intents.values() for edge in intent.edges}
    read |= {relation for rule in loaded.knowledge.rules for relation in rule.relations}
    for name, relation in loaded.schema.relations.items():
        if name not in read and not relation.critical:
            message = "no action type reads it; add it to the `edges` of one, or mark it critical"
            yield warning(document, message, ("relations", name))


def _undiscoverable_intents(loaded: Loaded, files: Files) -> Iterator[Finding]:
    document = load(files.read(loaded.schema.intents))
    for name, intent in loaded.intents.intents.items():
        if not intent.keywords and not intent.examples:
            yield warning(document, "nothing leads to it; give it keywords or examples", ("intents", name))


def _unknown_actions(loaded: Loaded, files: Files) -> Iterator[Finding]:
    for action in loaded.knowledge.actions:
        if action not in loaded.intents.intents:
            document = load(files.read(f"schema/knowledge/{loaded.schema.knowledge}.yaml"))
            message = f"no such action type in {loaded.schema.intents}; correct the name or remove the line"
            yield warning(document, message, ("actions", action))


def warning(document: Document, message: str, path: Sequence[Step]) -> Finding:
    """A warning about one place of a file."""
    text = str(document.error(message, path))
    return Finding(severity="warning", file=document.file, line=document.line(path), text=text)


SHIPPED_LINTS: tuple[Lint, ...] = (_unread_relations, _undiscoverable_intents, _unknown_actions)
