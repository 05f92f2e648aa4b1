"""What reading gives: sections in order, each with its place. No behaviour beyond cleaning; knows no format."""

import re

from r_memory.errors import ConfigurationError, adding

_DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?P<rest>[a-z\u00df-\u00ff]\S*)")
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """Returns the text with `\n` as line end, and a space for each character that stores cannot keep.

    >>> clean("one\\r\\ntwo\\x00three")
    'one\\ntwo three'
    """
    return _UNSTORABLE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def undivided(text: str) -> str:
    """Returns the text with words joined that were hyphenated at a line end; the number of lines stays the same.

    >>> undivided("allergic to peni-\\ncillin, since 1998")
    'allergic to penicillin,\\n since 1998'
    """
    return _DIVIDED.sub(r"\g<rest>\n", text)


def missing(what: str) -> ConfigurationError:
    """Returns the error for a kind of document whose optional packages are not installed."""
    return ConfigurationError(f"{what} cannot be read without the extra 'documents'; {adding('documents')}")
