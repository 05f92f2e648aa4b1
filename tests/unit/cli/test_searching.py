"""`search`: what holds some words, whoever said them and whether or not a fact came of it."""

import pytest

from tests.unit.cli.conftest import Command


@pytest.mark.usefixtures("world")
def test_facts_and_statements_are_found_by_their_words(command: Command) -> None:
    command("remember", "I am allergic to penicillin.", "--subject", "JD001", "--subject-name", "John Doe")
    command("remember", "My brother waters the orchids.", "--subject", "JD001")
    command("remember", "I am allergic to latex.", "--subject", "AR002", "--subject-name", "Ada Roe")

    hits = command("search", "penicillin", "--json").json["hits"]
    orchids = command("search", "orchids", "--subject", "John Doe", "--json").json["hits"]

    assert [(hit["subject_id"], hit["kind"]) for hit in hits] == [("JD001", "fact")]
    assert [(hit["subject_id"], hit["kind"], hit["text"]) for hit in orchids] == [
        ("JD001", "statement", "My brother waters the orchids.")
    ]


@pytest.mark.usefixtures("world")
def test_who_finds_nothing_is_told_so(command: Command) -> None:
    assert command("search", "orchids").out == "0 hits.\n"
