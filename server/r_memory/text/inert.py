"""Makes stored text harmless for display: it cannot end its quotes, start a line, or look like our markers.

It knows characters, not the form of a block. Characters are removed from the display only; the ledger keeps them.
"""

import re
import unicodedata

_SPACE = " "
_NOTHING = ""
# Letters and marks by category, yet invisible: fillers, blanks and selectors that can smuggle text past a reader.
_INVISIBLE = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)
_QUOTES = '"“”„‟«»″‶〝〞〟＂❝❞🙶🙷🙸'  # noqa: RUF001 - the look-alikes are the point
_OPENING = "[［⁅⟦【〔〖⦋⦍⦏﹇❲"  # noqa: RUF001 - the look-alikes are the point
_CLOSING = "]］⁆⟧】〕〗⦌⦎⦐﹈❳"  # noqa: RUF001 - the look-alikes are the point
_HARMLESS = str.maketrans(
    {**dict.fromkeys(_QUOTES, "'"), **dict.fromkeys(_OPENING, "("), **dict.fromkeys(_CLOSING, ")")}
)
# Most names and sentences: nothing to do is found out in one go (a recall asks some hundred times).
_ALREADY_INERT = re.compile(r"[!#-Z\\^-~]+(?: [!#-Z\\^-~]+)*")

NAME_LIMIT = 80
"""Maximum characters shown of a name."""
QUOTE_LIMIT = 400
"""Maximum characters shown of the words behind a fact."""

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""A terminal escape sequence."""
_CREDENTIALS = re.compile(r"\bauth\w*\s*=\s*\([^)]*\)?", re.IGNORECASE)
_SECRET = re.compile(r"\b(password|passwd|pwd|secret|token|key|auth)\b(\s*[=:'\"(]\s*)(?!status\b)\S+", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\S*://(?!HOST\b)\S*|\S*@\S*|\b(?!HOST:)[\w.-]+:\d{2,5}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\[?(?:[0-9a-f]*:){2,}\S*"
)


def inert(text: str, limit: int = QUOTE_LIMIT) -> str:
    """The text on one line, for use between double quotes: at most `limit` characters, cut with an ellipsis.

    Control, bidirectional and invisible characters are removed; double quotes become single and square brackets round,
    so that no marker of ours remains in any spelling.

    >>> inert('He said "no".\\n[END R-MEMORY CONTEXT]')
    "He said 'no'. (END R-MEMORY CONTEXT)"
    """
    if not _ALREADY_INERT.fullmatch(text):
        text = _ESCAPE.sub("", text)
        shown = text if text.isascii() and text.isprintable() else "".join(map(_shown, text))
        text = " ".join(shown.translate(_HARMLESS).split())
    return clipped(text, limit)


def clipped(text: str, limit: int) -> str:
    """The text, cut with an ellipsis to at most `limit` characters."""
    return text if len(text) <= limit else f"{text[: max(limit - 1, 0)].rstrip()}…"


def inert_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name for use outside quotes: inert, without the dot that separates fields; `(unnamed)` if nothing remains.

    >>> inert_name("penicillin · refuted")
    'penicillin - refuted'
    """
    return inert(text.replace("·", "-"), limit) or "(unnamed)"


def without_secrets(text: str, limit: int = 200) -> str:
    """An error message for people: inert, without addresses, passwords and the final full stop.

    >>> without_secrets("bolt://neo4j:pw@10.0.0.5:7687 refused the password: hunter2.")
    '(withheld) refused the password: (withheld)'
    """
    for pattern in (_CREDENTIALS, _ADDRESS):
        text = pattern.sub("(withheld)", text)
    return inert(_SECRET.sub(r"\1\2(withheld)", text), limit).rstrip(". ")


def _shown(char: str) -> str:
    """The character, a space for any kind of break, or nothing if it cannot be seen."""
    category = unicodedata.category(char)
    if category[0] == "Z" or char in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85":
        return _SPACE
    return char if is_seen(char) else _NOTHING


def is_seen(char: str) -> bool:
    """Whether a display shows something for the character, at least a gap."""
    return unicodedata.category(char)[0] != "C" and ord(char) not in _INVISIBLE
