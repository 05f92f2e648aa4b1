"""What the rules read in a sentence, phenomenon by phenomenon; whole results are compared."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.reading.readers import Read, shown

PHENOMENA: Mapping[str, list[Mapping[str, Any]]] = yaml.safe_load(
    (Path(__file__).with_name("phenomena.yaml")).read_text(encoding="utf-8")
)


def misread(read: Read, sentences: list[Mapping[str, Any]]) -> Iterator[str]:
    """Each sentence that comes out otherwise, with what is read in it."""
    for said in sentences:
        before = [f"doctor: {said['after']}"] if "after" in said else []
        found = read(said["text"], before=before, speaker=said.get("by", "patient" if before else ""))
        facts, review = sorted(map(shown, found.proposals)), bool(found.review)
        if (facts, review) != (said["facts"], said.get("review", review)):
            yield f"{said['text']}: {facts}, review: {review}"


@pytest.mark.proves(
    "Z03", "Z04", "Z05", "Z06", "Z07", "Z08", "Z09", "Z11", "Z12", "Z13", "Z22", "Z28", "Z29", "Z31", "Z33", "Z38"
)
@pytest.mark.proves("Z40", "Z42")
@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_a_phenomenon_is_read_as_its_sentences_say(read: Read, phenomenon: str) -> None:
    assert list(misread(read, PHENOMENA[phenomenon])) == []


@pytest.mark.parametrize(
    ("text", "relative"),
    [
        ("My mum's brother has epilepsy.", "uncle"),
        ("My dad's mother had epilepsy.", "grandmother"),
        ("An aunt on my dad's side has epilepsy.", "aunt"),
        ("On my dad's side they all have epilepsy.", "family"),
        ("His great grandfather had epilepsy.", "great-grandfather"),
    ],
)
def test_relative_of_a_relative_is_called_by_one_word(read: Read, text: str, relative: str) -> None:
    assert [proposal.attrs["relative"] for proposal in read(text).proposals] == [relative]
