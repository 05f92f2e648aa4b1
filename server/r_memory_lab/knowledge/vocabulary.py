"""What an import adds up to: names with their synonyms, wholes with their parts, groups with their members.

Pure. Writes two files in the formats of `schema/lexicon` and `schema/knowledge`; quoting makes any name plain text.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SHORTEST_NAME = 4
"""Least characters of a name, as shorter ones would match in every text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOrigin:
    """The origin of an import, for the heads of its files."""

    key: str
    """Name of the files and of the source: `rxnorm`."""
    cite: str
    notice: str
    """The notice that its licence requires, in one sentence."""
    version: str
    day: str
    """ISO day of the import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Names of one type with their relations."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name to synonyms."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Whole to parts, all of them names."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Group to members, which are names or groups."""
    skipped: int = 0
    """Number of names left out: too short, or everyday words."""


def lexicon_file(vocabulary: Vocabulary, origin: ImportOrigin, *, type_: str) -> str:
    """Returns a file for the folder `schema/lexicon/<name>.d`; empty without names."""
    if not vocabulary.names:
        return ""
    entries = (f"  {_quoted(name)}: {_list(words)}" for name, words in sorted(vocabulary.names.items()))
    return "\n".join([*_head(vocabulary, origin), f"{type_}:", *entries, ""])


def pack_file(vocabulary: Vocabulary, origin: ImportOrigin, *, group_type: str) -> str:
    """Returns a file for the folder `schema/knowledge/<name>.d`."""
    return "\n".join([*_head(vocabulary, origin), *_pack(vocabulary, origin, group_type), ""])


def _pack(vocabulary: Vocabulary, origin: ImportOrigin, group_type: str) -> Iterator[str]:
    yield f"pack: {origin.key}"
    yield f"sources: {{{origin.key}: {{cite: {_quoted(f'{origin.cite}, {origin.version}')}}}}}"
    yield f"classification: {{source: {origin.key}, checked: recall}}"
    if vocabulary.groups:
        yield f"concepts: {{{group_type}: {_list(tuple(sorted(vocabulary.groups)))}}}"
        yield from _section("groups", "MEMBER_OF", vocabulary.groups)
    if vocabulary.parts:
        yield from _section("parts", "HAS_INGREDIENT", vocabulary.parts)


def _section(key: str, relation: str, entries: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    yield f"{key}:"
    yield f"  {relation}:"
    yield from (f"    {_quoted(name)}: {_list(words)}" for name, words in sorted(entries.items()))


def _head(vocabulary: Vocabulary, origin: ImportOrigin) -> Iterator[str]:
    yield f"# Imported on {origin.day} from {origin.cite}, {origin.version}, by `r-memory knowledge import`."
    yield f"# {origin.notice}"
    counts = (
        f"{len(vocabulary.names)} names",
        f"{len(vocabulary.parts)} combinations",
        f"{len(vocabulary.groups)} groups",
        f"{vocabulary.skipped} names skipped",
    )
    yield f"# {', '.join(counts)}. Import again to replace this file; rows of your own go into another one."


def _list(words: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_quoted, words))}]"


def _quoted(text: str) -> str:
    """Returns the text as a JSON string, which is also a YAML one."""
    return json.dumps(text, ensure_ascii=False)


def usable(name: str, stop: frozenset[str]) -> bool:
    """Whether a name may be searched for in texts."""
    return len(name) >= SHORTEST_NAME and name.casefold() not in stop and any(char.isalpha() for char in name)
