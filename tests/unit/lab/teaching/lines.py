"""Lines of a corpus, written short."""

import json

from r_memory_lab.teaching.corpus import CorpusLine, read_line
from r_memory_lab.teaching.domains import CLINICAL


def line(
    text: str,
    *mentions: tuple[str, str, str],
    question: str = "",
    file: str = "clinical/x",
    number: int = 1,
    asked: bool = False,
    **more: object,
) -> CorpusLine:
    """A patient's line; each mention is its words, its relation and its status, and all of them carry `more`.

    With `asked` they stand in the question.
    """
    marks = [
        {"s": s, "r": r, "st": st, "who": "patient", **more, **({"in": "q"} if asked else {})} for s, r, st in mentions
    ]
    data = {"by": "patient", "t": text, "m": marks, **({"q": question} if question else {})}
    return read_line(json.dumps(data), CLINICAL, file, number)
