"""The page of records holds every row of the table by which they are read; run as a module, this file writes it."""

from collections.abc import Iterator
from pathlib import Path

from r_memory.records.mapping import RecordForm
from tests.unit.records.world import form_and_reader

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "records.md"
INTRODUCTION = """\
# How records are read

`r-memory import fhir` reads FHIR R4 and R4B by the table of `schema/records/fhir.yaml`, which is shown here whole.
Copy it out with `r-memory init` and change it as you need.
Of each kind the first row that fits decides. A status that no row fits is kept as unconfirmed and named in the report.
"(none)" stands for a field that is not there.
"""


def page(form: RecordForm) -> str:
    """The page as the table makes it."""
    return "\n".join((INTRODUCTION, *sections(form)))


def sections(form: RecordForm) -> Iterator[str]:
    for kind, cases in form.resources.items():
        yield f"## {kind}\n"
        for case in cases:
            if case.if_:
                yield f"Where {_words(case.if_)}:\n"
            others = {to for by_code in case.relations.values() for to in by_code.values()}
            yield f"Becomes {' or '.join(f'`{name}`' for name in (case.relation, *sorted(others)))}.\n"
            yield "| where | becomes |\n| --- | --- |"
            for row in case.status:
                yield f"| {_words(row.if_)} | {f'not imported: {row.skip}' if row.skip else row.is_} |"
            yield "| otherwise | unconfirmed, and named in the report |\n"
    yield "## None known\n\n| code | none of |\n| --- | --- |"
    yield from (f"| `{code}` | {scope} |" for code, scope in form.none.items())
    yield ""


def _words(conditions: dict[str, tuple[str, ...]]) -> str:
    return ", ".join(
        f"{path.strip('/').rpartition('extension:')[2] or path} is {' or '.join(code or '(none)' for code in codes)}"
        for path, codes in conditions.items()
    )


def test_the_page_has_every_row_of_the_table() -> None:
    assert page(form_and_reader()[0]) == PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    PAGE.write_text(page(form_and_reader()[0]), encoding="utf-8")
