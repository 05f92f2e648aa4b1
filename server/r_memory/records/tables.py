"""CSV, TSV and XLSX by a mapping file: one row is one fact about the person that the row names.

Knows columns as the mapping names them. A formula is no word: its row is refused.
"""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from r_memory.config.files import Source
from r_memory.config.names import KnownNames, RelationName
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.domain.facts import SCOPE_TYPE, Proposal, Route
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.records.mapping import EXTRACTOR, Is, instant_of
from r_memory.records.trees import element, tag
from r_memory.records.values import FileEntry, FileReading, Refused

_UNPACKED = 200_000_000
"""Most bytes of an unpacked spreadsheet."""
_FORMULA = ("=", "+", "@", "-")
Row = Mapping[str, str]


class Columns(FileModel):
    """Which column says what."""

    subject: str = Field(
        default="", description="Id of whom the row is about; without it all rows are about --subject."
    )
    name: str = Field(default="", description="Name of whom it is about, by which a new one is declared.")
    object: str = Field(description="The thing.")
    relation: str = Field(default="", description="Column whose words `relations` turns into relations.")
    status: str = Field(default="", description="Column whose words `statuses` turns into statuses.")
    said: str = Field(default="", description="When it was recorded.")
    ended: str = Field(default="", description="Since when it is over; a day that is to come ends nothing.")
    id: str = Field(default="", description="The row's own number; else its place.")
    attrs: dict[str, str] = Field(default={}, description="Attribute to column.")


class TableForm(FileModel):
    """A mapping file."""

    version: Literal[1]
    delimiter: str = Field(
        default="", description="Between cells; empty: a comma, a semicolon or a tab, as the file has it."
    )
    encoding: str = "utf-8"
    dates: str = Field(default="", description="How dates are written, such as `%d.%m.%Y`; empty: as ISO-8601.")
    sheet: int = Field(default=1, description="Of a spreadsheet, from 1.")
    relation: RelationName = ""
    relations: dict[str, RelationName] = Field(default={}, description="Words of its column to relations.")
    statuses: dict[str, Is] = Field(default={}, description="Words of its column to statuses.")
    unstated: Is | None = Field(default=None, description="The status of an empty cell; without it unconfirmed.")
    none: dict[str, str] = Field(default={}, description="Words of 'none known' to a scope of the schema.")
    columns: Columns


def load_table_mapping(path: Path, schema: Schema) -> TableForm:
    """Returns the mapping of a file.

    Raises:
        ConfigurationError: the mapping is wrong; with file and line.
        InvalidInput: the file cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read ({error.strerror}); give a mapping with --mapping") from error
    known = {"relation": KnownNames(kind="relation", names=schema.relations, where=f"schema/{schema.name}.yaml")}
    document = load(Source(path=path, content=content))
    form = parsed(document, TableForm, known)
    if not form.relation and not form.relations:
        raise document.error("no relation; name one as `relation`, or a column and `relations`")
    if scope := next((item for item in form.none.values() if item not in schema.scopes), ""):
        raise document.error(f"'{scope}' is no scope; known: {', '.join(schema.scopes)}", ("none",))
    return form


def read(data: bytes, name: str, form: TableForm, schema: Schema, *, now: Instant) -> FileReading:
    """Returns one entry for each row.

    Raises:
        InvalidInput: the file is damaged, or lacks a column of the mapping.
    """
    numbered = _numbered(data, name, form)
    wanted = [form.columns.subject, form.columns.object, form.columns.relation, form.columns.status]
    heads = numbered[0][1] if numbered else {}
    if missing := [column for column in wanted if column and column not in heads]:
        raise InvalidInput(f"{name} has no column '{missing[0]}'; its columns: {', '.join(heads) or 'none'}")
    made = [_entry(row, f"row {row.get(form.columns.id) or number}", form, schema, now=now) for number, row in numbered]
    return FileReading(
        entries=tuple(entry for entry in made if isinstance(entry, FileEntry)),
        refused=tuple(entry for entry in made if isinstance(entry, Refused)),
    )


def _entry(row: Row, id_: str, form: TableForm, schema: Schema, *, now: Instant) -> FileEntry | Refused:
    columns = form.columns
    cell = {name: row.get(column, "") for name, column in vars(columns).items() if isinstance(column, str) and column}
    thing, said_status = cell.get("object", ""), cell.get("status", "")
    relations = {word.casefold(): relation for word, relation in form.relations.items()}
    relation = relations.get(cell.get("relation", "").casefold(), form.relation)
    statuses = {word.casefold(): status for word, status in form.statuses.items()}
    status = (
        statuses.get(said_status.casefold(), None if said_status else form.unstated) if columns.status else "active"
    )
    ended, said = (_day(cell.get(name, ""), form) for name in ("ended", "said"))
    if ended is not None and ended <= now and status in {"active", "unconfirmed"}:
        status = "resolved"
    scope = {word.casefold(): item for word, item in form.none.items()}.get(thing.casefold())
    why = next(
        (
            reason
            for reason, holds in (
                ("its cell for the thing is empty", not thing),
                (f"'{thing[:20]}' is a formula and no name", thing.startswith(_FORMULA)),
                ("it names nobody", bool(columns.subject) and not cell.get("subject")),
                (f"'{cell.get('relation', '')[:40]}' is no word of `relations`", not relation),
            )
            if holds
        ),
        "",
    )
    if why:
        return Refused(id=id_, reason=why)
    note = "" if status else f"status '{said_status[:40]}' is not in the mapping: unconfirmed"
    if cell.get("ended") and ended is None:
        note = f"'{cell['ended'][:20]}' is no day as `dates` has it: it counts as not over"
    text = "; ".join(f"{column}: {words}" for column, words in row.items() if words)
    proposal = Proposal(
        relation=relation,
        object=scope or thing,
        object_type=SCOPE_TYPE if scope else "",
        status="negated" if scope else status or "unconfirmed",
        attrs={
            attr: words
            for attr, column in columns.attrs.items()
            if (words := row.get(column, "")) and attr in schema.relations[relation].attrs
        },
        evidence=text,
        route=Route.RECORD,
        extractor=EXTRACTOR,
    )
    about = cell.get("subject", "")
    return FileEntry(
        id=id_, text=text, proposals=(proposal,), said_at=said, about=about, name=cell.get("name", ""), note=note
    )


def _day(text: str, form: TableForm) -> Instant | None:
    """Returns the day of a cell in the mapping's date format; `None` if it is no date."""
    if not form.dates:
        return instant_of(text)
    try:
        return int(datetime.strptime(text, form.dates).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def _numbered(data: bytes, name: str, form: TableForm) -> list[tuple[int, Row]]:
    """Returns the rows below the headings, each with its number in the file."""
    rows = list(_of_sheet(data, name, form.sheet) if data.startswith(b"PK") else _of_text(data, name, form))
    if not rows:
        raise InvalidInput(f"{name} is empty; give a table with headings")
    heads = [head.strip() for head in rows[0]]
    if twice := next((head for head in heads if head and heads.count(head) > 1), ""):
        raise InvalidInput(f"{name} has two columns '{twice}'; rename one")
    found: list[tuple[int, Row]] = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) > len(heads) and any(cell.strip() for cell in row[len(heads) :]):
            raise InvalidInput(f"{name}, line {number}: more cells than headings; nothing was imported, mend the line")
        cells = [" ".join(cell.split()) for cell in (*row, *[""] * len(heads))][: len(heads)]
        if any(cells):
            found.append((number, dict(zip(heads, cells, strict=True))))
    return found


def _of_text(data: bytes, name: str, form: TableForm) -> Iterator[Sequence[str]]:
    try:
        text = data.decode("utf-8-sig" if form.encoding.casefold().replace("_", "-") == "utf-8" else form.encoding)
    except (UnicodeDecodeError, LookupError) as error:
        said = f"is not {form.encoding}; say which encoding it has as `encoding:` in the mapping, such as latin-1"
        raise InvalidInput(f"{name} {said}") from error
    first = text.split("\n", 1)[0]
    delimiter = form.delimiter or max((",", ";", "\t"), key=first.count)
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    except csv.Error as error:
        raise InvalidInput(f"{name} is cut off or damaged ({error}); nothing was imported, make it anew") from error


def _of_sheet(data: bytes, name: str, sheet: int) -> Iterator[Sequence[str]]:
    """Yields the cells of each row of a sheet, as displayed."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _UNPACKED:
                raise InvalidInput(f"{name} unpacks to too much; save it as CSV")
            parts = {
                part: archive.read(part)
                for part in archive.namelist()
                if part.startswith("xl/") and part.endswith(".xml")
            }
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise InvalidInput(f"{name} is a damaged spreadsheet; save it anew, or as CSV") from error
    page = parts.get(f"xl/worksheets/sheet{sheet}.xml")
    if page is None:
        raise InvalidInput(f"{name} has no sheet {sheet}; name another as `sheet:` in the mapping")
    shared = []
    if (strings := parts.get("xl/sharedStrings.xml")) is not None:
        shared = [
            "".join(part.text or "" for part in item.iter() if tag(part) == "t")
            for item in element(strings.decode(), name)
        ]
    for row in (item for item in element(page.decode(), name).iter() if tag(item) == "row"):
        cells: dict[int, str] = {}
        for place, cell in enumerate(item for item in row if tag(item) == "c"):
            found = "".join(part.text or "" for part in cell.iter() if tag(part) in {"v", "t"})
            formula = any(tag(part) == "f" for part in cell)
            words = (
                shared[int(found)] if cell.get("t") == "s" and found.isdecimal() and int(found) < len(shared) else found
            )
            cells[_column(cell.get("r", ""), place)] = f"={words}" if formula else words
        yield [cells.get(number, "") for number in range(max(cells, default=-1) + 1)]


def _column(place: str, otherwise: int) -> int:
    """Returns the index of a cell's column, from 0: "B7" is 1."""
    letters = place.rstrip("0123456789")
    if not letters.isalpha():
        return otherwise
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1
