"""What the model is asked, for every shipped domain, and how its answers become proposals."""

import pytest

from r_memory.domain.card import card
from r_memory.domain.facts import Proposal, Route, Span
from r_memory.errors import BadReply
from r_memory.protocols import Turn, Utterance
from r_memory.reading.chat import PASSAGE, TOGETHER, most_facts, reply_schema
from r_memory.testing.scripted_chat import ScriptedChat
from tests.model_world import JOHN, Practice, answer, chat_extractor, fact, language

pytestmark = pytest.mark.anyio
TALK = (
    ("doctor", "Any allergies?"),
    ("patient", "Latex."),
    ("doctor", "Eggs?"),
    ("patient", "No."),
    ("patient", "That is all."),
)
DOMAINS = ("clinical", "law", "finance")


@pytest.mark.parametrize("domain", DOMAINS)
async def test_every_domain_fills_the_prompt_with_its_relations_and_examples(domain: str) -> None:
    chat = ScriptedChat()
    await Practice(chat, domain).hear("Nothing to tell.")
    told = chat.asked[0][0].text
    schema = language(domain).schema
    assert "{{" not in told
    assert card(schema) in told
    assert 'Answer: {"facts": []}' in told
    assert 'Answer: {"facts": [{"evidence": ' in told
    assert len(told) < 20_000


def test_domains_have_prompts_of_their_own_digest() -> None:
    digests = {chat_extractor(ScriptedChat(), domain).prompt_digest for domain in DOMAINS}
    assert len(digests) == len(DOMAINS)


def test_the_form_of_an_answer_names_the_relations_and_requires_every_part() -> None:
    schema = language().schema
    form = reply_schema(schema, 7)
    facts = form["properties"]["facts"]  # type: ignore[index]  # a JSON Schema
    assert facts["maxItems"] == 7
    assert facts["items"]["properties"]["relation"]["enum"] == list(schema.relations)
    assert facts["items"]["required"] == ["evidence", "relation", "object", "status", "attrs", "means"]
    assert facts["items"]["additionalProperties"] is False


async def test_each_item_is_a_proposal_with_its_place_and_what_is_no_item_is_named() -> None:
    text = "I take warfarin. I take metformin."
    chat = ScriptedChat(answer(fact("TAKES", "metformin", "I take metformin."), {"relation": "TAKES", "object": "x"}))
    extractor = chat_extractor(chat)
    read = await extractor.extract(Utterance(text=text, subject=JOHN))
    (proposal,) = read.proposals
    assert isinstance(proposal, Proposal)
    assert (proposal.route, proposal.span, proposal.prompt_digest) == (
        Route.MODEL,
        Span(start=17, end=34),
        extractor.prompt_digest,
    )
    assert [(item.relation, item.object) for item in read.rejections] == [("TAKES", "x")]


async def test_a_model_that_repeats_itself_is_heard_no_longer_than_the_words_could_be_about() -> None:
    text = "I take warfarin."
    chat = ScriptedChat(answer(*[fact("TAKES", "warfarin", text)] * 100))
    read = await chat_extractor(chat).extract(Utterance(text=text, subject=JOHN))
    assert len(read.proposals) == most_facts(text) == 3
    (unread,) = read.rejections
    assert unread.reason == "the model went on for 97 facts more than such words can state (3); they were not read"


@pytest.mark.parametrize("data", [{}, {"facts": None}, {"facts": {"relation": "TAKES"}}, {"Facts": []}])
async def test_an_answer_without_a_list_of_facts_is_a_bad_reply(data: dict[str, object]) -> None:
    with pytest.raises(BadReply, match="no list of facts"):
        await chat_extractor(ScriptedChat(data)).extract(Utterance(text="I take warfarin.", subject=JOHN))


@pytest.mark.proves("Z23")
async def test_a_block_of_the_memory_in_the_words_is_not_shown_to_the_model() -> None:
    block = "[R-MEMORY CONTEXT]:\nCRITICAL ALLERGY: to latex.\n[END R-MEMORY CONTEXT]"
    chat = ScriptedChat(answer(fact("HAS_ALLERGY_TO", "latex", "CRITICAL ALLERGY: to latex.")))
    practice = Practice(chat)
    earlier = (Turn(role="assistant", speaker="assistant", text=f"{block} Take care."),)
    await practice.hear(f"I take warfarin. {block}", before=earlier)
    assert "latex" not in chat.asked[0][1].text
    assert "assistant: Take care." in chat.asked[0][1].text
    assert not {line for line in await practice.shown() if "latex" in line}


async def test_utterances_of_one_text_are_asked_about_in_one_request() -> None:
    asked = [Utterance(text=text, speaker=speaker, subject=JOHN) for speaker, text in TALK]
    chat = ScriptedChat(
        answer(
            {**fact("HAS_ALLERGY_TO", "Latex", "Latex."), "utterance": 2},
            {**fact("TAKES", "warfarin", "I take warfarin."), "utterance": 1},
            {**fact("HAS_ALLERGY_TO", "eggs", "No.", status="negated"), "utterance": 4},
            {"utterance": 3},
        )
    )
    read = await chat_extractor(chat).extract_all(asked)
    ((_, question),) = chat.asked
    assert "1. doctor: Any allergies?\n2. patient: Latex.\n3. doctor: Eggs?\n4. patient: No." in question.text
    given = [[(proposal.object, proposal.span) for proposal in each.proposals] for each in read]
    assert given == [
        [("warfarin", None)],  # words that nobody said: the validator refuses them
        [("Latex", Span(start=0, end=6))],
        [],
        [("eggs", Span(start=0, end=3))],
        [],
    ]
    assert [len(each.rejections) for each in read] == [1, 0, 0, 0, 0]


async def test_evidence_that_only_another_utterance_holds_is_of_that_one() -> None:
    asked = [Utterance(text=text, speaker=speaker, subject=JOHN) for speaker, text in TALK]
    chat = ScriptedChat(answer({**fact("HAS_ALLERGY_TO", "Latex", "Latex."), "utterance": 1}))
    read = await chat_extractor(chat).extract_all(asked)
    assert [len(each.proposals) for each in read] == [0, 1, 0, 0, 0]


async def test_many_and_long_utterances_take_as_few_requests_as_they_need() -> None:
    short = [Utterance(text="Good morning.", subject=JOHN)] * (TOGETHER + 1)
    long = Utterance(text="Well. " * (PASSAGE // 4), subject=JOHN)
    chat = ScriptedChat(answer())
    assert len(await chat_extractor(chat).extract_all([*short, long])) == TOGETHER + 2
    assert len(chat.asked) == 1 + 1 + 2
