"""The work of reading grows with its text and no faster: counted, as a clock would measure the machine (attack C2)."""

from collections import Counter
from collections.abc import Callable

import pytest

from r_memory.domain.facts import Entity
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.rules.matching import TemplateMatcher
from r_memory.text.cutting import tokens_of

PATTERNS = (
    "non-",
    "(",
    "x/",
    "a ",
    "no ",
    "not ",
    "allergic to ",
    "penicillin, ",
    "rash from ",
    "and ",
    "?",
    "1,",
    "a\n",
)
SHORT, LONG = 2_000, 8_000
_GROWTH = 1.3
"""Above the growth of the text: the first sentence is no longer than the others."""


def _steps(monkeypatch: pytest.MonkeyPatch, read: Callable[[], object]) -> Counter[str]:
    """How often terms were sought for a span, and how often matching took a step."""
    steps: Counter[str] = Counter()
    resolve, step = Gazetteer.resolve, TemplateMatcher._step

    def resolving(self: Gazetteer, words: str, types: list[str]) -> object:
        steps["spans"] += 1
        return resolve(self, words, types)

    def stepping(self: TemplateMatcher, *args: object, **more: object) -> object:
        steps["steps"] += 1
        return step(self, *args, **more)  # type: ignore[arg-type]  # as they came

    with monkeypatch.context() as patched:
        patched.setattr(Gazetteer, "resolve", resolving)
        patched.setattr(TemplateMatcher, "_step", stepping)
        read()
    return steps


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_work_of_reading_grows_no_faster_than_the_text(
    pattern: str, extractor: RuleExtractor, john: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(size: int) -> Counter[str]:
        text = ("I am allergic to " + pattern * size)[:size]
        said = Utterance(text=text, role="user", speaker="patient", subject=john)
        return _steps(monkeypatch, lambda: extractor.extract(said))

    short, long = work(SHORT), work(LONG)
    for kind, number in long.items():
        assert number <= max(short[kind], 50) * _GROWTH * LONG / SHORT, kind


@pytest.mark.parametrize(
    "text", ["(" * 1000, "a-" * 500, "x" * 1000, "ab, " * 20 + "," * 900, "\N{GRINNING FACE}" * 999]
)
def test_a_run_without_a_blank_is_cut_and_every_token_stands_where_it_was_said(text: str) -> None:
    tokens = tokens_of(text)
    assert "".join(text[token.start : token.end] for token in tokens) == "".join(text.split())
    assert all(token.word == text[token.start : token.end].lower() for token in tokens)
    assert max(token.end - token.start for token in tokens) <= 100


def test_a_term_in_a_run_without_a_blank_is_found_where_it_stands(gazetteer: Gazetteer) -> None:
    text = "kiwi,latex;" * 30 + "penicillin," + "kiwi,latex;" * 30
    [found] = [mention for mention in gazetteer.mentions(text) if mention.name.casefold() == "penicillin"]
    assert text[found.start : found.end] == "penicillin"


def test_a_list_that_is_longer_than_a_sentence_may_be_stays_under_its_heading(
    extractor: RuleExtractor, john: Entity
) -> None:
    text = "Allergies: " + "kiwi, " * 100 + "penicillin"
    found = extractor.extract(Utterance(text=text, role="user", speaker="patient", subject=john)).proposals
    assert ("HAS_ALLERGY_TO", "penicillin") in {(item.relation, item.object.casefold()) for item in found}
