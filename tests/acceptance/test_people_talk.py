"""How ordinary people tell of risks, class by class: what each way of saying it leaves in the memory.

Each test has sentences of one class beside some that only look like it: denials, other people, questions, suppositions.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import pytest

from r_memory import Memory, Settings, open_memory
from r_memory.errors import InvalidInput
from r_memory.facts.recall.rendering import render
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one statement about somebody of whom nothing was known."""

    facts: set[str]
    """`RELATION object status`, with ` (who)` or ` (value)` behind it, in small letters but for the relation."""
    waits: tuple[str, ...]
    """Why words wait for a person."""
    block: str
    """What stands in front of a request."""

    @property
    def risks(self) -> set[str]:
        """The facts that state something."""
        return {fact for fact in self.facts if "active" in fact or "unconfirmed" in fact}


@dataclass(frozen=True, slots=True)
class Clinic:
    """A memory that hears of a new patient with every statement."""

    memory: Memory
    numbers: Iterator[int]

    async def hears(self, words: str, speaker: str = "") -> Heard:
        """What a statement leaves, and what is shown of it."""
        number = next(self.numbers)
        others = [f"P{other}" for other in range(number)]
        told = await self.memory.remember(
            words, subject=f"P{number}", subject_name="Ann Carter", another_than=others, speaker=speaker
        )
        recall = await self.memory.build_context("Please prescribe something for her.", subject=f"P{number}")
        return Heard(
            facts={
                f"{fact.relation} {fact.object.name.lower()} {fact.status}"
                + "".join(f" ({fact.attrs[name]})" for name in ("relative", "value") if fact.attrs.get(name))
                for fact in told.facts
            },
            waits=tuple(result.reason for result in told.results if result.fact is None),
            block=render(recall),
        )


@pytest.fixture(scope="module")
async def clinic(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Clinic]:
    folder = tmp_path_factory.mktemp("clinic")
    begin(folder)
    async with open_memory(Settings(data_dir=folder)) as memory:
        yield Clinic(memory, count())


UNNAMED = [
    "I did not react well to something I was given.",
    "I was very poorly after whatever they put in the drip.",
    "Some injection at the dentist's made my face swell.",
    "They gave me a tablet, no idea which, and I passed out.",
    "I came round from the operation covered in hives.",
    "One of the jabs disagreed with me.",
    "She had a funny turn after an injection years ago.",
    "Someone at the surgery gave me something and my throat closed up.",
    "I take lisinopril, and I once reacted badly to something in hospital.",
    "User had an awful time with some medication, name not known.",
    "Something I was given in A&E nearly killed me.",
    "They couldn't give her the blood because she reacted to it halfway through.",
    "I woke up in the middle of my hernia operation.",
    "I had a bad reaction once, don't ask me to what.",
    "He's had an allergic reaction before but we never found out what caused it.",
    "She reacted to one of her injections, I couldn't tell you which.",
    "There was an allergic reaction when he was small, cause unknown.",
]
NOT_UNNAMED = [
    "I have never reacted badly to an injection.",
    "My neighbour reacted badly to something she was given.",
    "Did I react badly to something I was given?",
    "If I react badly to something they give me, whom do I call?",
    "The nurse gave me something for my rash.",
    "I had a rash, so they gave me an injection.",
    "I collapsed and was taken to hospital.",
    "I had a jab yesterday.",
    "The hospital car park made me late.",
    "I reacted badly to the news.",
    "I came over funny when I saw the bill.",
    "It made me laugh when the nurse dropped the pills.",
]


async def test_a_reaction_to_something_that_nobody_can_name_waits_and_is_shown(clinic: Clinic) -> None:
    heard = {words: await clinic.hears(words) for words in UNNAMED}
    assert [words for words, one in heard.items() if not one.waits] == []
    assert [words for words, one in heard.items() if words.rstrip(".") not in one.block] == []


async def test_what_only_looks_like_such_a_reaction_does_not_wait(clinic: Clinic) -> None:
    heard = {words: await clinic.hears(words) for words in NOT_UNNAMED}
    assert [words for words, one in heard.items() if any("not named" in reason for reason in one.waits)] == []
    assert {words: one.risks for words, one in heard.items() if one.risks} == {}


async def test_a_word_for_any_medicine_is_no_name_of_one(clinic: Clinic) -> None:
    for words in ("The tablets made me feel better.", "The pills made me drowsy."):
        heard = await clinic.hears(words)
        assert (heard.risks, len(heard.waits)) == (set(), 1)


async def test_what_waits_says_which_facts_its_words_gave(clinic: Clinic) -> None:
    heard = await clinic.hears("There's a painkiller I can't have, I forget which.")
    assert heard.facts == {"TAKES analgesic unconfirmed"}
    assert [reason.partition("; ")[2] for reason in heard.waits] == ["kept from it: TAKES Analgesic (unconfirmed)"]
    assert "kept" not in (await clinic.hears("I didn't react well to something I was given.")).waits[0]


async def test_a_speaker_that_is_no_text_is_refused_with_what_to_do(clinic: Clinic) -> None:
    with pytest.raises(InvalidInput, match="speaker is a NoneType; give text, or leave it out"):
        await clinic.hears("I am allergic to latex.", speaker=None)  # type: ignore[arg-type]  # as callers do


IN_ONE_BREATH = {
    "My mum and sister both had breast cancer.": ("breast cancer", {"mother", "sister"}),
    "My father and both his brothers had heart attacks.": ("myocardial infarction", {"father", "uncle"}),
    "Mum, her sister and Gran all had breast cancer.": ("breast cancer", {"mother", "aunt", "grandmother"}),
    "My mother and grandmother are allergic to penicillin.": ("penicillin allergy", {"mother", "grandmother"}),
    "Both her mother and her maternal aunt had ovarian cancer.": ("ovarian cancer", {"mother", "aunt"}),
    "Family history: breast cancer in mother and sister.": ("breast cancer", {"mother", "sister"}),
    "The user's father and grandfather died of bowel cancer.": ("bowel cancer", {"father", "grandfather"}),
    "My sister and my husband have diabetes.": ("diabetes", {"sister"}),
    "I went with my mother and my brother, who has epilepsy.": ("epilepsy", {"brother"}),
    "My mother has diabetes but my sister doesn't.": ("diabetes", {"mother"}),
    "My mother and sister do not have diabetes.": ("diabetes", set()),
    "Do my mother and my sister have diabetes?": ("diabetes", set()),
}


async def test_each_relative_who_is_told_of_in_one_breath_has_a_fact(clinic: Clinic) -> None:
    for words, (illness, relatives) in IN_ONE_BREATH.items():
        facts = {fact.replace("unconfirmed", "active") for fact in (await clinic.hears(words)).facts}
        assert (words, facts) == (words, {f"HAS_FAMILY_HISTORY {illness} active ({who})" for who in relatives})


async def test_what_holds_for_a_relative_and_the_patient_is_told_of_both(clinic: Clinic) -> None:
    heard = await clinic.hears("My dad and I both have asthma.")
    assert heard.facts == {"HAS_CONDITION asthma active", "HAS_FAMILY_HISTORY asthma active (father)"}


FORBIDDEN = "IS_CONTRAINDICATED_WITH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One class of what people tell, beside what only looks like it."""

    of: str = ""
    """Stands in each fact of this class; empty if whatever is stated counts."""
    certain: bool = False
    """Whether it must be told for certain."""
    said: Mapping[str, str]
    """The fact of this class that words leave, without its status."""
    unsaid: Sequence[str] = ()
    """What leaves none."""

    def facts(self, heard: Heard) -> set[str]:
        """Those of this class that something left."""
        risks = heard.facts if self.certain else {fact.replace("unconfirmed", "active") for fact in heard.risks}
        return {fact.replace(" active", "") for fact in risks if self.of in fact}


WAYS = {
    "side effects are an intolerance, and swollen ankles no allergy": Way(
        said={
            "I get terrible side effects from tramadol.": "HAS_INTOLERANCE_TO tramadol",
            "I had to stop sertraline because of side effects.": "HAS_INTOLERANCE_TO sertraline",
            "I had to come off atorvastatin over the side effects.": "HAS_INTOLERANCE_TO atorvastatin",
            "Metformin was stopped owing to side effects.": "HAS_INTOLERANCE_TO metformin",
            "The side effects of prednisolone were too much for me.": "HAS_INTOLERANCE_TO prednisolone",
            "I couldn't cope with the side effects of naproxen.": "HAS_INTOLERANCE_TO naproxen",
            "Pregabalin didn't suit me.": "HAS_INTOLERANCE_TO pregabalin",
            "My mother gets terrible side effects from tramadol.": "HAS_FAMILY_HISTORY tramadol intolerance (mother)",
            "Amlodipine made my ankles swell.": "HAS_INTOLERANCE_TO amlodipine",
            "My feet swelled up on nifedipine.": "HAS_INTOLERANCE_TO nifedipine",
            "Penicillin made my face and my ankles swell up.": "HAS_ALLERGY_TO penicillin",
        },
        unsaid=[
            "What are the side effects of ramipril?",
            "I'm worried about the side effects of methotrexate.",
            "If I get side effects from ramipril, should I stop it?",
            "I was told about the side effects of warfarin.",
            "My neighbour had to stop sertraline because of side effects.",
            "I have no side effects from tramadol.",
            "Amlodipine did not make my ankles swell.",
        ],
    ),
    "bruises from a medicine are no allergy": Way(
        said={
            "She was black and blue after they gave her clopidogrel.": "HAS_INTOLERANCE_TO clopidogrel",
        },
        unsaid=["I fell and was black and blue."],
    ),
    "who feels unwell with something does not tolerate it": Way(
        of="HAS_INTOLERANCE_TO",
        said={
            "The user feels unwell every time she takes antihistamines.": "HAS_INTOLERANCE_TO antihistamine",
            "I felt dreadful on citalopram.": "HAS_INTOLERANCE_TO citalopram",
            "She was unwell on amiodarone.": "HAS_INTOLERANCE_TO amiodarone",
        },
        unsaid=[
            "I feel unwell so I take paracetamol.",
            "I felt better on citalopram.",
            "Does she feel unwell on amiodarone?",
            "If I feel unwell on amiodarone I will ring you.",
            "I never felt unwell on amiodarone.",
        ],
    ),
    "a medicine that was stopped for the harm it did is not tolerated": Way(
        of="HAS_INTOLERANCE_TO",
        said={
            "The user was taken off methotrexate because it hurt her liver.": "HAS_INTOLERANCE_TO methotrexate",
            "They had to take me off lithium because my kidneys went downhill.": "HAS_INTOLERANCE_TO lithium",
            "They stopped lisinopril as her potassium went up.": "HAS_INTOLERANCE_TO lisinopril",
            "The user said that tramadol disagreed with her.": "HAS_INTOLERANCE_TO tramadol",
        },
        unsaid=[
            "They stopped metformin because the operation was on Monday.",
            "I stopped aspirin when my course finished.",
            "My mother was taken off methotrexate because it hurt her liver.",
            "Should she come off methotrexate if her liver tests go up?",
            "Methotrexate was not stopped although her liver tests trebled.",
            "I disagreed with the doctor about tramadol.",
        ],
    ),
    "an operation that leaves something in the body tells of an implant": Way(
        of="HAS_IMPLANTS",
        said={
            "They clipped an aneurysm in my head in 2004.": "HAS_IMPLANTS aneurysm clip",
            "I've had a brain aneurysm clipped.": "HAS_IMPLANTS aneurysm clip",
            "I had my wrist plated.": "HAS_IMPLANTS wrist plated",
            "They pinned my hip after the fall.": "HAS_IMPLANTS pinned the hip",
            "The surgeon replaced my knee last year.": "HAS_IMPLANTS knee replacement",
            "The user mentioned having a titanium rod in her femur.": "HAS_IMPLANTS titanium rod",
            "She has bilateral hip replacements.": "HAS_IMPLANTS hip replacement",
            "There is a retained bullet fragment near the spine.": "HAS_IMPLANTS bullet",
        },
        unsaid=[
            "I'm on the waiting list for a pacemaker.",
            "They might clip the aneurysm.",
            "I had my nails clipped.",
            "Have you had an aneurysm clipped?",
            "My mother had her hip replaced.",
            "He has a fear of pacemakers.",
            "They replaced my boiler last year.",
        ],
    ),
    "a plainly told condition is not doubted": Way(
        certain=True,
        said={
            "I'm 14 weeks pregnant with my second.": "HAS_CONDITION pregnancy",
            "She is 30 weeks pregnant.": "HAS_CONDITION pregnancy",
            "I have MRSA.": "HAS_CONDITION mrsa",
            "Previous VRE 2022, side room.": "HAS_CONDITION vre",
            "The user has seizures.": "HAS_CONDITION epilepsy",
        },
        unsaid=["She has a fear of cancer.", "Once she is pregnant we stop it.", "Does she have epilepsy?"],
    ),
    "lay words for a condition that matters leave it": Way(
        of="HAS_CONDITION",
        said={
            "I woke up in the middle of my operation.": "HAS_CONDITION awareness under anesthesia",
            "She chokes on thin drinks so we thicken them.": "HAS_CONDITION difficulty swallowing",
            "Soft and bite-sized diet, level 2 fluids.": "HAS_CONDITION difficulty swallowing",
            "My kidneys are working at about 35 percent.": "HAS_CONDITION kidney disease",
            "I haven't driven since my fit in August.": "HAS_CONDITION epilepsy",
            "The nurse said I've got that superbug in my nose.": "HAS_CONDITION mrsa",
        },
        unsaid=["I woke up in the middle of the night.", "My brother has fits.", "The dress fits."],
    ),
    "who bled for hours may do so again": Way(
        of="bleeding",
        said={"I bled for hours after they took my wisdom teeth out.": "HAS_CONDITION bleeding risk"},
    ),
    "what somebody was told to leave alone is an order and no hearsay": Way(
        of="active",
        certain=True,
        said={
            "User was told by the anaesthetist not to have suxamethonium again.": f"{FORBIDDEN} succinylcholine",
            "We were told she must never have an MRI.": f"{FORBIDDEN} mri",
            "I was told I can't have ibuprofen.": f"{FORBIDDEN} ibuprofen",
            "I was told not to take aspirin again.": f"{FORBIDDEN} aspirin",
        },
        unsaid=[
            "Was she told by the anaesthetist not to have suxamethonium?",
            "My mother was told by the anaesthetist not to have suxamethonium again.",
            "My mother was told she must never have an MRI.",
            "Was she told she can't have ibuprofen?",
            "If I was told I can't have ibuprofen I would say so.",
            "I was never told I can't have ibuprofen.",
            "I was told I could have ibuprofen.",
        ],
    ),
    "a weight is taken in kilograms alone": Way(
        said={
            "She only weighs 38 kilos.": "HAS_MEASUREMENT weight in kg (38)",
            "Weight 38 kg.": "HAS_MEASUREMENT weight in kg (38)",
        },
        unsaid=["She weighs 9 stone.", "She lost 10 kilos.", "My son weighs 11 kilos.", "What does she weigh?"],
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_a_way_of_telling_leaves_its_fact_and_what_only_looks_like_it_leaves_none(
    clinic: Clinic, way: Way
) -> None:
    facts = {words: way.facts(await clinic.hears(words)) for words in (*way.said, *way.unsaid)}
    assert facts == {words: {fact} for words, fact in way.said.items()} | {words: set() for words in way.unsaid}


async def test_what_is_tolerated_or_only_taken_beside_a_culprit_is_no_culprit(clinic: Clinic) -> None:
    for words, facts in {
        "Pt reports rash with co-amoxiclav, tolerates cefalexin.": {
            "HAS_ALLERGY_TO amoxicillin-clavulanate active",
            "TOLERATES cephalexin active",
        },
        "Rash with trimethoprim, takes cefalexin.": {"HAS_ALLERGY_TO trimethoprim active", "TAKES cephalexin active"},
    }.items():
        assert (words, (await clinic.hears(words)).facts) == (words, facts)
    heard = await clinic.hears("On long-term hydrocortisone, needs sick day cover.")
    assert {fact for fact in heard.risks if "INTOLERANCE" in fact or "ALLERGY" in fact} == set()
    assert "TAKES hydrocortisone active" in heard.facts


async def test_blood_results_are_measurements_each_as_it_is_said_first(clinic: Clinic) -> None:
    for words, results in {
        "The user's creatinine was 180 last week.": {"creatinine 180"},
        "ALT 310, bilirubin 64.": {"alt 310", "bilirubin 64"},
        "Hb 72, creatinine 180.": {"hemoglobin 72", "creatinine 180"},
        "eGFR 28 this morning, was 41 in June.": {"egfr 28"},
        "CrCl 25 ml/min.": {"creatinine clearance 25"},
        "He's only four and his creatinine is 60.": {"creatinine 60"},
        "Is my creatinine 180?": set(),
        "Her mother's creatinine was 180.": set(),
    }.items():
        facts = (fact for fact in (await clinic.hears(words)).facts if "MEASUREMENT" in fact)
        measured = {fact.split(maxsplit=1)[1].replace("unconfirmed", "active") for fact in facts}
        told = {f"{name.rpartition(' ')[0]} active ({name.rpartition(' ')[2]})" for name in results}
        assert (words, measured) == (words, told)


async def test_a_clinician_who_treats_is_not_the_one_who_is_treated(clinic: Clinic) -> None:
    for words, fact in {
        "We implanted a pacemaker in May 2020.": "HAS_IMPLANTS pacemaker active",
        "We have diagnosed myasthenia gravis.": "HAS_CONDITION myasthenia gravis active",
        "I would avoid macrolides in her.": "IS_CONTRAINDICATED_WITH macrolide active",
        "I am allergic to latex.": "HAS_ALLERGY_TO latex unconfirmed",
    }.items():
        assert (words, (await clinic.hears(words, speaker="Dr Shah")).facts) == (words, {fact})


async def test_a_measured_number_is_certain_unless_it_is_aimed_at_or_denied(clinic: Clinic) -> None:
    measured = await clinic.hears("Weight 48 kg, INR 2.8 and creatinine of 310.")
    assert measured.facts == {
        "HAS_MEASUREMENT weight in kg active (48)",
        "HAS_MEASUREMENT inr active (2.8)",
        "HAS_MEASUREMENT creatinine active (310)",
    }
    for words in (
        "Metformin is safe with an eGFR of 60.",
        "No contrast till the eGFR is over 60.",
        "Her eGFR is not 60.",
        "eGFR 60 is the limit for that.",
    ):
        facts = (await clinic.hears(words)).facts
        assert [(words, fact) for fact in facts if fact.startswith("HAS_MEASUREMENT") and " active" in fact] == []


TAKEN_BACK = [
    "He denies any reaction to co-trimoxazole, although his wife describes a rash.",
    "No allergy to flucloxacillin, but his whole face swelled up.",
    "I'm not allergic to aspirin, though I do wheeze.",
    "No known drug allergies, but she came up in hives last year.",
]
NOT_TAKEN_BACK = {
    "No allergy to penicillin, but erythromycin gave me a rash.": "HAS_ALLERGY_TO penicillin negated",
    "I'm not allergic to latex, but I hate the smell.": "HAS_ALLERGY_TO latex negated",
}


async def test_an_absence_beside_an_effect_that_nothing_else_explains_waits(clinic: Clinic) -> None:
    heard = {words: await clinic.hears(words) for words in TAKEN_BACK}
    assert {words: one.facts for words, one in heard.items() if any("negated" in fact for fact in one.facts)} == {}
    assert [words for words, one in heard.items() if not one.waits and not one.risks] == []
    for words, fact in NOT_TAKEN_BACK.items():
        assert fact in (await clinic.hears(words)).facts


NOBODY_IN_PARTICULAR = [
    "Adults: maximum 60 mg codeine in 6 hours.",
    "Max 10 mg bisoprolol for adults, per the formulary.",
    "The guideline says maximum 3 g of paracetamol a day under fifty kilos.",
]


async def test_what_holds_for_anybody_is_no_certain_fact_of_the_patient(clinic: Clinic) -> None:
    heard = {words: await clinic.hears(words) for words in NOBODY_IN_PARTICULAR}
    assert {words: one.risks for words, one in heard.items() if any(" active" in fact for fact in one.risks)} == {}


MEANT_BY_IT = {
    "She won't take morphine, it gives her hives.": "HAS_ALLERGY_TO morphine active",
    "I had naproxen for my back. It made my stomach bleed.": "HAS_INTOLERANCE_TO naproxen active",
    "They put him on amlodipine but it blew his ankles up.": "HAS_INTOLERANCE_TO amlodipine active",
}


async def test_what_a_pronoun_means_is_read_where_it_was_named(clinic: Clinic) -> None:
    for words, fact in MEANT_BY_IT.items():
        assert fact in (await clinic.hears(words)).facts
    disliked = await clinic.hears("I wouldn't say I'm allergic to dogs, I just can't bear them.")
    assert disliked.risks == set()


TYPED = {
    "ive got ibs and had a dvt in 2019": {
        "HAS_CONDITION irritable bowel syndrome active",
        "HAS_CONDITION deep vein thrombosis active",
    },
    "ive got a latex allergy": {"HAS_ALLERGY_TO latex active"},
    "im on a ppi and hrt": {"TAKES proton pump inhibitor active", "TAKES hormone replacement active"},
    "he hasnt got an icd": {"HAS_IMPLANTS icd negated"},
    "the hit song was ten years old, als mum sent a pen": set(),
}


async def test_what_is_typed_in_small_letters_without_apostrophes_is_read_alike(clinic: Clinic) -> None:
    for words, facts in TYPED.items():
        assert (await clinic.hears(words)).facts == facts


AT_HOME = {
    "I had a blood clot after my hip was done.": "HAS_CONDITION blood clot active",
    "Had my spleen whipped out at nineteen.": "HAS_CONDITION asplenia active",
    "No bloods from that arm, I had my right breast off.": "IS_CONTRAINDICATED_WITH blood draw active",
    "Wasps, they're why I carry a pen.": "HAS_ALLERGY_TO wasp venom active",
    "Her lips swelled at the dentist's and they put it down to the latex gloves.": "HAS_ALLERGY_TO latex gloves active",
    "I can't go in the MRI with this thing in my chest.": "IS_CONTRAINDICATED_WITH mri active",
    "There's epilepsy all down my mum's side.": "HAS_FAMILY_HISTORY epilepsy active (family)",
    "I can eat prawns.": "TOLERATES prawn active",
    "I used to be allergic to eggs but I grew out of it.": "HAS_ALLERGY_TO egg resolved",
    "He takes his water tablets first thing every morning.": "TAKES diuretic active",
    "He's not to have more than three of those co-codamol a day.": "DOSE_LIMIT acetaminophen-codeine active",
    "She must not drink more than a litre and a half of fluid a day.": "DOSE_LIMIT fluid active",
    "The kidney doctor told me mine are down to thirty percent.": "HAS_CONDITION kidney disease unconfirmed",
}
OF_ANYBODY = [
    "The side effects of codeine include constipation.",
    "The side effects of naproxen can be nasty, heartburn and the like.",
    "Codeine can cause constipation, it says on the packet.",
]


async def test_what_is_told_at_the_kitchen_table_is_read(clinic: Clinic) -> None:
    heard = {words: (await clinic.hears(words)).facts for words in AT_HOME}
    assert [words for words, fact in AT_HOME.items() if fact not in heard[words]] == []


async def test_what_a_leaflet_counts_up_is_nobodys_intolerance(clinic: Clinic) -> None:
    for words in OF_ANYBODY:
        heard = await clinic.hears(words)
        assert (words, [fact for fact in heard.facts if "active" in fact]) == (words, [])
        assert heard.waits
    own = await clinic.hears("The side effects of metformin were too much for me.")
    assert own.risks == {"HAS_INTOLERANCE_TO metformin active"}


async def test_where_something_was_put_is_no_name_of_it(clinic: Clinic) -> None:
    heard = await clinic.hears("Whatever they put in the drip made me poorly.")
    assert (heard.facts, len(heard.waits)) == (set(), 1)


async def test_she_is_never_the_relative_who_tells_of_her(clinic: Clinic) -> None:
    heard = await clinic.hears("She can't tell us, she's got dementia.", speaker="daughter")
    assert heard.facts == {"HAS_CONDITION dementia active"}
