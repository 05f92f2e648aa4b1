"""Lines as somebody else might have said them: what they state stays, and every mark keeps its words."""

import random
from pathlib import Path

from r_memory_lab.teaching.corpus import CorpusLine, read_file, read_line
from r_memory_lab.teaching.domains import CLINICAL, NOTHING
from r_memory_lab.teaching.variants import pools, varied

CORPUS = Path(__file__).parents[4] / "corpus"
TERMS = {"Drug": {"amoxicillin": ("amoxil",), "warfarin": ()}}


def _line(raw: str) -> CorpusLine:
    return read_line(raw, CLINICAL, "clinical/some", 1)


def _marked(line: CorpusLine) -> list[str]:
    return [
        (line.question if mark.place.in_question else line.text)[mark.place.start : mark.place.end]
        for mark in line.marks
    ]


def test_another_name_of_the_kind_stands_in_every_mark_of_it() -> None:
    line = _line(
        '{"by": "patient", "t": "Not amoxicillin again, amoxicillin gave me hives.", "m": ['
        '{"s": "amoxicillin", "r": "NONE", "st": "none", "who": "patient"},'
        '{"s": "amoxicillin", "n": 2, "r": "ALLERGY", "st": "active", "who": "patient", "reaction": "hives"}]}'
    )
    known = pools(TERMS, [line])
    found = [varied(line, known, (), random.Random(seed)) for seed in range(40)]
    other = [item for item in found if "amoxicillin" not in item.text]
    assert {tuple(dict.fromkeys(_marked(item))) for item in other} <= {("amoxil",), ("warfarin",)}
    assert other
    for item in other:
        place = item.marks[1].details["reaction"]
        assert item.text[place.start : place.end] == "hives"


def test_a_question_that_is_not_answered_states_nothing() -> None:
    line = _line('{"by": "patient", "t": "I slept badly.", "m": []}')
    asked = _line(
        '{"q": "Any trouble with latex?", "by": "patient", "t": "Terrible.", "m": ['
        '{"s": "latex", "in": "q", "r": "ALLERGY", "st": "active", "who": "patient"}]}'
    )
    found = [varied(line, pools({}, ()), [asked], random.Random(seed)) for seed in range(40)]
    after = [item for item in found if item.question]
    assert after
    assert all([mark.relation for mark in item.marks] == [NOTHING] for item in after)
    assert all(item.marks[0].status is None for item in after)


def test_marks_of_the_corpus_keep_whole_words() -> None:
    lines = read_file(CORPUS / "clinical" / "traps-1.jsonl")[0]
    known, asking, chance = pools(TERMS, lines), [item for item in lines if item.question], random.Random(2)
    for line in lines:
        for words in _marked(varied(line, known, asking, chance)):
            assert words
            assert words == words.strip()
