"""What is taken from RxNorm, and what is said of files that are not it."""

from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError
from r_memory_lab.knowledge.rows import STEP_BYTES, lines_of, steps_of
from r_memory_lab.knowledge.rxnorm import read_rxnorm
from r_memory_lab.knowledge.vocabulary import Vocabulary
from tests.unit.lab.knowledge.files import CONCEPTS, RELATIONS, concept_row, relation_row, rxnorm_in

STOP = frozenset({"always"})


def read(folder: Path) -> Vocabulary:
    return read_rxnorm(folder, stop=STOP, progressed=lambda: None)


@pytest.mark.proves("Z02")
def test_brands_and_salts_are_synonyms_and_combinations_have_their_ingredients(tmp_path: Path) -> None:
    found = read(rxnorm_in(tmp_path))

    assert found.names == {
        "zolimab": ("zolimab hydrochloride", "Zolimax"),
        "quintafen": (),
        "brevidol": (),
        "quintafen / zolimab": ("Quintazol",),
        # A brand of two things for which the release has no combination stands for itself.
        "Trimix": (),
        # One of its two ingredients has no usable name: it must not pass for the other alone.
        "Tinzol": (),
    }
    assert found.parts == {
        "quintafen / zolimab": ("quintafen", "zolimab"),
        "Trimix": ("brevidol", "zolimab"),
        "Tinzol": ("zolimab",),
    }
    assert found.skipped == 2


def test_suppressed_rows_and_names_of_other_sources_are_left_out(tmp_path: Path) -> None:
    names = read(rxnorm_in(tmp_path)).names

    assert not {"withdrawnol", "foreignol", "zolimab 5 MG Oral Tablet"} & set(names)
    assert "Zolimax" not in names["quintafen"]


def test_a_windows_file_with_a_byte_order_mark_reads_the_same(tmp_path: Path) -> None:
    folder = rxnorm_in(tmp_path)
    for name in ("RXNCONSO.RRF", "RXNREL.RRF"):
        content = (folder / name).read_bytes().replace(b"\n", b"\r\n")
        (folder / name).write_bytes(b"\xef\xbb\xbf" + content)

    assert read(folder) == read(rxnorm_in(tmp_path / "plain"))


@pytest.mark.parametrize(
    ("concepts", "relations", "said"),
    [
        ((*CONCEPTS, "1|ENG|short|"), RELATIONS, "RXNCONSO.RRF:15: 3 fields, expected 18"),
        (CONCEPTS, (relation_row("1", "form_of", "4"), "1||CUI"), "RXNREL.RRF:2: 2 fields, expected 16"),
        ((concept_row("1", "IN", "x", sab="MTHSPL"),), RELATIONS, "is this an RxNorm release?"),
        ((), RELATIONS, "is this an RxNorm release?"),
    ],
    ids=["short concept", "short relation", "another source", "empty"],
)
def test_another_file_is_refused_at_its_line(
    tmp_path: Path, concepts: tuple[str, ...], relations: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read(rxnorm_in(tmp_path, concepts, relations))

    assert said in str(refused.value)


def test_a_missing_file_and_a_line_of_other_bytes_are_named(tmp_path: Path) -> None:
    folder = rxnorm_in(tmp_path)
    (folder / "RXNREL.RRF").write_bytes(b"1||CUI|RN|4||CUI|form_of|||RXNORM||||N|4096|\n\xff\n")

    with pytest.raises(ConfigurationError, match=r"RXNREL\.RRF:2: not UTF-8"):
        read(folder)

    (folder / "RXNREL.RRF").unlink()
    with pytest.raises(ConfigurationError, match=r"RXNREL\.RRF: cannot be read"):
        read(folder)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        steps_of(folder / "RXNREL.RRF")


def test_progress_is_reported_as_often_as_was_promised(tmp_path: Path) -> None:
    path, steps = tmp_path / "long.txt", []
    path.write_text("x" * 1023 + "\n", encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8") * (3 * STEP_BYTES // 1024), encoding="utf-8")

    lines = sum(1 for _ in lines_of(path, lambda: steps.append(1)))

    assert (lines, len(steps)) == (3 * STEP_BYTES // 1024, steps_of(path))
