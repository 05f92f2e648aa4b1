"""A caller's right reading ends right, kind by kind, in every shipped domain; the same words read wrongly do not.

Each line is told of a new person with the one reading that is tested, over a store of its own.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

import pytest

from r_memory import Memory, Settings, open_memory
from r_memory.domain.facts import MEANS, Attribute
from r_memory.facts.facts import Facts
from r_memory.facts.remember.results import Claim, Result
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.wiring.language import open_reader
from tests.acceptance.conftest import begin
from tests.doubles import memory_over

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, and one fact that a caller reads in it."""

    words: str
    relation: str
    thing: str
    status: str = "active"
    evidence: str = ""
    """Empty: the whole of the words."""
    attrs: Mapping[str, Attribute] = field(default_factory=dict)
    means: str = ""
    beside: tuple[tuple[str, Mapping[str, Attribute]], ...] = ()
    """Other facts of the same relation and thing in the call: status and details."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A memory of one domain that is told of a new person with every sentence."""

    memory: Memory
    numbers: Iterator[int]

    async def told(self, line: Line) -> Result:
        """The result of the line's own fact."""
        read = [(line.status, line.attrs), *line.beside]
        results = await self.results(
            line.words,
            *(
                Claim(
                    relation=line.relation,
                    object=line.thing,
                    evidence=line.evidence or line.words,
                    status=status,
                    attrs=attrs,
                    means=line.means,
                )
                for status, attrs in read
            ),
        )
        return results[0]

    async def results(self, words: str, *claims: Claim, name: str = "Ann Carter") -> list[Result]:
        """The result of each claim that a caller reads in the words about a new person."""
        number = next(self.numbers)
        out = await self.memory.remember(
            words,
            subject=f"Q{number}",
            subject_name=name,
            another_than=[f"Q{other}" for other in range(number)],
            claims=claims,
        )
        return sorted((each for each in out.results if each.given), key=lambda each: each.given)

    async def waiting(self, words: str, *claims: Claim) -> int:
        """Number of statements that wait when a caller reads these claims in the words about a new person."""
        number = next(self.numbers)
        before = [f"Q{other}" for other in range(number)]
        out = await self.memory.remember(
            words, subject=f"Q{number}", subject_name="Ann Carter", another_than=before, claims=claims
        )
        return out.pending

    async def fates(self, lines: tuple[Line, ...]) -> dict[str, str]:
        """By words: the recorded status, or the verdict if nothing is recorded."""
        told = {line.words: await self.told(line) for line in lines}
        return {words: str(each.fact.status if each.fact else each.verdict) for words, each in told.items()}


@dataclass(frozen=True, slots=True)
class Desks:
    """A desk for each domain, opened when it is first used."""

    opened: dict[str, Desk]

    def of(self, schema: str) -> Desk:
        """The desk of the domain, over a store in memory."""
        if schema not in self.opened:
            clock, stream = FixedClock(), DictStream()
            facts = Facts(DictStore(), open_reader(Settings(schema=schema)), clock, space="home")
            memory = memory_over(facts, clock, stream=stream, conversations=DictConversations(stream))
            self.opened[schema] = Desk(memory, count())
        return self.opened[schema]


@pytest.fixture(scope="module")
def desks() -> Desks:
    return Desks({})


@pytest.fixture(scope="module")
async def embedded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    begin(folder)
    async with open_memory(Settings(data_dir=folder)) as memory:
        yield Desk(memory, count())


EXPLAINED = Line(
    "The fizzy thing they make you gulp before a camera test brought me out in welts.",
    "HAS_ALLERGY_TO",
    "fizzy thing they make you gulp",
    means="effervescent granules given before a barium swallow or a barium meal",
)


async def test_a_meaning_may_be_a_long_noun_phrase_and_stays_with_the_fact(desks: Desks, embedded: Desk) -> None:
    for desk in (desks.of("clinical"), embedded):
        told = await desk.told(EXPLAINED)
        assert told.fact is not None
        assert (told.reason, told.fact.attrs.get(MEANS)) == ("", EXPLAINED.means)


MEASURED = {
    "clinical": (
        Line("Weighed her this morning, 3.41 kg.", "HAS_MEASUREMENT", "weight", attrs={"value": 3.41, "unit": "kg"}),
        Line("Scores it 7/10 at rest and worse on the stairs.", "HAS_MEASUREMENT", "pain", attrs={"result": "7/10"}),
        Line("Trough back at 22 mg/L.", "HAS_MEASUREMENT", "vancomycin level", attrs={"value": 22, "unit": "mg/L"}),
        Line("She was 38.9 overnight, settled since.", "HAS_MEASUREMENT", "temperature", attrs={"value": 38.9}),
    ),
    "personal": (
        Line("I'm 9 stone 4 these days.", "HAS_MEASUREMENT", "weight", attrs={"result": "9 stone 4"}),
        Line("I take a 38, narrow.", "HAS_DETAIL", "shoe size", attrs={"value": "38"}),
    ),
}
UNNAMED = (
    Line("Her weight is up again.", "HAS_MEASUREMENT", "potassium level", attrs={"value": 6.3}),
    Line("I take 50 mg every morning.", "TAKES", "metoprolol", attrs={"dose": "50 mg"}),
    Line("No more than 2 g a day for me.", "DOSE_LIMIT", "paracetamol", attrs={"max": 2, "unit": "g"}),
    Line("3.4 is not what it was.", "HAS_MEASUREMENT", "potassium level", "negated", attrs={"value": 3.4}),
)


@pytest.mark.parametrize("schema", MEASURED)
async def test_a_value_in_the_words_grounds_what_the_caller_says_it_measures(desks: Desks, schema: str) -> None:
    lines = MEASURED[schema]
    assert await desks.of(schema).fates(lines) == {line.words: "active" for line in lines}


async def test_a_value_grounds_no_other_name_than_that_of_what_is_measured(desks: Desks) -> None:
    fates = await desks.of("clinical").fates(UNNAMED)
    assert list(fates.values()) == ["waits", "waits", "waits", "rejected"], fates


OVER = {
    "clinical": (
        Line("I had TB as a lad, six months of tablets and they signed me off.", "HAS_CONDITION", "TB", "resolved"),
        Line("The gout's history since I packed in the beer.", "HAS_CONDITION", "gout", "resolved"),
        Line("Swapped the ramipril for losartan because of the cough.", "TAKES", "ramipril", "resolved"),
        Line("His croup is behind us, thank heavens.", "HAS_CONDITION", "croup", "resolved"),
    ),
    "law": (
        Line("We sacked Brightwater & Co in June.", "REPRESENTED_BY", "Brightwater & Co", "resolved"),
        Line("My aunt stood down as a trustee when we came of age.", "HAS_INTEREST_IN", "trustee", "resolved"),
        Line("They let us go on the probate after the row.", "ENGAGED_FOR", "probate", "resolved"),
        Line(
            "The reply was due on the 9th, the court has pushed it to the 23rd.",
            "HAS_DEADLINE",
            "reply",
            "refuted",
            attrs={"due": "9th"},
            beside=(("active", {"due": "23rd"}),),
        ),
    ),
    "finance": (
        Line("We unloaded the buy-to-lets before the wedding.", "HOLDS", "buy-to-lets", "resolved"),
        Line("I was a bit of a gambler as a student.", "HAS_RISK_PROFILE", "gambler", "resolved"),
    ),
    "personal": (
        Line("The Lisbon trip fell through.", "PLANS", "Lisbon trip", "resolved"),
        Line("I packed in the gym membership ages ago.", "HAS_DETAIL", "gym membership", "resolved"),
        Line("The Fiesta went to my nephew.", "HAS_DETAIL", "Fiesta", "resolved"),
        Line("Bullet points are history, I changed my mind.", "INSTRUCTS", "Bullet points", "resolved"),
    ),
}
GOES_ON = {
    "clinical": (
        Line("I'm feeding my baby myself.", "HAS_CONDITION", "feeding my baby myself", "resolved"),
        Line("He's on methotrexate 15 mg every Monday.", "TAKES", "methotrexate", "resolved"),
        Line("She has a swallowing problem, thickened drinks only.", "HAS_CONDITION", "swallowing problem", "resolved"),
        Line("I have epilepsy and a bad knee.", "HAS_CONDITION", "epilepsy", "resolved"),
        Line("Penicillin brought me out in hives at school.", "HAS_ALLERGY_TO", "Penicillin", "resolved"),
        Line("I was fitted with a pacemaker in 2015.", "HAS_IMPLANTS", "pacemaker", "resolved"),
    ),
    "law": (
        Line("Ms Reid of Oakley's is still acting for me.", "REPRESENTED_BY", "Ms Reid", "resolved"),
        Line("I signed a non-compete when I joined.", "BOUND_BY", "non-compete", "resolved"),
    ),
    "personal": (Line("I'm learning Danish with Aino.", "WORKS_ON", "Danish", "resolved"),),
}


@pytest.mark.parametrize("schema", OVER)
async def test_an_end_of_what_is_not_critical_needs_no_word_that_a_list_holds(desks: Desks, schema: str) -> None:
    lines = OVER[schema]
    assert await desks.of(schema).fates(lines) == {line.words: line.status for line in lines}


@pytest.mark.parametrize("schema", GOES_ON)
async def test_what_goes_on_and_what_is_critical_do_not_end_on_a_callers_word(desks: Desks, schema: str) -> None:
    fates = await desks.of(schema).fates(GOES_ON[schema])
    assert set(fates.values()) == {"waits"}, fates


ENDED = {
    "law": (
        Line("The supply contract with Kowalski was rescinded by consent.", "BOUND_BY", "supply contract", "resolved"),
        Line("The old undertaking has been superseded.", "BOUND_BY", "undertaking", "resolved"),
    ),
    "finance": (Line("I was made redundant at Norvale plc in April.", "IS_INSIDER_OF", "Norvale plc", "resolved"),),
}
NOT_ENDED = {
    "law": (
        Line("If the lease is terminated the guarantee stays.", "BOUND_BY", "guarantee", "resolved"),
        Line("The NDA may be revoked by either side.", "BOUND_BY", "NDA", "resolved"),
    ),
    "clinical": (
        Line(
            "They stopped the drip because penicillin brings me out in welts.",
            "HAS_ALLERGY_TO",
            "penicillin",
            "resolved",
        ),
        Line(
            "They called off the operation because penicillin nearly kills me.",
            "HAS_ALLERGY_TO",
            "penicillin",
            "resolved",
        ),
    ),
}


@pytest.mark.parametrize("schema", ENDED)
async def test_a_word_that_only_ends_things_ends_what_is_critical(desks: Desks, schema: str) -> None:
    lines = ENDED[schema]
    assert await desks.of(schema).fates(lines) == {line.words: line.status for line in lines}


@pytest.mark.parametrize("schema", NOT_ENDED)
async def test_an_end_of_something_else_or_that_may_come_ends_nothing_critical(desks: Desks, schema: str) -> None:
    fates = await desks.of(schema).fates(NOT_ENDED[schema])
    assert set(fates.values()) == {"waits"}, fates


ONE_EVIDENCE = (
    ("clinical", "HAS_NOTE", "missed sat and sun", ("absent on Saturday", "absent on Sunday")),
    ("clinical", "HAS_PRECAUTION", "No bloods or BP from the left", ("no venepuncture left arm", "no cuff left arm")),
    ("law", "HAS_NOTE", "rang about the fence and again about the drain", ("fence call", "drainage call")),
    ("finance", "HAS_NOTE", "signed neither the mandate nor the fact find", ("mandate unsigned", "fact-find unsigned")),
    ("personal", "HAS_NOTE", "swimming Mon and Wed", ("swims on Monday", "swims on Wednesday")),
)


@pytest.mark.parametrize(("schema", "relation", "words", "labels"), ONE_EVIDENCE)
async def test_facts_that_the_same_words_state_are_each_kept_under_the_words_and_the_callers_name(
    desks: Desks, schema: str, relation: str, words: str, labels: tuple[str, ...]
) -> None:
    """Told by a player: of two missed days in the same words the second was answered "stored" and lost."""
    claims = [Claim(relation=relation, object=label, evidence=words) for label in labels]

    told = await desks.of(schema).results(f"Well, {words}.", *claims)

    names = [each.fact.object.name.casefold() if each.fact else each.reason for each in told]
    assert names == [f"{words} ({label})".casefold() for label in labels]


LOST = (
    ("clinical", "HAS_NOTE", "dose", "missed his dose on the 3rd and the 4th", "date", ("2026-03-03", "2026-03-04")),
    ("clinical", "TAKES", "codeine", "codeine 15 mg, sometimes 30 mg", "dose", ("15 mg", "30 mg")),
    ("law", "HAS_NOTE", "call", "one call on the 3rd, one on the 4th", "date", ("2026-03-03", "2026-03-04")),
    ("finance", "HOLDS", "gilts", "gilts with Hale and gilts with Lyle", "held_at", ("Hale", "Lyle")),
    ("personal", "LIKES", "jazz", "jazz for cooking, jazz for driving", "for", ("cooking", "driving")),
)


@pytest.mark.parametrize(("schema", "relation", "thing", "words", "detail", "values"), LOST)
async def test_a_detail_that_another_fact_of_the_call_leaves_no_room_for_is_told(
    desks: Desks, schema: str, relation: str, thing: str, words: str, detail: str, values: tuple[str, str]
) -> None:
    """Two facts of one thing are one fact with one value; the answer must not call the other one stored."""
    claims = [Claim(relation=relation, object=thing, evidence=words, attrs={detail: value}) for value in values]

    first, second = await desks.of(schema).results(f"Well, {words}.", *claims)

    assert first.reason == ""
    assert f"Left out {detail}: {values[1]}" in second.reason


@pytest.mark.parametrize(
    ("words", "relation", "scope"),
    [
        ("Naomi 7.9kg has no allergies.", "HAS_ALLERGY_TO", "any"),
        ("Naomi 62 kg has no implants.", "HAS_IMPLANTS", "any"),
        ("Naomi, 79, wt 48.5 kg, has no known drug allergies.", "HAS_ALLERGY_TO", "any_drug"),
        ("Naomi 9 stone has no allergies.", "HAS_ALLERGY_TO", "any"),
        ("Naomi, 79, has no allergies.", "HAS_ALLERGY_TO", "any"),
        ("Naomi (aged 7) has no implants.", "HAS_IMPLANTS", "any"),
        ("Naomi weighs 7.9 kg and has no allergies.", "HAS_ALLERGY_TO", "any"),
    ],
)
async def test_an_age_or_a_weight_beside_the_name_makes_a_plain_absence_no_less_plain(
    desks: Desks, words: str, relation: str, scope: str
) -> None:
    evidence = words[words.index("no ") : -1]
    claim = Claim(relation=relation, object=scope, evidence=evidence, status="negated")

    [told] = await desks.of("clinical").results(words, claim, name="Naomi Adu")

    assert told.fact is not None, told.reason
    assert (told.fact.object.name, told.fact.status) == (scope, "negated")


@pytest.mark.parametrize(
    "words",
    [
        "Noah 8.4kg has no allergies.",
        "The landlord 80 kg has no allergies.",
        "Her brother 8.4kg has no allergies.",
        "Naomi 7.9kg may have no allergies.",
        "Naomi 7.9kg doubts she has no allergies.",
    ],
)
async def test_a_weight_makes_nobody_elses_absence_the_subjects(desks: Desks, words: str) -> None:
    claim = Claim(relation="HAS_ALLERGY_TO", object="any", evidence="no allergies", status="negated")

    [told] = await desks.of("clinical").results(words, claim, name="Naomi Adu")

    assert told.fact is None
    assert told.verdict == "waits"


KEPT = (
    ("finance", "HOLDS", "premium bonds", "He has 30k in premium bonds."),
    ("finance", "HOLDS", "Krugerrands", "There are Krugerrands in the tea caddy."),
    ("finance", "HOLDS", "holiday cottage", "They own a holiday cottage at Nefyn."),
    ("law", "ENGAGED_FOR", "house sale", "We act on the house sale."),
    ("law", "ENGAGED_FOR", "libel", "We act for her on the libel."),
    ("law", "MUST_NOT_DISCLOSE", "tax returns", "His tax returns go to nobody."),
)


@pytest.mark.parametrize(("schema", "relation", "thing", "words"), KEPT)
async def test_a_narrower_word_never_becomes_the_broader_one(
    desks: Desks, schema: str, relation: str, thing: str, words: str
) -> None:
    """Told by a player: premium bonds came back as a savings account."""
    [told] = await desks.of(schema).results(words, Claim(relation=relation, object=thing, evidence=words))

    assert told.fact is not None, told.reason
    assert told.fact.object.name.casefold() == thing.casefold()


OWNED = (
    ("finance", "Her ISA subs this year 14.5k, his nil", "Keith Barlow"),
    ("finance", "Her pension is 12k", "Keith Barlow"),
    ("law", "His fee is 1800 plus VAT", "Toby Hale"),
    ("clinical", "Her number is on the fridge", "Sanjay Rao"),
    ("personal", "Their flat is above the bakery", "Dewi Ro"),
)


@pytest.mark.parametrize(("schema", "words", "name"), OWNED)
async def test_a_note_keeps_the_word_that_says_whose_a_thing_is(
    desks: Desks, schema: str, words: str, name: str
) -> None:
    """Told by a player: her subscriptions stood under him as his own."""
    claim = Claim(relation="HAS_NOTE", object=words, evidence=words)

    [told] = await desks.of(schema).results(f"{words}.", claim, name=name)

    assert told.fact is not None, told.reason
    assert told.fact.object.name.casefold() == words.casefold()


async def test_an_article_and_a_possessive_before_the_name_of_a_substance_are_no_part_of_it(desks: Desks) -> None:
    claim = Claim(relation="TAKES", object="her ramipril", evidence="takes her ramipril")

    [told] = await desks.of("clinical").results("She takes her ramipril at eight.", claim)

    assert told.fact is not None
    assert told.fact.object.name == "Ramipril"


@pytest.mark.parametrize(
    ("words", "evidence", "fate"),
    [
        ("Allergies? None that matter to you: none.", "Allergies? None that matter to you: none", "waits"),
        ("Any allergies, no, and the bus was late.", "Any allergies, no", "negated"),
        ("The lad's not allergic to a thing, eats like a horse.", "not allergic to a thing", "waits"),
        ("I've never reacted to a tablet in my life.", "I've never reacted to a tablet in my life", "negated"),
        ("Allergies: none whatsoever, thank the Lord.", "Allergies: none whatsoever", "negated"),
        ("No allergies, well, penicillin swells me up.", "No allergies", "waits"),
        ("My neighbour has never had an allergic reaction.", "has never had an allergic reaction", "waits"),
        ("No end of allergies, I have.", "No end of allergies", "waits"),
    ],
)
async def test_a_whole_kind_is_denied_in_a_callers_plain_words_and_by_nothing_less(
    desks: Desks, words: str, evidence: str, fate: str
) -> None:
    claim = Claim(relation="HAS_ALLERGY_TO", object="any", evidence=evidence, status="negated")

    [told] = await desks.of("clinical").results(words, claim)

    assert str(told.fact.status if told.fact else told.verdict) == fate, told.reason


async def test_a_bare_name_inside_what_a_caller_reads_as_something_else_makes_nothing_wait(desks: Desks) -> None:
    trouble = Claim(relation="HAS_CONDITION", object="knee gives way", evidence="my knee gives way", means="weak knee")
    medicine = Claim(relation="TAKES", object="penicillin", evidence="Penicillin")

    [told] = await desks.of("clinical").results("On the stairs my knee gives way.", trouble)
    waits = await desks.of("clinical").waiting("On the stairs my knee gives way.", trouble)
    bare = await desks.of("clinical").waiting("Allergies: Penicillin", medicine)

    assert told.fact is not None
    assert (waits, bare) == (0, 1)
