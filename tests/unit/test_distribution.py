import pytest

from tests.distribution import rank, unit_of


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("tests/store/test_contract.py::test_a[neo4j_526]", "neo4j_526"),
        ("tests/store/test_audits.py::test_a[neo4j_526-severe_allergies]", "neo4j_526"),
        ("tests/store/test_contract.py::test_a[neo4j_2026]", "neo4j"),
        ("tests/hazards/test_what_is_said.py::test_a[neo4j-as in M7 - held out]", "neo4j"),
        ("tests/store/test_tampering.py::test_a[Entity/Patient-neo4j_2026]", "neo4j"),
        ("tests/store/test_contract.py::test_a[embedded]", "tests/store/test_contract.py"),
        ("tests/unit/test_layers.py::test_a[neo4j driver]", "tests/unit/test_layers.py"),
        ("tests/unit/test_layers.py::test_a", "tests/unit/test_layers.py"),
    ],
)
def test_what_shares_a_server_runs_in_one_process_and_all_else_by_file(test: str, unit: str) -> None:
    assert unit_of(test) == unit


def test_servers_begin_and_the_many_short_ones_come_last() -> None:
    tests = {
        "tests/unit/test_layers.py": 30,
        "tests/store/test_contract.py": 120,
        "tests/unit/store/test_rows.py": 354,
        "tests/acceptance/test_demo.py": 3,
        "neo4j": 1300,
        "tests/acceptance/test_cli.py": 35,
    }
    assert sorted(tests, key=lambda unit: rank(unit, tests[unit])) == [
        "neo4j",
        "tests/acceptance/test_cli.py",
        "tests/acceptance/test_demo.py",
        "tests/store/test_contract.py",
        "tests/unit/test_layers.py",
        "tests/unit/store/test_rows.py",
    ]
