"""Commands under another schema show what belongs to it."""

import pytest

from tests.unit.cli.conftest import Command


@pytest.mark.proves("RM-12")
@pytest.mark.parametrize(
    ("schema", "own", "others"),
    [
        ("clinical", {"never_asked", "severe_allergies"}, {"deadlines", "restricted_holdings"}),
        ("law", {"deadlines", "unwaived_conflicts"}, {"never_asked", "restricted_holdings"}),
        ("finance", {"restricted_holdings", "mandate_limits"}, {"severe_allergies", "deadlines"}),
    ],
)
def test_audits_of_another_domain_are_not_listed(
    command: Command, monkeypatch: pytest.MonkeyPatch, schema: str, own: set[str], others: set[str]
) -> None:
    monkeypatch.setenv("R_MEMORY_SCHEMA", schema)
    listed = {audit["name"] for audit in command("audit", "--json").json}
    assert own <= listed
    assert not others & listed
    assert {"shown", "ending_soon"} <= listed
