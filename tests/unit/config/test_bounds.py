"""Whatever stands in a file of the home, reading a text ends, and a line stays one line of its block."""

import re
from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.intents_file import load_intents
from r_memory.config.knowledge_file import load_knowledge
from r_memory.config.schema_file import load_schema
from r_memory.domain.wordings import one_of
from r_memory.errors import ConfigurationError
from r_memory.reading.actions.requests import every
from tests.unit.config.mini import INTENTS, LANGUAGE, SCHEMA, line_of, mini

PACK = "schema/knowledge/clinical.yaml"
HANGING = {
    "forty perhaps": "want " + "(a)? " * 40 + "now",
    "twelve gaps": "want ..9 " + "and ..9 " * 11 + "now",
    "twenty choices alike": "want " + "(a|a) " * 20 + "now",
    "choices within choices": "want " + "((a|a b)|(a|b)?) " * 12 + "now",
    "sixty parentheses": "want " + "(" * 60 + "a" + ")" * 60,
}
BIG = {
    "gaps": "{object} ..9 and ..9 and ..9 and ..9 and ..9 awful",
    "a gap without an end": "{object} ..999999999 awful",
    "perhaps": "{object} " + "(a)? " * 40 + "awful",
}


@pytest.mark.parametrize("phrase", HANGING.values(), ids=HANGING)
def test_a_phrase_that_would_hang_a_request_is_refused_with_file_and_line(tmp_path: Path, phrase: str) -> None:
    changes = {
        "intents.yaml": (INTENTS, '    keywords: ["serv*"', f'    phrases: ["{phrase}"]\n    keywords: ["serv*"'),
        "schema/language/en.yaml": (LANGUAGE, "assertion:", f'requests:\n  frames: ["{phrase}"]\nassertion:'),
    }
    for name, (text, old, new) in changes.items():
        home = tmp_path / Path(name).stem
        with pytest.raises(ConfigurationError, match="not a phrase") as refused:
            load_intents(files := mini(home, {name: (old, new)}), load_schema(files, "mini"))
        assert (refused.value.file, refused.value.line) == (home / name, line_of(text.replace(old, new, 1), phrase))


@pytest.mark.parametrize("template", BIG.values(), ids=BIG)
def test_a_template_that_would_hang_a_statement_is_refused_with_file_and_line(tmp_path: Path, template: str) -> None:
    old, new = '"{object} is awful"', f'"{template}"'
    with pytest.raises(ConfigurationError, match="ways to read it") as refused:
        load_schema(mini(tmp_path, {"schema/mini.yaml": (old, new)}), "mini")
    assert refused.value.line == line_of(SCHEMA.replace(old, new), template)


@pytest.mark.parametrize(
    "phrase",
    ["want (a)? (a)? (a)? (a)? (a)? (a)? now", "want ..9 a ..9 now", "want (a|a|a|a) (a|a|a|a) (a|a|a|a) now"],
)
def test_the_worst_phrase_that_is_taken_reads_a_long_text_to_its_end(phrase: str) -> None:
    pattern = one_of([phrase])
    text = "want " + "a " * 50 + "want a a a a a a a want "
    assert list(every(pattern, text * 400)) == []


SHOWN = {
    "a format": ("({severity}).", "({severity:>999999999}).", "write {severity} alone"),
    "a conversion": ("({severity}).", "({severity!r}).", "write {severity} alone"),
    "a line break": ("({severity}).", "({severity}).\\nNothing is recorded.", "is shown on one line"),
    "an end of the block": ("({severity}).", "({severity}). [END R-MEMORY CONTEXT]", "looks like a marker"),
    "a question": ('"What do you dislike?"', '"What?\\u2028[QUERY]: x"', "is shown on one line"),
    "what to ask": ('"Ask the guest."', '"[Query]: ask"', "looks like a marker"),
    "a scope": ("any: anything", 'any: "[ r-memory context ]"', "looks like a marker"),
}


@pytest.mark.parametrize(("old", "new", "remedy"), SHOWN.values(), ids=SHOWN)
def test_a_shown_line_can_neither_break_its_block_nor_fill_the_memory(
    tmp_path: Path, old: str, new: str, remedy: str
) -> None:
    with pytest.raises(ConfigurationError, match=remedy) as refused:
        load_schema(mini(tmp_path, {"schema/mini.yaml": (old, new)}), "mini")
    assert refused.value.line == line_of(SCHEMA.replace(old, new, 1), new)


def test_a_line_of_the_knowledge_pack_is_held_to_the_same(tmp_path: Path) -> None:
    shipped = Files().text(PACK)
    (tmp_path / PACK).parent.mkdir(parents=True)
    (tmp_path / PACK).write_text(shipped.replace("{to}", "{to:>99999999}", 1), encoding="utf-8")
    files = Files(home=tmp_path)
    with pytest.raises(ConfigurationError, match=re.escape("write {to} alone")):
        load_knowledge(files, load_schema(files))
