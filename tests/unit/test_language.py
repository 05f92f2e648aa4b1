"""What reads words is made when it is wanted."""

from pathlib import Path

import pytest

from r_memory.config.settings import Settings
from r_memory.reading.linking import Gazetteer
from r_memory.wiring.language import open_reader


def test_a_command_that_reads_no_words_makes_no_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(Gazetteer, "__init__")  # who makes one fails
        reader = open_reader(Settings(data_dir=tmp_path), late=True)
        with pytest.raises(TypeError):
            reader.linker.mentions("penicillin")

    assert [mention.name for mention in reader.linker.mentions("penicillin")] == ["penicillin"]
