"""Lines of prose that end where the paper did, and not the sentence: "My brother / is allergic to codeine."

A line goes on in the next where it does not end like a sentence and the next begins in small letters, in a text that
ends its sentences; who writes without any full stop says one thing a line, and a line of a word or two is of a list.
"""

import re

_ENDS = re.compile(r"[.!?;:)\"'\u2026\u3002]\s*$", re.MULTILINE)
_SHORTEST = 3
"""Words of a line that can go on."""
_LINE_END = re.compile(r"(?<=\S)[ \t]*\r?\n[ \t]*(?=[^\W\d_])")


def ends_sentences(text: str) -> bool:
    """Whether some line of the text ends like a sentence."""
    return _ENDS.search(text) is not None


def goes_on(line: str, following: str) -> bool:
    """Whether a line of a text that ends its sentences goes on in the line that follows."""
    return following[:1].islower() and not _ENDS.search(line[-2:]) and len(line.split()) >= _SHORTEST


def unwrapped(text: str) -> str:
    """The text with a blank for each character of a line end within a sentence; as long as before.

    >>> unwrapped("My brother, who is 40,\\nis allergic to codeine.\\nLatex is fine.")
    'My brother, who is 40, is allergic to codeine.\\nLatex is fine.'
    """
    if "\n" not in text or not ends_sentences(text):
        return text

    def joined(end: re.Match[str]) -> str:
        line = text[text.rfind("\n", 0, end.start()) + 1 : end.start()]
        return " " * len(end[0]) if goes_on(line, text[end.end() : end.end() + 1]) else end[0]

    return _LINE_END.sub(joined, text)
