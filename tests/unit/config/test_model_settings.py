"""Settings of the language model: where its key is looked for, and mistakes that are named without repeating it."""

from pathlib import Path

import pytest

from r_memory.config.settings import KEY_FILE, Settings, load_settings
from r_memory.domain.facts import Route
from r_memory.errors import ConfigurationError

KEY = "sk-canary-4711"
MODEL = {"R_MEMORY_MODEL_URL": "https://models.example/v1", "R_MEMORY_MODEL_NAME": "small"}


pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture
def home(home: Path) -> Path:
    """A home with a configuration."""
    (home / "config.yaml").write_text("model_url: https://models.example/v1\nmodel_key: from-yaml\n", encoding="utf-8")
    return home


def test_everything_of_the_model_is_read_from_its_variable() -> None:
    settings = load_settings(
        {
            **MODEL,
            "R_MEMORY_ROUTES": "rules,model",
            "R_MEMORY_MODEL_KEY": KEY,
            "R_MEMORY_MODEL_TIMEOUT_S": "3",
            "R_MEMORY_MODEL_RETRIES": "0",
        }
    )
    assert settings == Settings(
        routes=(Route.RULES, Route.MODEL),
        model_url="https://models.example/v1",
        model_name="small",
        model_key=KEY,
        model_timeout_s=3,
        model_retries=0,
    )


@pytest.mark.proves("CIM-21")
def test_the_key_comes_from_the_environment_then_here_then_beside_the_configuration(here: Path, home: Path) -> None:
    environ = {"R_MEMORY_HOME": str(home)}
    assert load_settings(environ).model_key == "from-yaml"
    (home / KEY_FILE).write_text("beside\n", encoding="utf-8")
    assert load_settings(environ).model_key == "beside"
    (here / KEY_FILE).write_text(f"\n  {KEY}  \nanother line\n", encoding="utf-8")
    assert load_settings(environ).model_key == KEY
    assert load_settings({**environ, "R_MEMORY_MODEL_KEY": "variable"}).model_key == "variable"


def test_without_a_model_no_key_file_is_opened(here: Path) -> None:
    (here / KEY_FILE).write_text(KEY, encoding="utf-8")
    assert load_settings({}).model_key == ""


def test_a_key_file_that_is_no_text_is_named(here: Path) -> None:
    (here / KEY_FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=KEY_FILE):
        load_settings(MODEL)


@pytest.mark.proves("Z35")
def test_the_key_is_not_part_of_what_settings_look_like() -> None:
    assert KEY not in repr(load_settings({**MODEL, "R_MEMORY_MODEL_KEY": KEY}))


@pytest.mark.parametrize(
    ("variables", "remedy"),
    [
        ({"R_MEMORY_ROUTES": "model"}, "set R_MEMORY_MODEL_URL and R_MEMORY_MODEL_NAME"),
        ({"R_MEMORY_ROUTES": "model", "R_MEMORY_MODEL_NAME": "m"}, "set R_MEMORY_MODEL_URL"),
        ({"R_MEMORY_MODEL_URL": "models.example/v1"}, "write http://HOST:PORT/v1"),
        ({"R_MEMORY_MODEL_URL": "ftp://models.example"}, "write http://HOST:PORT/v1"),
        ({"R_MEMORY_MODEL_URL": "http://host:99999/v1"}, "write http://HOST:PORT/v1"),
        ({"R_MEMORY_MODEL_URL": f"https://user:{KEY}@models.example/v1"}, "R_MEMORY_MODEL_KEY"),
        ({"R_MEMORY_MODEL_URL": f"https://models.example/v1?key={KEY}"}, "R_MEMORY_MODEL_KEY"),
        ({"R_MEMORY_MODEL_TIMEOUT_S": "0"}, "above 0 and at most 600"),
        ({"R_MEMORY_MODEL_RETRIES": "11"}, "between 0 and 10"),
    ],
)
def test_a_mistake_is_named_with_what_to_write_and_no_secret(variables: dict[str, str], remedy: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_settings(variables)
    assert remedy in str(refused.value)
    assert KEY not in str(refused.value)


SMALL = {"R_MEMORY_ROUTES": "rules,model", "R_MEMORY_SMALL_MODEL_NAME": "smaller"}


def test_a_smaller_model_reads_at_the_same_address_unless_it_has_its_own() -> None:
    here = load_settings({**MODEL, **SMALL, "R_MEMORY_MODEL_KEY": KEY})
    assert (here.model_name, here.with_small_model.model_name) == ("small", "smaller")
    assert (here.with_small_model.model_url, here.with_small_model.model_key) == (here.model_url, KEY)
    own = {**SMALL, "R_MEMORY_SMALL_MODEL_URL": "http://127.0.0.1:8080/v1", "R_MEMORY_SMALL_MODEL_KEY": "own"}
    alone = load_settings(own).with_small_model
    assert (alone.model_url, alone.model_key) == ("http://127.0.0.1:8080/v1", "own")


@pytest.mark.proves("Z35")
def test_the_chats_key_is_not_sent_to_the_smaller_models_server() -> None:
    elsewhere = {"R_MEMORY_SMALL_MODEL_URL": "http://127.0.0.1:8080/v1"}
    settings = load_settings({**MODEL, **SMALL, **elsewhere, "R_MEMORY_MODEL_KEY": KEY})
    assert (settings.model_key, settings.with_small_model.model_key) == (KEY, "")


def test_a_smaller_models_server_without_its_name_is_named() -> None:
    with pytest.raises(ConfigurationError, match="R_MEMORY_SMALL_MODEL_NAME"):
        load_settings({**MODEL, "R_MEMORY_SMALL_MODEL_URL": "http://127.0.0.1:8080/v1"})
