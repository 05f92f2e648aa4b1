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
"""Below these the model hardly learns a row."""


Weakness = tuple[tuple[str | int, ...], str]
"""One thing that makes a row hard to find or too easy: keys from the top of the file; facts and what to do."""


def weaknesses(table: IntentTable, schema: Schema, linker: Linker) -> tuple[Weakness, ...]:
    """Rows with few examples, examples of two rows, and keywords that everyday talk names too."""
    return (*_few_examples(table), *_repeated(table), *_eager(table, schema), *_asking_silence(table, schema, linker))


def _few_examples(table: IntentTable) -> Iterator[Weakness]:
    for name, row in table.intents.items():
        if len(row.examples) < MIN_EXAMPLES:
            text = f"{len(row.examples)} examples; {MIN_EXAMPLES} or more find it by other words than its keywords"
            yield ("intents", name), text


def _repeated(table: IntentTable) -> Iterator[Weakness]:
    """An example of two rows teaches neither."""
    first: dict[str, str] = {}
    for name, row in table.intents.items():
        for index, example in enumerate(row.examples):
            other = first.setdefault(plain(example), name)
            if other != name:
                text = f"'{example}' is an example of {other} as well; keep it where it belongs"
                yield ("intents", name, "examples", index), text


def _eager(table: IntentTable, schema: Schema) -> Iterator[Weakness]:
    """Keywords among the words that everybody says, which the language lists."""
    everyday = {plain(word) for word in (*table.everyday, *listed(schema.language, "common"))}
    for name, row in table.intents.items():
        for index, keyword in enumerate(() if row.silent else row.keywords):
            if plain(keyword) in everyday:
                text = f"'{keyword}' is an everyday word; move it to `weak_keywords`"
                yield ("intents", name, "keywords", index), text


def _asking_silence(table: IntentTable, schema: Schema, linker: Linker) -> Iterator[Weakness]:
    """Examples of silent rows that the keywords take for a request."""
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
