"""The page of records holds every row of the table by which they are read; run as a module, this file writes it."""

from collections.abc import Iterator
from pathlib import Path

from r_memory.records.exporting import OutTable
from r_memory.records.mapping import RecordForm
from tests.unit.records.test_ccda import form as of_ccda
from tests.unit.records.test_exporting import table
from tests.unit.records.world import form_and_reader

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "records.md"
INTRODUCTION = """\
# How records are read

`r-memory import fhir` reads FHIR R4 and R4B by the table of `schema/records/fhir.yaml`, which is shown here whole.
Copy it out with `r-memory init` and change it as you need.
Of each kind the first row that fits decides. A status that no row fits is kept as unconfirmed and named in the report.
"(none)" stands for a field that is not there.
"""


C_CDA = """\
# C-CDA

`r-memory import ccda` reads the coded entries of these sections by `schema/records/ccda.yaml`.
A section that is prose only goes to the reader of documents, with its title; entries of other sections are named.
"""


def page() -> str:
    """The page as the tables make it."""
    return "\n".join((INTRODUCTION, *sections(form_and_reader()[0]), *going_out(table()), C_CDA, *sections(of_ccda())))


def going_out(out: OutTable) -> Iterator[str]:
    yield "## Going out\n\n`r-memory export --fhir` writes by `schema/records/fhir_out.yaml`; the first row fits.\n"
    yield "| relations | status | resource | with |\n| --- | --- | --- | --- |"
    for form in out.forms:
        relations = ", ".join(f"`{name}`" for name in form.relations) or "all others"
        which = f" of {', '.join(form.scopes)}" if form.scopes else ""
        for status, codes in form.statuses.items():
            said = ", ".join(f"{name} {code}" for name, code in codes.items())
            yield f"| {relations} | {status}{which} | {form.fields['resourceType']} | {said} |"
    yield ""


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
    yield from (f"| `{code}`, denied | {scope} |" for code, scope in form.kinds.items())
    yield ""


def _words(conditions: dict[str, tuple[str, ...]]) -> str:
    return ", ".join(
        f"{path.strip('/').rpartition('extension:')[2] or path} is {' or '.join(code or '(none)' for code in codes)}"
        for path, codes in conditions.items()
    )


def test_the_page_has_every_row_of_the_table() -> None:
    assert page() == PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
