"""What the demo tells: enough, about many, and never two patients' words in one mouth."""

import json
from collections import Counter
from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError
from r_memory_lab.demo.story import TURNS, made_up, with_dialogues


def write_dialogues(folder: Path, dialogues: list[list[tuple[str, str]]]) -> Path:
    file = folder / "allergy" / "dialogues.jsonl"
    file.parent.mkdir(parents=True)
    rows = (json.dumps({"id": str(number), "turns": turns}) for number, turns in enumerate(dialogues))
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def test_the_made_up_story_has_three_hundred_turns_about_the_subject_and_twenty_others() -> None:
    story = made_up()
    assert (len(story.turns), len(story.others)) == (TURNS, 20)
    assert story.subject in {turn.about for turn in story.turns}


def test_the_made_up_story_is_the_same_each_time() -> None:
    assert made_up() == made_up()


def test_nobody_is_told_the_same_sentence_twice() -> None:
    told = Counter((turn.about, turn.text) for turn in made_up().turns)
    assert [turn for turn, times in told.items() if times > 1] == []


def test_every_slot_of_the_material_is_filled() -> None:
    assert [turn.text for turn in made_up().turns if "{" in turn.text or "}" in turn.text] == []


def test_nothing_else_in_the_story_says_what_the_intake_says() -> None:
    story = made_up()
    own = " ".join(turn.text for turn in story.turns if turn.about == story.subject)
    assert "penicillin" not in own.casefold()


def test_others_have_allergies_and_conditions_that_would_show_a_mix_up() -> None:
    story = made_up()
    others = [turn.text.casefold() for turn in story.turns if turn.about != story.subject]
    assert sum("allergic" in text for text in others) >= 8
    assert any("penicillin" in text for text in others)


def test_real_dialogues_replace_the_talk_about_others_and_keep_their_order(tmp_path: Path) -> None:
    dialogues = [[("doctor", f"question {n}.{m}"), ("patient", f"answer {n}.{m}")] for n in range(30) for m in range(9)]
    story = with_dialogues(made_up(), write_dialogues(tmp_path, dialogues))
    assert len(story.turns) == TURNS
    assert len(story.others) == 20
    first = [turn for turn in story.turns if turn.about == story.others[0] and turn.conversation == "dialogue-1"]
    assert [(turn.speaker, turn.text) for turn in first] == [("doctor", "question 0.0"), ("patient", "answer 0.0")]


def test_the_subjects_own_talk_stays_beside_real_dialogues(tmp_path: Path) -> None:
    made = made_up()
    story = with_dialogues(made, write_dialogues(tmp_path, [[("patient", f"word {n}")] for n in range(400)]))
    before = [turn for turn in made.turns if turn.about == made.subject]
    assert [turn for turn in story.turns if turn.about == story.subject] == before


def test_a_folder_without_dialogues_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"dialogues\.jsonl: no dialogues here .*give the folder"):
        with_dialogues(made_up(), tmp_path)


def test_a_row_that_is_no_dialogue_is_refused_with_its_line(tmp_path: Path) -> None:
    write_dialogues(tmp_path, [[("patient", "hello")]])
    with (tmp_path / "allergy" / "dialogues.jsonl").open("a", encoding="utf-8") as file:
        file.write("[1, 2]\n")
    with pytest.raises(ConfigurationError, match=r"dialogues\.jsonl:2: not a dialogue"):
        with_dialogues(made_up(), tmp_path)
