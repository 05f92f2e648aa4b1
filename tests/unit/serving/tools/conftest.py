import pytest

from tests.unit.serving.tools.practice import Era, Practice


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Era:
    """Both protocol eras: whatever a tool does, it does in each."""
    chosen: Era = request.param
    return chosen


@pytest.fixture
def practice() -> Practice:
    return Practice()
