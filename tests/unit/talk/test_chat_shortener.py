"""Shortening by a model: what it is told, and what becomes of answers that are no summary."""

from collections.abc import Mapping, Sequence

import pytest

from r_memory.config.files import Files
from r_memory.config.prompt_file import SHORTENING, load_prompts
from r_memory.domain.prompts import Prompt, places
from r_memory.errors import BadReply, ModelError, ModelUnavailable
from r_memory.protocols import ChatMessage, ChatReply, ReplyForm, Shortening
from r_memory.text.sentences import words_in
from r_memory_talk.asking import LONGEST, ChatShortener
from r_memory_talk.shortening import THEME_LIMIT, shortened

pytestmark = pytest.mark.anyio

PROMPTS = load_prompts(Files(), SHORTENING)
TEXT = "I moved to Bern in May. " * 20
CHINESE = "我五月搬到了伯尔尼。" * 20
KINDS = ("turn", "window", "block", "group", "theme")


class Saying:
    """A `ChatModel` that answers the same words for ever."""

    name = "saying"

    def __init__(self, words: str | ModelError) -> None:
        self.words = words
        self.asked: list[Sequence[ChatMessage]] = []

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        assert form is None
        self.asked.append(messages)
        if isinstance(self.words, ModelError):
            raise self.words
        return ChatReply(text=self.words)


def a_task(words: int = 12, kind: str = "turn", **more: str) -> Shortening:
    return Shortening(kind=kind, words=words, **more)  # type: ignore[arg-type]  # kinds from KINDS, texts by name


async def made(words: str, text: str = TEXT, task: Shortening | None = None) -> str:
    return await ChatShortener(Saying(words), PROMPTS).shorten(text, task or a_task())


@pytest.mark.parametrize("kind", KINDS)
async def test_the_model_is_shown_text_background_theme_question_and_limit(kind: str) -> None:
    chat = Saying("Moved to Bern.")
    task = a_task(12, kind, background="She lived in Oslo.", theme="a new home", question="Where does she live?")
    assert (await ChatShortener(chat, PROMPTS).shorten(TEXT, task)).startswith("Moved to Bern")
    ((told, asked),) = chat.asked
    assert (told.role, asked.role) == ("system", "user")
    for words in (TEXT.strip(), "She lived in Oslo.", "a new home", "Where does she live?", "12"):
        assert words in asked.text


@pytest.mark.proves("SCM-34", "SCM-35")
@pytest.mark.parametrize("kind", ["turn", "window", "block", "group"])
def test_every_prompt_says_not_to_repeat_the_background_and_names_the_theme(kind: str) -> None:
    for prompt, words in ((PROMPTS[kind], "Do not repeat"), (PROMPTS[f"{kind}.zh"], "不要重复")):
        assert words in prompt.told
        assert {"background", "theme", "question", "words", "text"} == set(places(prompt.asked))


@pytest.mark.proves("SCM-26")
async def test_the_prompt_is_in_the_language_of_the_text() -> None:
    chat = Saying("搬到伯尔尼。")
    shortener = ChatShortener(chat, PROMPTS)
    assert await shortener.shorten(CHINESE, a_task()) == "搬到伯尔尼。"
    await shortener.shorten(TEXT, a_task())
    assert [asked[0].text for asked in chat.asked] == [PROMPTS["turn.zh"].told, PROMPTS["turn"].told]


async def test_words_in_a_text_are_no_places_of_the_prompt() -> None:
    chat = Saying("Ok.")
    await ChatShortener(chat, PROMPTS).shorten("{{theme}} and {{words}} " * 9, a_task(theme="boats"))
    assert "{{theme}} and {{words}}" in chat.asked[0][1].text


@pytest.mark.proves("SCM-25")
async def test_a_text_that_is_short_enough_costs_no_call() -> None:
    chat = Saying("Never.")
    text = await ChatShortener(chat, PROMPTS).shorten("I moved to Bern.", a_task())
    assert (text, chat.asked) == ("I moved to Bern.", [])


@pytest.mark.parametrize("words", ["", " \n", "<think>Hm.</think>", '""', TEXT + "And more.", "```\n```"])
async def test_an_answer_that_is_no_shorter_text_is_replaced_by_sentences_of_the_text(words: str) -> None:
    assert await made(words) == shortened(TEXT, a_task())


async def test_an_answer_that_is_too_long_is_cut_to_the_limit() -> None:
    text = await made("She moved. She is in Bern. " + "She likes it there very much indeed. " * 3)
    assert text == "She moved. She is in Bern."
    assert words_in(await made("so " * 40)) == 12


@pytest.mark.parametrize(
    "words", ["```text\nMoved to Bern.\n```", "<think>\nlong\n</think>\nMoved to Bern.", '"Moved to Bern."']
)
async def test_wrappings_of_an_answer_are_taken_off(words: str) -> None:
    assert await made(words) == "Moved to Bern."


@pytest.mark.parametrize("error", [ModelUnavailable("out of time"), BadReply("no words")])
async def test_a_model_that_does_not_answer_is_an_error_for_whoever_asked(error: ModelError) -> None:
    with pytest.raises(type(error)):
        await ChatShortener(Saying(error), PROMPTS).shorten(TEXT, a_task())


async def test_of_a_text_larger_than_a_model_reads_the_telling_sentences_are_shown() -> None:
    chat = Saying("Short.")
    book = " ".join(f"Chapter {number} tells of harbour {number}." for number in range(4_000))
    assert await ChatShortener(chat, PROMPTS).shorten(book, a_task()) == "Short."
    assert len(chat.asked[0][1].text) < LONGEST + 1_000


async def test_a_theme_is_the_first_line_of_the_answer_in_a_hundred_characters() -> None:
    task = a_task(30, "theme")
    assert await made("The harbour bridge.\nIt is about a bridge.", task=task) == "The harbour bridge"
    assert len(await made("bridge and harbour " * 5 + "again " * 9, task=task)) <= THEME_LIMIT


async def test_own_prompts_are_used() -> None:
    own: Mapping[str, Prompt] = {"turn": Prompt(told="Shorten to {{words}}.", asked="{{text}}")}
    chat = Saying("Bern.")
    await ChatShortener(chat, own).shorten(TEXT, a_task(5))
    assert [message.text for message in chat.asked[0]] == ["Shorten to 5.", TEXT.strip()]
