"""The notation of keywords: what each form finds, and what it does not."""

import pytest

from r_memory.protocols import Mention
from r_memory.reading.actions.keywords import compiled, plain
from tests.unit.reading.actions.tables import KITCHEN, SCHEMA, intent, table


def found(keyword: str, text: str) -> tuple[str, ...]:
    return compiled(table(intent("A", keywords=(keyword,))), SCHEMA)["A"].hits(plain(text), ())


@pytest.mark.parametrize(
    ("keyword", "text", "hits"),
    [
        ("mri", "Order an MRI, please.", ("mri",)),
        ("mri", "primrin", ()),
        ("prescri*", "Prescribing? I prescribed it; a prescription", ("prescribing", "prescribed", "prescription")),
        ("prescri*", "misprescribe", ()),
        ("*scopy", "a colonoscopy and the endoscopy", ("colonoscopy", "endoscopy")),
        ("*scopy", "scopy-like", ("scopy",)),
        ("something for", "give her  something\nfor pain", ("something for",)),
        ("can't tolerate", "she can\u2019t tolerate it", ("can't tolerate",)),
        ("x-ray*", "an X\u2011ray and x-rays", ("x-ray", "x-rays")),
        ("mg/kg", "5 mg/kg daily", ("mg/kg",)),
        ("level", "level, LEVEL and Level", ("level",)),
        ("a.b", "acb", ()),
    ],
)
def test_a_keyword_finds_whole_words_of_its_form(keyword: str, text: str, hits: tuple[str, ...]) -> None:
    assert found(keyword, text) == hits


def test_a_type_is_hit_by_any_mention_of_it_or_of_a_member_of_the_union() -> None:
    keywords = compiled(KITCHEN, SCHEMA)
    mention = Mention(type="Spice", name="pepper", start=8, end=14, surface="Pepper")

    assert keywords["SERVE"].hits(plain("more of Pepper"), [mention]) == ("pepper",)
    assert keywords["CLEAN"].hits(plain("more of Pepper"), [mention]) == ()


def test_an_action_type_without_keywords_is_never_hit() -> None:
    assert compiled(table(intent("A")), SCHEMA)["A"].hits("anything", ()) == ()


def test_a_very_long_word_is_looked_through_once() -> None:
    assert found("*scopy", "a" * 200_000) == ()
