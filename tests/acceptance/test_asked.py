"""What somebody asks is no statement, whatever a caller reads in it: a risk is doubted, an absence waits.

Each sentence is told of a new person with the reading that a hasty caller would send, over each store.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count

import pytest

from r_memory import Memory, Settings, open_memory
from r_memory.domain.facts import Flag
from r_memory.facts.facts import Facts
from r_memory.facts.remember.results import Claim
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.wiring.language import open_reader
from tests.acceptance.conftest import begin
from tests.doubles import memory_over

pytestmark = pytest.mark.anyio
ALLERGY, IMPLANT, TAKES, TOLERATES = "HAS_ALLERGY_TO", "HAS_IMPLANTS", "TAKES", "TOLERATES"


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, and the one fact that a caller reads in it."""

    words: str
    relation: str
    thing: str
    evidence: str = ""
    """Empty: the whole of the words."""


ASKED = (
    Reading("Am I allergic to penicillin?", ALLERGY, "penicillin", "allergic to penicillin"),
    Reading("Do I have a pacemaker or am I thinking of Dad?", IMPLANT, "pacemaker", "I have a pacemaker"),
    Reading("does she have a shellfish allergy", ALLERGY, "shellfish", "she have a shellfish allergy"),
    Reading(
        "I wonder whether I'm still allergic to wasp stings.",
        ALLERGY,
        "wasp stings",
        "I'm still allergic to wasp stings",
    ),
    Reading("Tell me whether I am allergic to codeine.", ALLERGY, "codeine", "I am allergic to codeine"),
    Reading("Can you check if she is allergic to latex?", ALLERGY, "latex", "she is allergic to latex"),
    Reading(
        "Could you find out if I have a cochlear implant, please?",
        IMPLANT,
        "cochlear implant",
        "I have a cochlear implant",
    ),
    Reading("Penicillin, am I allergic to it?", ALLERGY, "Penicillin"),
    Reading("I'm allergic to hazelnuts, aren't I?", ALLERGY, "hazelnuts", "I'm allergic to hazelnuts"),
    Reading("Codeine? Could that be what made me so sick?", ALLERGY, "Codeine"),
    Reading("I feel awful today. Am I allergic to ibuprofen?", ALLERGY, "ibuprofen", "allergic to ibuprofen"),
    Reading("Am I allergic to my new nail glue?", ALLERGY, "nail glue", "allergic to my new nail glue"),
    Reading("Bin ich gegen Penicillin allergisch?", ALLERGY, "Penicillin", "gegen Penicillin allergisch"),
    Reading(
        "Ich frage mich, ob ich noch gegen Penicillin allergisch bin.",
        ALLERGY,
        "Penicillin",
        "ich noch gegen Penicillin allergisch bin",
    ),
    Reading("Suis-je allergique à la pénicilline ?", ALLERGY, "pénicilline", "allergique à la pénicilline"),
    Reading(
        "Je me demande si je suis allergique à la pénicilline.",
        ALLERGY,
        "pénicilline",
        "je suis allergique à la pénicilline",
    ),
    Reading("¿Soy alérgico a la penicilina?", ALLERGY, "penicilina", "Soy alérgico a la penicilina"),
    Reading("Sono allergico alla penicillina, vero?", ALLERGY, "penicillina", "Sono allergico alla penicillina"),
    Reading("Ben ik allergisch voor penicilline?", ALLERGY, "penicilline", "allergisch voor penicilline"),
    Reading("Será que sou alérgico à penicilina?", ALLERGY, "penicilina", "sou alérgico à penicilina"),
)
"""Nobody states that it is so."""
STATED = (
    Reading("I'm allergic to penicillin. What can I take?", ALLERGY, "penicillin", "I'm allergic to penicillin"),
    Reading(
        "I'm allergic to penicillin, what can I take instead?", ALLERGY, "penicillin", "I'm allergic to penicillin"
    ),
    Reading("What can I have for a cough, I'm allergic to codeine?", ALLERGY, "codeine", "I'm allergic to codeine"),
    Reading("Can I have shrimp, since I'm allergic to latex?", ALLERGY, "latex", "I'm allergic to latex"),
    Reading("Which antibiotic is safe with my penicillin allergy?", ALLERGY, "penicillin", "my penicillin allergy"),
    Reading("Is the scanner safe with my pacemaker?", IMPLANT, "pacemaker", "my pacemaker"),
    Reading("Can you note that I'm allergic to hazelnuts?", ALLERGY, "hazelnuts", "I'm allergic to hazelnuts"),
    Reading("Did I mention I'm allergic to wasp stings?", ALLERGY, "wasp stings", "I'm allergic to wasp stings"),
    Reading("Allergic to penicillin? Yes, badly.", ALLERGY, "penicillin", "Allergic to penicillin"),
    Reading(
        "Am I allergic to latex? I'm allergic to penicillin, so I wonder.",
        ALLERGY,
        "penicillin",
        "allergic to penicillin",
    ),
    Reading("Wasp stings? Swelled up like a football last time.", ALLERGY, "Wasp stings"),
    Reading("I wonder why I get so tired; I have a pacemaker.", IMPLANT, "pacemaker", "I have a pacemaker"),
    Reading(
        "Ich bin gegen Penicillin allergisch, was kann ich nehmen?",
        ALLERGY,
        "Penicillin",
        "Ich bin gegen Penicillin allergisch",
    ),
    Reading(
        "Je suis allergique à la pénicilline. Que puis-je prendre ?",
        ALLERGY,
        "pénicilline",
        "Je suis allergique à la pénicilline",
    ),
    Reading("Soy alérgico a la penicilina, ¿qué puedo tomar?", ALLERGY, "penicilina", "Soy alérgico a la penicilina"),
    Reading(
        "Sono allergico alla penicillina, cosa posso prendere?",
        ALLERGY,
        "penicillina",
        "Sono allergico alla penicillina",
    ),
    Reading(
        "Ik ben allergisch voor penicilline, wat kan ik nemen?",
        ALLERGY,
        "penicilline",
        "Ik ben allergisch voor penicilline",
    ),
    Reading("Sou alérgico à penicilina, o que posso tomar?", ALLERGY, "penicilina", "Sou alérgico à penicilina"),
)
"""It is said beside a question, or taken for granted in it."""
ABSENCE_ASKED = (
    Reading("Do I have no penicillin allergy?", ALLERGY, "penicillin", "no penicillin allergy"),
    Reading("Can you check if she has no pacemaker?", IMPLANT, "pacemaker", "she has no pacemaker"),
    Reading(
        "I wonder whether I'm not allergic to eggs any more.", ALLERGY, "eggs", "I'm not allergic to eggs any more"
    ),
    Reading("I'm not allergic to latex, am I?", ALLERGY, "latex", "I'm not allergic to latex"),
    Reading("Tell me if he isn't allergic to codeine.", ALLERGY, "codeine", "he isn't allergic to codeine"),
    Reading("Do I have no allergies?", ALLERGY, "any", "no allergies"),
    Reading("Is it right that I no longer take warfarin?", TAKES, "warfarin", "I no longer take warfarin"),
    Reading("¿No soy alérgico a la penicilina?", ALLERGY, "penicilina", "No soy alérgico a la penicilina"),
    Reading("Habe ich keine Allergie gegen Penicillin?", ALLERGY, "Penicillin", "keine Allergie gegen Penicillin"),
)
ABSENCE_STATED = (
    Reading("I have no penicillin allergy. What can I take?", ALLERGY, "penicillin", "I have no penicillin allergy"),
    Reading("I'm not allergic to latex, so can I wear the gloves?", ALLERGY, "latex", "I'm not allergic to latex"),
    Reading("Allergic to latex? No, I have no latex allergy.", ALLERGY, "latex", "I have no latex allergy"),
    Reading(
        "Ich habe keine Allergie gegen Penicillin. Was kann ich nehmen?",
        ALLERGY,
        "Penicillin",
        "Ich habe keine Allergie gegen Penicillin",
    ),
)


@dataclass(frozen=True, slots=True)
class Desk:
    """A memory that is told of a new person with every sentence."""

    memory: Memory
    numbers: Iterator[int]

    async def told(self, read: Reading, status: str = "active") -> tuple[str, str, bool]:
        """Verdict, recorded status and whether it is flagged `disagree`, of the one reading."""
        number = next(self.numbers)
        claim = Claim(relation=read.relation, object=read.thing, evidence=read.evidence or read.words, status=status)
        out = await self.memory.remember(
            read.words,
            subject=f"Q{number}",
            subject_name="Ann Carter",
            another_than=[f"Q{other}" for other in range(number)],
            claims=[claim],
        )
        (result,) = (each for each in out.results if each.given)
        stored = result.fact
        if stored is None:
            return str(result.verdict), "", False
        return str(result.verdict), str(stored.status), Flag.DISAGREE in stored.flags


@pytest.fixture(scope="module", params=["embedded", "dict"])
async def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    if request.param == "dict":
        clock, stream = FixedClock(), DictStream()
        facts = Facts(DictStore(), open_reader(Settings()), clock, space="clinic")
        yield Desk(memory_over(facts, clock, stream=stream, conversations=DictConversations(stream)), count())
        return
    folder = tmp_path_factory.mktemp("desk")
    begin(folder)
    async with open_memory(Settings(data_dir=folder)) as memory:
        yield Desk(memory, count())


async def test_a_risk_out_of_a_question_is_never_certain_and_says_so(desk: Desk) -> None:
    fates = {read.words: await desk.told(read) for read in ASKED}
    assert {words: fate for words, fate in fates.items() if fate[1:] != ("unconfirmed", True)} == {}


async def test_a_risk_that_is_said_beside_a_question_or_taken_for_granted_in_it_is_certain(desk: Desk) -> None:
    fates = {read.words: await desk.told(read) for read in STATED}
    assert {words: fate for words, fate in fates.items() if fate != ("stored", "active", False)} == {}


async def test_an_absence_out_of_a_question_waits(desk: Desk) -> None:
    fates = {read.words: await desk.told(read, "negated") for read in ABSENCE_ASKED}
    assert {words: fate for words, fate in fates.items() if fate != ("waits", "", False)} == {}


async def test_an_absence_that_is_said_beside_a_question_is_stored(desk: Desk) -> None:
    fates = {read.words: await desk.told(read, "negated") for read in ABSENCE_STATED}
    assert {words: fate for words, fate in fates.items() if fate != ("stored", "negated", False)} == {}


async def test_what_can_be_eaten_is_not_taken_from_a_question(desk: Desk) -> None:
    asked = await desk.told(Reading("Can I eat cod?", TOLERATES, "cod", "I eat cod"))
    stated = await desk.told(Reading("Cod is fine for me. Can I eat plaice?", TOLERATES, "Cod", "Cod is fine for me"))
    assert (asked[0], stated[:2]) == ("waits", ("stored", "active"))
