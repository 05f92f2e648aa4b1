"""Documents by their layout: what headings, lists, rows, laboratory lines and boxes state, and what states nothing."""

import ast
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import r_memory.reading as room
from r_memory.domain.facts import Extraction
from r_memory.domain.schema import Schema
from r_memory.protocols import ABOVE, Turn, Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.sheets import SheetReader
from tests.unit.reading.readers import JOHN

Reads = Callable[[str], Extraction]
READS_A_CLOCK = {"exam.py"}
"""Modules that measure how long a model takes; they read no statement."""


@pytest.fixture(scope="module")
def reader(extractor: RuleExtractor, schema: Schema, gazetteer: Gazetteer) -> SheetReader:
    return SheetReader(extractor, extractor, schema, gazetteer)


@pytest.fixture(scope="module")
def sheet(reader: SheetReader) -> Reads:
    return lambda text: reader.extract(Utterance(text=text, role="document", subject=JOHN))


def told(read: Extraction) -> list[str]:
    return [f"{each.relation} {each.object} {each.status}" for each in read.proposals]


LISTS = {
    "Stop these please:\n- Candesartan 8 mg daily\n\nStart:\n- Amlodipine 5 mg daily\n": [
        "TAKES candesartan resolved",
        "TAKES amlodipine active",
    ],
    "DRUGS TO AVOID\n\nDiclofenac\nKetorolac\n": [
        "IS_CONTRAINDICATED_WITH diclofenac active",
        "IS_CONTRAINDICATED_WITH ketorolac active",
    ],
    "## On hold\n\n- Warfarin\n": ["TAKES warfarin unconfirmed"],
    "**Differential**\n1. Pneumonia\n2. Asthma\n": [
        "HAS_CONDITION pneumonia unconfirmed",
        "HAS_CONDITION asthma unconfirmed",
    ],
    "Family history\n\nAunt: epilepsy. Latex allergy.\n": [
        "HAS_FAMILY_HISTORY epilepsy active",
        "HAS_FAMILY_HISTORY latex allergy active",
    ],
    "Allergies\n- Codeine (rash 2011)\n": ["HAS_ALLERGY_TO codeine active"],
    "Past medical history\n\nAsthma\nPacemaker 2016\n": [
        "HAS_CONDITION asthma active",
        "HAS_IMPLANTS pacemaker active",
    ],
    "| Medicine | Dose | Status |\n|---|---|---|\n| Warfarin | 3 mg | active |\n| Digoxin | 1 mg | stopped |\n": [
        "TAKES warfarin active",
        "TAKES digoxin resolved",
    ],
}


@pytest.mark.parametrize(("text", "facts"), LISTS.items())
def test_a_list_states_what_its_heading_says(sheet: Reads, text: str, facts: list[str]) -> None:
    read = sheet(text)
    assert told(read) == facts
    assert all(each.evidence in text for each in read.proposals)


def test_a_list_of_medicines_keeps_doses(sheet: Reads) -> None:
    [fact] = sheet("Current medication\nBisoprolol 2.5 mg twice daily\n").proposals
    assert fact.attrs == {"dose": "2.5 mg", "frequency": "twice daily"}


def test_a_reaction_behind_an_allergen_is_no_illness(sheet: Reads) -> None:
    [fact] = sheet("Allergies: flucloxacillin (jaundice 2021)").proposals
    assert (fact.relation, fact.attrs) == ("HAS_ALLERGY_TO", {"reaction": "jaundice", "onset": 2021})


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Potassium      5.9   mmol/L   3.5-5.3   H", 5.9),
        ("eGFR | 41 | mL/min/1.73m2 | >90", 41.0),
        ("INR: 3,4 (12 Nov 2026)", 3.4),
        ("Sodium 128 mmol/L (133 - 146)", 128.0),
        ("Sodium 121 L", 121.0),
        ("Magnesium 0.41 mmol/L", 0.41),
    ],
)
def test_a_laboratory_line_is_a_value_and_not_its_range(sheet: Reads, line: str, value: float) -> None:
    [fact] = sheet(line).proposals
    assert (fact.relation, fact.attrs["value"]) == ("HAS_MEASUREMENT", value)


@pytest.mark.parametrize("line", ["Magnesium 400 mg at night", "Potassium 8 mmol twice daily", "Calcium 500 mg daily"])
def test_a_line_with_a_dose_is_no_laboratory_value(sheet: Reads, line: str) -> None:
    assert not any(fact.relation == "HAS_MEASUREMENT" for fact in sheet(line).proposals)


def test_a_value_is_of_the_day_that_stands_beside_it(sheet: Reads) -> None:
    [fact] = sheet("eGFR 38 (12 Nov 2026)").proposals
    assert fact.attrs["measured"] == "2026-11-12"


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("Latex allergy      [x] Yes  [ ] No", ["HAS_ALLERGY_TO latex active"]),
        ("Latex allergy:   Yes ( )   No (X)", ["HAS_ALLERGY_TO latex negated"]),
        ("Pacemaker          [ ] Yes  [ ] No", []),
        ("Pacemaker          [x] Yes  [x] No", []),
    ],
)
def test_a_box_is_read_by_its_tick(sheet: Reads, line: str, facts: list[str]) -> None:
    assert told(sheet(line)) == facts


NOTHING = (
    "Creatinine (0.5-1.2 mg/dL)",
    "\u2600 Busy Allergy Season Ahead! \u2600",
    "If you are allergic to latex, tell the nurse.",
    "Bring your tablets such as warfarin with you.",
    "latex-clinic@wards.example",
    "Given\n- morphine 5 mg\n",
)


@pytest.mark.parametrize("text", NOTHING)
def test_ranges_headlines_footers_and_instructions_state_nothing(sheet: Reads, text: str) -> None:
    assert told(sheet(text)) == []


# what is too much, too long or twice


def waits(read: Extraction) -> list[str]:
    return [each.text for each in read.review]


def test_a_text_of_headings_only_states_nothing(sheet: Reads) -> None:
    assert told(sheet("# Allergies\n\n# Medication\n\n# Family history\n\n# Stop\n")) == []


def test_three_hundred_items_are_all_read_or_in_view(sheet: Reads) -> None:
    items = ["- Codeine", "- Zyloflurane", "- Latex"] * 100
    text = "\n".join(["Allergies", *items])
    read = sheet(text)
    assert {each.object for each in read.proposals} == {"codeine", "latex", "zyloflurane"}


def test_a_sentence_of_eight_thousand_characters_keeps_its_risk(sheet: Reads) -> None:
    text = "He was seen and " + "was well and " * 600 + "is allergic to latex."
    read = sheet(text)
    assert told(read) == ["HAS_ALLERGY_TO latex active"] or any("latex" in each for each in waits(read))


def test_what_is_in_another_language_is_in_view(sheet: Reads) -> None:
    text = "Allergies\n- Codeine\n\nDie Patientin hat eine schwere Allergie gegen Latex und wurde deshalb verlegt.\n"
    read = sheet(text)
    assert "HAS_ALLERGY_TO codeine active" in told(read)
    assert any("Latex" in each for each in waits(read)) or any("latex" in each for each in told(read))


def test_a_form_that_is_printed_twice_is_read_once(sheet: Reads) -> None:
    form = "Asthma    [x] Yes  [ ] No\nLatex allergy    [x] Yes  [ ] No\n"
    assert told(sheet(form + form)) == told(sheet(form))


def test_what_a_document_says_is_none_waits_with_its_heading(sheet: Reads) -> None:
    read = sheet("Allergies\nNone known\n")
    assert (told(read), waits(read)) == ([], ["Allergies\nNone known"])


# several people, and what speaks against an absence


@pytest.mark.parametrize(
    ("text", "waiting"),
    [
        ("Seen at home. NKDA. Boarding beside him: another patient, who carries an egg allergy.\n", "NKDA"),
        ("Allergies: NKDA\n\nBed 4's patient\n- Egg allergy\n", "Allergies: NKDA"),
        ("No known allergies.\n\nReacted to codeine in 2014; codeine allergy.\n", "No known allergies."),
    ],
)
def test_an_absence_beside_a_risk_or_another_patient_waits_with_its_line(sheet: Reads, text: str, waiting: str) -> None:
    read = sheet(text)
    assert not [fact for fact in told(read) if fact.endswith("negated")]
    assert any(waiting in each for each in waits(read))


def test_an_absence_that_nothing_speaks_against_is_kept(sheet: Reads) -> None:
    assert told(sheet("Seen in clinic. NKDA. Sleeps well.")) == ["HAS_ALLERGY_TO any_drug negated"]


@pytest.mark.parametrize(
    "text",
    [
        "Room 7's patient\n- Egg allergy\n",
        "Egg allergy: the patient in bed 7.\n",
        "Bed 7's patient:\n\nAllergies\n- Egg\n- Codeine\n",
        "Bed 6: for discharge\nBed 7: egg allergy\n",
    ],
)
def test_what_stands_under_the_name_of_another_patient_waits_and_is_not_the_subjects(sheet: Reads, text: str) -> None:
    read = sheet(text)
    assert told(read) == []
    assert any("gg" in each for each in waits(read))


def test_behind_another_patients_lines_the_subjects_own_are_read(sheet: Reads) -> None:
    text = "Bed 7's patient\n- Egg allergy\n\nCurrent medication\n- Bisoprolol 5 mg\n"
    assert told(sheet(text)) == ["TAKES bisoprolol active"]
    assert told(sheet("Bed 6: John Doe\nCodeine allergy\nBed 7: egg allergy\n")) == ["HAS_ALLERGY_TO codeine active"]


# parts and days


@pytest.mark.parametrize(
    ("heading", "facts"),
    [
        ("Drugs to avoid", ["IS_CONTRAINDICATED_WITH ketorolac active"]),
        ("Stopped", ["TAKES ketorolac resolved"]),
        ("Bed 7's patient", []),
    ],
)
def test_an_item_keeps_a_heading_that_stands_in_the_part_before(
    reader: SheetReader, heading: str, facts: list[str]
) -> None:
    above = reader.above(f"{heading}\n- Diclofenac\n")
    turn = Turn(role="document", speaker=ABOVE, text=above)
    read = reader.extract(Utterance(text="- Ketorolac\n", role="document", subject=JOHN, before=(turn,)))
    assert told(read) == facts
    assert reader.above("- Naproxen\n", above) == above
    assert reader.above("\nHe walked home with his wife and felt well all evening.\n", "Stopped") == ""


def test_an_unknown_allergen_below_a_heading_in_the_part_before_waits(reader: SheetReader) -> None:
    turn = Turn(role="document", speaker=ABOVE, text="Allergies")
    read = reader.extract(Utterance(text="- Zyloflurane\n", role="document", subject=JOHN, before=(turn,)))
    assert waits(read) == ["- Zyloflurane"]


@pytest.mark.parametrize(
    ("day", "measured"),
    [("2026-11-20", "2026-11-12"), ("2026-11-12", "2026-11-12"), ("2026-02-03", "2025-11-12"), ("", "12 Nov")],
)
def test_a_value_without_a_year_is_of_the_last_such_day_before_the_documents(
    reader: SheetReader, day: str, measured: str
) -> None:
    [fact] = reader.extract(Utterance(text="eGFR 38 (12 Nov)", role="document", subject=JOHN, day=day)).proposals
    assert fact.attrs["measured"] == measured


# what a sentence of a document orders


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Lisinopril was stopped in\nMarch owing to cough.",
            ["TAKES lisinopril resolved", "HAS_INTOLERANCE_TO lisinopril unconfirmed"],
        ),
        ("- Limit fluids to 1200 ml a day\n", ["HAS_PRECAUTION limit fluids to 1200 ml a day active"]),
        ("- No BP in the right arm because of a fistula\n", ["HAS_PRECAUTION no BP active"]),
    ],
)
def test_a_stop_with_its_reason_and_an_order_for_care_are_read(sheet: Reads, text: str, facts: list[str]) -> None:
    assert [
        fact for fact in told(sheet(text)) if fact.split()[0] in {"TAKES", "HAS_INTOLERANCE_TO", "HAS_PRECAUTION"}
    ] == facts


@pytest.mark.parametrize(
    "text",
    [
        "Lisinopril was not stopped because of cough.",
        "If lisinopril is stopped because of cough, call us.",
        "His mother stopped lisinopril because of cough.",
        "No blood pressure problems.",
        "Bed 7's patient\n- No BP in the right arm\n",
        "Family history\n- Lisinopril stopped because of cough\n",
        "We discussed the fluid limit.",
    ],
)
def test_a_denied_or_foreign_stop_and_an_order_without_its_limb_are_not(sheet: Reads, text: str) -> None:
    kept = {"TAKES", "HAS_INTOLERANCE_TO", "HAS_PRECAUTION"}
    assert [fact for fact in told(sheet(text)) if fact.split()[0] in kept and not fact.endswith("unconfirmed")] == []


def test_an_order_for_a_limb_keeps_side_and_reason(sheet: Reads) -> None:
    [fact] = sheet("No BP in the right arm because of a fistula.").proposals
    assert fact.attrs == {"side": "right", "site": "arm", "reason": "a fistula"}


# the machine's load


def imported(module: Path) -> Iterable[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_reading_reads_no_clock() -> None:
    """A busy machine must not change what becomes a fact: how much is read is counted in words, never in time."""
    folder = Path(inspect.getfile(room)).parent
    clocks = {"time", "timeit", "sched"}
    found = {path.name for path in folder.rglob("*.py") if clocks & set(imported(path))}
    assert found == READS_A_CLOCK


@pytest.mark.parametrize(
    "text",
    [
        "Page 2 of the diary tells of rain. The patient is allergic to latex. It was a long day.",
        "Phone call on 3 May: the patient is allergic to latex.",
        "Letters to desk@hospital.example. The patient is allergic to latex.",
        "Please call the ward sister first: the patient is allergic to latex.",
        "Advice\n\nThe patient is allergic to latex.",
    ],
)
def test_no_footer_and_no_word_to_the_reader_swallows_a_risk(sheet: Reads, text: str) -> None:
    read = sheet(text)
    assert any("latex" in text for text in (*told(read), *(item.text for item in read.review)))


def test_a_risk_of_a_name_that_nobody_knows_below_another_patients_heading_waits(sheet: Reads) -> None:
    read = sheet("Bed 13's patient\nThe patient is allergic to Zorblaxin.\n")
    assert any("Zorblaxin" in text for text in (*told(read), *(item.text for item in read.review)))
