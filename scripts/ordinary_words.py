"""Writes the words that name nothing to take, eat, wear in the body or react to, from the files of WordNet 3.1.

    python -m scripts.ordinary_words FOLDER       the folder `dict` of WordNet: https://wordnet.princeton.edu

A word is kept whose every sense as a noun is of a harmless kind: no food, plant, animal, part of a body or substance,
and nothing below a drug, a cosmetic, a fabric, a remedy, a device of medicine or a financial instrument. Names with a
capital are left out.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from r_memory.reading.actions.ordinary import FILE

_HARMFUL_KINDS = frozenset({"05", "08", "13", "20", "27"})
"""Lexicographer files: animal, body, food, plant, substance."""
_HARMFUL_ROOTS = frozenset({
    "drug", "cosmetic", "toiletry", "fabric", "adhesive_material", "medical_instrument", "medical_procedure",
    "medical_care", "prosthesis", "implant", "remedy", "protective_covering", "financial_instrument", "diet",
    "vehicle_part", "jewelry", "building_material", "preparation", "chemical_process", "meal",
    "agent", "inoculation", "medical_examination", "anesthesia", "contraceptive", "ammunition",
})  # fmt: skip
_WORD = re.compile(r"[a-z]{4,}")
_NOTICE = """\
# Words of English that name nothing to take, eat or react to; written by scripts/ordinary_words.py from WordNet 3.1.
# WordNet 3.1 Copyright 2011 by Princeton University. All rights reserved. Permission to use, copy, modify and
# distribute this software and database and its documentation for any purpose and without fee or royalty is hereby
# granted, provided that this notice and the following statements appear on all copies. THIS SOFTWARE AND DATABASE IS
# PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR IMPLIED, OF
# MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE WILL NOT INFRINGE ANY THIRD PARTY RIGHTS. The
# name of Princeton may not be used in publicity pertaining to distribution. Title remains with Princeton University.
"""


def _synsets(file: Path) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Offset, lexicographer file, words and broader synsets of each line."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        parts = line.split(" | ")[0].split()
        count = int(parts[3], 16)
        words = [re.sub(r"\(\w+\)$", "", word) for word in parts[4 : 4 + 2 * count : 2]]
        rest = parts[5 + 2 * count :]
        above = [rest[place + 1] for place in range(0, len(rest) - 3, 4) if rest[place] in {"@", "@i"}]
        yield parts[0], parts[1], words, above


def _harmful(file: Path) -> Mapping[str, bool]:
    """Each noun to whether any of its senses is harmful."""
    below, roots, found = defaultdict[str, list[str]](list), list[str](), defaultdict[str, bool](bool)
    synsets = list(_synsets(file))
    for offset, kind, words, above in synsets:
        for item in above:
            below[item].append(offset)
        if kind in _HARMFUL_KINDS or not _HARMFUL_ROOTS.isdisjoint(words):
            roots.append(offset)
    bad = dict.fromkeys(roots)
    for offset in roots:  # which grows by what is below each
        new = [item for item in below[offset] if item not in bad]
        bad |= dict.fromkeys(new)
        roots += new
    for offset, _, words, _ in synsets:
        for word in words:
            found[word] = found[word] or offset in bad
    return found


def ordinary(folder: Path) -> list[str]:
    """The words, in order."""
    nouns = _harmful(folder / "data.noun")
    named = {word.lower() for word, harmful in nouns.items() if harmful}
    others = [words for part in ("verb", "adj", "adv") for _, _, words, _ in _synsets(folder / f"data.{part}")]
    words = {*nouns, *(word for synset in others for word in synset)} - named
    return sorted(word for word in words if _WORD.fullmatch(word))


if __name__ == "__main__":
    FILE.write_text(_NOTICE + "\n".join(ordinary(Path(sys.argv[1]))) + "\n", encoding="utf-8")
