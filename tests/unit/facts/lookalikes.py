"""Ids and names that an eye takes for those of two people; `python -m tests.unit.facts.lookalikes` writes the list.

Made without the table that the product goes by: of letters that Unicode calls by the same name in other scripts, of
digits, of what nobody sees, of case, width, blanks and dots.
"""

import json
from collections.abc import Iterator
from pathlib import Path

LIST = Path(__file__).with_name("lookalikes.jsonl")
PEOPLE = (("JD001", "John Doe"), ("MO-10", "Mona Bellis"))
UNSEEN = (
    "\u034f\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\U000e0100\u17b4\u17b5\u3164\u115f\u1160\uffa0\u2800\u180e\u061c"
)
BLANKS = ("  ", "\u00a0", "\u2009", "\u3000", "")
LETTERS = {
    "J": "\u0408",
    "o": "\u043e\u03bf",
    "D": "",
    "e": "\u0435",
    "h": "\u04bb",
    "M": "\u041c\u039c",
    "a": "\u0430",
    "O": "\u041e\u039f",
    "i": "\u0456",
    "s": "\u0455",
    "B": "\u0412\u0392",
    "0": "O",
    "1": "lI",
}
"""Letter or digit to those that look like it: Cyrillic and Greek ones, and between digits and letters."""
DIGITS = {"o": "0", "l": "1", "O": "0"}


def spellings(word: str) -> Iterator[str]:
    """The word as an eye may still read it, otherwise than it is."""
    for unseen in UNSEEN:
        yield word + unseen
        yield word[:2] + unseen + word[2:]
    for place, letter in enumerate(word):
        for other in LETTERS.get(letter, "") + DIGITS.get(letter, ""):
            yield word[:place] + other + word[place + 1 :]
    for digit in {DIGITS[letter] for letter in word if letter in DIGITS}:
        yield "".join(digit if DIGITS.get(letter) == digit else letter for letter in word)
    yield "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in word)  # full width
    yield "".join(chr(0x1D400 + ord(item) - 65) if "A" <= item <= "Z" else item for item in word)  # mathematical bold
    yield word.lower()
    yield word.upper()
    yield f"{word}."
    yield f" {word}"
    if " " in word:
        for blank in BLANKS:
            yield word.replace(" ", blank)
    if word.startswith("M"):
        yield f"rn{word[1:]}"


def pairs() -> Iterator[dict[str, str]]:
    """Whom a call would declare beside whom."""
    for number, (id_, name) in enumerate(PEOPLE):
        for place, spelling in enumerate(dict.fromkeys(spellings(id_))):
            if spelling.strip() != id_:
                yield {"known": id_, "known_name": name, "id": spelling, "name": f"Somebody {number} {place}"}
        for place, spelling in enumerate(dict.fromkeys(spellings(name))):
            if spelling.strip() != name:
                yield {"known": id_, "known_name": name, "id": f"X{number}-{place + 2000}", "name": spelling}


if __name__ == "__main__":
    LIST.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs()), encoding="ascii")
