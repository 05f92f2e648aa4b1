import json
from pathlib import Path

import pytest

from r_memory.domain.facts import Status
from r_memory.reading.taught.claims import Person, Place
from r_memory_lab.teaching.corpus import CorpusMark, UnreadableLine, read_file, read_line
from r_memory_lab.teaching.domains import CLINICAL, DOMAINS, LAW, NOTHING

CORPUS = Path(__file__).parents[4] / "corpus"
MENTION: dict[str, object] = {"s": "penicillin", "r": "ALLERGY", "st": "active", "who": "patient"}


def _line(text: str = "I'm allergic to penicillin.", *mentions: dict[str, object], **changes: object) -> str:
    data: dict[str, object] = {"by": "patient", "t": text, "m": mentions or [MENTION]}
    return json.dumps({**data, **changes})


def test_a_mention_is_found_where_it_stands() -> None:
    line = read_line(_line(), CLINICAL, "clinical/x", 1)
    assert line.marks == (
        CorpusMark(
            place=Place(start=16, end=26),
            words="penicillin",
            relation="HAS_ALLERGY_TO",
            status=Status.ACTIVE,
            person=Person.SUBJECT,
        ),
    )


def test_the_second_of_two_is_meant_where_the_line_says_so() -> None:
    line = read_line(_line("Nut? A nut? Nuts!", {**MENTION, "s": "nut"}), CLINICAL, "clinical/x", 1)
    assert line.marks[0].place == Place(start=7, end=10)
    line = read_line(_line("nut or nut or nuts", {**MENTION, "s": "nut", "n": 2}), CLINICAL, "clinical/x", 1)
    assert line.marks[0].place == Place(start=7, end=10)


def test_a_mention_in_the_question_is_found_there() -> None:
    raw = _line("Terribly.", {**MENTION, "in": "q"}, q="Are you allergic to penicillin?")
    (mark,) = read_line(raw, CLINICAL, "clinical/x", 1).marks
    assert mark.place == Place(start=20, end=30, in_question=True)


def test_a_detail_is_found_as_near_to_its_thing_as_can_be() -> None:
    raw = _line("Hives? Yes, penicillin: Hives.", {**MENTION, "reaction": "Hives"})
    assert read_line(raw, CLINICAL, "clinical/x", 1).marks[0].details == {"reaction": Place(start=24, end=29)}


def test_what_states_nothing_has_no_status() -> None:
    raw = _line("Penicillin?", {"s": "Penicillin", "r": "NONE", "st": "none", "who": "patient"})
    (mark,) = read_line(raw, CLINICAL, "clinical/x", 1).marks
    assert (mark.relation, mark.status, mark.states) == (NOTHING, None, False)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{", "no JSON"),
        ("[]", "the keys are"),
        (_line(extra=1), "the keys are"),
        (_line(" "), "q and t are text"),
        (_line(by="doctor"), "by is 'doctor'; allowed: patient"),
        (_line(m="x"), "a list of objects"),
        (_line("Latex!"), "'penicillin' stands 0 times in t"),
        (_line("penicillin", {**MENTION, "n": 2}), "n is 2"),
        (_line("penicillin", {**MENTION, "n": 0}), "counts from 1"),
        (_line("penicillin", {**MENTION, "s": " penicillin"}), "without spaces"),
        (_line("penicillin", {**MENTION, "r": "HATES"}), "r is 'HATES'"),
        (_line("penicillin", {**MENTION, "st": "none"}), "st is 'none'"),
        (_line("penicillin", {**MENTION, "r": "NONE"}), "st is 'active'"),
        (_line("penicillin", {**MENTION, "who": "client"}), "who is 'client'"),
        (_line("penicillin", {**MENTION, "in": "t"}), "in is 't'"),
        (_line("penicillin", {**MENTION, "scope": "all"}), "scope is 'all'"),
        (_line("penicillin", {**MENTION, "until": "x"}), "keys of a mention: until"),
        (_line("penicillin", {**MENTION, "reaction": "rash"}), "'rash' stands neither in t nor in q"),
        (_line("penicillin", {**MENTION, "year": 1998}), "year is text"),
        (_line("penicillin", {"s": "penicillin"}), "keys of a mention: r, st, who"),
        (_line("penicillin", MENTION, MENTION), "marked twice"),
    ],
)
def test_a_line_that_says_something_else_is_refused(raw: str, message: str) -> None:
    with pytest.raises(UnreadableLine, match=message):
        read_line(raw, CLINICAL, "clinical/x", 1)


def test_a_line_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "law" / "x.jsonl"
    file.parent.mkdir()
    good = {"by": "client", "t": "My NDA.", "m": [{"s": "NDA", "r": "BOUND_BY", "st": "active", "who": "client"}]}
    file.write_text(f"{json.dumps(good)}\n{{\n{json.dumps(good)}\n")
    lines, problems = read_file(file)
    assert [(line.file, line.number) for line in lines] == [("law/x", 1), ("law/x", 3)]
    assert [str(problem)[:14] for problem in problems] == ["law/x:2: no JS"]


def test_every_relation_of_the_corpus_is_one_of_the_schema() -> None:
    for domain in DOMAINS.values():
        schema = (CORPUS.parent / "schema" / f"{domain.name}.yaml").read_text(encoding="utf-8")
        assert [name for name in domain.relations.values() if f"\n  {name}:\n" not in schema] == []


def test_every_relation_that_decides_is_one_of_the_domains() -> None:
    for domain in DOMAINS.values():
        assert domain.risks | domain.reassuring <= set(domain.relations.values())
    assert LAW.reassuring == {"HAS_WAIVED_CONFLICT"}
