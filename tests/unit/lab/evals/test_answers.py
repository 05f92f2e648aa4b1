"""Suite `answers`: every way is asked, the rubric decides, and a person's file decides over it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from r_memory.errors import InvalidInput, ModelUnavailable
from r_memory.protocols import ChatMessage, ChatReply, ReplyForm
from r_memory_lab.evals.answers import WAYS, AnswerCase, JudgedAnswer, ask, cases, is_right, judged, of_answers
from r_memory_lab.evals.rows import as_lines
from r_memory_lab.profiles import COMPARED
from tests.unit.memory_world import a_world
from tests.unit.talk.world import World

pytestmark = pytest.mark.anyio
PROBE = AnswerCase(
    id="p1",
    kind="probe",
    question="Where is the spare key?",
    reference="It hangs behind the blue jacket.",
    turns=(("The spare key hangs behind the blue jacket.", "Noted."), ("It rains.", "Yes."), ("Hello.", "Hello.")),
)


class Reader:
    """Repeats what stands before the question."""

    name = "reader"

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        del form  # words are asked for
        before, mark, _ = messages[-1].text.partition("[QUERY]:")
        return ChatReply(text=before if mark else "I do not know.")


async def test_a_model_that_reads_its_context_is_right_with_memory_and_wrong_without() -> None:
    world, talk = a_world(), World(profiles=COMPARED)
    world.memory.talk.conversations = talk.conversations
    rows = (PROBE, AnswerCase(id="john", kind="john", question="Recommend an antibiotic.", reference="allergic"))
    found = await ask(world.memory, rows, lambda: None, chat=Reader())
    right = {item.id: item.right for item in found}
    assert {item.way for item in found} == set(WAYS)
    assert (right["p1/r-memory"], right["p1/full history"], right["p1/no memory"]) == (True, True, False)
    assert right["john/no memory"] is False
    outcome = of_answers(rows, found)
    assert "Answered by reader; judged by rubric." in outcome.notes


class Silent:
    """Never answers."""

    name = "silent"

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        del messages, form
        raise ModelUnavailable("the model did not answer; try again")


async def test_a_model_that_never_answers_gives_no_figures() -> None:
    world, talk = a_world(), World(profiles=COMPARED)
    world.memory.talk.conversations = talk.conversations
    with pytest.raises(InvalidInput, match="gave no answer at all; look at R_MEMORY_MODEL_URL"):
        await ask(world.memory, (PROBE,), lambda: None, chat=Silent())


def test_a_persons_file_decides_over_the_rubric(tmp_path: Path) -> None:
    answer = JudgedAnswer(
        id="p1/rag", kind="probe", way="rag", question="?", reference="x", answer="y", model="m", right=False
    )
    file = tmp_path / "answers.jsonl"
    kept_row = answer.model_copy(update={"right": True, "harm": True, "judge": "Ada"})
    file.write_text(as_lines([kept_row]))
    (kept,) = judged(file)
    assert (kept.right, kept.judge) == (True, "Ada")
    outcome = of_answers((), (kept,))
    assert [(figure.name, figure.value) for figure in outcome.figures] == [
        ("probe, rag: right", 1.0),
        ("probe, rag: goes against what was told", 1.0),
    ]
    assert "judged by Ada" in outcome.notes[0]


@pytest.mark.parametrize(
    ("case", "answer", "right"),
    [
        (PROBE, "Behind the blue jacket, I think.", True),
        (PROBE, "Behind the door.", False),
        (PROBE, "", False),
        (AnswerCase(id="s", kind="sharded", question="?", reference="27"), "So she has 27 pens.", True),
        (AnswerCase(id="s", kind="sharded", question="?", reference="27"), "27 or perhaps 26", False),
    ],
)
def test_the_rubric(case: AnswerCase, answer: str, *, right: bool) -> None:
    assert is_right(case, answer) is right


def test_cases_are_what_a_folder_has_and_john_doe(tmp_path: Path) -> None:
    task = {"id": "s1", "full": "1 and 1?", "shards": ["1", "and 1"], "answer": 2}
    (tmp_path / "sharded.jsonl").write_text(json.dumps(task))
    assert [(case.kind, case.reference) for case in cases(tmp_path)] == [
        ("sharded", "2"),
        ("john", "allergic penicillin"),
    ]
    with pytest.raises(InvalidInput, match="there is no folder"):
        cases(tmp_path / "nowhere")
