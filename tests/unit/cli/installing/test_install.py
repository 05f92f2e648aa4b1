"""`install` for every client: what it writes, what it keeps, and what it refuses."""

import io
import json
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from r_memory.cli.app import Exit
from r_memory.cli.installing import command as module
from r_memory.cli.installing.clients import NAMES, REMOTE, client_named, clients
from tests.unit.cli.conftest import Command

GOLDEN = Path(__file__).parents[3] / "golden" / "clients"
ENVIRONMENT = {"R_MEMORY_DATA_DIR": "/home/ann/.local/share/r-memory", "R_MEMORY_SPACE": "default"}
Places = Mapping[str, Path]
MACHINES: Mapping[str, Places] = {
    "linux": {
        "home": Path("/home/ann"),
        "config": Path("/home/ann/.config"),
        "zed": Path("/home/ann/.config/zed"),
    },
    "darwin": {
        "home": Path("/Users/ann"),
        "config": Path("/Users/ann/Library/Application Support"),
        "zed": Path("/Users/ann/.config/zed"),
    },
    "win32": {
        "home": Path("C:/Users/ann"),
        "config": Path("C:/Users/ann/AppData/Roaming"),
        "zed": Path("C:/Users/ann/AppData/Roaming/Zed"),
    },
}
OF_ONES_OWN = tuple(name for name in NAMES if name != REMOTE)


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Places:
    """A person's machine, in a folder."""
    config = tmp_path / "ann" / ".config"
    machine = {"home": tmp_path / "ann", "config": config, "zed": config / "zed"}
    monkeypatch.setattr(module, "_places", lambda: machine)
    monkeypatch.setattr(module, "_program", lambda: "/opt/r-memory/bin/r-memory")
    for name in [name for name in os.environ if name.startswith("R_MEMORY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(tmp_path / "data"))
    return machine


def said(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else dict(json.loads(text))


def test_every_client_that_the_help_names_has_its_entry_and_none_else() -> None:
    assert tuple(clients()) == NAMES


@pytest.mark.parametrize("name", OF_ONES_OWN)
def test_each_client_gets_the_reviewed_entry_at_the_reviewed_place(name: str) -> None:
    """The golden file is the review: where the file lies on each system, the entry, and the page that says so."""
    client = client_named(name)
    found = {
        "client": client.title,
        "source": client.source,
        "files": {system: client.path(machine, None).as_posix() for system, machine in MACHINES.items()},
        "project": client.project,
        "form": client.form,
        "content": {client.key: {"r-memory": client.entry("/opt/r-memory/bin/r-memory", ENVIRONMENT)}},
    }
    assert found == json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", OF_ONES_OWN)
def test_a_client_without_a_file_gets_one_that_only_its_owner_reads(command: Command, mine: Places, name: str) -> None:
    client = client_named(name)
    done = command("install", name)
    path = client.path(mine, None)
    assert done.code == Exit.DONE, done.err
    entry = said(path)[client.key]["r-memory"]
    assert entry["command"] == "/opt/r-memory/bin/r-memory"
    assert entry["args"] == ["serve"]
    assert Path(entry["env"]["R_MEMORY_DATA_DIR"]).is_absolute()
    assert entry["env"]["R_MEMORY_SPACE"] == "default"
    assert path.stat().st_mode & 0o077 == 0
    assert client.then in done.out


@pytest.mark.parametrize("name", OF_ONES_OWN)
def test_everything_else_in_the_file_stays_and_the_earlier_file_is_kept(
    command: Command, mine: Places, name: str
) -> None:
    client = client_named(name)
    path = client.path(mine, None)
    path.parent.mkdir(parents=True)
    before = (
        f'# mine\nmodel = "x"\n\n[{client.key}.other]\ncommand = "o"\n'
        if client.form == "toml"
        else f'{{\n  // mine\n  "model": "x",\n  "{client.key}": {{\n    "other": {{"command": "o"}}\n  }}\n}}\n'
    )
    path.write_text(before, encoding="utf-8")
    path.chmod(0o644)
    done = command("install", name)
    after = path.read_text(encoding="utf-8")
    assert done.code == Exit.DONE, done.err
    assert "mine" in after
    assert '"o"' in after
    assert path.stat().st_mode & 0o777 == 0o644
    [backup] = path.parent.glob("*.bak")
    assert backup.read_text(encoding="utf-8") == before
    assert command("install", name).out.startswith("r-memory is in")
    assert len(list(path.parent.glob("*.bak"))) == 1
    out = command("install", name, "--uninstall")
    assert out.code == Exit.DONE, out.err
    assert "r-memory" not in path.read_text(encoding="utf-8")
    assert "mine" in path.read_text(encoding="utf-8")
    assert "is not in" in command("install", name, "--uninstall").out


@pytest.mark.parametrize("name", OF_ONES_OWN)
@pytest.mark.parametrize("extra", [["--dry-run"], ["--print"]])
def test_showing_changes_nothing(command: Command, mine: Places, name: str, extra: list[str]) -> None:
    done = command("install", name, *extra)
    assert done.code == Exit.DONE
    assert "/opt/r-memory/bin/r-memory" in done.out
    assert not client_named(name).path(mine, None).exists()


@pytest.mark.parametrize(
    "content", [b'{"mcpServers": ', b"\xff\xfe{}", b'{"mcpServers": {"r-memory": {}, "r-memory": {}}}']
)
def test_a_file_that_is_not_understood_is_left_alone(command: Command, mine: Places, content: bytes) -> None:
    path = client_named("cursor").path(mine, None)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    done = command("install", "cursor")
    assert (done.code, path.read_bytes()) == (Exit.USAGE, content)
    assert str(path) in done.err
    assert "nothing was changed" in done.err
    assert list(path.parent.glob("*.bak")) == []


def test_what_a_person_added_to_the_entry_stays_and_settings_that_are_gone_go(command: Command, mine: Places) -> None:
    path = client_named("cline").path(mine, None)
    path.parent.mkdir(parents=True)
    entry = {
        "command": "old",
        "alwaysAllow": ["memory_describe"],
        "env": {"R_MEMORY_SINGLE_SUBJECT": "me", "HTTPS_PROXY": "p"},
    }
    path.write_text(json.dumps({"mcpServers": {"r-memory": entry}}), encoding="utf-8")
    assert command("install", "cline").code == Exit.DONE
    now = said(path)["mcpServers"]["r-memory"]
    assert (now["command"], now["alwaysAllow"]) == ("/opt/r-memory/bin/r-memory", ["memory_describe"])
    assert "R_MEMORY_SINGLE_SUBJECT" not in now["env"]
    assert now["env"]["HTTPS_PROXY"] == "p"


def test_one_persons_assistant_is_said_in_the_entry(command: Command, mine: Places) -> None:
    assert command("install", "cursor", "--single-subject", "me").code == Exit.DONE
    env = said(client_named("cursor").path(mine, None))["mcpServers"]["r-memory"]["env"]
    assert env["R_MEMORY_SINGLE_SUBJECT"] == "me"


def test_settings_of_the_shell_are_written_out_and_secrets_are_not(
    command: Command, mine: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R_MEMORY_STORE_URI", "neo4j://db.example.com:7687")
    monkeypatch.setenv("R_MEMORY_SCHEMA", "law")
    monkeypatch.setenv("R_MEMORY_HTTP_TOKEN", "t" * 40)
    monkeypatch.setenv("R_MEMORY_STORE_PASSWORD", "hunter2secret")
    refused = command("install", "cursor")
    assert (refused.code, "--with-password" in refused.err) == (Exit.USAGE, True)
    done = command("install", "cursor", "--with-password")
    env = said(client_named("cursor").path(mine, None))["mcpServers"]["r-memory"]["env"]
    assert (env["R_MEMORY_STORE_URI"], env["R_MEMORY_SCHEMA"]) == ("neo4j://db.example.com:7687", "law")
    assert env["R_MEMORY_STORE_PASSWORD"] == "hunter2secret"
    assert "R_MEMORY_HTTP_TOKEN" not in env
    assert "hunter2secret" not in done.out + done.err + refused.err


def test_a_models_key_is_not_written_and_that_is_said(
    command: Command, mine: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R_MEMORY_MODEL_KEY", "sk-hunter2")
    done = command("install", "cursor")
    assert done.code == Exit.DONE
    assert "R_MEMORY_MODEL_KEY is set here and is not written" in done.err
    assert "put `model_key:` into config.yaml" in done.err
    assert "hunter2" not in done.out + done.err + client_named("cursor").path(mine, None).read_text("utf-8")


def test_a_neighbours_secret_is_not_shown_in_the_difference(command: Command, mine: Places) -> None:
    path = client_named("cursor").path(mine, None)
    path.parent.mkdir(parents=True)
    path.write_text('{"mcpServers": {"other": {"env": {"API_KEY": "sk-canary"}}}}', encoding="utf-8")
    done = command("install", "cursor")
    assert "sk-canary" not in done.out
    assert "sk-canary" in path.read_text(encoding="utf-8")


def test_a_link_stays_a_link(command: Command, mine: Places, tmp_path: Path) -> None:
    path = client_named("cursor").path(mine, None)
    path.parent.mkdir(parents=True)
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    path.symlink_to(real)
    assert command("install", "cursor").code == Exit.DONE
    assert path.is_symlink()
    assert "r-memory" in said(real)["mcpServers"]


def test_a_project_has_a_file_of_its_own_where_the_client_has_one(
    command: Command, mine: Places, tmp_path: Path
) -> None:
    assert command("install", "claude-code", "--project", str(tmp_path)).code == Exit.DONE
    assert said(tmp_path / ".mcp.json")["mcpServers"]["r-memory"]["type"] == "stdio"
    refused = command("install", "windsurf", "--project", str(tmp_path))
    assert (refused.code, "leave --project out" in refused.err) == (Exit.USAGE, True)
    assert not mine["home"].exists()


def test_chatgpt_is_told_where_to_enter_the_address(command: Command, mine: Places) -> None:
    done = command("install", "chatgpt", "--url", "https://memory.example.com/mcp")
    assert done.code == Exit.DONE
    assert "Connector URL: https://memory.example.com/mcp" in done.out
    assert not mine["home"].exists()


def test_an_unknown_client_is_refused_with_the_known_ones(command: Command, mine: Places) -> None:
    refused = command("install", "emacs")
    assert refused.code == Exit.USAGE
    assert [name for name in NAMES if name not in refused.err] == []
    assert not mine["home"].exists()


class Terminal(io.StringIO):
    """What a person types."""

    @override
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "subject"),
    [("n\n", None), ("\n", None), ("y\nn\nno\nyes\njane-doe\n", "jane-doe")],
    ids=["no", "enter", "yes"],
)
def test_yes_or_no_is_asked_for_before_an_id_and_is_none(
    typed: str, subject: str | None, command: Command, mine: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert command("install", "cursor").code == Exit.DONE
    env = said(client_named("cursor").path(mine, None))["mcpServers"]["r-memory"]["env"]
    assert env.get("R_MEMORY_SINGLE_SUBJECT") == subject


def test_a_persons_own_assistant_is_offered_the_schema_that_was_made_for_it(
    command: Command, mine: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("y\n\n"))
    assert command("install", "cursor").code == Exit.DONE
    asked = said(client_named("cursor").path(mine, None))["mcpServers"]["r-memory"]["env"]
    assert command("install", "windsurf", "--personal").code == Exit.DONE
    told = said(client_named("windsurf").path(mine, None))["mcpServers"]["r-memory"]["env"]

    assert [env["R_MEMORY_SCHEMA"] for env in (asked, told)] == ["personal", "personal"]
    assert "R_MEMORY_SINGLE_SUBJECT" not in asked | told


def test_one_person_and_many_are_not_both_installed(command: Command) -> None:
    refused = command("install", "cursor", "--personal", "--many-subjects")
    assert (refused.code, "leave out --many-subjects" in refused.err) == (Exit.USAGE, True)


def test_an_address_that_chatgpt_does_not_call_is_refused(command: Command) -> None:
    done = command("install", "chatgpt", "--url", "http://memory.example.com/mcp")
    assert (done.code, "https://" in done.err) == (Exit.USAGE, True)
