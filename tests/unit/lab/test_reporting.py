"""What a terminal shows of a report."""

import pytest

from r_memory_lab.evals.measures import Figure
from r_memory_lab.evals.reports import SuiteReport
from r_memory_lab.reporting import print_report


def test_tables_of_a_benchmark_are_printed_and_an_empty_one_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    """`bench where` has nothing but groups: its terminal showed a head without rows."""
    where = {"Where remember spends its time": (Figure(name="store: append", value=2.5, n=200, unit="ms"),)}
    print_report(
        SuiteReport(
            suite="bench where",
            date="2026-11-25",
            command="r-memory bench where",
            route="rules",
            store="dict",
            schema_version="1",
            pack_version="1",
            figures=(),
            groups=where,
        )
    )
    told = capsys.readouterr().out.split("\n\n")
    assert [line.split("  ")[0] for line in told[1].splitlines()] == [
        "Where remember spends its time",
        "Figure",
        "store: append",
    ]
    assert "Figure" not in told[0]
