"""What is allowed in a schema and probably not meant: found by reading its own examples, wordings and words.

Knows a schema and the rules that read it; not the files it came from: a place is a path of keys, and whoever loaded the
files knows the line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal as OneOf

from rapidfuzz import process
from rapidfuzz.distance import OSA

from r_memory.domain.facts import Entity, Observation, Rejection
from r_memory.domain.schema import Example, Lexicon, Relation, Schema
from r_memory.errors import ConfigurationError
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer, buckets
from r_memory.reading.normalise import plain
from r_memory.reading.rules.templates import Compiler, Literal, Template
from r_memory.reading.validation import Validator

MIN_EXAMPLES = 3
_TWO_FROM = 8
"""Letters from which names at distance 2 look alike; from five letters names at distance 1 do."""
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapse:
    """Something in a schema that is probably not meant."""

    severity: OneOf["error", "warning", "notice"]
    """error: a file says one thing and does another. warning: something is missing. notice: worth knowing."""
    file: OneOf["schema", "lexicon"]
    path: Path
    """Keys from the top of the file."""
    text: str
    """The facts, and what to do."""


def lapses(schema: Schema) -> tuple[Lapse, ...]:
    """Returns everything in a schema that is probably not meant.

    If templates cannot be read, only what needs no reading is checked beside them.
    """
    gazetteer = Gazetteer(schema.lexicon)
    unread = tuple(_unread_templates(schema, Compiler(schema, gazetteer.words)))
    common = (*unread, *_unstated(schema), *_clashes(schema.lexicon), *_kinds(schema.lexicon))
    if unread:
        return (*common, *_look_alikes(schema.lexicon))
    given = (*_wrong_examples(schema, gazetteer), *_swallowed(schema, gazetteer))
    return (*common, *given, *_look_alikes(schema.lexicon))


# what a relation needs


def _unread_templates(schema: Schema, compiler: Compiler) -> Iterator[Lapse]:
    for name, relation in schema.relations.items():
        for path, text in _templates(relation):
            try:
                compiler.template(relation, text)
            except ConfigurationError as error:
                yield _in_schema("error", ("relations", name, *path), str(error))


def _templates(relation: Relation) -> Iterator[tuple[Path, str]]:
    """Yields every template as written, with its path in the relation."""
    for index, text in enumerate(relation.phrasing.templates):
        yield ("templates", index), text
    for index, text in enumerate(relation.phrasing.ended):
        yield ("ended", index), text
    for scope, texts in relation.phrasing.none_templates.items():
        for index, text in enumerate(texts):
            yield ("none_templates", scope, index), text


def _unstated(schema: Schema) -> Iterator[Lapse]:
    for name, relation in schema.relations.items():
        said = relation.phrasing
        if not (relation.derived or said.templates or said.cue or said.mention):
            message = "no sentence states it; give it `templates`, a `cue` or `mention: true`, or `derived: true`"
            yield _in_schema("warning", ("relations", name), message)
        if len(relation.examples) < MIN_EXAMPLES:
            message = f"{len(relation.examples)} of {MIN_EXAMPLES} examples; add sentences and what each must give"
            yield _in_schema("warning", ("relations", name), message)


# what examples give


def _wrong_examples(schema: Schema, gazetteer: Gazetteer) -> Iterator[Lapse]:
    """Yields examples whose reading differs from what they declare."""
    extractor = RuleExtractor(schema, gazetteer)
    validator = Validator(schema, gazetteer)
    for name, relation in schema.relations.items():
        subject = Entity(space="lint", type=relation.subjects[0], id="lint", name="Lint")
        for index, example in enumerate(relation.examples):
            utterance = Utterance(text=example.text, role="user", subject=subject)
            read = [validator.check(utterance, found) for found in extractor.extract(utterance).proposals]
            if problem := _problem(name, example, [result for result in read if result.relation == name]):
                message = f"'{example.text}' {problem}; correct the example or the wording of the relation"
                yield _in_schema("error", ("relations", name, "examples", index), message)


def _problem(relation: str, example: Example, found: Sequence[Observation | Rejection]) -> str:
    refused = next((result for result in found if isinstance(result, Rejection)), None)
    seen = [result for result in found if isinstance(result, Observation)]
    if example.expect is None:
        return f"gives {_in_words(seen[0])} and should give nothing of {relation}" if seen else ""
    if any(_meets(example, result) for result in seen):
        return ""
    if refused is not None and not seen:
        return f"is refused: {refused.reason}"
    wanted = ", ".join(f"{key} {value}" for key, value in example.expect.items())
    given = " and ".join(_in_words(result) for result in seen) or "nothing"
    return f"gives {given}, not {wanted} ({example.status.value})"


def _meets(example: Example, seen: Observation) -> bool:
    given = {**seen.attrs, "object": seen.object.id}
    expected = example.expect or {}
    same = all(str(given.get(key, "")).casefold() == str(value).casefold() for key, value in expected.items())
    return same and seen.status is example.status


def _in_words(seen: Observation) -> str:
    parts = [seen.object.id, *(f"{name} {value}" for name, value in seen.attrs.items())]
    return f"{', '.join(parts)} ({seen.status.value})"


# words that get in each other's way


def _swallowed(schema: Schema, gazetteer: Gazetteer) -> Iterator[Lapse]:
    """Yields wordings that are never found, because the lexicon takes some of their words for a term."""
    compiler = Compiler(schema, gazetteer.words)
    for name, relation in schema.relations.items():
        for path, text in _templates(relation):
            for words in _runs(compiler.template(relation, text)):
                yield from _taken(gazetteer, ("relations", name, *path), words, whole=False)
        for path, text in _phrases(relation):
            yield from _taken(gazetteer, ("relations", name, *path), (text,), whole=True)


def _phrases(relation: Relation) -> Iterator[tuple[Path, str]]:
    """Yields the phrases outside of templates that are matched word by word."""
    said = relation.phrasing
    for index, text in enumerate(said.cue.words if said.cue else ()):
        yield ("cue", "words", index), text.removesuffix("#")
    for index, text in enumerate(said.headers):
        yield ("headers", index), text
    for scope, texts in said.none.items():
        for index, text in enumerate(texts):
            yield ("none", scope, index), text


def _runs(template: Template) -> Iterator[tuple[str, ...]]:
    """Yields the texts of every two adjacent phrases of a template, and of each phrase alone."""
    elements = template.elements
    for position, element in enumerate(elements):
        if not isinstance(element, Literal):
            continue
        yield from ((" ".join(option),) for option in element.options)
        following = elements[position + 1] if position + 1 < len(elements) else None
        if isinstance(following, Literal):
            for first, second in product(element.options, following.options):
                yield " ".join(first), " ".join(second)


def _taken(gazetteer: Gazetteer, path: Path, parts: Sequence[str], *, whole: bool) -> Iterator[Lapse]:
    """Yields terms that span two parts; with word-by-word matching, terms that join any words."""
    text = " ".join(parts)
    border = len(parts[0])
    for mention in gazetteer.mentions(text):
        crosses = len(parts) > 1 and mention.start < border < mention.end
        if crosses or (whole and len(gazetteer.words(mention.surface)) > 1):
            term = f"{mention.type} '{mention.name}'"
            message = f"'{mention.surface}' is a word for {term}, so '{text}' is never found; reword one of them"
            yield _in_schema("error", path, message)


def _clashes(lexicon: Lexicon) -> Iterator[Lapse]:
    """Yields words that stand under two terms; the first term always wins."""
    first: dict[str, tuple[str, str]] = {}
    for type_, name, text in lexicon.spellings:
        earlier = first.setdefault(plain(text).casefold(), (type_, name))
        if earlier != (type_, name):
            message = f"'{text}' is a word for {earlier[0]} '{earlier[1]}' already; keep it in one place"
            yield Lapse(severity="error", file="lexicon", path=(type_, name), text=message)


def _kinds(lexicon: Lexicon) -> Iterator[Lapse]:
    """Yields synonyms that are probably a kind of their term, and so a thing of their own."""
    terms = {(type_, plain(name).casefold()) for type_, names in lexicon.terms.items() for name in names}
    for type_, names in lexicon.terms.items():
        for name, synonyms in names.items():
            own = plain(name).casefold().replace("-", " ").split()
            for word in synonyms:
                said = plain(word).casefold().replace("-", " ").split()
                more = [part for part in said if part not in own and part.removesuffix("s") not in own]
                another = next((item for item in _parts(said) if item != " ".join(own) and (type_, item) in terms), "")
                why = ""
                if another and not set(own) & set(said):
                    why = f"holds '{another}', a term of its own"
                elif more and len(own) <= len(said) - len(more):
                    why = f"says more than '{name}': {', '.join(more)}"
                if why:
                    message = f"'{word}' {why}; if it is a kind of '{name}' and not the same, write it under `kinds`"
                    yield Lapse(severity="notice", file="lexicon", path=(type_, name), text=message)


def _parts(words: Sequence[str]) -> Iterator[str]:
    """Yields every proper run of the words."""
    size = len(words)
    runs = (words[first:end] for first in range(size) for end in range(first + 1, size + 1) if end - first < size)
    yield from (" ".join(run) for run in runs)


def _look_alikes(lexicon: Lexicon) -> Iterator[Lapse]:
    """Yields names of different terms at a distance of one or two edits."""
    spelt = {plain(text).casefold(): (type_, name) for type_, name, text in lexicon.spellings}
    near = buckets(text for text in spelt if text[0].isalpha())
    for text, term in spelt.items():
        for other in _within(text, near):
            if spelt[other] != term:
                message = f"'{text}' and '{other}' ({spelt[other][1]}) look alike; a misspelling may mean either"
                yield Lapse(severity="notice", file="lexicon", path=term, text=message)


def _within(text: str, near: Mapping[tuple[str, int], Sequence[str]]) -> Iterator[str]:
    """Yields near names that are longer, or later in the alphabet, so that each pair is found once."""
    most = 2 if len(text) >= _TWO_FROM else 1
    for length in range(len(text), len(text) + most + 1):
        choices = near.get((text[0], length), ())
        for other, _, _ in process.extract(text, choices, scorer=OSA.distance, score_cutoff=most, limit=None):
            if length > len(text) or other > text:
                yield other


def _in_schema(severity: OneOf["error", "warning"], path: Path, text: str) -> Lapse:
    return Lapse(severity=severity, file="schema", path=path, text=text)
