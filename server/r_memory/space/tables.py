"""Rows of an audit as CSV without spreadsheet formulas and terminal commands."""

import csv
import io
import json

from r_memory.protocols import Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which a spreadsheet formula begins."""


def as_csv_text(table: Table) -> str:
    """The table as CSV, with a header line of its columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """A text without spreadsheet formulas and terminal commands; lists and maps become JSON."""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    shown = "".join(character if character.isprintable() or character == "\n" else " " for character in value)
    return f"'{shown}" if value.startswith(_FORMULA) else shown
