"""Tiny vocabularies in the documented formats, written for these tests."""

from pathlib import Path


def concept_row(cui: str, tty: str, name: str, *, sab: str = "RXNORM", suppress: str = "N", lat: str = "ENG") -> str:
    """A row of RXNCONSO.RRF."""
    return f"{cui}|{lat}||||||{cui}||{cui}||{sab}|{tty}|{cui}|{name}||{suppress}|4096|"


def relation_row(one: str, rela: str, other: str, *, sab: str = "RXNORM", suppress: str = "N") -> str:
    """A row of RXNREL.RRF: `other` is the `rela` of `one`."""
    return f"{one}||CUI|RN|{other}||CUI|{rela}|||{sab}|{sab}|||{suppress}|4096|"


CONCEPTS = (
    concept_row("1", "IN", "zolimab"),
    concept_row("2", "IN", "quintafen"),
    concept_row("3", "IN", "brevidol"),
    concept_row("4", "PIN", "zolimab hydrochloride"),
    concept_row("5", "BN", "Zolimax"),
    concept_row("6", "BN", "Quintazol"),
    concept_row("7", "MIN", "quintafen / zolimab"),
    concept_row("8", "BN", "Trimix"),
    concept_row("9", "IN", "withdrawnol", suppress="O"),
    concept_row("10", "IN", "foreignol", sab="MTHSPL"),
    concept_row("11", "SCD", "zolimab 5 MG Oral Tablet"),
    concept_row("12", "IN", "tin"),
    concept_row("13", "BN", "Tinzol"),
    concept_row("14", "BN", "Always"),
)
RELATIONS = (
    relation_row("1", "form_of", "4"),
    relation_row("1", "tradename_of", "5"),
    relation_row("1", "tradename_of", "6"),
    relation_row("2", "tradename_of", "6"),
    relation_row("7", "has_part", "1"),
    relation_row("2", "part_of", "7"),
    relation_row("1", "tradename_of", "8"),
    relation_row("3", "tradename_of", "8"),
    relation_row("1", "constitutes", "11"),
    relation_row("1", "tradename_of", "13"),
    relation_row("12", "tradename_of", "13"),
    relation_row("2", "tradename_of", "14"),
    relation_row("2", "tradename_of", "5", suppress="Y"),
    relation_row("2", "tradename_of", "5", sab="MMSL"),
)


def rxnorm_in(folder: Path, concepts: tuple[str, ...] = CONCEPTS, relations: tuple[str, ...] = RELATIONS) -> Path:
    """A folder with both files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RXNCONSO.RRF").write_text("".join(f"{row}\n" for row in concepts), encoding="utf-8")
    (folder / "RXNREL.RRF").write_text("".join(f"{row}\n" for row in relations), encoding="utf-8")
    return folder


ATC = """\
ATC code,ATC level name,uom
A,Organs and metabolism,
A01,Mouth things,
A01A,Mouth things,
A01AB,Rinses,
A01AB03,Zolimab,mg
A01AB11,"Various, combinations",
A01AB12,Quintafen,g
B01AB12,Brevidol,
"""


def atc_in(folder: Path, text: str = ATC) -> Path:
    """A file with a table of codes and names."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "atc.csv"
    path.write_text(text, encoding="utf-8")
    return path
