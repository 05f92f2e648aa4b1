"""Instruction files: where they are looked for, and what is said of one that cannot be used."""

from pathlib import Path

import pytest

from r_memory.config.conversation_file import Instruction, instructed, load_instruction
from r_memory.config.settings import Settings
from r_memory.domain.prompts import Prompt
from r_memory.domain.summaries import ConversationSummary
from r_memory.errors import ConfigurationError
from r_memory.testing.scripted_chat import ScriptedChat
from r_memory_talk.opening import writers
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.tiers.local_writer import LocalMemoryWriter, cues_with


@pytest.mark.proves("CIM-22")
@pytest.mark.parametrize("name", ["INSTRUCTION_CONVERSATION", "INSTRUCTION_SUMMARY"])
def test_an_instruction_comes_from_here_then_from_beside_the_configuration_then_is_blank(
    here: Path, home: Path, name: Instruction
) -> None:
    assert load_instruction(name, home) == load_instruction(name, None) == ""
    (home / name).write_text("\ufeffBe kind.\n", encoding="utf-8")
    assert load_instruction(name, home) == "Be kind."
    (here / name).write_text("Be brief.\nNo lists.\n", encoding="utf-8")
    assert load_instruction(name, home) == load_instruction(name, None) == "Be brief.\nNo lists."


@pytest.mark.anyio
@pytest.mark.proves("CIM-22")
async def test_the_model_that_keeps_the_summary_is_told_what_its_file_says(here: Path) -> None:
    (here / "INSTRUCTION_SUMMARY").write_text("In French.", encoding="utf-8")
    chat = ScriptedChat({"core_discussion": "chien"})
    settings = Settings(model_url="http://localhost:1/v1", model_name="m", summaries="model")
    _, summaries, _ = writers(settings, chat, LocalMemoryWriter(ExtractiveShortener(), cues=cues_with({})))
    await summaries.propose(ConversationSummary(), "My dog is called Rex.", "Yes.")
    assert chat.asked[0][0].text.endswith("\n\nIn French.")


def test_an_empty_file_here_silences_the_one_beside_the_configuration(here: Path, home: Path) -> None:
    (home / "INSTRUCTION_SUMMARY").write_text("Be kind.", encoding="utf-8")
    (here / "INSTRUCTION_SUMMARY").write_text("", encoding="utf-8")
    assert load_instruction("INSTRUCTION_SUMMARY", home) == ""


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 100_001])
def test_a_file_that_is_no_instruction_is_named(here: Path, content: bytes) -> None:
    (here / "INSTRUCTION_CONVERSATION").write_bytes(content)
    with pytest.raises(ConfigurationError, match="INSTRUCTION_CONVERSATION"):
        load_instruction("INSTRUCTION_CONVERSATION", None)


def test_a_blank_instruction_leaves_a_prompt_as_it_is() -> None:
    prompt = Prompt(told="Sum it up.", asked="{{text}}")
    assert instructed(prompt, "") is prompt
