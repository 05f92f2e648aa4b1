"""Files that build on others: what `include:` names is read first, and the file itself continues or replaces it.

A mapping is joined key by key and a list is continued; anything else is replaced. Knows YAML, not what files mean.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from r_memory.config.files import Files, Source
from r_memory.config.yaml_lines import Yaml, YamlDocument, load

INCLUDE = "include"


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A file with everything that it includes."""

    document: YamlDocument
    """What they add up to, with the lines of the file itself; what is included has the line of the nearest key."""
    sources: tuple[Source, ...]
    """Every file that was read, the included ones first."""


def chain(files: Files, path: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, YamlDocument]]:
    """The files that a file includes, theirs first, then the file itself; each with its path.

    Raises ConfigurationError where a file is not found, or includes itself.
    """
    document = load(files.read(path))
    for place, named in enumerate(_named(document)):
        if named in (*above, path):
            around = " → ".join((*above, path, named))
            raise document.error(f"includes itself ({around}); remove one of these", (INCLUDE, place))
        if files.find(named) is None:
            message = f"no file '{named}'; write the path below the home, such as schema/clinical.yaml"
            raise document.error(message, (INCLUDE, place))
        yield from chain(files, named, (*above, path))
    yield path, document


def with_additions(files: Files, path: str) -> list[YamlDocument]:
    """The files that a file includes and the file itself, each followed by what the folder `NAME.d` beside it adds."""
    found: list[YamlDocument] = []
    for name, document in chain(files, path):
        folder = f"{name.removesuffix('.yaml')}.d"
        found += [document, *(load(files.read(added)) for added in files.listing(folder, ".yaml"))]
    return found


def joined(files: Files, path: str, *, own: Collection[str] = (), whole: Collection[str] = ()) -> Joined:
    """A file as one document with what it includes.

    `own` names keys at the top that are never taken over; the entries of a mapping under a key of `whole` are replaced
    as a whole.
    """
    documents = [document for _, document in chain(files, path)]
    last, data = documents[-1], documents[-1].data
    if len(documents) > 1 and isinstance(data, dict):
        merged: dict[str, Yaml] = {}
        for document in documents[:-1]:
            if isinstance(document.data, dict):
                taken = {key: value for key, value in document.data.items() if key not in own}
                merged = _over(merged, taken, whole)
        data = _over(merged, data, whole)
    return Joined(
        document=YamlDocument(source=last.source, data=data, lines=last.lines),
        sources=tuple(document.source for document in documents),
    )


def _named(document: YamlDocument) -> Sequence[str]:
    """The paths under `include`; whatever else stands there is the form's to refuse."""
    named = document.data.get(INCLUDE) if isinstance(document.data, dict) else None
    paths = named if isinstance(named, list) else [named]
    return [path for path in paths if isinstance(path, str)]


def _over(base: dict[str, Yaml], own: dict[str, Yaml], whole: Collection[str]) -> dict[str, Yaml]:
    """Both mappings, key by key: those of `own` first, and in the place of others of that name."""
    merged = {key: base.get(key) for key in own} | base
    for key, value in own.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = {**before, **value} if key in whole else _over(before, value, ())
        elif isinstance(before, list) and isinstance(value, list):
            merged[key] = [*before, *value]
        else:
            merged[key] = value
    return merged
