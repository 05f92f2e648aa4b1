"""The public names: what `__all__` lists is what there is."""

import subprocess
import sys

import pytest

import r_memory


@pytest.mark.parametrize("name", r_memory.__all__)
def test_every_listed_name_can_be_imported(name: str) -> None:
    assert getattr(r_memory, name).__doc__


def test_every_home_is_of_a_listed_name() -> None:
    assert set(r_memory._HOMES) <= set(r_memory.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'forget_everything'"):
        _ = r_memory.forget_everything


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'mcp', 'neo4j', 'arcadedb', 'numpy'}"
    code = f"import sys, r_memory; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
