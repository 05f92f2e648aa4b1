"""One character for one: a text in which quotes, dashes and invisible characters no longer differ.

Every function keeps the length, so that offsets into the result are offsets into what was said. It knows
characters, not words.
"""

import re
import unicodedata

from r_memory.text.sentences import unwrapped

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_KNOWN = {
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{SINGLE LOW-9 QUOTATION MARK}": "'",
    "\N{MODIFIER LETTER APOSTROPHE}": "'",
    "\N{PRIME}": "'",
    "\N{ACUTE ACCENT}": "'",
    "`": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{FIGURE DASH}": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{HORIZONTAL BAR}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{RIGHTWARDS ARROW}": ">",
    "\N{BULLET}": "*",
    "\N{MICRO SIGN}": "u",
    "\N{GREEK SMALL LETTER MU}": "u",
    "\n": "\n",
    "\x85": "\n",
    "\N{LINE SEPARATOR}": "\n",
    "\N{PARAGRAPH SEPARATOR}": "\n",
}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs"})


class _Table(dict[int, str]):
    """Caches the replacement of each character, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain_one = _KNOWN.get(character) or _folded(character)
        if len(self) < 4096:  # a text of a million different characters must not stay in memory
            self[code] = plain_one
        return plain_one


def _folded(character: str) -> str:
    if unicodedata.category(character) in _INVISIBLE:
        return " "
    base = unicodedata.normalize("NFKD", character)
    first, rest = base[:1], base[1:]
    return first if first and all(unicodedata.combining(mark) for mark in rest) else character


_TABLE = _Table({code: chr(code) for code in range(0x20, 0x7F) if chr(code) != "`"})


def plain(text: str) -> str:
    """Returns the text with simple marks, without accents, and with spaces for invisible characters.

    The length stays the same. Line ends inside a sentence become spaces.

    >>> plain("p\\u00e9nicilline\\u00a0\\u2014\\u200bnon")
    'penicilline - non'
    """
    return unwrapped(_colourless(text)).translate(_TABLE)


def _colourless(text: str) -> str:
    """Returns the text with blanks for terminal colour codes, so that "\\x1b[31mcodeine" is codeine."""
    return _ESCAPE.sub(lambda found: " " * len(found[0]), text) if "\x1b" in text else text
