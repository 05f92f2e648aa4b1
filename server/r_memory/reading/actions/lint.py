"""What is allowed in a table of action types and probably not meant: found by reading its own examples.

Knows a table, not the file it came from: a place is a path of keys, and whoever loaded the file knows the line.
"""

from collections.abc import Iterator

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.protocols import Linker
from r_memory.reading.actions.keywords import keywords_of, plain
from r_memory.reading.actions.recognition import Recognition
from r_memory.reading.language import listed

MIN_EXAMPLES = 10
"""Examples below which the model hardly learns a row."""


Weakness = tuple[tuple[str | int, ...], str]
"""A weakness of a row: the path of keys in the file, and a message with the facts and what to do."""


def weaknesses(table: IntentTable, schema: Schema, linker: Linker) -> tuple[Weakness, ...]:
    """Returns everything that is probably not meant in a table.

    That is: rows with few examples, examples that stand in two rows, everyday words as keywords, and silent rows that a
    keyword opens.
    """
    return (*_few_examples(table), *_repeated(table), *_eager(table, schema), *_asking_silence(table, schema, linker))


def _few_examples(table: IntentTable) -> Iterator[Weakness]:
    for name, row in table.intents.items():
        if len(row.examples) < MIN_EXAMPLES:
            text = f"{len(row.examples)} examples; {MIN_EXAMPLES} or more find it by other words than its keywords"
            yield ("intents", name), text


def _repeated(table: IntentTable) -> Iterator[Weakness]:
    """Yields examples that stand in two rows and so teach neither."""
    first: dict[str, str] = {}
    for name, row in table.intents.items():
        for index, example in enumerate(row.examples):
            other = first.setdefault(plain(example), name)
            if other != name:
                text = f"'{example}' is an example of {other} as well; keep it where it belongs"
                yield ("intents", name, "examples", index), text


def _eager(table: IntentTable, schema: Schema) -> Iterator[Weakness]:
    """Yields keywords that the language lists as everyday words."""
    everyday = {plain(word) for word in (*table.everyday, *listed(schema.language, "common"))}
    for name, row in table.intents.items():
        for index, keyword in enumerate(() if row.silent else row.keywords):
            if plain(keyword) in everyday:
                text = f"'{keyword}' is an everyday word; move it to `weak_keywords`"
                yield ("intents", name, "keywords", index), text


def _asking_silence(table: IntentTable, schema: Schema, linker: Linker) -> Iterator[Weakness]:
    """Yields examples of silent rows that a keyword takes for a request."""
    recognition = Recognition(table, schema)
    if not recognition.knows_requests:
        return
    for name, row in table.intents.items():
        for index, example in enumerate(row.examples if row.silent else ()):
            for asked in sorted(recognition.asked(example, linker.mentions(example), {})):
                named = keywords_of(table.intent(asked).keywords, schema).hits(plain(example), ())
                said = ", ".join(f"'{word}'" for word in named) or "a phrase"
                text = f"'{example}' is silent, but {said} of {asked} asks in it; make that a weak keyword"
                yield ("intents", name, "examples", index), text
