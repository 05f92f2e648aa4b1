import json
from pathlib import Path

import pytest

from r_memory_lab.teaching.lint import NEAR, nearly_the_same, problems
from tests.unit.lab.teaching.lines import line


def test_a_template_with_another_name_is_too_near() -> None:
    first = line("My doctor told me never to take ibuprofen again.", ("ibuprofen", "CONTRA", "active"))
    second = line("My doctor told me never to take Voltarol again.", ("Voltarol", "CONTRA", "active"), number=2)
    (near,) = nearly_the_same((first, second))
    assert (near.first, near.second, near.likeness) == (first, second, 1.0)


def test_another_reaction_makes_no_other_template() -> None:
    first = line(
        "Every time I eat walnuts I get hives, so I stopped.", ("walnuts", "ALLERGY", "active"), reaction="hives"
    )
    second = line(
        "Every time I eat kiwi I get a tight chest, so I stopped.", ("kiwi", "ALLERGY", "active"),
        reaction="a tight chest", number=2,
    )  # fmt: skip
    assert nearly_the_same((first, second))[0].likeness >= NEAR


def test_short_plain_lines_may_say_the_same_of_two_things() -> None:
    first = line("Allergic to eggs.", ("eggs", "ALLERGY", "active"))
    second = line("Allergic to penicillin.", ("penicillin", "ALLERGY", "active"), number=2)
    assert nearly_the_same((first, second)) == ()


def test_the_same_short_line_twice_is_too_near() -> None:
    first = line("Allergic to eggs.", ("eggs", "ALLERGY", "active"))
    assert len(nearly_the_same((first, line("allergic to eggs", ("eggs", "ALLERGY", "active"), number=2)))) == 1


def test_a_pair_that_turns_on_its_last_words_is_kept() -> None:
    first = line("I was going to give him ketorolac, then saw who was on call.", ("ketorolac", "NONE", "none"))
    second = line(
        "I was going to give him ketorolac, then saw the platelets: nine.", ("ketorolac", "CONTRA", "active"), number=2
    )
    assert nearly_the_same((first, second)) == ()


def test_a_line_beside_its_answer_is_compared_with_its_question() -> None:
    first = line("Yes.", ("eggs", "ALLERGY", "active"), question="Are you allergic to eggs?", asked=True)
    second = line("Yes.", ("asthma", "CONDITION", "active"), question="Do you suffer from asthma?", asked=True)
    assert nearly_the_same((first, second)) == ()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus with one line, in the clinical folder."""
    folder = tmp_path / "clinical"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"by": "note", "t": "Came by bus.", "m": []}\n')
    return tmp_path


def test_a_corpus_without_problems_has_none(corpus: Path) -> None:
    assert problems(corpus) == ()


def test_problems_name_file_line_and_what_is_wrong(corpus: Path) -> None:
    lines = [{"by": "note", "t": "Came  by bus!", "m": []}, {"by": "bus", "t": "x", "m": []}]
    (corpus / "clinical" / "b.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [str(problem)[:45] for problem in problems(corpus)] == [
        "clinical/b:2: by is 'bus'; allowed: patient, ",
        "clinical/b:1: too near to clinical/a:1 (1.00)",
    ]
