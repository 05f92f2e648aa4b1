"""Settings: which source wins, and messages that name the variable and repeat no secret."""

from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.config.settings import Settings, default_cache_dir, default_data_dir, load_settings
from r_memory.domain.facts import Route
from r_memory.errors import ConfigurationError


def test_nothing_given_means_an_embedded_store_of_many_subjects() -> None:
    settings = load_settings({})

    assert settings == Settings(
        home=None,
        data_dir=default_data_dir(),
        store_uri="",
        store_user="neo4j",
        store_password="",
        store_database="",
        space="default",
        single_subject="",
        schema="clinical",
        routes=(Route.RULES, Route.CLIENT),
        read_timeout_s=5.0,
        context_turns=6,
        max_text=8000,
    )
    assert settings.embedded
    assert settings.store_dir.parent == default_data_dir()
    assert settings.cache_dir == default_cache_dir()


def test_explicit_wins_over_environment_over_file(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("space: file\nschema: law\nmax_text: 500\n", encoding="utf-8")
    environ = {"R_MEMORY_HOME": str(tmp_path), "R_MEMORY_SPACE": "variable", "R_MEMORY_SCHEMA": "finance"}

    settings = load_settings(environ, space="explicit", schema=None)

    assert (settings.space, settings.schema, settings.max_text) == ("explicit", "finance", 500)
    assert settings.files.home == tmp_path


def test_every_setting_is_read_from_its_variable(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "R_MEMORY_DATA_DIR": str(tmp_path / "data"),
            "R_MEMORY_STORE_URI": "neo4j+s://graph.example:7687",
            "R_MEMORY_STORE_USER": "ann",
            "R_MEMORY_STORE_PASSWORD": "s3cret",
            "R_MEMORY_STORE_DATABASE": "ward",
            "R_MEMORY_SINGLE_SUBJECT": "me",
            "R_MEMORY_ROUTES": "rules",
            "R_MEMORY_READ_TIMEOUT_S": "2.5",
            "R_MEMORY_CONTEXT_TURNS": "0",
            "R_MEMORY_MAX_TEXT": "",
        }
    )

    assert settings == Settings(
        data_dir=tmp_path / "data",
        store_uri="neo4j+s://graph.example:7687",
        store_user="ann",
        store_password="s3cret",
        store_database="ward",
        single_subject="me",
        routes=(Route.RULES,),
        read_timeout_s=2.5,
        context_turns=0,
    )
    assert not settings.embedded


def test_a_home_directory_sign_is_resolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    assert load_settings({"R_MEMORY_DATA_DIR": "~/store"}).data_dir == tmp_path / "store"


@pytest.mark.parametrize(
    ("variable", "value", "remedy"),
    [
        ("SPACE", "knowledge", "R_MEMORY_SPACE: 'knowledge' is reserved for the knowledge pack; choose another name"),
        ("SPACE", "a b", "R_MEMORY_SPACE: must be 1 to 64 letters"),
        ("SCHEMA", "../clinical", "R_MEMORY_SCHEMA: must be a file name in schema/"),
        ("STORE_URI", "localhost:7687", "R_MEMORY_STORE_URI: is not an address; write SCHEME://HOST:PORT"),
        ("STORE_URI", "http://h:1", "the scheme one of neo4j, neo4j+s"),
        ("STORE_URI", "neo4j://h:port", "R_MEMORY_STORE_URI: is not an address"),
        ("STORE_PASSWORD", "s3cret", "R_MEMORY_STORE_PASSWORD: is set, but no store_uri"),
        ("ROUTES", "rules,guess", "R_MEMORY_ROUTES: knows rules, client, model; name one or more"),
        ("ROUTES", "model", "R_MEMORY_ROUTES: names the model, but not which"),
        ("OPINIONS", "embedder,oracle", "R_MEMORY_OPINIONS: knows embedder, model; name one or more"),
        ("OPINIONS", "model", "R_MEMORY_OPINIONS: names the model, but not which"),
        ("OPINION_TIMEOUT_S", "0", "R_MEMORY_OPINION_TIMEOUT_S: must be above 0 and at most 60"),
        ("READ_TIMEOUT_S", "soon", "R_MEMORY_READ_TIMEOUT_S: input should be a valid number"),
        ("READ_TIMEOUT_S", "nan", "R_MEMORY_READ_TIMEOUT_S: must be above 0"),
        ("READ_TIMEOUT_S", "0", "R_MEMORY_READ_TIMEOUT_S: must be above 0"),
        ("CONTEXT_TURNS", "-1", "R_MEMORY_CONTEXT_TURNS: must be between 0 and 50"),
        ("MAX_TEXT", "1", "R_MEMORY_MAX_TEXT: must be between 100 and 200000"),
        ("STORE_URL", "neo4j://h:1", "R_MEMORY_STORE_URL is not a setting; did you mean 'R_MEMORY_STORE_URI'?"),
        ("LOG_LEVEL", "debug", "R_MEMORY_LOG_LEVEL is not a setting; rename or unset it"),
        (
            "HTTP_RATE",
            "100",
            "R_MEMORY_HTTP_RATE is no setting any more: the proxy in front limits how often a",
        ),
        ("STOER", "neo4j://h:1", "R_MEMORY_STOER is not a setting; did you mean 'R_MEMORY_STORE_"),
        ("ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ", "1", "is not a setting; rename or unset it"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(variable: str, value: str, remedy: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_settings({f"R_MEMORY_{variable}": value})

    assert remedy in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_variables_of_other_tools_are_left_alone() -> None:
    assert load_settings({"R_MEMORY_REQUIRE_NEO4J": "1", "PATH": "x"}).space == "default"


@pytest.mark.proves("Z35")
def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigurationError, match="give these as R_MEMORY_STORE_USER") as refused:
        load_settings({"R_MEMORY_STORE_URI": "neo4j://ann:s3cret@h:7687"})

    assert "s3cret" not in str(refused.value)
    assert "s3cret" not in repr(Settings(store_uri="neo4j://h:7687", store_password="s3cret"))


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        ("space: a\nspaces: b\n", 2, "spaces: is not a setting; did you mean 'space'\\? known: home, data_dir"),
        (
            "http_workers: 4\n",
            1,
            "http_workers: is no setting any more: the proxy in front spreads requests over",
        ),
        ("colour: b\n", 1, "colour: is not a setting; known: home, data_dir"),
        ("schema: law\nmax_text: 1\n", 2, "max_text: must be between 100 and 200000"),
        ("routes: [rules, guess]\n", 1, "routes.1: knows rules, client, model"),
        ("space: [a]\n", 1, "input should be a valid string"),
        ("- a\n", 1, "expected settings; write lines of `name: value`"),
        ("space: a\nhome: b\n", 2, "the home cannot be set in its own file"),
        ("space: a\nspace: b\n", 2, "duplicate key"),
    ],
)
def test_a_wrong_file_of_settings_is_refused_at_its_line(tmp_path: Path, text: str, line: int, remedy: str) -> None:
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=remedy) as refused:
        load_settings({}, home=tmp_path)

    assert (refused.value.file, refused.value.line) == (tmp_path / "config.yaml", line)


def test_an_unknown_explicit_setting_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="colour: is not a setting; known: home"):
        load_settings({}, colour="red")


def test_a_home_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the home folder does not exist"):
        load_settings({"R_MEMORY_HOME": str(tmp_path / "nowhere")})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"embedder": "word2vec"}, "knows wordllama"),
        ({"embedder": "openai"}, "must name the embedding model"),
        ({"embedder": "openai", "embedder_model": "tiny"}, "model_url"),
        ({"embedder": "sentence-transformers"}, "must name the folder"),
    ],
)
def test_an_embedder_that_is_not_described_is_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load_settings({}, **given)


def test_embedders_are_named_by_the_environment() -> None:
    environ = {
        "R_MEMORY_EMBEDDER": "openai",
        "R_MEMORY_EMBEDDER_MODEL": "tiny",
        "R_MEMORY_MODEL_URL": "http://127.0.0.1:1/v1",
    }
    settings = load_settings(environ)
    assert (settings.embedder, settings.embedder_model) == ("openai", "tiny")
    assert load_settings({}).embedder == "wordllama"


def test_texts_given_to_settings_are_read_as_texts_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A9: they were taken as they came, and broke where they were used."""
    monkeypatch.chdir(tmp_path)

    written: dict[str, object] = {"data_dir": "mine", "home": ".", "routes": "rules", "max_text": "500"}
    settings = Settings(**written)  # type: ignore[arg-type]  # as a person writes it

    assert settings == Settings(data_dir=tmp_path / "mine", home=tmp_path, routes=(Route.RULES,), max_text=500)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"data_dir": 5}, "data_dir: must be a path"),
        ({"max_text": 1}, "max_text: must be between 100 and 200000"),
        ({"dta_dir": "x"}, "dta_dir: is not a setting; did you mean 'data_dir'"),
    ],
)
def test_what_settings_cannot_use_is_an_error_of_ours(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Settings(**wrong)  # type: ignore[arg-type]  # what is wrong is the point


def test_a_copy_is_checked_like_the_settings_it_is_made_of() -> None:
    with pytest.raises(ConfigurationError, match="space: must be 1 to 64 letters"):
        replace(Settings(), space="a b")


def test_from_environment_reads_what_the_command_line_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("schema: law\nmax_text: 500\n", encoding="utf-8")
    monkeypatch.setenv("R_MEMORY_HOME", str(tmp_path))
    monkeypatch.setenv("R_MEMORY_MAX_TEXT", "600")

    settings = Settings.from_environment(space="mine")

    assert (settings.home, settings.schema, settings.max_text, settings.space) == (tmp_path, "law", 600, "mine")
