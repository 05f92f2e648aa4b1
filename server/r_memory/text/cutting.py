"""How a text is cut into words and marks: English spelling, short forms, abbreviations, amounts with their units.

A run without blanks loses marks from both ends until what is left is known or has none there, and is then cut at the
marks inside it. Takes time in proportion to the length of the text.
"""

import re
from collections.abc import Iterator
from unicodedata import category

_NO_MARK = frozenset("-./@\\%§†‡'\u2019")
"""Punctuation that stands within words, or that a rule of its own cuts off."""
_FRONT = re.compile(r"\.{2,}|(?:US|C|A)\$|\+(?!\d)|[§%='\u2019]")
_UNIT = (
    r"km[²³]?|d?m[²³]?|cm[²³]?|mm[²³]?|ha|[µn]m|yd|in|ft|[kmµ]?g|t|lb|oz|m/s|km/h|kmh|mph|hPa|Pa|mbar|[MmKkGgTt]b|"
    r"[MKGT]B|[TGMK%]"
)
_BACK = re.compile(rf"(?:\.{{2,}}|['\u2019][sS]|['\u2019]|(?<=\d)(?:\+|{_UNIT})|(?<=[^\s.@\\/])\.)\Z")
_LONGEST_ENDING = 8
_LETTER = r"[^\W\d_]"
_INSIDE = re.compile(
    "|".join(
        (
            r"\.{2,}|…|->|=>",
            r"[()\[\]{}<>=;!?]",
            r"(?<=\d)[+\-*^](?=[\d-])",
            r"(?<=[a-zß-öø-ÿ'\"])\.(?=[A-ZÀ-ÖØ-Þ'\"])",
            r"(?<=[A-Za-z]{2})[.,:](?=[A-Za-z]{2})",
            rf"(?<={_LETTER}),(?={_LETTER})",
            rf"(?<=[^\W_])(?:-{{1,3}}|\u2013|\u2014{{1,2}}|~)(?={_LETTER})",
            rf"(?<=[^\W_])[:/](?={_LETTER})",
            r"(?<=[A-Za-z])[+*](?=[A-Za-z])",
            r"(?<=[A-Za-z])/(?=[0-9])",
            # "2g", "48hrs": amounts are written without a blank as well.
            r"(?<=[0-9])(?=(?:mcg|ug|mg|g|kg|ml|l|hrs?|h|hours?|days?|units?|iu|percent)(?![A-Za-z]))",
        )
    )
)

_WHOLE = re.compile(
    r"'(?:s|d|m|re|ve|ll|em|bout|cause|co[sz]|cuz|nuff)?|''|[ap]\.m\.|e\.g\.|i\.e\.|v\.?s\.|co\.|and/or|w/o|ma'am|o'clock|"
    r"(?:do|go|hav|lov|noth|nuth|someth)in'|ol'",
    re.IGNORECASE,
)
"""What no mark is cut off."""
_ABBREVIATION = re.compile(
    r"(?:Adm|Bros|Co|Corp|Dr|Gen|Gov|Inc|Jr|Ltd|Messrs|Mr|Mrs|Ms|Mt|Prof|Rep|Rev|Sen|St|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|"
    r"Ak|Ala|Ariz|Ark|Calif|Colo|Conn|Del|Fla|Ga|Ia|Id|Ill|Ind|Kans?|Ky|La|Mass|Md|Mich|Minn|Miss|Mo|Mont|Nebr?|Nev|Okla|"
    r"Ore|Pa|Tenn|Va|Wash|Wis)\."
)
_VERB = r"could|do|does|did|had|may|might|must|need|ought|should|would|are|is|was|were|have|has|dare|ca|sha|wo|ai"
_ASKING = r"what|when|why|how|there|these|those"
_SHORT_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(i|you|he|she|it|we|they|who|what|where|when|why|how|there|that|this|these|those)('(?:ll|d|s|re|ve|m))('ve)?",
        rf"({_VERB})(n't)('ve)?",
        r"(could|might|must|should|would|not)('ve)",
        r"(let)('s)|(y')(all)|(c'm)(on)|(can)(not)|(gon)(na)|(got)(ta)",
        r"(\d{1,2})([ap]m|[ap]\.m\.)",
    )
)
_UNMARKED = tuple(
    re.compile(form)
    for form in (
        r"(i)(m|ve|d)(ve)?|(he|we)(d)(ve)?",
        rf"(you|it|they|who|where|that|this|{_ASKING})(ll|d)(ve)?",
        rf"(you|we|they|who|where|{_ASKING})(ve)|(you|they|where|{_ASKING})(re)",
        r"(he|she|who|what|when|where|why|how|there|that|this)(s)",
        rf"({_VERB})(nt)(ve)?",
        r"(could|might|must|should|would|not)(ve)",
    )
)
"""The same without the apostrophe, where that makes no other word: "well" and "its" are words."""
_LONGEST_KNOWN = 12
_LONGEST = 100
"""No word is longer; who compares words by their letters relies on it."""
_SPACE = re.compile(r"\s+|\S+")


def pieces(text: str) -> Iterator[tuple[str, int]]:
    """Words and marks with where they begin; blanks are left out, but for those that hold the end of a line."""
    for run in _SPACE.finditer(text):
        start, words = run.start(), run[0]
        if not words.isspace():
            for piece in _cut(words):
                for part in range(0, len(piece), _LONGEST):
                    yield piece[part : part + _LONGEST], start + part
                start += len(piece)
        elif "\n" in words:
            # One blank belongs to the word before it.
            belongs = int(words[0] == " " and start > 0)
            yield words[belongs:], start + belongs


def _cut(run: str) -> tuple[str, ...]:
    """The pieces of a run without blanks; together they are the run."""
    start, end = 0, len(run)
    before: list[str] = []
    behind: list[str] = []
    known: tuple[str, ...] = ()
    while start < end and not (known := _known(run, start, end)):
        front = _front(run, start, end)
        if front and (known := _known(run, start + front, end)):
            before.append(run[start : start + front])
            break
        back = _back(run, start + front, end)
        if back and (known := _known(run, start, end - back)):
            behind.append(run[end - back : end])
            break
        if not front and not back:
            break
        before.extend([run[start : start + front]] if front else ())
        behind.extend([run[end - back : end]] if back else ())
        start, end = start + front, end - back
    return (*before, *(known or _inside(run[start:end])), *reversed(behind))


def _front(run: str, start: int, end: int) -> int:
    """How many characters are cut off the front."""
    if found := _FRONT.match(run, start, end):
        return found.end() - start
    return int(_is_mark(run[start]))


def _back(run: str, start: int, end: int) -> int:
    """How many characters are cut off the end."""
    if start >= end:
        return 0
    if _is_mark(run[end - 1]):
        return 1
    if run[end - 2 : end] == "..":
        return next((end - at for at in range(end, start, -1) if run[at - 1] != "."), end - start)
    # What stands before the ending decides as well, and may be cut off the front already.
    near = max(0, end - _LONGEST_ENDING)
    found = _BACK.search(run, near, end)
    return 0 if found is None else min(end - found.start(), end - start)


def _is_mark(character: str) -> bool:
    kind = category(character)
    return (kind[0] == "P" and character not in _NO_MARK) or kind in {"So", "Sc"} or character in "<>`\u00b4"


def _known(run: str, start: int, end: int) -> tuple[str, ...]:
    """The pieces of a word that is cut by heart; none for any other."""
    if not 0 < end - start <= _LONGEST_KNOWN:
        return ()
    word = run[start:end]
    spelt = word.replace("\u2019", "'")
    if _WHOLE.fullmatch(spelt) or _ABBREVIATION.fullmatch(word):
        return (word,)
    found = next((found for form in _SHORT_FORMS if (found := form.fullmatch(spelt))), None)
    # In capitals without the apostrophe it is something else: IM is no "I'm".
    if found is None and spelt[1:].islower():
        plain = spelt[0].lower() + spelt[1:]
        found = next((found for form in _UNMARKED if (found := form.fullmatch(plain))), None)
    if found is None:
        return ()
    return tuple(word[found.start(part) : found.end(part)] for part in range(1, found.re.groups + 1) if found[part])


def _inside(run: str) -> Iterator[str]:
    """The run, cut at the marks inside it."""
    done = 0
    for mark in _INSIDE.finditer(run):
        yield from filter(None, (run[done : mark.start()], mark[0]))
        done = mark.end()
    if run[done:]:
        yield run[done:]
