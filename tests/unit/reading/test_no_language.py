"""No word of a language stands in the code that reads: whatever a form is made of comes from the language file."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import r_memory.reading
from r_memory.domain.schema import Schema
from r_memory.reading.language import all_texts

ROOM = Path(r_memory.reading.__file__).parent
WORDS = """
    a an the this that these those another every each some any either neither
    i me you he him his her she it its we us they them their my your our mine yours who whom whose which what
    am is are was were be been being has had have does do did can could may might must shall should will would
    and or but nor because since while whereas although if unless not never nobody nothing everything anything
    of to in at by for from with without about against during between into behind before after
    told said says got gets takes took carries wears
"""
SMALL = frozenset(WORDS.split())
"""Words that forms of English are made of."""
ASKS = frozenset({"words", "phrases", "texts", "table", "listed", "paired", "numbers", "names", "finder", "get"})
"""Calls that name a section of the language file, or a field."""
LEFT: Mapping[str, int] = {
    "alike.py": 17,
    "assertion.py": 9,
    "attributes.py": 8,
    "chat.py": 1,
    "context.py": 5,
    "experiencer.py": 45,
    "lint.py": 1,
    "numerals.py": 4,
    "rewording.py": 6,
    "rules/answers.py": 5,
    "rules/arguments.py": 16,
    "rules/candidates.py": 16,
    "rules/denials.py": 5,
    "rules/postrules.py": 1,
    "rules/proper.py": 2,
    "rules/questions.py": 1,
    "rules/triggers.py": 4,
    "sentences.py": 1,
}
"""How many stand in each module still, names of sections in tuples among them; it only ever becomes less."""


def constants(tree: ast.Module) -> Iterator[str]:
    """The texts of a module, but for its docstrings, its enumerations, and what names a section."""
    named: set[int] = set()
    for node in ast.walk(tree):
        asks = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in ASKS
        listed = isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "StrEnum" for base in node.bases)
        told = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if asks or listed or told:
            named |= {id(each) for each in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in named:
            yield node.value


def test_no_word_of_english_is_added_to_the_code_that_reads() -> None:
    found = Counter(
        module.relative_to(ROOM).as_posix()
        for module in ROOM.rglob("*.py")
        for text in constants(ast.parse(module.read_text(encoding="utf-8")))
        if text in SMALL
    )
    assert found == Counter(LEFT)


def test_a_word_in_code_is_seen_and_one_in_prose_or_a_section_is_not() -> None:
    tree = ast.parse('"""the"""\nfound = pack.words("the")\nheads = {"the", ","}\n')
    assert [text for text in constants(tree) if text in SMALL] == ["the"]


def test_the_words_are_those_of_the_language(schema: Schema) -> None:
    assert len(SMALL.intersection(all_texts(schema.language.sections))) > len(SMALL) / 2
