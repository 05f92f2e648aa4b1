"""Whatever file is given: its words with their places, or a sentence that says what to do. Nothing hangs, nothing is
lost."""

# ruff: noqa: RUF001 - full-width marks are the words of the languages

import re
import sys
from pathlib import Path

import pytest

from r_memory.documents.files import MEMORY, read_data, read_file
from r_memory.documents.plain import read_text
from r_memory.documents.values import clean
from r_memory.domain.documents import BLANK_PAGES, ENCODING_GUESSED, DocumentText
from r_memory.errors import ConfigurationError, InvalidInput
from tests.unit.talk.documents.files import a_docx, a_pdf, a_zip, encrypted

LETTER = "Dear colleague,\nMr Doe is allergic to penicillin.\n"
OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
LOCKED_WORD = OLD_WORD + "EncryptedPackage".encode("utf-16-le")


def places(reading: DocumentText) -> list[tuple[int, str, int]]:
    return [(section.page, section.heading, section.line) for section in reading.sections]


# --- plain text and Markdown ------------------------------------------------------------------------------------------


def test_text_is_read_as_it_stands() -> None:
    reading = read_data(LETTER.encode(), "letter.txt")
    assert (reading.text, reading.flags) == (LETTER, ())


def test_form_feeds_part_the_pages_of_a_text() -> None:
    reading = read_text("First page.\nMore.\f\fThird page.")
    assert [(section.text, section.page, section.line) for section in reading.sections] == [
        ("First page.\nMore.", 1, 1),
        ("Third page.", 3, 2),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    words = "The patient Müller has an allergy to nuts. " * 5
    data = words.encode(encoding)
    assert read_data(data, "notes.txt").text == words


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "Die Patientin Frau Müller verträgt kein Penicillin; Größe 170 cm, Gewicht sechzig Kilo.\n" * 8),
        ("gb18030", "病人对青霉素严重过敏，曾经出现呼吸困难。请不要使用这类药物。\n" * 8),
        ("shift_jis", "患者はペニシリンに対して重いアレルギーがあります。この薬を使わないでください。\n" * 8),
    ],
)
def test_text_of_an_older_encoding_is_read_and_said_to_be_guessed(encoding: str, words: str) -> None:
    reading = read_data(words.encode(encoding), "old.txt")
    assert (reading.text, reading.flags) == (words, (ENCODING_GUESSED,))


def test_without_the_extra_utf8_is_read_and_other_text_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert read_data(LETTER.encode(), "letter.txt").text == LETTER
    with pytest.raises(ConfigurationError, match=r"pip install 'r-memory\[documents\]'"):
        read_data("Müller".encode("cp1252"), "letter.txt")


def test_what_no_store_keeps_becomes_a_blank() -> None:
    assert clean("a\x00b\r\nc\ud800d\re") == "a b\nc d\ne"


def test_headings_of_markdown_part_its_sections_except_in_code() -> None:
    text = "Before.\n\n# Allergies\n\nPenicillin.\n\n```\n# no heading\n```\n\nHistory\n-------\n\nNone.\n"
    reading = read_data(text.encode(), "notes.md")
    assert places(reading) == [(0, "", 1), (0, "Allergies", 3), (0, "History", 11)]
    assert reading.text == text


def test_fifty_megabytes_of_text_are_read() -> None:
    data = b"The bridge over the river was opened in May. " * 1_150_000
    assert len(read_data(data, "large.txt").text) == len(data) > 50_000_000


# --- PDF --------------------------------------------------------------------------------------------------------------


def test_pages_of_a_pdf_have_their_numbers_and_those_without_text_are_named() -> None:
    reading = read_data(a_pdf("Allergic to penicillin.", "", "No implants."), "letter.pdf")
    assert [(section.text, section.page) for section in reading.sections] == [
        ("Allergic to penicillin.\n", 1),
        ("No implants.\n", 3),
    ]
    assert (reading.flags, reading.blank_pages) == ((BLANK_PAGES,), (2,))


def test_a_word_that_a_line_end_cut_in_two_is_whole_again() -> None:
    assert read_data(a_pdf("The patient is allergic to peni-\ncillin."), "a.pdf").text == (
        "The patient is allergic to penicillin.\n"
    )
    text = b"He reacts to ibu-\nprofen and to car-\nrots."
    assert " ".join(read_data(text, "a.txt").text.split()) == "He reacts to ibuprofen and to carrots."


def test_a_scan_says_that_it_needs_text_recognition() -> None:
    with pytest.raises(InvalidInput, match=r"scan\.pdf holds no text in its 2 pages.*OCR"):
        read_data(a_pdf("", ""), "scan.pdf")


def test_an_encrypted_pdf_says_so_and_one_with_an_empty_password_is_read() -> None:
    with pytest.raises(InvalidInput, match=r"is encrypted; save it without a password"):
        read_data(encrypted(a_pdf("Secret."), "open sesame"), "secret.pdf")
    assert read_data(encrypted(a_pdf("Open."), ""), "open.pdf").text == "Open.\n"


@pytest.mark.parametrize("keep", [20, 200, 400])
def test_half_a_pdf_is_refused_and_never_crashes(keep: int) -> None:
    half = a_pdf("Words.")[:keep]
    with pytest.raises(InvalidInput, match=r"half\.pdf (is damaged|holds no text)"):
        read_data(half, "half.pdf")


def test_without_the_extra_a_pdf_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(ConfigurationError, match=r"letter\.pdf is a PDF.*'documents'.*r-memory\[documents\]"):
        read_data(a_pdf("Words."), "letter.pdf")


# --- DOCX -------------------------------------------------------------------------------------------------------------


def test_a_docx_gives_headings_paragraphs_tables_and_headers() -> None:
    data = a_docx("Intro.", "# Allergies", "Penicillin.", [["Drug", "Reaction"], ["Latex", "Rash"]], header="Ward 3")
    reading = read_data(data, "letter.docx")
    assert [(section.heading, section.text.split("\n")) for section in reading.sections] == [
        ("", ["Intro.", "", ""]),
        ("Allergies", ["Allergies", "Penicillin.", "Drug | Reaction", "Latex | Rash", "", ""]),
        ("header", ["Ward 3", "", ""]),
    ]


def test_without_the_extra_a_docx_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(ConfigurationError, match=r"letter\.docx is a DOCX.*r-memory\[documents\]"):
        read_data(a_docx("Words."), "letter.docx")


def test_an_empty_docx_says_so() -> None:
    with pytest.raises(InvalidInput, match="holds no words"):
        read_data(a_docx(), "empty.docx")


def test_a_docx_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r_memory.documents.docx.LARGEST", 1_000_000)
    bomb = a_zip(word__document_dot_xml=bytes(2_000_000))
    with pytest.raises(InvalidInput, match=r"unpacks to 2 MB, at most 1 MB are read"):
        read_data(bomb, "bomb.docx")


def test_an_archive_with_a_broken_document_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is no whole DOCX"):
        read_data(a_zip(word__document_dot_xml=b"<not"), "broken.docx")


# --- what is not what it claims ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"%PD\n", "a.pdf", "a.pdf is called a PDF but holds text; if its words are meant, call it a.txt"),
        (b"Words.", "a.docx", "a.docx is called a DOCX but holds text; if its words are meant, call it a.txt"),
        (a_pdf("Words."), "a.txt", "a.txt is called text but holds a PDF; if it is meant, call it a.pdf"),
        (a_docx("Words."), "a.pdf", "a.pdf is called a PDF but holds a DOCX; if it is meant, call it a.docx"),
        (a_pdf("Words."), "a.md", "a.md is called Markdown but holds a PDF; if it is meant, call it a.pdf"),
    ],
)
def test_a_file_that_claims_to_be_what_it_is_not_is_refused_with_the_way_out(data: bytes, name: str, told: str) -> None:
    """A cut-off download is four bytes of text: kept as one, nobody would miss the letter."""
    with pytest.raises(InvalidInput, match=f"^{re.escape(told)}"):
        read_data(data, name)


@pytest.mark.parametrize("name", ["letter", "letter.scan", "letter.log"])
def test_a_name_that_claims_nothing_is_read_as_what_the_file_is(name: str) -> None:
    reading = read_data(a_pdf("Words."), name)
    assert (reading.text.strip(), reading.flags) == ("Words.", ())


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (a_zip(xl__workbook_dot_xml=b"<x/>"), "is a table, which is not read as prose"),
        (a_zip(notes_dot_txt=b"words"), "is an archive and no DOCX"),
        (b"PK\x03\x04 and nothing else", "damaged archive"),
        (OLD_WORD, "old Office format"),
        (LOCKED_WORD, "is encrypted"),
        (b"{\\rtf1 words}", "is RTF"),
        (b"\x89PNG\r\n\x1a\n", "is a picture"),
        (b"\x1f\x8b\x08 words", "packed file"),
        (b"<!DOCTYPE html><p>words", "is HTML"),
        (bytes(range(256)) * 40, "is no text"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(data: bytes, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as refused:
        read_data(data, "file.docx")
    assert str(refused.value).startswith("file.docx ")
    assert ";" in str(refused.value)


# --- in a process of its own ------------------------------------------------------------------------------------------


def test_a_pdf_file_is_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(a_pdf("Allergic to penicillin.", ""))
    reading = read_file(path)
    assert (reading.text, reading.blank_pages) == ("Allergic to penicillin.\n", (2,))


def test_what_is_wrong_with_a_file_comes_back_from_there(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(a_pdf(""))
    with pytest.raises(InvalidInput, match=r"scan\.pdf holds no text"):
        read_file(path)


def test_a_reader_that_never_ends_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "slow.pdf"
    path.write_bytes(a_pdf("Words."))
    with pytest.raises(InvalidInput, match=r"slow\.pdf took more than 0\.1 seconds"):
        read_file(path, limit_s=0.1)


def test_a_reader_that_crashes_is_no_crash_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "odd.pdf"
    path.write_bytes(a_pdf("Words."))
    with pytest.raises(InvalidInput, match=r"odd\.pdf stopped the program that reads it"):
        read_file(path, child="r_memory.no_such_module")


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_reader_that_asks_for_too_much_memory_is_told_no(tmp_path: Path) -> None:
    assert MEMORY <= 400 << 20
    path = tmp_path / "large.pdf"
    path.write_bytes(a_pdf("Words."))
    with pytest.raises(InvalidInput, match=r"large\.pdf needs too much memory"):
        read_file(path, child="tests.unit.documents.hungry")


@pytest.mark.parametrize("name", ["missing.txt", ""])
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"cannot be read|is no file"):
        read_file(tmp_path / name)


def test_a_file_beyond_all_measure_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r_memory.documents.files.LARGEST", 1_000_000)
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(2_000_000)
    with pytest.raises(InvalidInput, match=r"has 2 MB, at most 1 MB are read"):
        read_file(path)


@pytest.mark.parametrize("name", ["link.txt", "link.pdf"])
def test_a_link_to_a_file_or_to_nothing_is_not_followed_unasked(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0", encoding="utf-8")
    link = tmp_path / name
    for target in (secret, tmp_path / "nothing"):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        with pytest.raises(InvalidInput, match="is a link to another file"):
            read_file(link)


def test_a_file_that_becomes_a_link_while_it_is_opened_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, link = tmp_path / "secret", tmp_path / "link.txt"
    secret.write_text("root:x:0:0", encoding="utf-8")
    link.symlink_to(secret)
    monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    with pytest.raises(InvalidInput, match="is a link to another file"):
        read_file(link)
