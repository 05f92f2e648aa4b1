"""Whatever a model answers, over the wire and through the real client: a clear outcome, and no word is lost."""

from pathlib import Path

import pytest

from r_memory import Settings, open_memory, render
from r_memory.config.exam_file import ExamRuns, exam_of
from r_memory.domain.exams import LEAST_LINES, ExamRun, Marks
from r_memory.domain.facts import Route, Status
from r_memory.facts.remember.results import Remembered, RouteTaken
from r_memory.wiring import SystemClock
from r_memory.wiring.language import standing_of
from tests.acceptance.conftest import begin
from tests.chat_server import chat_server, facts, says
from tests.model_world import fact

SAID = "I am allergic to latex. The plumber left his ladder again."
OTHER = "The ibuprofen sent me straight to the emergency room."
RIGHT = fact("HAS_ALLERGY_TO", "ibuprofen", OTHER)


def route(remembered: Remembered) -> RouteTaken:
    (taken,) = [taken for taken in remembered.routes if taken.route is Route.MODEL]
    return taken


@pytest.mark.anyio
@pytest.mark.parametrize("passed", [False, True], ids=["heard", "counts"])
async def test_whatever_a_model_answers_has_a_clear_outcome_and_loses_no_word(tmp_path: Path, passed: bool) -> None:
    begin(tmp_path / "data")
    lines = tmp_path / "home" / exam_of("clinical")
    lines.parent.mkdir(parents=True)
    lines.write_text('{"id": "1", "kind": "none", "text": "Good morning."}', encoding="utf-8")
    broken = '{"facts": [{"evidence": "I am allergic to latex", "relation": "HAS_ALLERGY_TO", "object": "la'
    foreign = fact("HAS_ALLERGY_TO", "Latex", "Ich bin gegen Latex allergisch", status="aktiv")
    flood = facts(*[fact("HAS_ALLERGY_TO", "latex", "I am allergic to latex.")] * 1_000)
    answers = (
        says("She seems to be allergic to latex, poor thing."),
        says(broken),
        says(broken, finish="length"),
        facts(foreign),
        flood,
        facts(RIGHT),
    )
    with chat_server(*answers) as server:
        settings = Settings(
            home=tmp_path / "home",
            data_dir=tmp_path / "data",
            routes=(Route.RULES, Route.CLIENT, Route.MODEL),
            model_url=server.url,
            model_name="test-model",
            model_retries=0,
        )
        if passed:
            _pass(settings)
        async with open_memory(settings) as memory:
            heard = [
                await memory.remember(SAID if at < 5 else OTHER, subject=f"P{at}", subject_name=f"Person {at}")
                for at in range(6)
            ]
            unread = await memory.unread()
            shown = [(await memory.build_context("What may she have?", subject=f"P{at}")) for at in range(6)]
    prose, half, cut, tongue, thousand, right = heard
    # A model that counts has read the text: where its only fact is refused, the local reader's risk waits in view.
    for remembered in (prose, half, cut, *([] if passed else [tongue]), thousand):
        (latex,) = [fact for fact in remembered.facts if fact.relation == "HAS_ALLERGY_TO"]
        assert (latex.object.id, latex.status) == ("latex", Status.ACTIVE)
    assert tongue.pending == (1 if passed else 0)
    assert "no JSON object" in route(prose).failed
    assert "breaks off in the middle" in route(half).failed
    assert "cut off before its end" in route(cut).failed
    assert unread == 3
    (refused,) = route(tongue).rejected
    assert "evidence is not in the text" in refused.reason
    assert any("the model went on for" in rejected.reason for rejected in route(thousand).rejected)
    (ibuprofen,) = [known for known in right.facts if known.relation == "HAS_ALLERGY_TO"]
    assert ibuprofen.status is (Status.ACTIVE if passed else Status.UNCONFIRMED)
    assert [at for at, recall in enumerate(shown[:5]) if "atex" not in render(recall)] == []


def _pass(settings: Settings) -> None:
    """The configured model has passed."""
    known = standing_of(settings)
    assert known is not None
    marks = Marks(lines=LEAST_LINES, risks=50, kept=50, stated=50)
    ExamRuns(settings.data_dir).add(ExamRun(at=SystemClock().now(), examinee=known.examinee, marks=marks))
