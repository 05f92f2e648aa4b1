"""A command whose output is pasted before a request never prints nothing: where it could not read, it says so there."""

from pathlib import Path

import pytest

from r_memory.cli.app import READING, Exit
from tests.unit.cli.conftest import Command

_JOHN = ("--subject", "JD001")
ASKED = {
    "recall": ("give him eggs", *_JOHN),
    "check-text": ("Take eggs.", *_JOHN),
    "across": ("Halvorsen",),
    "subjects": (),
    "facts": _JOHN,
    "history": ("7f3a2c1e",),
    "search": ("eggs", *_JOHN),
    "review": (),
    "conversation": ("show", "first", *_JOHN),
    "audit": ("pending_statements",),
    "receipts": (),
    "reconcile": ("JD001",),
    "cypher": ("MATCH (e:Episode) RETURN e.space AS space, e.text AS text",),
}


@pytest.mark.parametrize("name", sorted(READING))
@pytest.mark.parametrize("trouble", ["a folder that is a file", "a wrong setting", "a wrong home", "an unknown schema"])
def test_what_could_not_be_read_is_said_where_the_answer_would_stand(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, trouble: str
) -> None:
    (tmp_path / "file").touch()
    match trouble:
        case "a folder that is a file":
            monkeypatch.setenv("R_MEMORY_DATA_DIR", str(tmp_path / "file"))
        case "a wrong setting":
            monkeypatch.setenv("R_MEMORY_READ_TIMEOUT_S", "soon")
        case "a wrong home":
            monkeypatch.setenv("R_MEMORY_HOME", str(tmp_path / "nowhere"))
        case _:
            monkeypatch.setenv("R_MEMORY_SCHEMA", "nautical")
    done = command(name, *ASKED[name])
    assert done.code == Exit.UNAVAILABLE
    assert "SAFETY MEMORY UNAVAILABLE: " in done.out
    told = command(name, *ASKED[name], "--json")
    assert (told.code, told.json["state"], told.json["complete"]) == (Exit.UNAVAILABLE, "COULD-NOT-CHECK", False)
