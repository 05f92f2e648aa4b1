"""Lines of forms with boxes: a label is stated if "yes" is ticked, denied if "no" is, and else states nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import Extraction, Proposal, Span, Status
from r_memory.domain.schema import Language, Schema
from r_memory.protocols import Extractor, Linker
from r_memory.reading.language import listed
from r_memory.reading.sheet import Sheet
from r_memory.text.cutting import words_of

_BOX = re.compile(r"\[\s*(?P<square>[xX\u2713]?)\s*\]|\(\s*(?P<round>[xX\u2713]?)\s*\)|(?P<drawn>[\u2610\u2611\u2612])")
_WORD = re.compile(r"[^\W\d_]+")


class Boxes:
    """Reads such lines under one schema."""

    def __init__(self, labels: Extractor, schema: Schema, linker: Linker) -> None:
        """`labels` reads the label of a box as a statement: the closed rules."""
        self._labels, self._schema, self._linker = labels, schema, linker
        self._kin = kin_of(schema.language)
        self._answers = {word: name for name in ("yes", "no") for word in listed(schema.language, "marks", name)}

    def read(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a line into the sheet; false, with nothing read, if no box stands beside an answer."""
        boxes = list(_BOX.finditer(line))
        words = list(_WORD.finditer(line)) if boxes else []
        first = next((word.start() for word in words if word[0].lower() in self._answers), -1)
        answers = list(self._answered(boxes, words, first))
        if not answers:
            return False
        lead, end = start + len(line) - len(line.lstrip()), start + len(line)
        sheet.take(start, end)
        ticked = {name for name, is_ticked in answers if is_ticked}
        if len(ticked) > 1:
            sheet.wait(lead, end, "both boxes are ticked")
        if len(ticked) != 1:
            return True
        label = line[: min(boxes[0].start(), first)].strip(" \t:?.|-")
        read = self._labels.extract(replace(sheet.utterance, text=f"{label}.")) if label else Extraction()
        stated = [each for each in read.proposals if each.status in {Status.ACTIVE, Status.UNCONFIRMED}]
        # Of "allergy to latex" the allergy counts, and not what else the word may be.
        sheet.entries += [
            replace(
                each,
                status=Status.ACTIVE if ticked == {"yes"} else Status.NEGATED,
                evidence=line.strip(),
                span=Span(start=lead, end=end),
                attrs={**each.attrs, **self._relative(each, line[boxes[-1].end() :])},
                flags=frozenset(),
            )
            for each in stated[:1]
        ]
        if not stated and self._linker.mentions(label):
            sheet.wait(lead, end, "a ticked box")
        return True

    def _relative(self, of: Proposal, behind: str) -> dict[str, str]:
        """Returns the relative who is named behind the boxes."""
        relative = next((self._kin[word] for word in words_of(behind) if word in self._kin), "")
        return {"relative": relative} if relative and "relative" in self._schema.relations[of.relation].attrs else {}

    def _answered(
        self, boxes: Sequence[re.Match[str]], words: Sequence[re.Match[str]], first: int
    ) -> Iterator[tuple[str, bool]]:
        """Yields each answer beside a box, and whether its box is ticked; `first` is the offset of the first answer."""
        for box in boxes:
            before = first > boxes[0].start()
            beside = [each for each in words if (each.start() >= box.end() if before else each.end() <= box.start())]
            said = (beside[0] if before else beside[-1])[0].lower() if beside else ""
            if said in self._answers:
                drawn = box["square"] or box["round"] or (box["drawn"] or "").strip("\u2610")
                yield self._answers[said], bool(drawn)


def kin_of(language: Language) -> dict[str, str]:
    """Returns each word for a relative with the word under which that relative is stored."""
    called = ("persons", "called")
    names = {other: name for name in listed(language, *called) for other in listed(language, *called, name)}
    return {word: word for word in listed(language, "kin")} | names
