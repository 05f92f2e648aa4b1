"""What an installation decides once: where things lie, which store, which space, which limits.

Read from `config.yaml` in the home, then the environment, then explicit arguments; the later wins. Nothing here opens a
file of the domain or a store, and no message repeats a password or an address.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from r_memory.config.files import Files
from r_memory.config.yaml_lines import load
from r_memory.domain.facts import KNOWLEDGE_SPACE, Route
from r_memory.errors import ConfigurationError

PREFIX = "R_MEMORY_"
FILE = "config.yaml"
URI_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ROUTES = (Route.RULES, Route.CLIENT)


def default_data_dir() -> Path:
    """The user's own folder for the embedded store."""
    return Path(platformdirs.user_data_dir("r-memory", appauthor=False))


def default_cache_dir() -> Path:
    """The user's own folder for what can be computed again."""
    return Path(platformdirs.user_cache_dir("r-memory", appauthor=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One installation; every value is usable as it stands.

    Raises:
        ConfigurationError: a value cannot be used; names the setting and what to write.
    """

    home: Path | None = None
    """Folder whose files replace the shipped ones; `None` uses the shipped ones."""
    data_dir: Path = field(default_factory=default_data_dir)
    """Holds the embedded store; created when first used."""
    cache_dir: Path = field(default_factory=default_cache_dir)
    """Holds what can be computed again, by its content, so that installations may share it."""
    store_uri: str = ""
    """`neo4j://host:7687` and the like; empty keeps everything in the embedded store in `data_dir`."""
    store_user: str = "neo4j"
    store_password: str = field(default="", repr=False)
    store_database: str = ""
    """Empty: the server's default database."""
    space: str = "default"
    """Tenant of everything this installation reads and writes."""
    single_subject: str = ""
    """Id of the only subject there is, which calls may then leave out; empty: every call names one."""
    schema: str = "clinical"
    """`schema/<name>.yaml`."""
    routes: tuple[Route, ...] = _ROUTES
    """What may write facts: `rules` reads utterances, `client` takes triples from the calling assistant."""
    read_timeout_s: float = 5.0
    """After this, a read counts as failed and the block says so."""
    context_turns: int = 6
    """Earlier utterances of a conversation that help to read the next one; 0 reads each alone."""
    max_text: int = 8000
    """Longest utterance or request, in characters."""

    def __post_init__(self) -> None:
        for name, problem in _problems(self)[:1]:
            raise ConfigurationError(f"{name} {problem} (or {PREFIX}{name.upper()}, or `{name}:` in {FILE})")

    @property
    def embedded(self) -> bool:
        """Whether the store is a folder of this machine."""
        return not self.store_uri

    @property
    def store_dir(self) -> Path:
        """Folder of the embedded store."""
        return self.data_dir / "store"

    @property
    def files(self) -> Files:
        """Looks up the files that people edit.

        Raises:
            ConfigurationError: the home does not exist.
        """
        return Files(home=self.home)


def _problems(settings: Settings) -> list[tuple[str, str]]:
    """Setting and what is wrong with it; values are shown only where they cannot hold a secret."""
    checks = (
        ("store_uri", _uri_problem(settings.store_uri)),
        ("store_password", _password_problem(settings)),
        ("space", _space_problem(settings.space)),
        (
            "schema",
            "" if _NAME.fullmatch(settings.schema) else "must be a file name in schema/, such as clinical",
        ),
        ("routes", "" if set(settings.routes) <= set(_ROUTES) else f"knows {', '.join(_ROUTES)}; name one or both"),
        ("read_timeout_s", "" if 0 < settings.read_timeout_s <= 600 else "must be above 0 and at most 600 seconds"),
        ("context_turns", "" if 0 <= settings.context_turns <= 50 else "must be between 0 and 50"),
        ("max_text", "" if 100 <= settings.max_text <= 200_000 else "must be between 100 and 200000 characters"),
    )
    return [(name, problem) for name, problem in checks if problem]


def _uri_problem(uri: str) -> str:
    if not uri:
        return ""
    known = ", ".join(URI_SCHEMES)
    try:
        parts = urlsplit(uri)
        secret = parts.username is not None or parts.password is not None
        usable = parts.scheme in URI_SCHEMES and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        return f"is not an address; write SCHEME://HOST:PORT, the scheme one of {known}"
    if secret:
        return f"holds a user or password; give these as {PREFIX}STORE_USER and {PREFIX}STORE_PASSWORD"
    return "" if usable else f"is not an address; write SCHEME://HOST:PORT, the scheme one of {known}"


def _password_problem(settings: Settings) -> str:
    given = settings.store_password and settings.embedded
    return "is set, but no store_uri: set the address too, or remove the password" if given else ""


def _space_problem(space: str) -> str:
    if space == KNOWLEDGE_SPACE:
        return f"'{KNOWLEDGE_SPACE}' is reserved for the knowledge pack; choose another name"
    return "" if _SPACE.fullmatch(space) else "must be 1 to 64 letters, digits, '_', '-' or '.', such as clinic-a"


class _SettingsForm(BaseModel):
    """Settings as text or YAML gives them; what is absent stays unset."""

    model_config = ConfigDict(extra="forbid")

    home: Path | None = None
    data_dir: Path | None = None
    cache_dir: Path | None = None
    store_uri: str | None = None
    store_user: str | None = None
    store_password: str | None = Field(default=None, repr=False)
    store_database: str | None = None
    space: str | None = None
    single_subject: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    routes: tuple[Route, ...] | None = None
    read_timeout_s: float | None = None
    context_turns: int | None = None
    max_text: int | None = None

    @field_validator("home", "data_dir", "cache_dir")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()

    @field_validator("routes", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


_KNOWN = tuple(item.name for item in fields(Settings))


def load_settings(environ: Mapping[str, str], **explicit: object) -> Settings:
    """Settings of this installation; `explicit` uses the names of `Settings`, and `None` counts as not given.

    Raises:
        ConfigurationError: a value cannot be used, a variable looks misspelt, or the home does not exist.
    """
    _refuse_misspelt(environ)
    given = {name: value for name, value in explicit.items() if value is not None}
    spoken = {name: environ[variable] for name in _KNOWN if environ.get(variable := PREFIX + name.upper())}
    above = {**_checked(spoken, prefix=PREFIX), **_checked(given)}
    return Settings(**{**_from_file(above.get("home")), **above})


def _checked(values: Mapping[str, object], *, prefix: str = "") -> dict[str, Any]:
    """The values in their types; an error names the setting as the reader wrote it, never its value."""
    try:
        return _values(_SettingsForm.model_validate(dict(values)))
    except ValidationError as error:
        detail = error.errors(include_input=False, include_url=False)[0]
        name = str(detail["loc"][0])
        shown = prefix + name.upper() if prefix else name
        raise ConfigurationError(f"{shown}: {_said(detail['type'], detail['msg'])}") from None


def _from_file(home: Path | None) -> dict[str, Any]:
    """What `config.yaml` in the home says; nothing without a home or without the file."""
    files = Files(home=home)
    if home is None or not (home / FILE).is_file():
        return {}
    document = load(files.read(FILE))
    if not isinstance(document.data, dict):
        raise document.error("expected settings; write lines of `name: value`")
    if "home" in document.data:
        raise document.error("the home cannot be set in its own file; remove this line", ("home",))
    try:
        return _values(_SettingsForm.model_validate(document.data))
    except ValidationError as error:
        detail = error.errors(include_input=False, include_url=False)[0]
        raise document.error(_said(detail["type"], detail["msg"]), detail["loc"]) from None


def _values(form: _SettingsForm) -> dict[str, Any]:
    given = form.model_dump(exclude_none=True)
    return {"schema" if name == "schema_" else name: value for name, value in given.items()}


def _said(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return f"is not a setting; known: {', '.join(_KNOWN)}"
    if kind == "enum":
        return f"knows {', '.join(_ROUTES)}; name one or both, separated by a comma"
    return f"{message[:1].lower()}{message[1:]}"


def _refuse_misspelt(environ: Mapping[str, str]) -> None:
    """A variable close to one of ours would silently do nothing, and facts would go to another store."""
    known = [PREFIX + name.upper() for name in _KNOWN]
    for variable in environ:
        near = difflib.get_close_matches(variable, known, n=1, cutoff=0.85)
        if variable.startswith(PREFIX) and variable not in known and near:
            raise ConfigurationError(f"{variable} is not a setting; did you mean {near[0]}? Rename or unset it")
