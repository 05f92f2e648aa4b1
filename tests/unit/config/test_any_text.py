"""Whatever stands in a file, loading gives a domain or one `ConfigurationError`, never anything else."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r_memory.config.files import Source
from r_memory.config.loading import load_domain
from r_memory.config.yaml_lines import load
from r_memory.errors import ConfigurationError
from tests.unit.config.mini import FILES, mini

PIECES = [*"a1[]{}'\"#|>?\t%\n", ": ", "- ", "  ", ", ", "&a", "*a", "!x"]
YAML_LIKE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(content=st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode), YAML_LIKE.map(str.encode)))
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        document = load(Source(path=Path("a.yaml"), content=content))
    except ConfigurationError as refused:
        assert refused.file == Path("a.yaml")  # noqa: PT017 - both outcomes are allowed
    else:
        assert document.lines[()] == 1


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_with_some_of_its_text_replaced_is_read_or_refused_with_its_name(
    tmp_path: Path, data: st.DataObject
) -> None:
    files = mini(tmp_path)
    name = data.draw(st.sampled_from(sorted(FILES)))
    start = data.draw(st.integers(0, len(FILES[name])))
    end = min(len(FILES[name]), start + data.draw(st.integers(0, 30)))
    text = FILES[name][:start] + data.draw(YAML_LIKE) + FILES[name][end:]
    (tmp_path / name).write_text(text, encoding="utf-8")

    try:
        load_domain(files, "mini")
    except ConfigurationError as refused:
        assert refused.file is not None  # noqa: PT017 - both outcomes are allowed
