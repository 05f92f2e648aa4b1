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
    """The joined content; an included value has the line of the nearest key in the file itself."""
    sources: tuple[Source, ...]
    """Every file that was read, included ones first."""


def chain(files: Files, path: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, YamlDocument]]:
    """Yields the included files, innermost first, then the file itself, each with its path.

    Raises:
        ConfigurationError: a file is missing, or includes itself.
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
    """Returns the included files and the file itself, each followed by the files of the folder `NAME.d` beside it.

    Raises:
        ConfigurationError: a file is missing or cannot be read.
    """
    found: list[YamlDocument] = []
    for name, document in chain(files, path):
        folder = f"{name.removesuffix('.yaml')}.d"
        found += [document, *(load(files.read(added)) for added in files.listing(folder, ".yaml"))]
    return found


def joined(files: Files, path: str, *, own: Collection[str] = (), whole: Collection[str] = ()) -> Joined:
    """Returns a file joined with what it includes.

    Top-level keys in `own` are not inherited. Under the keys in `whole`, an entry replaces an inherited one completely.

    Raises:
        ConfigurationError: a file is missing, or includes itself.
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
    """Returns the paths under `include`; other values there are left for the form to refuse."""
    named = document.data.get(INCLUDE) if isinstance(document.data, dict) else None
    paths = named if isinstance(named, list) else [named]
    return [path for path in paths if isinstance(path, str)]


def _over(base: dict[str, Yaml], own: dict[str, Yaml], whole: Collection[str]) -> dict[str, Yaml]:
    """Returns both mappings joined key by key; those of `own` come first and replace equal names."""
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
