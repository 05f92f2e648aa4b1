"""Words that name nothing: no substance, food, plant, animal, remedy or device. English alone.

The list is long and read once, when the first word is met that nothing else knows. It is taken from WordNet by
`scripts/ordinary_words.py`; the notice stands in the file.
"""

from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("ordinary.txt")


@cache
def ordinary_words() -> frozenset[str]:
    """Returns every word of the list, in small letters."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
