"""What an installation decides once: where things lie, which store, which space, which limits.

Read from `config.yaml` in the home, then the environment, then explicit arguments; the later wins. Nothing here opens a
file of the domain or a store, and no message repeats a password or an address.
"""

import difflib
import re
from collections.abc import Mapping
from contextlib import suppress
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
_OF_TOOLS = frozenset(PREFIX + name for name in ("FOREIGN", "MINILM_ENV", "NEO4J_CACHE", "REQUIRE_NEO4J"))
"""Variables of the tests and scripts of this repository."""
FILE = "config.yaml"
URI_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ROUTES = (Route.RULES, Route.CLIENT, Route.MODEL)
"""What may write facts at an installation's choice."""
_DEFAULT_ROUTES = (Route.RULES, Route.CLIENT)
_OPINIONS = ("embedder", "model")
EMBEDDERS = ("wordllama", "openai", "sentence-transformers", "none")
HELPERS = ("local", "model")
KEY_FILE = "r-memory-model.key"
"""Holds the model's key on its first line; looked for in the current directory, then beside the configuration."""


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
    routes: tuple[Route, ...] = _DEFAULT_ROUTES
    """What may write facts: `rules` reads utterances offline, `client` takes triples from the calling assistant,
    `model` asks a language model, which `model_url` and `model_name` must then name."""
    model_url: str = ""
    """Base address of an OpenAI-compatible server, up to `/v1`."""
    model_name: str = ""
    """The model's name as that server knows it."""
    model_key: str = field(default="", repr=False)
    """Key of that server; empty for one that needs none. Also read from the file `r-memory-model.key`."""
    model_timeout_s: float = 20.0
    """After this, retries included, an utterance keeps its offline result and is read again later."""
    model_retries: int = 2
    """Further attempts where the server is overloaded or the connection breaks; 0 tries once."""
    opinions: tuple[str, ...] = ()
    """Who may open further rows of the table of action types, beside its keywords and examples: `embedder` compares
    meanings, `model` asks the language model that `model_url` and `model_name` must then name."""
    opinion_timeout_s: float = 2.0
    """After this, a request goes on without an opinion."""
    embedder: str = "wordllama"
    """What compares meanings in the conversational memory: `wordllama`, built in; `openai`, the embedding model
    `embedder_model` at `model_url`; `sentence-transformers`, a model in the folder `embedder_model`; `none`, words
    alone. After a change, items are embedded again."""
    embedder_model: str = ""
    """Name or folder of the embedder's model; the built-in one has none."""
    profile: str = "default"
    """How conversations are remembered where a call does not say: `default`, `scm`, `cim`, `mimir` and others that
    `r-memory describe` and docs/reference/conversation.md list."""
    controller: str = "local"
    """Who decides whether a question needs memory: `local`, a small classifier; `model`, the model at `model_url`."""
    summaries: str = "local"
    """Who summarises turns, conversations and windows of turns: `local`, by extracting; `model`, as above."""
    conversation_timeout_s: float = 30.0
    """After this, a context goes out without its conversation; the facts are not waited for here."""
    read_timeout_s: float = 5.0
    """After this, a read counts as failed and the block says so."""
    context_turns: int = 6
    """Earlier utterances of a conversation that help to read the next one; 0 reads each alone."""
    max_text: int = 8000
    """Longest utterance or request, in characters."""
    http_token: str = field(default="", repr=False)
    """Over HTTP: one token that may read and write in `space`; of 32 characters or more."""
    http_token_file: Path | None = None
    """Over HTTP: the file that `r-memory token` writes; `None` takes `tokens.yaml` of the home, if it is there."""
    http_issuer: str = ""
    """Over HTTP: the OAuth authorization server whose tokens count."""
    http_resource: str = ""
    """Over HTTP: address of this server as clients and OAuth tokens name it, such as `https://memory.example.com/mcp`."""
    http_jwks: str = ""
    """Address of the issuer's keys; empty looks it up in the issuer's metadata."""
    http_space_claim: str = ""
    """Claim of an OAuth token that names its space; empty: every token means `space`."""
    http_hosts: tuple[str, ...] = ()
    """Over HTTP: names that clients may call this server by, beside those of this machine's loopback."""
    http_origins: tuple[str, ...] = ()
    """Over HTTP: web pages that may call from a browser, such as `https://app.example.com`."""
    http_cert: Path | None = None
    """Over HTTP: certificate chain, to speak TLS without a proxy in front."""
    http_key: Path | None = None
    """Private key that goes with `http_cert`."""
    http_workers: int = 1
    """Over HTTP: processes behind the one address."""
    http_connections: int = 256
    """Over HTTP: most connections of one worker; others are told to come again."""
    http_rate: int = 100
    """Over HTTP: requests a second that one token may go on making, in each worker, after a burst of ten times as many;
    0: no limit."""

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
        ("routes", _routes_problem(settings)),
        ("opinions", _opinions_problem(settings)),
        ("opinion_timeout_s", "" if 0 < settings.opinion_timeout_s <= 60 else "must be above 0 and at most 60 seconds"),
        ("model_url", _model_url_problem(settings.model_url)),
        ("model_timeout_s", "" if 0 < settings.model_timeout_s <= 600 else "must be above 0 and at most 600 seconds"),
        ("model_retries", "" if 0 <= settings.model_retries <= 10 else "must be between 0 and 10"),
        ("embedder", "" if settings.embedder in EMBEDDERS else f"knows {', '.join(EMBEDDERS)}; name one"),
        ("embedder_model", _embedder_problem(settings)),
        ("controller", _helper_problem(settings, settings.controller)),
        ("summaries", _helper_problem(settings, settings.summaries)),
        (
            "conversation_timeout_s",
            "" if 0 < settings.conversation_timeout_s <= 600 else "must be above 0 and at most 600 seconds",
        ),
        ("read_timeout_s", "" if 0 < settings.read_timeout_s <= 600 else "must be above 0 and at most 600 seconds"),
        ("context_turns", "" if 0 <= settings.context_turns <= 50 else "must be between 0 and 50"),
        ("max_text", "" if 100 <= settings.max_text <= 200_000 else "must be between 100 and 200000 characters"),
        *_http_problems(settings),
    )
    return [(name, problem) for name, problem in checks if problem]


def _http_problems(settings: Settings) -> tuple[tuple[str, str], ...]:
    weak = 0 < len(settings.http_token) < 32
    return (
        ("http_token", "must have 32 characters or more; make one with `r-memory token`" if weak else ""),
        ("http_workers", "" if 1 <= settings.http_workers <= 64 else "must be between 1 and 64"),
        ("http_connections", "" if 1 <= settings.http_connections <= 65_536 else "must be between 1 and 65536"),
        ("http_rate", "" if 0 <= settings.http_rate <= 100_000 else "must be between 0 and 100000"),
    )


def _embedder_problem(settings: Settings) -> str:
    if settings.embedder == "openai" and not (settings.embedder_model and settings.model_url):
        return "must name the embedding model, and model_url its server, for the embedder openai"
    if settings.embedder == "sentence-transformers" and not settings.embedder_model:
        return "must name the folder of the model, for the embedder sentence-transformers"
    return ""


def _helper_problem(settings: Settings, name: str) -> str:
    if name not in HELPERS:
        return f"knows {', '.join(HELPERS)}; name one"
    if name == "model" and not (settings.model_url and settings.model_name):
        return "is a model: set model_url and model_name too, or say local"
    return ""


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


def _routes_problem(settings: Settings) -> str:
    if not set(settings.routes) <= set(_ROUTES):
        return f"knows {', '.join(_ROUTES)}; name one or more"
    if Route.MODEL in settings.routes and not (settings.model_url and settings.model_name):
        return f"names the model, but not which; set {PREFIX}MODEL_URL and {PREFIX}MODEL_NAME too, or leave it out"
    return ""


def _opinions_problem(settings: Settings) -> str:
    if not set(settings.opinions) <= set(_OPINIONS):
        return f"knows {', '.join(_OPINIONS)}; name none, one or both"
    if "model" in settings.opinions and not (settings.model_url and settings.model_name):
        return f"names the model, but not which; set {PREFIX}MODEL_URL and {PREFIX}MODEL_NAME too, or leave it out"
    return ""


def _model_url_problem(url: str) -> str:
    if not url:
        return ""
    usable, secret = False, False
    with suppress(ValueError):
        parts = urlsplit(url)
        secret = parts.username is not None or parts.password is not None or bool(parts.query)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    if secret:
        return f"holds a user, password or query; give the key as {PREFIX}MODEL_KEY"
    return "" if usable else "is not an address; write http://HOST:PORT/v1 or https://HOST/v1"


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
    model_url: str | None = None
    model_name: str | None = None
    model_key: str | None = Field(default=None, repr=False)
    model_timeout_s: float | None = None
    model_retries: int | None = None
    opinions: tuple[str, ...] | None = None
    opinion_timeout_s: float | None = None
    embedder: str | None = None
    embedder_model: str | None = None
    profile: str | None = None
    controller: str | None = None
    summaries: str | None = None
    conversation_timeout_s: float | None = None
    read_timeout_s: float | None = None
    context_turns: int | None = None
    max_text: int | None = None
    http_token: str | None = Field(default=None, repr=False)
    http_token_file: Path | None = None
    http_issuer: str | None = None
    http_resource: str | None = None
    http_jwks: str | None = None
    http_space_claim: str | None = None
    http_hosts: tuple[str, ...] | None = None
    http_origins: tuple[str, ...] | None = None
    http_cert: Path | None = None
    http_key: Path | None = None
    http_workers: int | None = None
    http_connections: int | None = None
    http_rate: int | None = None

    @field_validator("home", "data_dir", "cache_dir", "http_token_file", "http_cert", "http_key")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()

    @field_validator("routes", "opinions", "http_hosts", "http_origins", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


_KNOWN = tuple(item.name for item in fields(Settings))


def load_settings(environ: Mapping[str, str], **explicit: object) -> Settings:
    """Settings of this installation; `explicit` uses the names of `Settings`, and `None` counts as not given.

    Raises:
        ConfigurationError: a value cannot be used, a variable looks misspelt, or the home does not exist.
    """
    _refuse_unknown(environ)
    given = {name: value for name, value in explicit.items() if value is not None}
    spoken = {name: environ[variable] for name in _KNOWN if environ.get(variable := PREFIX + name.upper())}
    above = {**_checked(spoken, prefix=PREFIX), **_checked(given)}
    below = _from_file(above.get("home"))
    if (above | below).get("model_url") and "model_key" not in above:
        below |= _key_file(above.get("home"))
    return Settings(**{**below, **above})


def _key_file(home: Path | None) -> dict[str, str]:
    """The model's key from the nearest file that holds one; nothing where there is none.

    Raises:
        ConfigurationError: a file is there and cannot be read.
    """
    for folder in filter(None, (Path.cwd(), home)):
        path = folder / KEY_FILE
        try:
            lines = path.read_text(encoding="utf-8").split()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError("cannot be read as text; mend or remove it", file=path) from None
        if lines:
            return {"model_key": lines[0]}
    return {}


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
        return f"knows {', '.join(_ROUTES)}; name one or more, separated by commas"
    return f"{message[:1].lower()}{message[1:]}"


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """A variable that is almost one of ours would silently do nothing, and facts would go to another store."""
    known = {PREFIX + name.upper() for name in _KNOWN}
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in known | _OF_TOOLS:
            near = difflib.get_close_matches(variable, sorted(known), n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ConfigurationError(f"{variable} is not a setting; {hint}Rename or unset it")
