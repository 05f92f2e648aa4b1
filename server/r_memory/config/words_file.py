"""Loads what words mean: `schema/lexicon/<name>.yaml` (a domain's terms) and `schema/language/<name>.yaml`.

Files of the folder `schema/lexicon/<name>.d` add terms, such as imported vocabularies; they never change what a word
of the lexicon means.

Both are open forms: a lexicon names its own types, a language its own sections. Which sections the rules need is theirs
to say.
"""

import re
from collections.abc import Iterable, Mapping

from r_memory.config.names import TYPE_PATTERN
from r_memory.config.yaml_lines import Document, Mistakes, Path, Yaml
from r_memory.domain.schema import Language, Lexicon

_VALUES_KEY = "attrs"
_DAYS_PROPERTY = "review_after_days"
_MAX_LANGUAGE_DEPTH = 4
Names = Mapping[str, tuple[str, ...]]


def lexicon_from(document: Document) -> Lexicon:
    """The lexicon of a document: `Type: {canonical: "synonym, synonym"}`, and `attrs:` for properties of terms.

    Raises:
        ConfigurationError: names line and remedy.
    """
    data = _mapping(document, (), document.data)
    types = {key: value for key, value in data.items() if key != _VALUES_KEY}
    wrong = Mistakes(document)
    if not types:
        wrong.add("no terms; write `Type: {canonical: synonyms}`")
    for type_ in types:
        if re.fullmatch(TYPE_PATTERN, type_) is None:
            wrong.add(f"'{type_}' cannot be a type; start with a capital, letters and digits only", (type_,))
    wrong.refuse()
    terms = {type_: _terms(document, type_, value) for type_, value in types.items()}
    properties = data.get(_VALUES_KEY)
    return Lexicon(terms=terms, values={} if properties is None else _values(document, properties, terms))


def lexicon_with(base: Lexicon, documents: Iterable[Document]) -> Lexicon:
    """The lexicon with the terms of further files: a word that is known keeps its meaning, and gains synonyms only.

    Raises:
        ConfigurationError: names file, line and remedy.
    """
    terms = {type_: dict(names) for type_, names in base.terms.items()}
    known = {
        word.casefold(): (type_, name)
        for type_, names in terms.items()
        for name, synonyms in names.items()
        for word in (name, *synonyms)
    }
    for document in documents:
        added = lexicon_from(document)
        if added.values:
            raise document.error("properties of terms belong into the lexicon itself; move them", (_VALUES_KEY,))
        for type_, names in added.terms.items():
            for name, synonyms in names.items():
                owner = known.setdefault(name.casefold(), (type_, name))
                new = [word for word in synonyms if known.setdefault(word.casefold(), owner) == owner]
                own = terms.setdefault(owner[0], {})
                own[owner[1]] = tuple(dict.fromkeys((*own.get(owner[1], ()), *new)))
    return Lexicon(terms=terms, values=base.values)


def _terms(document: Document, type_: str, value: Yaml) -> Names:
    terms: dict[str, tuple[str, ...]] = {}
    first: dict[str, str] = {}
    for canonical, synonyms in _mapping(document, (type_,), value).items():
        other = first.setdefault(canonical.casefold(), canonical)
        if other != canonical:
            message = f"'{canonical}' and '{other}' differ only in capitals; keep one, write the other as a synonym"
            raise document.error(message, (type_, canonical))
        terms[canonical] = _synonyms(document, (type_, canonical), synonyms)
    return terms


def _synonyms(document: Document, path: Path, value: Yaml) -> tuple[str, ...]:
    """A comma-separated text or a list; nothing and the empty text mean no synonyms."""
    parts = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise document.error('expected synonyms; write "one, two" or [one, two]', path)
    return tuple(dict.fromkeys(stripped for part in parts if isinstance(part, str) and (stripped := part.strip())))


def _values(document: Document, value: Yaml, terms: Mapping[str, Names]) -> Mapping[str, Mapping[str, Names]]:
    """`attrs: {Type: {property: {value: [canonicals]}}}`."""
    values: dict[str, dict[str, Names]] = {}
    for type_, properties in _mapping(document, (_VALUES_KEY,), value).items():
        own = values[type_] = {}
        for property_, grades in _mapping(document, (_VALUES_KEY, type_), properties).items():
            if type_ not in terms:
                raise document.error(f"'{type_}' has no terms in this file; correct the type", (_VALUES_KEY, type_))
            own[property_] = _graded(document, (_VALUES_KEY, type_, property_), grades, terms[type_])
    return values


def _graded(document: Document, path: Path, value: Yaml, known: Names) -> Names:
    """Values of one property to the terms that have them."""
    graded: dict[str, tuple[str, ...]] = {}
    for grade, names in _mapping(document, path, value).items():
        if path[-1] == _DAYS_PROPERTY and not grade.isdecimal():
            raise document.error(f"'{grade}' is not a number of days; write a whole number", (*path, grade))
        if not isinstance(names, list):
            raise document.error("expected a list; write [a, b]", (*path, grade))
        for index, name in enumerate(names):
            if not isinstance(name, str) or name not in known:
                message = f"'{name}' is not a term of this type; write its canonical name"
                raise document.error(message, (*path, grade, index))
        graded[grade] = tuple(map(str, names))
    return graded


def language_from(document: Document, name: str) -> Language:
    """The language of a document: any sections of texts, numbers, lists and mappings of these.

    Raises:
        ConfigurationError: names line and remedy.
    """
    sections = _mapping(document, (), document.data)
    if sections.get("language") != name:
        raise document.error(f"`language:` must say '{name}', as the file is called", ("language",))
    wrong = Mistakes(document)
    _check_shape(wrong, (), sections)
    wrong.refuse()
    return Language(code=name, sections={key: value for key, value in sections.items() if key != "language"})


def _check_shape(wrong: Mistakes, path: Path, value: Yaml) -> None:
    if value is None or value == "":
        wrong.add("is empty; write something or remove the line", path)
    elif len(path) > _MAX_LANGUAGE_DEPTH:
        wrong.add("nested too deeply; write lists and mappings of words", path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if not isinstance(item, str) or not item:
                wrong.add("expected a word; put it in quotes", (*path, index))
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_shape(wrong, (*path, key), inner)


def _mapping(document: Document, path: Path, value: Yaml) -> dict[str, Yaml]:
    if not isinstance(value, dict) or not value:
        raise document.error("expected a mapping; write lines of `key: value`", path)
    return value
