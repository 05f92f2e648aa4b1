"""What is worth remembering: by words alone, and by a model that is held to a form."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from r_memory.config.conversation_file import load_importance
from r_memory.config.files import Files
from r_memory.config.prompt_file import MEMORIES, load_prompts
from r_memory.errors import BadReply, ModelUnavailable
from r_memory.protocols import ChatMessage, ChatReply, Memorable, ReplyForm
from r_memory.testing.scripted_chat import ScriptedChat
from r_memory.text.sentences import words_in
from r_memory_talk.asking import LONGEST, MEMORY, ChatMemoryWriter
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.tiers.local_writer import WORDS, LocalMemoryWriter, cues_with, feelings, importance, weight_of

pytestmark = pytest.mark.anyio

PROMPTS = load_prompts(Files(), MEMORIES)
TURNS = (
    "Ann: Hi there! How are you today?\nKim: Fine, thank you.",
    "Ann: My father died last week. The funeral is on Saturday.\nKim: I am so sorry.",
    "Ann: My sister Clara flew in from Oslo.\nKim: How long does she stay?",
    "Ann: Until Sunday. I am sad, and I sleep badly.\nKim: Nice weather today, by the way.",
)


def local(words: int = 120) -> LocalMemoryWriter:
    return LocalMemoryWriter(ExtractiveShortener(), words=words)


# --- cues ------------------------------------------------------------------------------------------------------------


@pytest.mark.proves("MIM-13")
@pytest.mark.parametrize(
    ("sentence", "weight"),
    [
        ("My father died last week.", 10),
        ("The funeral is on Saturday.", 10),
        ("We lost our dog in the spring.", 3),
        ("I lost my mother.", 10),
        ("My phone died again.", 3),
        ("Nobody died.", 3),
        ("We got married in June!", 9),
        ("Clara was diagnosed with leukaemia.", 9),
        ("She is pregnant.", 9),
        ("I decided to study law.", 8),
        ("We moved to Bern.", 8),
        ("I promise to call you.", 7),
        ("My appointment is at nine.", 6),
        ("I like apples.", 5),
        ("Did your father die, or was it a rumour that he died?", 5),
        ("The boat is red.", 3),
        ("Nice weather today!", 1),
        ("Thanks, see you!", 1),
        ("我父亲去世了。", 10),
        ("我下周要结婚。", 9),
        ("我决定辞职。", 8),
        ("我喜欢苹果。", 5),
        ("今天天气很好。", 1),
        ("Mein Vater ist gestorben.", 10),
        ("Mi abuela murió en mayo.", 10),
        ("Nous avons déménagé.", 8),
        ("", 3),
    ],
)
def test_what_changes_a_life_weighs_most_and_small_talk_least(sentence: str, weight: int) -> None:
    assert weight_of(sentence) == weight


def test_a_window_weighs_as_much_as_its_gravest_sentence() -> None:
    assert (importance(["Hello!", "My father died."]), importance(["Hello!", "Bye!"]), importance([])) == (10, 1, 1)


def test_a_field_adds_words_of_its_own_with_any_ending() -> None:
    cues = cues_with({9: ["overdose*", "heart attack"], 8: ["手术", "krebs"], 5: []})
    said = ("Two overdoses.", "A heart attack!", "做手术。", "Krebs.", "Krebse.")
    assert [weight_of(text, cues) for text in said] == [9, 9, 8, 8, 3]
    assert weight_of("My father died.", cues) == 10
    shipped = cues_with(load_importance(Files()))
    assert (weight_of("She had surgery.", shipped), weight_of("She had surgery.")) == (9, 3)


def test_feelings_are_read_by_name() -> None:
    assert feelings("I am sad and worried.") == ("grief", "fear")
    assert feelings("我很高兴。") == ("joy",)


@given(st.text())
def test_any_sentence_weighs_between_one_and_ten(text: str) -> None:
    assert 1 <= weight_of(text) <= 10


# --- without a model -------------------------------------------------------------------------------------------------


@pytest.mark.proves("MIM-3", "MIM-6")
async def test_the_gravest_sentence_stands_in_the_memory_however_short_it_is() -> None:
    made = await local(12).memorable(TURNS)
    assert "Ann: My father died last week." in made.summary
    assert words_in(made.summary) <= 12
    assert made.importance == 10
    assert made.people[:3] == ("Ann", "Kim", "Clara")
    assert "grief" in made.emotions


async def test_a_memory_names_who_spoke_and_leaves_small_talk_out_where_there_is_no_room() -> None:
    made = await local(30).memorable(TURNS)
    assert "Clara flew in from Oslo" in made.summary
    assert "weather" not in made.summary
    assert "How are you" not in made.summary


async def test_small_talk_alone_is_a_memory_of_no_importance() -> None:
    made = await local().memorable(["Ann: Hello!\nKim: Good morning!", "Ann: Nice weather.\nKim: Yes."])
    assert (made.importance, bool(made.summary)) == (1, True)


async def test_chinese_turns_make_a_chinese_memory() -> None:
    turns = ["小明: 你好\uff01\n医生: 你好。", "小明: 我父亲上个月去世了。我很难过。\n医生: 请节哀。"] * 8
    made = await local(40).memorable(turns)
    assert "去世" in made.summary
    assert (made.importance, made.emotions) == (10, ("grief",))


@pytest.mark.parametrize(
    ("older", "newer", "joined"),
    [
        ("Ann lives in Bern. She likes tea.", "Ann lives in Oslo now.", "Ann lives in Oslo now. She likes tea."),
        ("Ann likes tea.", "Ann likes coffee.", "Ann likes coffee. Ann likes tea."),
        ("Ben eats meat.", "Ben no longer eats meat.", "Ben no longer eats meat."),
        ("Ann: My favourite colour is red.", "Ann: My favourite colour is blue.", "Ann: My favourite colour is blue."),
        ("The wedding is in June in Rome.", "The wedding is in July in Rome.", "The wedding is in July in Rome."),
        ("Same words.", "Same words.", "Same words."),
        ("我住在北京的东城区。", "我现在住在北京的西城区。", "我现在住在北京的西城区。"),
    ],
)
async def test_of_two_memories_the_newer_comes_first_and_replaces_what_it_changes(
    older: str, newer: str, joined: str
) -> None:
    assert (await local().joined(older, newer)).summary == joined


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6), st.integers(1, 40))
async def test_any_turns_become_a_memory_within_its_length(turns: list[str], words: int) -> None:
    made = await local(words).memorable(turns)
    assert words_in(made.summary) <= words


# --- with a model ----------------------------------------------------------------------------------------------------


class Fixed(ScriptedChat):
    """Keeps the form that it was asked for."""

    form: ReplyForm | None = None

    @override
    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        self.form = form
        return await super().reply(messages, form=form)


@pytest.mark.proves("MIM-6")
async def test_the_model_is_held_to_a_form_with_summary_and_importance() -> None:
    chat = Fixed(
        {
            "summary": "Ann's father died.",
            "importance": 10,
            "topics": ["loss"],
            "people": ["Ann"],
            "emotions": ["grief"],
        }
    )
    made = await ChatMemoryWriter(chat, PROMPTS).memorable(TURNS)
    assert made == Memorable(
        summary="Ann's father died.", importance=10, topics=("loss",), people=("Ann",), emotions=("grief",)
    )
    assert chat.form is MEMORY
    required = MEMORY.schema["required"]
    assert isinstance(required, list)
    assert {"summary", "importance"} <= set(required)
    told, asked = chat.asked[0]
    assert told.text.startswith("# A memory")
    assert all(turn in asked.text for turn in TURNS)


async def test_a_reply_without_the_lesser_fields_is_read_and_one_without_a_summary_refused() -> None:
    made = await ChatMemoryWriter(
        ScriptedChat({"summary": " short ", "topics": "one", "people": [1, " A  B "]}), PROMPTS
    ).memorable(TURNS)
    assert made == Memorable(summary="short", importance=None, topics=("one",), people=("A B",))
    for data in ({}, {"summary": " "}, {"summary": ["x"]}):
        with pytest.raises(BadReply):
            await ChatMemoryWriter(ScriptedChat(data), PROMPTS).memorable(TURNS)


async def test_a_model_that_goes_on_is_cut_and_one_that_fails_is_an_error() -> None:
    long = {"summary": "It rained again. " * 100, "importance": 3}
    assert words_in((await ChatMemoryWriter(ScriptedChat(long), PROMPTS).memorable(TURNS)).summary) == WORDS
    with pytest.raises(ModelUnavailable):
        await ChatMemoryWriter(ScriptedChat(ModelUnavailable("down")), PROMPTS).joined("a", "b")


async def test_two_memories_are_shown_as_older_and_newer_in_the_prompt_of_their_language() -> None:
    chat = ScriptedChat({"summary": "Oslo.", "importance": 4})
    writer = ChatMemoryWriter(chat, PROMPTS)
    await writer.joined("Lives in Bern.", "Lives in Oslo.")
    await writer.joined("住在北京。", "住在上海。")
    english, chinese = (asked[1].text for asked in chat.asked)
    assert english.index("Bern") < english.index("Oslo")
    assert chinese.startswith("较早")


async def test_turns_larger_than_a_model_reads_are_shown_shortened() -> None:
    chat = ScriptedChat({"summary": "Long.", "importance": 4})
    long = "Ann: " + " ".join(f"Chapter {number} tells of harbour {number}." for number in range(3_000))
    await ChatMemoryWriter(chat, PROMPTS).memorable([long, *TURNS])
    assert len(chat.asked[0][1].text) < LONGEST + 500
    assert TURNS[1] in chat.asked[0][1].text
