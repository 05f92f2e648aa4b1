"""Whether what a system names is what a person wrote down: words compared without case and punctuation."""

import re
from collections.abc import Iterable


def plain(text: str) -> str:
    """Returns the text in small letters, words separated by single spaces.

    >>> plain("Sulfamethoxazole-Trimethoprim ")
    'sulfamethoxazole trimethoprim'
    """
    return re.sub(r"\W+", " ", text.lower()).strip()


def hits(name: str, aliases: Iterable[str]) -> bool:
    """Whether the name equals an alias, or one contains the other as whole words.

    >>> hits("IV contrast", ["contrast"]), hits("nut", ["peanut"]), hits("", ["nut"])
    (True, False, False)
    """
    own = plain(name)
    others = filter(None, map(plain, aliases))
    return bool(own) and any(f" {other} " in f" {own} " or f" {own} " in f" {other} " for other in others)
