"""An action type and a relation of one's own are an edit of YAML, used through MCP without touching code (design 5)."""

from pathlib import Path

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.shell import Shell

pytestmark = pytest.mark.anyio

TRAVEL_ADVICE = """
  TRAVEL_ADVICE:
    description: "A journey is planned or advised."
    edges: [HAS_TRAVEL_BAN, HAS_ALLERGY_TO]
    keywords: ["travel*", "trip*", "journey*"]
    examples:
    - plan a journey to the coast for her
    - can he travel to the mountains next week
    - which trip would suit them this summer
"""
HAS_TRAVEL_BAN = """
  HAS_TRAVEL_BAN:
    subject: [Patient]
    object: [Condition]
    open_object: true
    critical: true
    templates:
    - "must not travel to {object+}"
    line: "TRAVEL BAN: {subject} must not travel to {object}."
    question: "Is there anywhere that must not be travelled to?"
"""


def added(file: Path, under: str, text: str) -> None:
    """Writes the text as first entry below a line of a YAML file."""
    content = file.read_text(encoding="utf-8")
    assert content.count(f"\n{under}\n") == 1
    file.write_text(content.replace(f"\n{under}\n", f"\n{under}\n{text.strip(chr(10))}\n"), encoding="utf-8")


@pytest.fixture
def home(embedded: Installation) -> Path:
    """A copy of the shipped files, as `r-memory init` makes it."""
    folder = embedded.folder / "home"
    assert Shell(installation=embedded).run("init", str(folder)).returncode == 0
    return folder


@pytest.mark.proves("RM-8", "RM-11")
async def test_a_new_action_type_and_relation_are_only_an_edit_of_two_files(embedded: Installation, home: Path) -> None:
    added(home / "intents.yaml", "intents:", TRAVEL_ADVICE)
    added(home / "schema" / "clinical.yaml", "relations:", HAS_TRAVEL_BAN)
    async with embedded.with_settings(home=str(home)).client() as assistant:
        stored = await assistant.call(
            "memory_remember", text="She must not travel to high altitude.", subject="TA-1", subject_name="Tara Alp"
        )
        context = await assistant.call(
            "memory_build_context", detail=True, query="Plan a trip for her.", subject="TA-1"
        )
        described = await assistant.call("memory_describe")
    assert [(each["verdict"], each["relation"]) for each in stored["results"]] == [("stored", "HAS_TRAVEL_BAN")]
    assert "TRAVEL_ADVICE" in context["intents"]
    assert context["block"].splitlines()[2].startswith("TRAVEL BAN: Tara Alp must not travel to ")
    assert {"relation": "HAS_TRAVEL_BAN", "state": "FOUND", "count": 1} in context["outcomes"]
    assert "TRAVEL_ADVICE" in [intent["name"] for intent in described["intents"]]
    assert "HAS_TRAVEL_BAN" in [relation["name"] for relation in described["relations"]]


@pytest.mark.proves("RM-11")
def test_an_action_type_with_an_unknown_edge_refuses_to_start_with_file_and_line(
    embedded: Installation, home: Path
) -> None:
    added(home / "intents.yaml", "intents:", TRAVEL_ADVICE)
    started = Shell(installation=embedded.with_settings(home=str(home))).process("serve")
    told = started.stderr
    assert (started.returncode, started.stdout) == (2, "")
    assert "intents.yaml:" in told
    assert "HAS_TRAVEL_BAN" in told
