"""Without a model, only what is certain is picked: figures, names, limits, decisions, open questions."""

import asyncio
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.summaries import ACCUMULATED, FIELDS, ConversationSummary, KeptSummary, merged, option_of
from r_memory.text.tokens import count
from r_memory_talk.summary.local import LocalSummaryWriter, proposed
from r_memory_talk.summary.rendering import fitting, section
from tests.unit.talk.summary.world import Office, ScriptedWriter

pytestmark = pytest.mark.anyio

TURNS = (
    ("We need a website for our bakery.", "Happy to help. What should it show?"),
    ("Opening hours and the menu. The budget is at most 900 euros.", "That is enough for a small site."),
    ("Don't use WordPress, our last one was hacked.", "Then a static site would fit."),
    ("How many pages does that take?", "Three pages are enough."),
    ("Good. It must be online by Friday.", "That is possible."),
    ("Anna sends the photos on Tuesday.", "Noted, Tuesday it is."),
    ("Please stop suggesting stock photos.", "I will use your own."),
    ('He joked "never trust a website without cats".', "Ha!"),
    ("Let's go with a static site.", "Good choice."),
    ("Avoid pop-ups, they annoy people.", "No pop-ups then."),
    ("Which colours fit a bakery?", "Warm ones: brown, cream, orange."),
    ("No orange, please.", "Brown and cream, then."),
    ("My cousin says we should avoid brown, but I like it.", "Brown stays."),
    ("What does hosting cost?", "About 5 euros a month."),
    ("The menu has 24 items.", "I will make a list of 24 items."),
    ("Could WordPress be made safe after all?", "With effort, yes."),
    ("Hm, as I said, no pop-ups.", "Of course."),
    ("We also want an order form.", "For how many customers a day?"),
    ("About 40 customers.", "A simple form will do."),
    ("Don't worry about the domain, we own it.", "Great, one thing less."),
    ("Let's drop the idea of a newsletter, nobody reads it.", "Left out."),
    ("We decided on cream as the main colour.", "Cream it is."),
    ("Is a cookie banner needed?", "Not without tracking."),
    ("Then no tracking, please.", "No tracking, no banner."),
    ("Why don't we add a map?", "A map is easy."),
    ("Actually, let's try orange for the buttons.", "Orange buttons it is."),
    ("The phone number is 555 0134.", "I have put it in the footer."),
    ("Who writes the texts?", "You could, or I draft them."),
    ("I'd rather not write them myself.", "I will draft them."),
    ("Thanks, that's all for today.", "See you on Friday."),
)  # fmt: skip


@pytest.mark.proves("T-16", "CIM-9", "CIM-11")
async def test_in_a_talk_of_thirty_turns_nothing_shrinks_but_by_being_raised_again_and_exclusions_are_honoured() -> (
    None
):
    office = Office()
    excluded: dict[int, set[str]] = {}
    before: KeptSummary | None = None
    for number, (question, answer) in enumerate(TURNS, start=1):
        kept = (await office.told(question, answer)).kept
        assert kept is not None
        assert kept.upto == kept.version == number
        excluded[number] = {option_of(entry) for entry in kept.content.excluded_options}
        for name in (*ACCUMULATED, "current_conclusion"):
            lost = set(getattr(before.content, name)) - set(getattr(kept.content, name)) if before else set()
            assert not lost or (name == "excluded_options" and kept.flags == ("lifted",))
        assert all(option in section(fitting(kept.content, 100)) for option in excluded[number])
        before = kept
    assert excluded[3] == {"WordPress"}
    assert excluded[13] == {"WordPress", "stock photos", "pop-ups", "orange"}
    assert excluded[16] == {"stock photos", "pop-ups", "orange"}
    assert excluded[30] == {"stock photos", "pop-ups", "newsletter", "tracking"}


@pytest.mark.proves("T-16")
@pytest.mark.parametrize(
    "reply",
    [{}, {"excluded_options": [], "constraints": None, "key_data": "cats"}, {"excluded_options": ["WordPress"]}],
)
async def test_what_is_turned_down_and_raised_again_does_not_depend_on_who_writes_the_rest(
    reply: dict[str, object],
) -> None:
    offices = Office(ScriptedWriter(reply)), Office()
    for question, answer in TURNS[:15]:
        scripted, local = [(await office.told(question, answer)).kept for office in offices]
        assert scripted is not None
        assert local is not None
        excluded = {option_of(entry) for entry in local.content.excluded_options}
        assert excluded <= {option_of(entry) for entry in scripted.content.excluded_options} <= {*excluded, "WordPress"}


@pytest.mark.proves("CIM-8", "CIM-4")
async def test_what_is_certain_is_filled_from_what_was_said_and_the_rest_is_left_to_a_model() -> None:
    office = Office()
    for question, answer in TURNS[:22]:
        await office.told(question, answer)
    content = await office.content()
    assert content.constraints == ("The budget is at most 900 euros.", "It must be online by Friday.")
    assert content.key_data == ("Anna sends the photos on Tuesday.", "The menu has 24 items.")
    assert content.current_conclusion == ("We decided on cream as the main colour.", "Let's go with a static site.")
    assert (content.confirmed_needs, content.pending_discussion) == ((), ())


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("No worries!", "It never gets old."),
        ("Don't give up on the choir!", "Thanks, Hannah!"),
        ("Not a problem, glad to help.", "Wow, that must have been tough."),
        ("Keep me posted when it comes out.", "I want to help people like you."),
        ("Hey Oskar, long time no see!", "It must be such a great feeling!"),
        ("Write a song about 7 dwarfs.", "Here are 7 verses about dwarfs."),
    ],
)
def test_small_talk_and_tasks_bring_nothing_into_the_summary(said: str, answered: str) -> None:
    """Issue 33.10: exclusions of worries, limits of feelings and topics of interjections filled half of a context."""
    assert not any(proposed(ConversationSummary(), said, answered).values())


def test_questions_of_the_assistant_stay_open_until_the_next_turn() -> None:
    asked = proposed(ConversationSummary(), "We want an order form.", "For how many customers a day?")
    assert asked["pending_questions"] == ["For how many customers a day?"]
    answered = proposed(ConversationSummary(), "About 40 customers.", "A simple form will do.")
    assert answered["pending_questions"] == []


def test_a_question_that_was_not_answered_stays_open() -> None:
    asked = proposed(ConversationSummary(), "When does the shop open?", "I'm not sure.")
    assert asked["pending_questions"] == ["When does the shop open?"]


@pytest.mark.proves("CIM-28")
@pytest.mark.parametrize(
    ("question", "answer", "field"),
    [
        ("I need boots under forty euros.", "ok", "constraints"),
        ("四十欧元以下的外套", "好", "constraints"),
        ("My sister Ingrid is deaf.", "ok", "key_data"),
        ("Which train goes to Ulm?", "Let me look into it.", "pending_questions"),
        ("去乌尔姆坐哪趟车？", "我查一下。", "pending_questions"),  # noqa: RUF001 - full-width
    ],
)
def test_amounts_limit_names_inform_and_a_promise_to_look_it_up_is_no_answer(
    question: str, answer: str, field: str
) -> None:
    """Issue 15.7."""
    assert proposed(ConversationSummary(), question, answer)[field] == [question]


def test_a_sentence_stands_in_one_field_only() -> None:
    given = proposed(ConversationSummary(), "We need at most 3 rooms by Friday. Avoid the cellar, it is damp.", "Fine.")
    assert given["constraints"] == ["We need at most 3 rooms by Friday."]
    assert given["key_data"] == []
    assert given["excluded_options"] == ["cellar: it is damp"]


def test_chinese_turns_are_summarised_too() -> None:
    given = proposed(
        ConversationSummary(), "我们需要一个网站。预算最多五千元。不要用微服务\uff0c太复杂。", "您想要什么风格\uff1f"
    )
    assert given["constraints"] == ["预算最多五千元。"]
    assert given["excluded_options"] == ["微服务: 太复杂"]
    assert given["pending_questions"] == ["您想要什么风格\uff1f"]


@pytest.mark.proves("CIM-28", "T-22")
async def test_over_two_hundred_turns_the_context_does_not_grow_after_its_warm_up() -> None:
    """Full history grows linearly; the record keeps growing too, and what stands in a context does not."""
    office = Office()
    tokens: list[int] = []
    for number in range(200):
        question, answer = TURNS[number % len(TURNS)]
        wording = (
            f"{question} Item {number} costs {number + 3} euros, and topic {number} must be ready by day {number}."
        )
        kept = (await office.told(wording, f"{answer} That makes {number} in all.")).kept
        assert kept is not None
        tokens.append(count(section(kept.content)))
    late, later = mean(tokens[80:140]), mean(tokens[140:200])
    assert abs(later - late) <= 0.02 * late
    assert max(tokens) < 1_500
    full = sum(count(f"{item.observation} {item.response}") for item in office.items)
    assert max(tokens) < full / 5


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_turn_can_be_summarised_and_merged(question: str, answer: str) -> None:
    given_fields = proposed(ConversationSummary(), question, answer)
    assert set(given_fields) <= set(FIELDS)
    merged(ConversationSummary(), given_fields)


def test_the_writer_says_who_it_is_and_proposes_the_same() -> None:
    writer = LocalSummaryWriter()
    old = ConversationSummary()
    assert writer.name == "local/2"
    assert asyncio.run(writer.propose(old, "We need rain.", "So do I.")) == proposed(old, "We need rain.", "So do I.")
