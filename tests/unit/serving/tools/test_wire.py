import json

import pytest

from r_memory.serving.tools.strict import whole_characters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\U0001f600", "\U0001f600"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud800\ud83d\ude00", "\ufffd\U0001f600"),
        ("\\ud800", "\\ud800"),
        ("\\\ud800", "\\\ufffd"),
        ('"\n\\', '"\n\\'),
    ],
)
def test_only_lone_halves_of_surrogate_pairs_are_replaced(text: str, expected: str) -> None:
    assert json.loads(whole_characters(json.dumps(text))) == expected


def test_a_line_without_escapes_is_not_touched() -> None:
    line = '{"text": "größer"}\n'
    assert whole_characters(line) is line
