"""The golden stories: what a clinician (a lawyer, an adviser) would demand of the answers.

MCP on the embedded store proves the sentences of all. The first of each kind of what stands in front of a request is
played by Python, the command line and MCP, and on Neo4j by one of these in turn, as is each story with a restart and
each sixth of those without a kind by Python.

A new story is an entry in a file of `stories/`; how to write one: `stories/README.md`.
"""

import asyncio
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from r_memory import ConfigurationError
from r_memory.config.settings import load_settings
from tests.acceptance.conftest import Installation, begun_in, installed_in
from tests.acceptance.story_form import Story, every_story, stories_of
from tests.acceptance.story_play import Life, commands_life, mcp_life, play, python_life
from tests.neo4j_servers import Neo4jAddress

STORIES = every_story()
DOORS = ("python", "cli", "mcp")
KINDS = list({story.kind: story for story in reversed(STORIES) if story.kind}.values())
RESTARTED = [story for story in STORIES if len(story.lives) > 1]
STEADY = [story for story in STORIES if len(story.lives) == 1 and not story.kind]
PLAYED = [
    *(("embedded", "mcp", story) for story in STORIES),
    *(("embedded", door, story) for story in KINDS for door in DOORS if door != "mcp"),
    *(("neo4j", DOORS[number % len(DOORS)], story) for number, story in enumerate(KINDS)),
    *(("neo4j", "python", story) for story in (*RESTARTED, *STEADY[::6]) if story not in KINDS),
]
PARAMETERS = [
    pytest.param(
        (store, door), story, id=f"{store}-{door}-{story.name}", marks=[pytest.mark.neo4j] if store == "neo4j" else []
    )
    for store, door, story in PLAYED
]
GOOD = "stories:\n- {story: one, people: {A1: Ada}, steps: [{say: Hello.}, {ask: What?, expect: {shows: [Ada]}}]}\n"


Found = Mapping[str, list[str]]
"""What is wrong with each story, by name."""


@pytest.fixture(scope="session")
def played() -> dict[tuple[str, str], Found]:
    """What came of the stories in each way in which this session has played them."""
    return {}


@pytest.fixture
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, played: dict[tuple[str, str], Found]
) -> Found:
    """Every story that this session asks for in this way, played once."""
    if request.param not in played:
        played[request.param] = _played(request, tmp_path_factory, *request.param)
    return played[request.param]


def _played(request: pytest.FixtureRequest, folders: pytest.TempPathFactory, store: str, surface: str) -> Found:
    asked = {item.name.partition(f"{store}-{surface}-")[2].removesuffix("]") for item in request.session.items}
    wanted = [story for story in STORIES if story.name in asked]
    found: dict[str, list[str]] = {}
    for schema in sorted({story.schema for story in wanted}):
        stories = [story for story in wanted if story.schema == schema]
        prefix = f"story-{uuid.uuid4().hex[:8]}"
        folder = folders.mktemp("stories")
        # The knowledge is not written once more.
        made = begun_in(folder, schema) if store == "embedded" else installed_in(folder)
        installation = made.with_settings(schema=schema, space=f"{prefix}-none", **_address(request, store))
        spaces = [f"{prefix}-{number}" for number in range(len(stories))]
        found |= asyncio.run(play(stories, _life(surface, installation, spaces), prefix=prefix))
    return found


def _life(surface: str, installation: Installation, spaces: list[str]) -> Life:
    if surface == "python":
        return python_life(load_settings(installation.environment))
    return commands_life(installation) if surface == "cli" else mcp_life(installation, spaces)


@pytest.mark.parametrize(("told", "story"), PARAMETERS, indirect=["told"])
def test_story(story: Story, told: Found) -> None:
    if told[story.name]:
        pytest.fail("\n".join(told[story.name]), pytrace=False)


@pytest.mark.parametrize(
    ("wrong", "right", "says"),
    [
        ("shows: [Ada]", "showz: [Ada]", "showz"),
        ("expect: {shows: [Ada]}", "about: A1", "need `expect`"),
        ("expect: {shows: [Ada]}", "expect: {}", "demands nothing"),
        ("{say: Hello.}", "{say: Hello., wait: 3 days}", "exactly one of"),
        ("{say: Hello.}", "{wait: a while}", "write `wait: 3 days`"),
        ("{A1: Ada}", "{A1: Ada, B2: Bo}", "needs `about`"),
        ("{say: Hello.}", "{say: Hello., about: C3}", "none of A1"),
    ],
)
def test_a_malformed_story_is_an_error_that_names_the_file_and_what_to_do(
    tmp_path: Path, wrong: str, right: str, says: str
) -> None:
    file = tmp_path / "mine.yaml"
    assert wrong in GOOD
    file.write_text(GOOD.replace(wrong, right), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=says) as caught:
        stories_of(file)
    assert "mine.yaml" in str(caught.value)


def _address(request: pytest.FixtureRequest, store: str) -> dict[str, str]:
    if store == "embedded":
        return {}
    address: Neo4jAddress = request.getfixturevalue("neo4j_2026")
    return {"store_uri": address.uri, "store_user": address.user, "store_password": address.password}
