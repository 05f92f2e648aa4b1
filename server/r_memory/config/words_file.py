"""Loads what words mean: `schema/lexicon/<name>.yaml` (a domain's terms) and `schema/language/<name>.yaml`.

Files of the folder `schema/lexicon/<name>.d` add terms, such as imported vocabularies; they never change what a word
of the lexicon means. Under a term stand other words for the same; apart from these, kinds of it and the names that it
is sold under, each of which is a term of its own.

Both are open forms: a lexicon names its own types, a language its own sections. Which sections the rules need is theirs
to say.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from pydantic import ConfigDict, Field, PlainValidator

from r_memory.config.including import INCLUDE
from r_memory.config.names import Listed, TypeName, Word
from r_memory.config.yaml_lines import FileModel, Mistakes, Path, Yaml, YamlDocument, parsed
from r_memory.domain.schema import Language, Lexicon, Term
from r_memory.domain.wordings import expression

_VALUES_KEY = "attrs"
_DAYS_PROPERTY = "review_after_days"
_PHRASES_KEYS = ("requests", "absences")
"""Sections whose lists are phrases in the notation of `domain/wordings.py`."""
_MAX_LANGUAGE_DEPTH = 4
_SAME, _KINDS, _BRANDS = "same", "kinds", "brands"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsOfTerm:
    """The words under a canonical name."""

    same: tuple[str, ...] = ()
    """Synonyms: spellings, abbreviations, other names of the substance."""
    kinds: tuple[str, ...] = ()
    """Narrower things."""
    brands: tuple[str, ...] = ()
    """Brand names."""


def _words_of_term(value: object) -> WordsOfTerm:
    """Returns the words of a term, from synonyms or a mapping of synonyms, kinds and brands."""
    if not isinstance(value, dict):
        return WordsOfTerm(same=_synonyms(value))
    if unknown := sorted(set(map(str, value)) - {_SAME, _KINDS, _BRANDS}):
        raise ValueError(f"'{unknown[0]}' is not known here; write {{same: …, kinds: …, brands: …}}")
    words = WordsOfTerm(**{name: _synonyms(given) for name, given in value.items()})
    every = [word.casefold() for word in (*words.same, *words.kinds, *words.brands)]
    if twice := next((word for word in every if every.count(word) > 1), ""):
        raise ValueError(f"'{twice}' stands here twice; it is the same, a kind, or a brand")
    return words


def _synonyms(value: object) -> tuple[str, ...]:
    """Returns the synonyms in a comma-separated text or a list; empty for nothing."""
    parts = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError('expected synonyms; write "one, two" or [one, two]')
    return tuple(dict.fromkeys(stripped for part in parts if (stripped := part.strip())))


Terms = Annotated[dict[str, Annotated[WordsOfTerm, PlainValidator(_words_of_term)]], Field(min_length=1)]
"""Canonical name to the words under it."""
Grades = Annotated[dict[str, Listed[str]], Field(min_length=1)]
"""Value of a property to the terms with that value."""


class LexiconForm(FileModel):
    """`Type: {canonical: "synonym, synonym"}`, or `{same: …, kinds: …, brands: …}` in place of the synonyms; and
    `attrs: {Type: {property: {value: [canonicals]}}}`.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[TypeName, Terms]
    include: Listed[Word] = Field(default=(), description="Lexicons that this one builds on.")
    attrs: dict[str, dict[str, Grades]] = Field(default_factory=dict)


def lexicon_from(document: YamlDocument) -> Lexicon:
    """Returns the lexicon of a document.

    Raises:
        ConfigurationError: the document is wrong; with file and line.
    """
    form, wrong = parsed(document, LexiconForm), Mistakes(document)
    terms = form.__pydantic_extra__
    if not terms:
        wrong.add("no terms; write `Type: {canonical: synonyms}`")
    for type_, names in terms.items():
        first: dict[str, str] = {}
        for name in names:
            if (other := first.setdefault(name.casefold(), name)) != name:
                message = f"'{name}' and '{other}' differ only in capitals; keep one, write the other as a synonym"
                wrong.add(message, (type_, name))
    for path, message in _wrong_values(form.attrs, terms):
        wrong.add(message, (_VALUES_KEY, *path))
    lexicon, circles = _lexicon_of(terms, form.attrs)
    for type_, name, word in circles:
        wrong.add(f"'{word}' is a kind of '{name}', which is a kind of it; keep one of the two", (type_, name))
    wrong.refuse()
    return lexicon


def _lexicon_of(
    words: Mapping[str, Terms], values: Mapping[str, Mapping[str, Grades]]
) -> tuple[Lexicon, list[tuple[str, str, str]]]:
    """Returns the lexicon of one file, and the terms that form a cycle.

    A kind that is a word for a term is that term.
    """
    terms = {type_: {name: under.same for name, under in names.items()} for type_, names in words.items()}
    known: dict[Term, Term] = {}
    for type_, names in terms.items():
        for spelling, name in [*((name, name) for name in names), *((w, n) for n, same in names.items() for w in same)]:
            known.setdefault((type_, spelling.casefold()), (type_, name))
    made = Lexicon(terms=terms, values=values, kinds={}, brands={})
    circles: list[tuple[str, str, str]] = []
    for type_, of_type in words.items():
        for name, under in of_type.items():
            for links, narrower in ((made.kinds, under.kinds), (made.brands, under.brands)):
                for word in narrower:
                    term = known.setdefault((type_, word.casefold()), (type_, word))
                    terms[type_].setdefault(term[1], ())
                    if not _link(made, links, term, (type_, name)):
                        circles.append((type_, name, word))
    return made, circles


def _link(lexicon: Lexicon, links: Mapping[Term, tuple[Term, ...]], term: Term, above: Term) -> bool:
    """Puts a term below another; returns false if that would make a cycle."""
    if term in lexicon.broader(above):
        return False
    cast("dict[Term, tuple[Term, ...]]", links)[term] = tuple(dict.fromkeys((*links.get(term, ()), above)))
    return True


def _wrong_values(values: Mapping[str, Mapping[str, Grades]], terms: Mapping[str, Terms]) -> Iterator[tuple[Path, str]]:
    """Yields the mistakes in properties of terms, each with its place."""
    for type_ in values.keys() - terms.keys():
        yield (type_,), f"'{type_}' has no terms in this file; correct the type"
    graded = ((type_, name, grades) for type_, properties in values.items() for name, grades in properties.items())
    for type_, property_, grades in graded:
        for grade, names in grades.items():
            path = (type_, property_, grade)
            if property_ == _DAYS_PROPERTY and not grade.isdecimal():
                yield path, f"'{grade}' is not a number of days; write a whole number"
            for index, name in enumerate(names):
                if name not in terms.get(type_, (name,)):
                    yield (*path, index), f"'{name}' is not a term of this type; write its canonical name"


def lexicon_with(base: Lexicon, documents: Iterable[YamlDocument]) -> Lexicon:
    """Returns the lexicon with the terms of further files.

    A known word keeps its meaning, and only gains synonyms, kinds and brands.
    """
    terms = {type_: dict(names) for type_, names in base.terms.items()}
    values = dict(base.values)
    made = Lexicon(terms=terms, values=values, kinds=dict(base.kinds), brands=dict(base.brands))
    known = {word.casefold(): (type_, name) for type_, name, word in base.spellings}
    for document in documents:
        added = lexicon_from(document)
        if added.values and not _includes(document):
            raise document.error("properties of terms belong into the lexicon itself; move them", (_VALUES_KEY,))
        for type_, properties in added.values.items():
            values[type_] = {**values.get(type_, {}), **properties}
        for type_, names in added.terms.items():
            for name, synonyms in names.items():
                owner = known.setdefault(name.casefold(), (type_, name))
                new = [word for word in synonyms if known.setdefault(word.casefold(), owner) == owner]
                own = terms.setdefault(owner[0], {})
                own[owner[1]] = tuple(dict.fromkeys((*own.get(owner[1], ()), *new)))
        for links, ours in ((added.kinds, made.kinds), (added.brands, made.brands)):
            for (_, name), above in links.items():
                term = known[name.casefold()]
                for broader in (known[item.casefold()] for _, item in above):
                    if broader[0] == term[0]:
                        _link(made, ours, term, broader)
    return made


def _includes(document: YamlDocument) -> bool:
    """Whether the document is a complete lexicon that includes another."""
    return isinstance(document.data, dict) and INCLUDE in document.data


def language_from(document: YamlDocument, name: str) -> Language:
    """Returns the language of a document: sections of texts, numbers, lists and mappings.

    Raises:
        ConfigurationError: the document is wrong; with file and line.
    """
    sections = document.data
    if not isinstance(sections, dict) or not sections:
        raise document.error("expected a mapping; write lines of `key: value`")
    if sections.get("language") != name:
        raise document.error(f"`language:` must say '{name}', as the file is called", ("language",))
    wrong = Mistakes(document)
    _check_shape(wrong, (), sections)
    wrong.refuse()
    for key in _PHRASES_KEYS:
        _check_phrases(wrong, key, sections.get(key))
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


def _check_phrases(wrong: Mistakes, key: str, section: Yaml) -> None:
    for name, phrases in section.items() if isinstance(section, dict) else ():
        for index, phrase in enumerate(phrases if isinstance(phrases, list) else ()):
            try:
                expression(str(phrase))
            except ValueError as error:
                told = f"not a phrase ({error}); write words, (a|b), (a)?, ..3 for a gap and # for a number"
                wrong.add(told, (key, str(name), index))
