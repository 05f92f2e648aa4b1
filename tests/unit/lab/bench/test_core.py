"""How the parts of `bench core` are put together."""

from pathlib import Path

from r_memory.config.settings import Settings
from r_memory_lab.bench.core import PARTS, SUITES, environment, joined
from r_memory_lab.benching import SIZES
from r_memory_lab.evals.measures import count
from r_memory_lab.evals.outcomes import CaseOutcome


def test_the_parts_are_those_of_the_issue() -> None:
    assert SUITES["core"] == ("context", "remember", "start", "trials", "kills")
    assert list(PARTS) == [name for suite in SUITES.values() for name in suite]
    assert SIZES == (1_000, 10_000, 100_000)


def test_a_measured_process_sees_no_setting_of_the_installation_around_it() -> None:
    settings = Settings(home=Path("mine"), data_dir=Path("fresh"), space="bench")
    around = {"PATH": "bin", "R_MEMORY_STORE_URI": "neo4j://real:7687", "R_MEMORY_SPACE": "clinic"}
    assert environment(settings, around) == {
        "PATH": "bin",
        "R_MEMORY_DATA_DIR": str(Path("fresh").absolute()),
        "R_MEMORY_SPACE": "bench",
        "R_MEMORY_SCHEMA": "clinical",
        "R_MEMORY_HOME": str(Path("mine").absolute()),
    }


def test_a_measured_process_on_a_server_is_told_how_to_reach_it() -> None:
    settings = Settings(store_uri="neo4j://there:7687", store_password="secret", space="bench")
    told = environment(settings, {})
    assert (told["R_MEMORY_STORE_URI"], told["R_MEMORY_STORE_USER"]) == ("neo4j://there:7687", "neo4j")
    assert told["R_MEMORY_STORE_PASSWORD"] == "secret"


def test_joined_outcomes_keep_everything_in_order() -> None:
    first = CaseOutcome(figures=(count("a", 1, 1),), groups={"A": [count("x", 1, 1)]}, notes=("one",))
    second = CaseOutcome(figures=(count("b", 2, 2),), details={"B": ["id"]}, notes=("two",))
    assert joined([first, second]) == CaseOutcome(
        figures=(count("a", 1, 1), count("b", 2, 2)),
        groups={"A": [count("x", 1, 1)]},
        details={"B": ["id"]},
        notes=("one", "two"),
    )
