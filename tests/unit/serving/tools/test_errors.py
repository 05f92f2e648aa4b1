import pytest
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field, ValidationError

from r_memory.errors import ConfigurationError, InvalidInput, NotStored, RMemoryError, StoreUnavailable
from r_memory.serving.tools.errors import invalid_arguments, reading, writing
from r_memory.text.unavailable import unavailable_sentence

ASK = "Ask before acting."


def read(error: Exception) -> str:
    """What a reading tool tells when this happens in it."""
    with pytest.raises(ToolError) as told, reading(ASK):
        raise error
    return str(told.value)


def write(error: Exception) -> str:
    """What a writing tool tells when this happens in it."""
    with pytest.raises(ToolError) as told, writing():
        raise error
    return str(told.value)


@pytest.mark.proves("Z15", "M-40")
@pytest.mark.parametrize("error", [StoreUnavailable("the store does not answer"), ConfigurationError("no schema")])
def test_whatever_keeps_memory_from_being_read_is_said_with_what_to_ask(error: RMemoryError) -> None:
    assert read(error) == f"SAFETY MEMORY UNAVAILABLE: {error}. Ask before acting."


def test_bad_input_keeps_its_own_message() -> None:
    assert read(InvalidInput("the text is empty; give the words")) == "the text is empty; give the words."


@pytest.mark.proves("M-40")
def test_an_address_in_a_reason_is_withheld() -> None:
    assert "secret" not in unavailable_sentence("bolt://user:secret@host:7687 refused", ASK)


@pytest.mark.proves("Z18")
def test_a_store_that_is_down_is_said_as_nothing_stored() -> None:
    assert write(StoreUnavailable("the store does not answer")) == (
        "Nothing was stored: the store does not answer. Keep the statement in view and call again with the same text."
    )


def test_words_stored_without_their_facts_are_not_called_lost() -> None:
    assert write(NotStored("the words are stored, their facts are not yet")) == (
        "the words are stored, their facts are not yet."
    )


@pytest.mark.proves("M-25")
def test_errors_of_others_pass_untouched() -> None:
    with pytest.raises(KeyError), reading(ASK):
        raise KeyError("bolt://user:secret@host")


class Arguments(BaseModel):
    limit: int = Field(ge=1)
    text: str


def test_wrong_arguments_are_named_without_their_values() -> None:
    with pytest.raises(ValidationError) as wrong:
        Arguments.model_validate({"limit": 0, "text": {"secret": "value"}})
    assert str(invalid_arguments(wrong.value)) == (
        "Invalid arguments. limit: Input should be greater than or equal to 1; text: Input should be a valid string. "
        "Call again with what the input schema allows."
    )
