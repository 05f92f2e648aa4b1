"""Articles."""

import pytest

from r_memory.facts.recall.matching import with_article


@pytest.mark.parametrize(
    "expected",
    [
        "an Antibiotic",
        "a Penicillin",
        "an Opioid",
        "an NSAID",
        "an ACE inhibitor",
        "a PDE5 inhibitor",
        "a UV filter",
        "an SSRI",
        "a Uricosuric",
        "a Ureidopenicillin",
        "an Unfractionated heparin",
        "an Uninsured claim",
        "a Unilateral contract",
        "a European option",
        "a Used device",
        "a One-off payment",
        "an Onerous clause",
        "an Heir",
        "an Hourly rate",
        "a Heparin",
        "a 5-HT antagonist",
        "a ß-blocker",
    ],
)
def test_article_is_the_spoken_one(expected: str) -> None:
    assert expected == with_article(expected.split(" ", 1)[1])
