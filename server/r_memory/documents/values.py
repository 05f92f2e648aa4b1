"""What reading gives: sections in order, each with its place. No behaviour beyond cleaning; knows no format."""

import re

from r_memory.errors import ConfigurationError, adding

_DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?P<rest>[a-z\u00df-\u00ff]\S*)")
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with one kind of line end, and a blank for each character that no store keeps.

    >>> clean("one\\r\\ntwo\\x00three")
    'one\\ntwo three'
    """
    return _UNSTORABLE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def undivided(text: str) -> str:
    """The text with each word in one piece that was divided at the end of a line; as many lines as before.

    >>> undivided("allergic to peni-\\ncillin, since 1998")
    'allergic to penicillin,\\n since 1998'
    """
    return _DIVIDED.sub(r"\g<rest>\n", text)


def missing(what: str) -> ConfigurationError:
    """The error for something that cannot be read without the optional packages."""
    return ConfigurationError(f"{what} cannot be read without the extra 'documents'; {adding('documents')}")
