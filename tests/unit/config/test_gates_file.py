"""The policy of the gates: what the shipped file says, what a file of one's own changes, what is refused and where."""

from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.gates_file import load_gates
from r_memory.config.schema_file import load_schema
from r_memory.domain.blocks import Finding, MatchLevel
from r_memory.domain.gates import GatePolicy, gravest, withheld
from r_memory.errors import ConfigurationError


def loaded(home: Path | None = None, text: str = "", schema: str = "clinical") -> GatePolicy:
    if home is not None:
        (home / "gates.yaml").write_text(text, encoding="utf-8")
    files = Files(home=home)
    return load_gates(files, load_schema(files, schema))


def finding(level: MatchLevel, *, conflict: bool = True) -> Finding:
    verdict = "conflict" if conflict else "warning"
    return Finding(verdict=verdict, level=level, message="", quote="", fact_id="f")  # type: ignore[arg-type]


@pytest.mark.parametrize("schema", ["clinical", "law", "finance"])
def test_the_shipped_policy_stops_conflicts_and_what_could_not_be_checked_in_every_domain(schema: str) -> None:
    policy = loaded(schema=schema)
    assert {policy.usual.of(finding(level)) for level in MatchLevel} == {"stop"}
    assert {policy.usual.of(finding(level, conflict=False)) for level in MatchLevel} == {"annotate"}
    assert (policy.unavailable, policy.not_checkable, policy.keys) == ("stop", "note", ())
    assert {"id", "date", "token"} <= policy.no_content


def test_an_edge_and_a_match_level_may_differ(tmp_path: Path) -> None:
    text = "version: 1\nedges:\n  HAS_ALLERGY_TO: {conflict: {class: hold}}\n  DOSE_LIMIT: {warning: hold}\n"
    policy = loaded(tmp_path, text)
    allergy = policy.edges["HAS_ALLERGY_TO"]
    assert allergy.of(finding(MatchLevel.CLASS)) == "hold"
    assert allergy.of(finding(MatchLevel.EXACT)) == "stop"
    assert policy.edges["DOSE_LIMIT"].of(finding(MatchLevel.EXACT, conflict=False)) == "hold"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("version: 1\nedges:\n  HAS_ALERGY_TO: {conflict: hold}\n", 3, "did you mean 'HAS_ALLERGY_TO'"),
        ("version: 1\nconflict: forbid\n", 2, "conflict"),
        ("version: 1\nunavailable: note\n", 2, "unavailable"),
        ("version: 1\nedges:\n  DOSE_LIMIT: {clash: stop}\n", 3, "unknown key 'clash'"),
        ("version: 1\nkeys:\n  - {sha256: 'abc'}\n", 3, "64"),
        ("conflict: stop\n", 1, "version"),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        loaded(tmp_path, text)
    assert refused.value.file == tmp_path / "gates.yaml"
    assert refused.value.line == line
    assert said in str(refused.value)


def test_a_policy_with_an_unknown_edge_is_refused_and_says_which_and_where_the_known_ones_are(tmp_path: Path) -> None:
    # Issue 30, bad input: no word near it, so that nothing is guessed.
    with pytest.raises(ConfigurationError) as refused:
        loaded(tmp_path, "version: 1\nedges:\n  MAY_NOT_DANCE_WITH: {conflict: note}\n")
    assert (refused.value.file, refused.value.line) == (tmp_path / "gates.yaml", 3)
    assert "unknown edge 'MAY_NOT_DANCE_WITH'" in str(refused.value)
    assert "relations in schema/clinical.yaml" in str(refused.value)
    assert "did you mean" not in str(refused.value)


def test_every_match_level_may_have_its_own_reaction(tmp_path: Path) -> None:
    levels = ", ".join(f"{level.value}: note" for level in MatchLevel)
    policy = loaded(tmp_path, f"version: 1\nconflict: {{{levels}}}\n")
    assert {policy.usual.of(finding(level)) for level in MatchLevel} == {"note"}


def test_the_gravest_decision_counts() -> None:
    assert gravest(["note", "hold", "annotate"]) == "hold"
    assert gravest([]) == "pass"
    assert [withheld(item) for item in ("pass", "note", "annotate", "hold", "stop")] == [False] * 3 + [True] * 2
