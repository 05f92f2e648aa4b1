"""What an installation decides once: where things lie, which store, which space, which limits.

Each setting is declared once, as a field of `Settings`: its name, type, bounds, default and meaning. Read from
`config.yaml` in the home, then the environment, then explicit arguments; the later wins. Nothing here opens a file of
the domain or a store, and no message repeats a password or an address.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from r_memory.config.access_tokens import SPACE, not_reserved
from r_memory.config.files import Files, nearest, user_folder
from r_memory.config.names import meant, written
from r_memory.config.yaml_lines import Step, YamlDocument, load
from r_memory.domain.facts import Route
from r_memory.errors import ConfigurationError

PREFIX = "R_MEMORY_"
_OF_TOOLS = frozenset(PREFIX + name for name in ("FOREIGN", "MINILM_ENV", "NEO4J_CACHE", "REQUIRE_NEO4J"))
"""Variables of the tests and scripts of this repository."""
FILE = "config.yaml"
URI_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
KEY_FILE = "r-memory-model.key"
"""Holds the model's key on its first line; looked for in the current directory, then beside the configuration."""


def default_data_dir() -> Path:
    """The user's own folder for the embedded store."""
    return user_folder("data")


def default_cache_dir() -> Path:
    """The user's own folder for what can be computed again."""
    return user_folder("cache")


def no_modes() -> Mapping[str, object]:
    """None of your own."""
    return {}


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _split_address(address: str) -> SplitResult | None:
    """The parts of an address with a host; `None` where it has none, or a port that is no port."""
    try:
        parts = urlsplit(address)
        usable = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if usable else None


def _store_address(uri: str) -> str:
    parts = _split_address(uri)
    if parts and (parts.username is not None or parts.password is not None):
        raise ValueError(f"holds a user or password; give these as {PREFIX}STORE_USER and {PREFIX}STORE_PASSWORD")
    if uri and (parts is None or parts.scheme not in URI_SCHEMES):
        raise ValueError(f"is not an address; write SCHEME://HOST:PORT, the scheme one of {', '.join(URI_SCHEMES)}")
    return uri


def _model_address(url: str) -> str:
    parts = _split_address(url)
    if parts and (parts.username is not None or parts.password is not None or parts.query):
        raise ValueError(f"holds a user, password or query; give the key as {PREFIX}MODEL_KEY")
    if url and (parts is None or parts.scheme not in {"http", "https"}):
        raise ValueError("is not an address; write http://HOST:PORT/v1 or https://HOST/v1")
    return url


Location = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
"""`~` and what is relative are resolved where the setting is read."""
Listed = BeforeValidator(_split)
"""Takes a list, or one text with commas."""
SpaceName = written(SPACE.pattern, "must be 1 to 64 letters, digits, '_', '-' or '.', such as clinic-a")
SchemaName = written("[a-z0-9][a-z0-9_-]{0,63}", "must be a file name in schema/, such as clinical")
LongToken = written("(?s:.{32,})?", "must have 32 characters or more; make one with `r-memory token`")

DEFAULT = "default"
"""Where a setting comes from that nobody set."""


class _Unusable(ConfigurationError):
    """A setting that cannot be used as it stands; whoever knows where it was written says so."""

    def __init__(self, path: Sequence[Step], problem: str) -> None:
        super().__init__(f"{path[0]}: {problem}")
        self.path = tuple(path)
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Settings:
    """One installation; every value is usable as it stands. Texts are read as in the environment.

    >>> Settings(routes="rules,client", max_text="500").max_text
    500

    Raises:
        ConfigurationError: a value cannot be used; names the setting and what to write.
    """

    home: Location | None = None
    """Folder whose files replace the shipped ones; absent: the shipped ones."""
    data_dir: Location = field(default_factory=default_data_dir)
    """Holds the embedded store; created when first used."""
    cache_dir: Location = field(default_factory=default_cache_dir)
    """Holds what can be computed again, by its content, so that installations may share it."""
    store_uri: Annotated[str, AfterValidator(_store_address)] = ""
    """`neo4j://host:7687` and the like; empty keeps everything in the embedded store in `data_dir`."""
    store_user: str = "neo4j"
    """Who signs in at `store_uri`."""
    store_password: str = field(default="", repr=False)
    """Of that user; refused where no `store_uri` is set."""
    store_database: str = ""
    """Empty: the server's default database."""
    space: Annotated[str, AfterValidator(not_reserved), SpaceName] = "default"
    """Tenant of everything this installation reads and writes."""
    single_subject: str = ""
    """Id of the only subject there is, which calls may then leave out; empty: every call names one."""
    schema: Annotated[str, SchemaName] = "clinical"
    """`schema/<name>.yaml`."""
    routes: Annotated[tuple[Literal[Route.RULES, Route.CLIENT, Route.MODEL], ...], Listed] = (Route.RULES, Route.CLIENT)
    """What may write facts: `rules` reads utterances offline, `client` takes triples from the calling assistant,
    `model` asks a language model, which `model_url` and `model_name` must then name."""
    client_reading: Literal["counts", "heard"] = "counts"
    """How far the calling assistant's reading of the words counts: `counts` stores its risks as said; `heard` stores
    nothing as certain on its word alone."""
    model_reading: Literal["counts", "heard"] = "counts"
    """The same of the language model at `model_url`, which counts only once it has passed `r-memory exam`."""
    model_url: Annotated[str, AfterValidator(_model_address)] = ""
    """Base address of an OpenAI-compatible server, up to `/v1`."""
    model_name: str = ""
    """The model's name as that server knows it."""
    model_key: str = field(default="", repr=False)
    """Key of that server; empty for one that needs none. Also read from the file `r-memory-model.key`."""
    model_timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0
    """After this, retries included, an utterance keeps its offline result and is read again later."""
    model_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Further attempts where the server is overloaded or the connection breaks; 0 tries once."""
    model_max_tokens: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Longest answer of the model, in tokens; 0 leaves it to the server."""
    small_model_name: str = ""
    """A smaller model for everything but the chat's answers: reading, opinions, controller and summaries. Empty: the
    chat's."""
    small_model_url: Annotated[str, AfterValidator(_model_address)] = ""
    """Base address of the smaller model's server; empty: `model_url`."""
    small_model_key: str = field(default="", repr=False)
    """Key of the smaller model's server; `model_key` goes to no other address than `model_url`."""
    opinions: Annotated[tuple[Literal["embedder", "model"], ...], Listed] = ()
    """Who may open further rows of the table of action types, beside its keywords and examples: `embedder` compares
    meanings, `model` asks the language model that `model_url` and `model_name` must then name."""
    opinion_timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0
    """After this, a request goes on without an opinion."""
    embedder: Literal["wordllama", "openai", "sentence-transformers", "none"] = "wordllama"
    """What compares meanings in the conversational memory: `wordllama`, built in; `openai`, the embedding model
    `embedder_model` at `model_url`; `sentence-transformers`, a model in the folder `embedder_model`; `none`, words
    alone. After a change, items are embedded again."""
    embedder_model: str = ""
    """Name or folder of the embedder's model; the built-in one has none."""
    profile: str = "default"
    """How conversations are remembered where a call does not say: `default`, `scm`, `cim`, `mimir` and others that
    `r-memory describe` and docs/reference/conversation.md list."""
    conversation: Mapping[str, object] = field(default_factory=no_modes)
    """Modes of your own, in the file only: a name with the switches that differ from a shipped mode
    (`ward: {like: mimir, k: 8}`); docs/reference/conversation.md lists them."""
    other_conversations: bool = True
    """Whether a turn also finds, in at most a third of its places or those that would stay empty, what was said in
    other conversations about the same subject; one that has rested for a day is then summarised into a memory."""
    controller: Literal["local", "model"] = "local"
    """Who decides whether a question needs memory: `local`, a small classifier; `model`, the model at `model_url`."""
    summaries: Literal["local", "model"] = "local"
    """Who summarises turns, conversations and windows of turns: `local`, by extracting; `model`, as above."""
    conversation_timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    """After this, a context goes out without its conversation; the facts are not waited for here."""
    read_timeout_s: Annotated[float, Field(gt=0, le=600)] = 5.0
    """After this, a read counts as failed and the block says so; time in which this process was too busy to take an
    answer does not count."""
    context_turns: Annotated[int, Field(ge=0, le=50)] = 6
    """Earlier utterances of a conversation that help to read the next one; 0 reads each alone."""
    max_text: Annotated[int, Field(ge=100, le=200_000)] = 8000
    """Characters that are read at once; longer utterances and requests, up to 200000, are read in parts."""
    http_token: Annotated[str, LongToken] = field(default="", repr=False)
    """Over HTTP: one token that may read and write in `space`; of 32 characters or more."""
    http_token_file: Location | None = None
    """Over HTTP: the file that `r-memory token` writes; absent: `tokens.yaml` of the home, if it is there."""
    http_issuer: str = ""
    """Over HTTP: the OAuth authorization server whose tokens count."""
    http_resource: str = ""
    """Over HTTP: address of this server as clients and OAuth tokens name it, such as `https://memory.example.com/mcp`."""
    http_jwks: str = ""
    """Address of the issuer's keys; empty looks it up in the issuer's metadata."""
    http_space_claim: str = ""
    """Claim of an OAuth token that names its space; empty: every token means `space`."""
    http_hosts: Annotated[tuple[str, ...], Listed] = ()
    """Over HTTP: names that clients may call this server by, beside those of this machine's loopback."""
    http_origins: Annotated[tuple[str, ...], Listed] = ()
    """Over HTTP: web pages that may call from a browser, such as `https://app.example.com`."""
    http_cert: Location | None = None
    """Over HTTP: certificate chain, to speak TLS without a proxy in front."""
    http_key: Location | None = None
    """Private key that goes with `http_cert`."""
    http_connections: Annotated[int, Field(ge=1, le=65_536)] = 256
    """Over HTTP: most connections; others are told to come again."""

    @classmethod
    def from_environment(cls, **explicit: object) -> "Settings":
        """The settings that the command line has here: `config.yaml` of the home, the environment, then `explicit`.

        Raises:
            ConfigurationError: a value cannot be used, a variable looks misspelt, or the home does not exist.
        """
        return load_settings(os.environ, **explicit)

    @model_validator(mode="wrap")
    @classmethod
    def _named(cls, given: object, handler: ModelWrapValidatorHandler["Settings"]) -> "Settings":
        """Errors name the setting and never its value."""
        try:
            return handler(given)
        except ValidationError as error:
            detail = error.errors(include_input=False, include_url=False)[0]
            raise _Unusable(detail["loc"], _problem(detail)) from None

    def __post_init__(self) -> None:
        for name, problem in self._conflicts():
            raise _Unusable((name,), problem)

    def _conflicts(self) -> Iterator[tuple[str, str]]:
        """Settings that need another one, and what to do about it."""
        if self.store_password and self.embedded:
            yield "store_password", "is set, but no store_uri: set the address too, or remove the password"
        if self.embedder == "openai" and not (self.embedder_model and self.model_url):
            yield "embedder_model", "must name the embedding model, and model_url its server, for the embedder openai"
        if self.embedder == "sentence-transformers" and not self.embedder_model:
            yield "embedder_model", "must name the folder of the model, for the embedder sentence-transformers"
        small = self.with_small_model
        if not (small.model_url and small.model_name):
            needed = f"set {PREFIX}MODEL_URL and {PREFIX}MODEL_NAME too, or leave it out"
            for name in ("routes", "opinions", "controller", "summaries"):
                chosen = getattr(self, name)
                if "model" in ((chosen,) if isinstance(chosen, str) else chosen):
                    yield name, f"names the model, but not which; {needed}"
        if not self.small_model_name:
            needed = f"is set, but no small_model_name: set {PREFIX}SMALL_MODEL_NAME too, or leave it out"
            yield from ((name, needed) for name in ("small_model_url", "small_model_key") if getattr(self, name))

    @property
    def with_small_model(self) -> "Settings":
        """These settings with the smaller model in the place of the chat's, if one is named."""
        if not self.small_model_name:
            return self
        elsewhere = self.small_model_url not in {"", self.model_url}
        return replace(
            self,
            model_url=self.small_model_url or self.model_url,
            model_name=self.small_model_name,
            model_key=self.small_model_key or ("" if elsewhere else self.model_key),
            small_model_name="",
            small_model_url="",
            small_model_key="",
        )

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
        """Looks up the files that people edit."""
        return Files(home=self.home)


_LIKE = 0.55
"""Takes STOER for STORE_URI and leaves LOG_LEVEL alone."""
_KNOWN = tuple(item.name for item in fields(Settings))
_VARIABLES = {name: PREFIX + name.upper() for name in _KNOWN}
_OF_A_PROXY = {"http_workers": "spreads requests over several servers", "http_rate": "limits how often a token calls"}
"""Settings of earlier versions, and what the proxy in front does in their place."""


def load_settings(environ: Mapping[str, str], **explicit: object) -> Settings:
    """Settings of this installation; `explicit` uses the names of `Settings`, and `None` counts as not given."""
    return _read(environ, explicit)[0]


def sources(environ: Mapping[str, str], **explicit: object) -> Mapping[str, str]:
    """Where `load_settings` has each setting from: an option, a variable, a line of a file, or its default."""
    return {**dict.fromkeys(_KNOWN, DEFAULT), **_read(environ, explicit)[1]}


def _read(environ: Mapping[str, str], explicit: Mapping[str, object]) -> tuple[Settings, Mapping[str, str]]:
    """The settings, and where each comes from that somebody set."""
    _refuse_unknown(environ)
    given = {name: value for name, value in explicit.items() if value is not None}
    spoken = {name: environ[variable] for name, variable in _VARIABLES.items() if environ.get(variable)}
    written: YamlDocument | None = None
    said: dict[str, Any] = {**spoken, **given}
    try:
        home = Settings(home=said.get("home")).home
        written = _file(home)
        entries = _entries(written)
        values = {**entries, **said}
        key = _key_file(home) if values.get("model_url") and "model_key" not in said else {}
        settings = Settings(**{**values, **key})
    except _Unusable as error:
        raise _aswritten(error, given, spoken, written) from None
    lines = {} if written is None else {name: f"{written.file}:{written.line((name,))}" for name in entries}
    variables = {name: _VARIABLES[name] for name in spoken}
    options = {name: f"--{name}" for name in given}
    return settings, {**lines, **dict.fromkeys(key, KEY_FILE), **variables, **options}


def _aswritten(
    error: _Unusable, given: Mapping[str, object], spoken: Mapping[str, str], written: YamlDocument | None
) -> ConfigurationError:
    """The error, under the name and at the place that the reader wrote."""
    name = str(error.path[0])
    if name in given:
        return error
    if name in spoken:
        return ConfigurationError(f"{_VARIABLES[name]}: {error.problem}")
    if written is not None and name in _entries(written):
        return written.error(error.problem, error.path)
    return ConfigurationError(f"{error} ({PREFIX}{name.upper()}, or `{name}:` in {FILE})")


def _file(home: Path | None) -> YamlDocument | None:
    """`config.yaml` of the home; `None` without a home or without the file."""
    files = Files(home=home)
    if home is None or not (home / FILE).is_file():
        return None
    document = load(files.read(FILE))
    if not isinstance(document.data, dict):
        raise document.error("expected settings; write lines of `name: value`")
    if "home" in document.data:
        raise document.error("the home cannot be set in its own file; remove this line", ("home",))
    return document


def _entries(document: YamlDocument | None) -> dict[str, object]:
    """What the file sets; a known name without a value sets nothing."""
    entries = document.data if document is not None and isinstance(document.data, dict) else {}
    return {name: value for name, value in entries.items() if value is not None or name not in _KNOWN}


def _key_file(home: Path | None) -> dict[str, str]:
    """The model's key from the nearest file that holds one; nothing where there is none."""
    return next(({"model_key": words[0]} for _, text in nearest(KEY_FILE, home) if (words := text.split())), {})


def _problem(detail: ErrorDetails) -> str:
    """What is wrong with a value, without the value."""
    kind, name = detail["type"], str(detail["loc"][0])
    if kind == "unexpected_keyword_argument" and name in _OF_A_PROXY:
        return _left_to_a_proxy(name)
    if kind == "unexpected_keyword_argument":
        return f"is not a setting; {meant(name, _KNOWN, likeness=_LIKE)}known: {', '.join(_KNOWN)}"
    if kind == "path_type":
        return "must be a path"
    allowed = TypeAdapter(Settings).json_schema()["properties"].get(name, {})
    if kind == "literal_error":
        choice = allowed.get("items", allowed)["enum"]
        return f"knows {', '.join(choice)}; name {'one or more' if 'items' in allowed else 'one'}"
    if kind in {"greater_than", "greater_than_equal", "less_than_equal"}:
        low = f"between {allowed['minimum']} and" if "minimum" in allowed else "above 0 and at most"
        return f"must be {low} {allowed['maximum']}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{message[:1].lower()}{message[1:]}"


def _left_to_a_proxy(name: str) -> str:
    return (
        f"is no setting any more: the proxy in front {_OF_A_PROXY[name]} (docs/how-to/serve-over-http.md has its "
        "lines); remove it"
    )


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """A variable that is almost one of ours would silently do nothing, and facts would go to another store."""
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in {*_OF_TOOLS, *_VARIABLES.values()}:
            name = variable.removeprefix(PREFIX)
            if name.lower() in _OF_A_PROXY:
                raise ConfigurationError(f"{variable} {_left_to_a_proxy(name.lower())}")
            # The prefix would make all names alike.
            names = [name.upper() for name in _KNOWN]
            hint = meant(name, names, likeness=_LIKE, prefix=PREFIX)
            raise ConfigurationError(f"{variable} is not a setting; {hint}rename or unset it")
