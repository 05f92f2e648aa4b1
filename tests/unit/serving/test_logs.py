import logging
import sys

import pytest

from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.serving.logs import WordlessFormatter


def formatted(error: Exception, **facts: object) -> str:
    """A record about this error, as it stands in the log."""
    try:
        raise error
    except type(error):
        record = logging.LogRecord("r_memory.x", logging.ERROR, "x.py", 1, "Something failed", None, sys.exc_info())
    record.__dict__.update(facts)
    return WordlessFormatter("%(levelname)s %(name)s: %(message)s").format(record)


def test_facts_stand_beside_the_message() -> None:
    record = logging.makeLogRecord({"msg": "Facts added", "action": "facts_added", "count": 3})
    assert WordlessFormatter("%(message)s").format(record) == "Facts added action='facts_added' count=3"


@pytest.mark.proves("Z35", "M-50")
def test_texts_of_exceptions_stay_out_and_their_types_and_places_stay() -> None:
    cause = ValueError("Duplicated key [CANARY] at bolt://user:secret@host")
    error = KeyError("CANARY")
    error.__cause__ = cause
    text = formatted(error)
    assert "CANARY" not in text
    assert "secret" not in text
    assert "ValueError" in text
    assert "KeyError" in text
    assert "test_logs.py" in text


@pytest.mark.proves("Z35")
def test_texts_of_grouped_exceptions_stay_out_too() -> None:
    text = formatted(ExceptionGroup("CANARY", [ValueError("CANARY")]))
    assert "CANARY" not in text
    assert "ValueError" in text


def test_a_store_error_keeps_its_message_which_holds_no_words() -> None:
    assert "StoreUnavailable: the password was refused" in formatted(StoreUnavailable("the password was refused"))


@pytest.mark.proves("Z35")
def test_bad_input_may_quote_what_was_given_and_keeps_silent() -> None:
    assert "CANARY" not in formatted(InvalidInput("nobody is called CANARY"))
