"""Reads a user's own copy of RxNorm (RXNCONSO.RRF and RXNREL.RRF): ingredients, brands and combinations.

Only names that the NLM itself made (SAB=RXNORM) are taken: other sources in the files have licences of their own.
Rows are streamed; what is kept is in proportion to the names, not to the rows.
Format: RxNorm technical documentation, sections 10.1 and 10.2.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from r_memory.errors import ConfigurationError
from r_memory_lab.knowledge.rows import Progressed, lines_of
from r_memory_lab.knowledge.vocabulary import Vocabulary, usable

CONCEPTS, RELATIONS = "RXNCONSO.RRF", "RXNREL.RRF"
NOTICE = (
    "This product uses publicly available data from the U.S. National Library of Medicine (NLM); NLM is not "
    "responsible for the product and does not endorse or recommend this or any other product."
)
_SOURCE = "RXNORM"
_INGREDIENT, _PRECISE, _BRAND, _COMBINATION = "IN", "PIN", "BN", "MIN"
_KINDS = frozenset({_INGREDIENT, _PRECISE, _BRAND, _COMBINATION})
_FIELDS = {CONCEPTS: 18, RELATIONS: 16}
_TRADE = frozenset({"tradename_of", "has_tradename"})
_PARTS = frozenset({"has_part", "part_of", "has_ingredients", "ingredients_of", "has_ingredient", "ingredient_of"})
_FORMS = frozenset({"form_of", "has_form", "has_precise_ingredient", "precise_ingredient_of"})
_RELATIONS = _TRADE | _PARTS | _FORMS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Concept:
    kind: str
    name: str


def read_rxnorm(folder: Path, *, stop: frozenset[str], progressed: Progressed) -> Vocabulary:
    """Returns every ingredient with brands and salts as synonyms, and every combination with its ingredients.

    `stop` are everyday words that no name may be.

    Raises:
        ConfigurationError: a file is missing, or a row has another form; names file and line.
    """
    concepts = _concepts(folder / CONCEPTS, progressed)
    if not concepts:
        message = f"no row with SAB={_SOURCE} and TTY IN, PIN, BN or MIN; is this an RxNorm release?"
        raise ConfigurationError(message, file=folder / CONCEPTS)
    near = _neighbours(folder / RELATIONS, concepts, progressed)
    return _RxNormReader(concepts, near, stop).vocabulary()


def _concepts(path: Path, progressed: Progressed) -> dict[str, _Concept]:
    found: dict[str, _Concept] = {}
    for row in _rows(path, progressed):
        # RXCUI 0, LAT 1, SAB 11, TTY 12, STR 14, SUPPRESS 16
        if row[11] == _SOURCE and row[12] in _KINDS and row[16] == "N" and row[1] == "ENG":
            found.setdefault(row[0], _Concept(kind=row[12], name=row[14].strip()))
    return found


def _neighbours(path: Path, concepts: Mapping[str, _Concept], progressed: Progressed) -> Mapping[str, dict[str, None]]:
    """Returns directly related concepts, in both directions; their kinds tell which is the brand or the whole."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in _rows(path, progressed):
        # RXCUI1 0, RXCUI2 4, RELA 7, SAB 10, SUPPRESS 14
        one, other = row[0], row[4]
        counts = row[7] in _RELATIONS and row[10] == _SOURCE and row[14] in {"", "N"}
        if counts and one in concepts and other in concepts:
            found[one][other] = None
            found[other][one] = None
    return found


def _rows(path: Path, progressed: Progressed) -> Iterator[list[str]]:
    wanted = _FIELDS[path.name]
    for number, line in lines_of(path, progressed):
        row = line.split("|")
        # A row ends with a bar, so one field more than named follows.
        if len(row) < wanted:
            message = f"{len(row) - 1} fields, expected {wanted}; take {path.name} from an unpacked RxNorm release"
            raise ConfigurationError(message, file=path, line=number)
        yield row


class _RxNormReader:
    """Makes names from concepts and their neighbours."""

    def __init__(
        self, concepts: Mapping[str, _Concept], near: Mapping[str, Mapping[str, None]], stop: frozenset[str]
    ) -> None:
        self._concepts = concepts
        self._near = near
        self._stop = stop
        self._names: dict[str, dict[str, None]] = {}
        self._parts: dict[str, tuple[str, ...]] = {}
        self._skipped = 0

    def vocabulary(self) -> Vocabulary:
        """Returns everything usable."""
        wholes: dict[frozenset[str], str] = {}
        for cui in self._of(_INGREDIENT):
            self._add(self._concepts[cui].name)
        for cui in self._of(_COMBINATION):
            ingredients = self._ingredients(cui)
            if ingredients and self._add(self._concepts[cui].name):
                self._parts[self._concepts[cui].name] = ingredients
                wholes[frozenset(ingredients)] = self._concepts[cui].name
        for cui in (*self._of(_PRECISE), *self._of(_BRAND)):
            self._add_under(cui, wholes)
        names = {name: tuple(synonyms) for name, synonyms in self._names.items()}
        return Vocabulary(names=names, parts=self._parts, skipped=self._skipped)

    def _of(self, kind: str) -> list[str]:
        return [cui for cui, concept in self._concepts.items() if concept.kind == kind]

    def _add(self, name: str) -> bool:
        if not usable(name, self._stop):
            self._skipped += 1
            return False
        self._names.setdefault(name, {})
        return True

    def _ingredients(self, cui: str) -> tuple[str, ...]:
        """Returns the names of the kept ingredients."""
        near = (self._concepts[other] for other in self._near.get(cui, ()))
        return tuple(sorted({item.name for item in near if item.kind == _INGREDIENT and item.name in self._names}))

    def _add_under(self, cui: str, wholes: Mapping[frozenset[str], str]) -> None:
        """Adds a brand or salt as a synonym of its ingredient; of several ingredients, as a combination."""
        name = self._concepts[cui].name
        if not usable(name, self._stop):
            self._skipped += 1
            return
        whole = next((combination for combination in self._combinations(cui)), "")
        ingredients = self._ingredients(cui)
        # An ingredient whose name cannot be used must not make a combination look like a single drug.
        whole = whole or (wholes.get(frozenset(ingredients), "") if self._all_kept(cui, ingredients) else "")
        owner = whole or (ingredients[0] if len(ingredients) == 1 and self._all_kept(cui, ingredients) else "")
        if owner:
            self._names[owner][name] = None
        elif ingredients and self._add(name):
            self._parts[name] = ingredients
        else:
            self._skipped += 1

    def _all_kept(self, cui: str, ingredients: Sequence[str]) -> bool:
        kinds = [self._concepts[other].kind for other in self._near.get(cui, ())]
        return kinds.count(_INGREDIENT) == len(ingredients)

    def _combinations(self, cui: str) -> Iterator[str]:
        for other in self._near.get(cui, ()):
            concept = self._concepts[other]
            if concept.kind == _COMBINATION and concept.name in self._parts:
                yield concept.name
