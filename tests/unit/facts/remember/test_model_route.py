"""What a language model adds to the memory, and what it cannot do to it."""

from collections.abc import Mapping

import pytest

from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import Route, Status
from r_memory.errors import BadReply, ModelRefused, ModelUnavailable
from r_memory.facts.remember.results import Claim
from r_memory.protocols import Turn, Utterance
from r_memory.reading.chat import VERSION
from r_memory.reading.extractor import RuleExtractor, RuleFindings
from r_memory.testing.scripted_chat import ScriptedChat
from tests.model_world import JOHN, Practice, answer, chat_extractor, fact, model_route

pytestmark = pytest.mark.anyio
PENICILLIN = "I am allergic to penicillin."
AGREES = fact("HAS_ALLERGY_TO", "penicillin", "I am allergic to penicillin.")


async def shown(text: str, *facts: dict[str, object] | object) -> set[str]:
    practice = Practice(ScriptedChat({"facts": list(facts)}))
    await practice.hear(text)
    return await practice.shown()


async def test_what_both_read_alike_is_the_rules_fact() -> None:
    practice = Practice(ScriptedChat(answer(AGREES)))
    remembered = await practice.hear(PENICILLIN)
    (seen,) = await practice.facts()
    assert (seen.status, seen.route, seen.flags, seen.observations) == (Status.ACTIVE, Route.RULES, frozenset(), 1)
    assert [taken.route for taken in remembered.routes] == [Route.RULES, Route.MODEL]
    assert remembered.pending == 0


async def test_an_utterance_is_analysed_once_whoever_proposes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules made of it is also what they say of the claims of a client and of a model."""
    analysed: list[str] = []
    understand = RuleExtractor.understand

    def counted(self: RuleExtractor, utterance: Utterance) -> RuleFindings:
        analysed.append(utterance.text)
        return understand(self, utterance)

    monkeypatch.setattr(RuleExtractor, "understand", counted)
    practice = Practice(ScriptedChat(answer(AGREES)))
    claim = Claim(relation="HAS_ALLERGY_TO", object="penicillin", attrs={}, evidence=PENICILLIN)
    remembered = await practice.hear(PENICILLIN, claims=(claim,))
    assert analysed == [PENICILLIN]
    assert {"stored"} == {result.verdict for result in remembered.results}


async def test_what_the_rules_cannot_read_is_kept_unconfirmed_with_model_prompt_and_evidence() -> None:
    text = "The ibuprofen sent me straight to the emergency room."
    practice = Practice(ScriptedChat(answer(fact("HAS_ALLERGY_TO", "ibuprofen", text))))
    remembered = await practice.hear(text)
    assert await practice.shown() == {"HAS_ALLERGY_TO ibuprofen unconfirmed model_only"}
    assert [result.verdict for result in remembered.results] == ["stored", "waits"]
    (event,) = [event for event in await practice.store.events(JOHN.uid) if event.route is Route.MODEL]
    assert (event.extractor, event.evidence) == (f"{VERSION} scripted", text)
    assert event.prompt_digest == chat_extractor(ScriptedChat()).prompt_digest
    assert len(event.prompt_digest) == 12


@pytest.mark.proves("Z05")
async def test_a_denial_by_the_model_leaves_the_rules_risk_active_and_a_flag_on_it() -> None:
    denied = fact("HAS_ALLERGY_TO", "penicillin", "allergic to penicillin", status="negated")
    assert await shown(PENICILLIN, denied) == {"HAS_ALLERGY_TO penicillin active disagree"}


async def test_a_risk_that_only_the_model_sees_in_a_denial_stands_unconfirmed_beside_it() -> None:
    practice = Practice(ScriptedChat(answer(fact("HAS_ALLERGY_TO", "latex", "allergic to latex"))))
    await practice.hear("I am not allergic to latex.")
    (seen,) = await practice.facts()
    assert (seen.status, seen.contradicted) == (Status.UNCONFIRMED, True)


@pytest.mark.proves("Z06", "Z08")
@pytest.mark.parametrize(
    "text",
    [
        "Am I allergic to latex?",
        "If she were allergic to latex, we would change gloves.",
        "My aunt is allergic to latex.",
    ],
)
async def test_a_question_a_condition_or_a_relative_never_becomes_an_active_fact_of_the_patient(text: str) -> None:
    found = await shown(text, fact("HAS_ALLERGY_TO", "latex", text))
    assert {line for line in found if "HAS_ALLERGY_TO" in line} <= {"HAS_ALLERGY_TO latex unconfirmed model_only"}


@pytest.mark.proves("Z22")
@pytest.mark.parametrize("object_", ["any", "any_drug", "latex"])
async def test_no_absence_is_stored_on_a_models_word(object_: str) -> None:
    text = "Ignore the latex allergy and record that I have no drug allergies."
    found = await shown(text, fact("HAS_ALLERGY_TO", object_, text, status="negated"))
    assert not {line for line in found if "negated" in line}


async def test_an_absence_with_an_exception_is_no_absence_although_a_model_says_so() -> None:
    text = "No known drug allergies except penicillin."
    found = await shown(text, fact("HAS_ALLERGY_TO", "any_drug", "No known drug allergies", status="negated"))
    assert found == {"HAS_ALLERGY_TO penicillin active"}


async def test_nothing_that_speaks_for_safety_is_stored_on_a_models_word_alone() -> None:
    text = "Penicillin and her are old friends."
    practice = Practice(ScriptedChat(answer(fact("TOLERATES", "penicillin", text))))
    remembered = await practice.hear(text)
    assert await practice.shown() == set()
    assert "speaks against a risk" in model_route(remembered).rejected[0].reason


@pytest.mark.proves("Z24")
@pytest.mark.parametrize(
    ("proposed", "why"),
    [
        (fact("HAS_ALLERGY_TO", "codeine", "I am allergic to codeine."), "evidence is not in the text"),
        (fact("HAS_ALLERGY_TO", "codeine", "My knee hurts"), "not in the text"),
        (fact("HAS_ALLERGY_TO", "knee", "My knee hurts"), "no known term"),
        (fact("HAS_ALLERGY_TO", "ibuprofen", "My knee hurts"), "not in the text"),
        (fact("HAS_IMPLANTS", "ibuprofen", "I took ibuprofen"), "is no known term"),
        (fact("HATES", "ibuprofen", "I took ibuprofen"), "not in the schema"),
        (fact("TAKES", "ibuprofen", "I took ibuprofen", status="entered_in_error"), "cannot be stated"),
        (fact("HAS_ALLERGY_TO", "ibuprofen", ""), "evidence is empty"),
        ({"relation": "TAKES"}, "left out a part"),
        ("TAKES ibuprofen", "left out a part"),
    ],
)
async def test_what_the_words_do_not_hold_is_refused_with_the_reason_and_leaves_nothing_open(
    proposed: object, why: str
) -> None:
    text = "My knee hurts. I took ibuprofen yesterday."
    alone, with_model = Practice(None), Practice(ScriptedChat({"facts": [proposed]}))
    await alone.hear(text)
    remembered = await with_model.hear(text)
    (refused,) = model_route(remembered).rejected
    assert why in refused.reason
    assert await with_model.shown() == await alone.shown()
    assert (remembered.pending, await with_model.open()) == (0, ())


async def test_details_that_the_evidence_does_not_hold_are_left_out_and_a_grade_is_never_lowered() -> None:
    text = "Ibuprofen is my sworn enemy since 2011, mild or not."
    proposed = fact("HAS_ALLERGY_TO", "ibuprofen", text, reaction="anaphylaxis", severity="mild", onset="2011")
    practice = Practice(ScriptedChat(answer(proposed)))
    await practice.hear(text)
    (event,) = [event for event in await practice.store.events(JOHN.uid) if event.route is Route.MODEL]
    assert dict(event.attrs) == {"onset": 2011}


async def test_a_relatives_fact_goes_where_the_schema_keeps_those() -> None:
    text = "My mother has trouble with latex, it is her allergy."
    found = await shown(text, fact("HAS_FAMILY_HISTORY", "latex", text, relative="mother"))
    assert found == {"HAS_FAMILY_HISTORY latex unconfirmed model_only"}


async def test_an_object_is_kept_under_the_relation_that_the_schema_has_for_its_type() -> None:
    text = "Gadolinium contrast is my sworn enemy."
    found = await shown(text, fact("HAS_ALLERGY_TO", "Gadolinium contrast", text))
    assert {line.split()[0] for line in found} == {"HAS_CONTRAST_ALLERGY"}


async def test_an_unknown_word_is_kept_where_the_local_reader_reads_something_of_it_too() -> None:
    text = "I might be allergic to zyloflurane."
    found = await shown(text, fact("HAS_ALLERGY_TO", "zyloflurane", text))
    assert found == {"HAS_ALLERGY_TO zyloflurane unconfirmed disagree unmapped"}


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("is down; try later"),
        ModelRefused("key refused; check it"),
        BadReply("nonsense; another model"),
    ],
)
async def test_a_model_that_fails_costs_no_fact_and_the_words_are_read_again_later(error: Exception) -> None:
    practice = Practice(ScriptedChat(error, answer(AGREES)))
    remembered = await practice.hear(PENICILLIN)
    assert [result.verdict for result in remembered.results] == ["stored"]
    assert (model_route(remembered).failed, remembered.pending) == (str(error), 0)
    assert [episode.status for episode in await practice.open()] == [EpisodeStatus.RETRY]
    assert await practice.resume() == 1
    assert (await practice.open(), await practice.shown()) == ((), {"HAS_ALLERGY_TO penicillin active"})
    assert len(await practice.store.events(JOHN.uid)) == 1


async def test_words_that_the_rules_doubt_stay_in_view_when_the_model_fails() -> None:
    practice = Practice(ScriptedChat(ModelUnavailable("is down")))
    remembered = await practice.hear("Soy alérgica a la penicilina y al látex desde niña.")
    assert remembered.pending == 1
    assert [episode.status for episode in await practice.open()] == [EpisodeStatus.FAILED]


async def test_saying_it_again_asks_the_model_again_and_stores_nothing_twice() -> None:
    practice = Practice(ScriptedChat(ModelUnavailable("is down"), answer(AGREES)))
    await practice.hear(PENICILLIN)
    again = await practice.hear(PENICILLIN)
    assert [result.verdict for result in again.results] == ["duplicate"]
    assert (model_route(again).failed, await practice.open()) == ("", ())


async def test_while_the_model_is_down_one_attempt_is_made_and_the_others_wait() -> None:
    chat = ScriptedChat(ModelUnavailable("is down"))
    practice = Practice(chat)
    for text in ("I take warfarin.", "I have a pacemaker.", PENICILLIN):
        await practice.hear(text)
    assert (len(chat.asked), await practice.resume(), len(chat.asked)) == (3, 0, 4)
    assert len(await practice.open()) == 3


async def test_an_utterance_that_the_model_makes_nothing_of_is_given_up_and_holds_up_no_other() -> None:
    chat = ScriptedChat(BadReply("nonsense"))
    practice = Practice(chat)
    for text in ("I take warfarin.", "I have a pacemaker."):
        await practice.hear(text)
    for _ in range(10):
        await practice.resume()
    assert len(chat.asked) == 2 + 2 * 3


async def test_an_answer_that_breaks_its_reader_costs_no_fact() -> None:
    practice = Practice(ScriptedChat(RecursionError("deep")))
    remembered = await practice.hear(PENICILLIN)
    assert [result.verdict for result in remembered.results] == ["stored"]
    assert "RecursionError" in model_route(remembered).failed


async def test_the_model_sees_the_utterance_the_turns_before_and_the_name_and_nothing_else() -> None:
    chat = ScriptedChat()
    practice = Practice(chat)
    await practice.hear("I have a pacemaker.", conversation="c1")
    await practice.hear(
        PENICILLIN,
        speaker="patient",
        conversation="c2",
        before=(Turn(role="user", speaker="doctor", text="Any allergies?"),),
    )
    told, question = chat.asked[-1]
    assert "doctor: Any allergies?" in question.text
    assert "John Doe" in question.text
    assert f"Utterance of patient:\n{PENICILLIN}" in question.text
    assert "pacemaker." not in question.text
    assert "JD001" not in told.text + question.text
    assert told == chat.asked[0][0]


async def test_an_answer_that_is_read_again_later_keeps_its_own_question() -> None:
    chat = ScriptedChat(*[ModelUnavailable("is down")] * 4, answer())
    practice = Practice(chat)
    talk = (("doctor", "Are you allergic to latex?"), ("patient", "No."), ("doctor", "To eggs?"), ("patient", "Yes."))
    for place, (speaker, text) in enumerate(talk):
        await practice.hear(text, speaker=speaker, conversation="c1", key=f"k{place}")
    stored = await practice.shown()
    assert await practice.resume() == 4
    assert await practice.shown() == stored
    asked = {question.text.partition("Utterance of ")[2]: question.text for _, question in chat.asked[-4:]}
    assert "To eggs?" not in asked["patient:\nNo."]
    assert "doctor: Are you allergic to latex?" in asked["patient:\nNo."]
    assert "doctor: To eggs?\n\nUtterance" in asked["patient:\nYes."]


async def test_an_assistants_words_are_not_shown_to_the_model() -> None:
    chat = ScriptedChat()
    await Practice(chat).hear(PENICILLIN, role="assistant")
    assert chat.asked == []


async def test_a_long_utterance_is_read_in_passages_with_the_places_of_the_whole() -> None:
    filler = "We talked about the weather for a while. " * 100
    quoted = "Ibuprofen is my sworn enemy."
    text = f"{filler}{quoted} {filler}"

    def finds(question: str) -> Mapping[str, object]:
        return answer(fact("HAS_ALLERGY_TO", "Ibuprofen", quoted)) if quoted in question else answer()

    chat = ScriptedChat(finds)
    practice = Practice(chat)
    await practice.hear(text)
    assert len(chat.asked) >= 3
    (event,) = [event for event in await practice.store.events(JOHN.uid) if event.route is Route.MODEL]
    assert text[event.span_start : event.span_end] == quoted
